"""Where lldb-dap and gdb are found, and what is added to the arguments that they are given."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from dap_ai.backends import UnknownBackendError
from dap_ai.backends.discovery import discover
from dap_ai.backends.gdb import GdbBackend
from dap_ai.backends.lldb import LldbBackend
from dap_ai.backends.native import locate, native_recipe
from dap_ai.protocol.contracts.backend import StartError
from tests.unit.backends import elf_files

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="the adapters are shell scripts")
RUST = elf_files.elf({".comment": b"rustc version 1.95.0\0"})
LENGTHENED = "settings set target.max-string-summary-length 4096"


def prepared(backend: LldbBackend | GdbBackend, command: str, **arguments: Any) -> dict[str, Any]:
    return asyncio.run(backend.prepare(command, arguments)).arguments


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts programs of these names, which say a version, on a PATH of their own; nothing is beside dap_ai."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    monkeypatch.setattr(locate, "_LLDB_FOLDERS", ())

    def add(name: str, says: str = "") -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{says}'\n")
        program.chmod(0o755)
        return program

    return add


@on_posix
def test_the_newest_lldb_dap_is_used(programs):
    programs("lldb-dap-19")
    newest = programs("lldb-dap-22", "lldb version 22.1.8")
    assert locate.lldb_dap() == str(newest)
    assert locate.version_of(str(newest)) == 22


@on_posix
def test_an_lldb_dap_without_a_number_is_the_one_that_is_meant(programs):
    programs("lldb-dap-30")
    plain = programs("lldb-dap", "lldb-dap: LLVM version 23.1.4")
    assert locate.lldb_dap() == str(plain)
    assert locate.version_of(str(plain)) == 23


@on_posix
def test_the_environment_names_the_programs_to_use(programs, monkeypatch):
    programs("lldb-dap")
    mine, gdb = programs("mine-19"), programs("my-gdb", "GNU gdb (Ubuntu 15.0.50-0ubuntu1) 15.0.50")
    monkeypatch.setenv("DAP_AI_LLDB_DAP", str(mine))
    monkeypatch.setenv("DAP_AI_GDB", "my-gdb")
    assert locate.lldb_dap() == str(mine)
    assert locate.gdb() == str(gdb)


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(("variable", "name"), [("DAP_AI_LLDB_DAP", "lldb"), ("DAP_AI_GDB", "gdb")])
def test_a_program_that_the_environment_names_and_is_not_there_is_told(monkeypatch, variable, name):
    monkeypatch.setenv(variable, "/nowhere")
    with pytest.raises(UnknownBackendError, match=f"{variable} is /nowhere, and there is no such program"):
        discover(name)


@on_posix
def test_an_lldb_dap_that_does_not_tell_its_version_tells_it_by_its_name(programs):
    assert locate.version_of(str(programs("lldb-dap-19"))) == 19


@on_posix
def test_what_is_beside_dap_ai_comes_before_path(programs, tmp_path, monkeypatch):
    programs("lldb-dap-22")
    beside = programs("lldb-dap")
    monkeypatch.setattr(sys, "executable", str(beside.with_name("python")))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert locate.lldb_dap() == str(beside)


@on_posix
@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(("name", "program"), [("lldb", "lldb-dap"), ("gdb", "gdb")])
def test_a_backend_without_its_adapter_says_how_to_get_it(name, program):
    with pytest.raises(UnknownBackendError, match=rf"there is no {program}.*pip install 'dap-ai\[native\]'"):
        discover(name)


@on_posix
def test_a_gdb_that_is_too_old_is_said_to_be(programs):
    programs("gdb", "GNU gdb (Debian 13.1-3) 13.1")
    with pytest.raises(StartError, match="is gdb 13, which does not speak DAP: 14 or later is needed"):
        locate.gdb()


@on_posix
def test_a_gdb_is_started_without_anybodys_files_and_with_folders_that_exist(programs):
    gdb = programs("gdb", "GNU gdb (GDB) 18.1")
    argv = discover("gdb").command().argv
    assert argv[:3] == [str(gdb), "-nx", "-q"]
    assert argv[-2:] == ["-i", "dap"]
    added = [word.split()[1] for word in argv if word.startswith("add-auto-load-safe-path")]
    assert all(Path(folder).is_dir() for folder in added)


def test_an_adapter_that_runs_already_need_not_be_here():
    assert discover("lldb", started=False).name == "lldb"


def test_lldb_is_taken_for_an_old_one_until_it_has_announced_itself():
    assert LldbBackend().ends_without_arguments
    new = LldbBackend("/bin/lldb-dap").announced(["$__lldb_version"])
    assert not new.ends_without_arguments
    assert (new.name, new.command().argv) == ("lldb", ["/bin/lldb-dap"])


def test_lldb_shows_long_strings_and_the_users_commands_come_after_ours():
    own = ["settings set target.max-string-summary-length 99"]
    assert prepared(LldbBackend(), "launch", program="a", initCommands=own)["initCommands"] == [LENGTHENED, *own]


def test_of_the_users_arguments_nothing_is_lost_or_changed():
    mine = {"program": "a", "args": ["x"], "cwd": "/", "stopOnEntry": True, "odd": [1]}
    assert mine.items() <= prepared(LldbBackend(), "launch", **mine).items()
    assert prepared(GdbBackend(), "launch", **mine) == mine


def test_a_rust_program_gets_rusts_formatters_and_another_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(locate, "rust_formatters", lambda: Path("/rust/etc"))
    (tmp_path / "rusty").write_bytes(RUST)
    (tmp_path / "plain").write_bytes(elf_files.elf({}))
    commands = prepared(LldbBackend(), "launch", program=str(tmp_path / "rusty"))["initCommands"]
    assert commands[1].startswith("command script import") and "lldb_lookup.py" in commands[1]
    assert "HandleCommand(line.strip())" in commands[2], "the name of the category would end in a line break"
    assert prepared(LldbBackend(), "launch", program=str(tmp_path / "plain"))["initCommands"] == [LENGTHENED]


def test_where_rust_is_not_installed_a_rust_program_is_debugged_without_its_formatters(tmp_path, monkeypatch):
    monkeypatch.setattr(locate, "rust_formatters", lambda: None)
    (tmp_path / "rusty").write_bytes(RUST)
    assert prepared(LldbBackend(), "launch", program=str(tmp_path / "rusty"))["initCommands"] == [LENGTHENED]


@pytest.mark.parametrize("env", [{"A": 1, "B": None}, ["A=1"]])
def test_lldb_gets_the_environment_as_the_list_that_every_version_takes(env):
    assert prepared(LldbBackend(), "launch", program="a", env=env)["env"] == ["A=1"]


def test_gdb_gets_our_environment_with_the_programs_added(monkeypatch):
    monkeypatch.setenv("OURS", "1")
    env = prepared(GdbBackend(), "launch", program="a", env={"A": "2"})["env"]
    assert (env["OURS"], env["A"]) == ("1", "2")


@pytest.mark.parametrize(("backend", "aborts"), [(LldbBackend(), False), (GdbBackend(), True)])
def test_a_program_with_a_sanitizer_looks_for_no_leaks_and_under_gdb_stops_at_a_report(
    tmp_path, monkeypatch, backend, aborts
):
    monkeypatch.delenv("ASAN_OPTIONS", raising=False)
    (tmp_path / "checked").write_bytes(elf_files.elf({".dynstr": b"\0__asan_init\0"}))
    arguments = prepared(backend, "launch", program=str(tmp_path / "checked"), env={"ASAN_OPTIONS": "verbosity=1"})
    env = arguments["env"]
    told = env["ASAN_OPTIONS"] if isinstance(env, dict) else env[0].partition("=")[2]
    assert told == ("detect_leaks=0:abort_on_error=1:verbosity=1" if aborts else "detect_leaks=0:verbosity=1")


def test_what_the_user_has_told_a_sanitizer_comes_behind_what_it_is_told_and_so_wins(monkeypatch):
    monkeypatch.setenv("UBSAN_OPTIONS", "color=always")
    options = native_recipe.sanitizer_options(["leak", "undefined"], {}, aborts=False, more="color=never")
    assert options == {"UBSAN_OPTIONS": "print_stacktrace=1:color=never:color=always"}


@pytest.mark.parametrize("backend", [LldbBackend(), GdbBackend()])
def test_a_core_file_brings_its_program_unless_another_is_named(tmp_path, backend):
    program, core = tmp_path / "crashed", tmp_path / "core"
    program.write_bytes(b"")
    core.write_bytes(elf_files.core(str(program)))
    assert prepared(backend, "attach", coreFile=str(core))["program"] == str(program)
    assert prepared(backend, "attach", coreFile=str(core), program="mine")["program"] == "mine"


@pytest.mark.parametrize("backend", [LldbBackend(), GdbBackend()])
def test_a_core_file_of_another_program_is_refused(tmp_path, backend):
    core, other = tmp_path / "core", tmp_path / "other"
    core.write_bytes(elf_files.core(str(tmp_path / "crashed")))
    other.write_bytes(elf_files.elf({}))
    with pytest.raises(StartError, match="crashed left it"):
        prepared(backend, "attach", coreFile=str(core), program=str(other))


@pytest.mark.parametrize("backend", [LldbBackend(), GdbBackend()])
def test_what_is_no_core_file_is_refused(tmp_path, backend):
    with pytest.raises(StartError, match="no core file"):
        prepared(backend, "attach", coreFile=str(tmp_path / "none"))


@pytest.mark.parametrize("backend", [LldbBackend(), GdbBackend()])
@pytest.mark.parametrize("key", ["pid", "processId"])
def test_a_process_is_attached_to_by_its_number_or_its_text(backend, key):
    arguments = prepared(backend, "attach", **{key: str(os.getpid())})
    assert arguments["pid"] == os.getpid()
    assert "processId" not in arguments


@pytest.mark.parametrize("backend", [LldbBackend(), GdbBackend()])
@pytest.mark.parametrize("process_id", [2**40, -1, "no number", [1]])
def test_a_process_that_is_not_there_is_told(backend, process_id):
    with pytest.raises(StartError, match="There is no process"):
        prepared(backend, "attach", pid=process_id)
