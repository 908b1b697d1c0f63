"""Any adapter by its command line: how it is found, what is known of it, how it is connected to."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from dap_ai.backends import UnknownBackendError, known_adapters
from dap_ai.backends.connected import ConnectedAdapter
from dap_ai.backends.discovery import discover
from dap_ai.backends.generic import GenericBackend, words_of
from tests.patience import patient

pytestmark = pytest.mark.anyio


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An executable file."""
    file = tmp_path / ("some-adapter.exe" if sys.platform == "win32" else "some-adapter")
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_a_command_line_is_a_backend(program: Path):
    backend = discover(f'"{program.as_posix()}" --flag "two words"')
    argv = backend.command().argv
    assert Path(argv[0]) == program
    assert argv[1:2] == ["--flag"]
    assert argv[2] == "two words"
    assert backend.name == program.name


def test_quotes_of_a_command_line_reach_no_program():
    assert words_of(r'"C:\My Tools\adapter.exe" -x "a b" "" c', posix=False) == [
        r"C:\My Tools\adapter.exe",
        "-x",
        "a b",
        "",
        "c",
    ]


def test_a_path_with_spaces_needs_no_quotes_where_nothing_follows_it(program: Path):
    folder = program.parent / "my tools"
    folder.mkdir()
    moved = program.rename(folder / program.name)
    assert Path(discover(moved.as_posix()).command().argv[0]) == moved


def test_a_program_is_found_on_path(program: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(program.parent))
    assert Path(discover("some-adapter -x").command().argv[0]) == program


def test_a_name_of_an_installed_backend_is_that_backend():
    assert not isinstance(discover("debugpy"), GenericBackend)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no-such-adapter --x", "PATH has no such program: no-such-adapter"),
        ("./no/such/adapter", "no executable file of that path: ./no/such/adapter"),
        ('a "quote that never ends', "is no command line"),
        ("", "an empty command line"),
    ],
)
def test_what_is_neither_a_backend_nor_a_program_is_told_with_what_there_is(text: str, told: str):
    with pytest.raises(UnknownBackendError, match="debugpy") as raised:
        discover(text)
    assert told in str(raised.value)


def test_an_adapter_that_runs_already_needs_no_program_here():
    assert discover("lldb-dap-19", started=False).ends_without_arguments
    assert not discover("", started=False).denied


async def test_launch_arguments_pass_as_they_are(program: Path):
    start = await discover(str(program.as_posix())).prepare("launch", {"program": "a", "odd": [1]})
    assert start == ({"program": "a", "odd": [1]}, None, "")


@pytest.mark.parametrize(
    "name", ["lldb-dap-19", "lldb-dap", "/opt/llvm/bin/lldb-dap", "lldb-vscode-14", "lldb-dap.exe"]
)
def test_an_lldb_of_unknown_age_is_taken_for_an_old_one(name: str):
    assert GenericBackend([name]).vendor_requests is not None


@pytest.mark.parametrize("argv", [["gdb", "-i", "dap"], ["codelldb"], ["node", "js-debug.js"], ["my-lldb-dap-19"], []])
def test_of_other_adapters_nothing_is_assumed(argv: list[str]):
    backend = GenericBackend(argv)
    assert backend.vendor_requests is None
    assert not backend.denied and not backend.wedged_while_running and not backend.ends_without_arguments


def test_an_adapter_is_known_by_what_it_announces_whatever_it_is_called():
    old = GenericBackend(["wrapper.sh"]).announced(["supportsModulesRequest", "__lldb"])
    assert old.vendor_requests is not None and "locations" in old.denied
    new = GenericBackend(["lldb-dap"]).announced(["supportsModulesRequest", "$__lldb_version"])
    assert new.vendor_requests is None and not new.denied
    assert new.command().argv == ["lldb-dap"]


async def test_an_adapter_that_listens_is_connected_to_and_not_ended():
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(5))
        await reader.read()
        writer.close()
        closed.set()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        adapter = await ConnectedAdapter.open(*listener.sockets[0].getsockname()[:2], lambda _text: None)
        echoed: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        adapter.link.start(echoed.set_result, lambda: None, lambda _full: None)
        adapter.link.write(b"hello")
        assert await asyncio.wait_for(echoed, patient(5)) == b"hello"
        await adapter.end()
        await asyncio.wait_for(closed.wait(), patient(5))
        assert listener.is_serving()


async def test_where_nobody_listens_the_address_is_named():
    listener = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    host, port = listener.sockets[0].getsockname()[:2]
    listener.close()
    await listener.wait_closed()
    with pytest.raises(ConnectionError, match=f"no debug adapter listens at {host}:{port}"):
        await ConnectedAdapter.open(host, port, lambda _text: None)


@pytest.mark.parametrize(
    ("argv", "hovers"),
    [
        (["/usr/bin/lldb-dap-19"], True),
        (["gdb", "-i", "dap"], True),
        (["rust-gdb", "-i", "dap"], True),
        (["codelldb"], False),
        (["OpenDebugAD7.exe"], False),
        (["python", "-m", "debugpy.adapter"], None),
        (["dlv", "dap"], None),
        ([], None),
    ],
)
def test_debuggers_of_native_programs_are_known_by_their_names(argv: list[str], hovers: bool | None):
    assert known_adapters.hovers(argv) is hovers
    assert (GenericBackend(argv).inspector() is None) == (hovers is None)
