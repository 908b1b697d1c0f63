"""The recipes of lldb-dap and gdb before the real adapters, and what real compilers write into their programs."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.backends.gdb import GdbBackend
from dap_ai.backends.lldb import LldbBackend
from dap_ai.backends.native import build, elf
from dap_ai.protocol.contracts.backend import Backend
from dap_ai.transport.client import DapClient
from tests.integration import native
from tests.integration.native_launch import WAIT_S, stopped_client
from tests.integration.test_serve import connect, listening

pytestmark = pytest.mark.anyio
LONG = 3000
SPEAKS = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    const char *added = getenv("DAP_AI_ADDED"), *ours = getenv("DAP_AI_OURS");
    char text[3001];
    for (int i = 0; i < 3000; i++) text[i] = (char)('a' + i % 7);
    text[3000] = 0;
    const char *whole = text;
    printf("%s\\n", whole);
    abort();
}
"""
RUST = """
fn main() {
    let name = String::from("forty-two");
    let items = vec![1, 2, 3];
    println!("{} {}", name, items.len());
    std::process::abort();
}
"""
FACTS = "int main(int argc, char **argv) { int a[3] = {1, 2, 3}; return a[argc % 3] + (argv != 0); }\n"


@pytest.fixture(params=["lldb-dap 19", "lldb-dap 23", "gdb"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """The recipe of each adapter in turn."""
    program = native.need(request.param)[0]
    return GdbBackend(program) if request.param == "gdb" else LldbBackend(program)


@contextlib.asynccontextmanager
async def stopped(backend: Backend, command: str, **arguments: Any) -> AsyncIterator[tuple[DapClient, dict[str, Any]]]:
    """A session of the adapter alone, with what the recipe makes of the arguments, at its first stop."""
    prepared = (await backend.prepare(command, arguments)).arguments
    async with stopped_client(backend.command(), prepared, start=command) as stop:
        yield stop


async def variables(client: DapClient, stop: dict[str, Any], function: str) -> dict[str, str]:
    """The variables of the innermost frame of this function, by name."""
    frames = (await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S))["stackFrames"]
    frame = next(frame["id"] for frame in frames if function in frame["name"])
    found: dict[str, str] = {}
    for scope in (await client.request("scopes", {"frameId": frame}, WAIT_S))["scopes"]:
        if scope["name"] in {"Locals", "Arguments"}:
            wanted = {"variablesReference": scope["variablesReference"]}
            listed = (await client.request("variables", wanted, WAIT_S))["variables"]
            found |= {variable["name"]: variable["value"] for variable in listed}
    return found


async def test_long_strings_are_whole_and_the_environment_is_ours_with_more(
    backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DAP_AI_OURS", "inherited")
    program = native.build(SPEAKS, tmp_path, "speaks")
    async with stopped(backend, "launch", program=str(program), env={"DAP_AI_ADDED": "added"}) as (client, stop):
        shown = await variables(client, stop, "main")
    assert ("abcdefg" * (LONG // 7 + 1))[:LONG] in shown["whole"]
    assert '"added"' in shown["added"]
    assert '"inherited"' in shown["ours"]


@pytest.mark.parametrize(("name", "adapter"), [("lldb", "lldb-dap 19"), ("lldb", "lldb-dap 23"), ("gdb", "gdb")])
async def test_behind_the_proxy_a_backend_is_named_and_a_question_answered(
    name: str, adapter: str, start_dap_ai: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(f"DAP_AI_{'GDB' if name == 'gdb' else 'LLDB_DAP'}", native.need(adapter)[0])
    program = native.build("crash", tmp_path)
    _, port = listening(start_dap_ai, "--backend", name)
    client = await connect(port)
    await client.initialize("native")
    begun = client.send("launch", {"program": str(program)})
    await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
    await client.request("configurationDone", {}, WAIT_S)
    assert (await asyncio.wait_for(begun, WAIT_S)).success
    await asyncio.wait_for(client.wait_event("stopped"), WAIT_S)
    await client.request("ask", {"question": "why?"}, WAIT_S)
    ended = (await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S))[1]
    assert ended["reason"] == "completed", ended
    assert "order->count = boxes" in ended["answer"]
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


async def test_a_core_file_alone_is_enough(backend: Backend, tmp_path: Path):
    program = native.build("crash", tmp_path)
    core = native.core_of(program, tmp_path)
    if core is None:
        pytest.skip("this machine writes no core file beside a program that crashes")
    async with stopped(backend, "attach", coreFile=str(core)) as (client, stop):
        assert (await variables(client, stop, "sell"))["boxes"]


async def test_a_process_is_attached_to_as_vs_code_names_it_and_lives_on(backend: Backend, tmp_path: Path):
    native.need_attach()
    program = native.build("#include <unistd.h>\nint main(void) { for (;;) pause(); }\n", tmp_path, "waits")
    with subprocess.Popen([str(program)]) as process:
        try:
            async with stopped(backend, "attach", processId=str(process.pid), stopOnEntry=True) as (client, stop):
                frames = await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S)
                assert "main" in [frame["name"] for frame in frames["stackFrames"]]
            assert process.poll() is None
        finally:
            process.kill()


async def test_rusts_strings_and_vectors_are_shown_as_such(backend: Backend, tmp_path: Path):
    program = compiled(RUST, ".rs", tmp_path)
    async with stopped(backend, "launch", program=str(program)) as (client, stop):
        shown = await variables(client, stop, "::main")
    assert shown["name"] == '"forty-two"'
    assert "size=3" in shown["items"]


async def test_gdb_shows_a_vector_of_cpp_as_one(tmp_path: Path):
    gdb = GdbBackend(native.need("gdb")[0])
    if not any("auto-load-scripts" in word for word in gdb.command().argv):
        pytest.skip("no scripts of libstdc++ for gdb here")
    source = "#include <cstdlib>\n#include <vector>\nint main() { std::vector<int> v{1, 2}; abort(); }\n"
    async with stopped(gdb, "launch", program=str(compiled(source, ".cpp", tmp_path))) as (client, stop):
        assert "length 2" in (await variables(client, stop, "main"))["v"]


async def test_a_report_of_a_sanitizer_is_a_stop(backend: Backend, tmp_path: Path):
    source = "#include <stdlib.h>\nint main(int n, char **v) { int *p = malloc(16); p[4 * n] = v != 0; return 0; }\n"
    program = compiled(source, ".c", tmp_path, ["address"])
    async with stopped(backend, "launch", program=str(program)) as (client, stop):
        frames = await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S)
    assert "main" in [frame["name"] for frame in frames["stackFrames"]]


@pytest.mark.parametrize(
    ("flags", "facts"),
    [
        (["-g"], (True, False, False, [])),
        (["-g", "-O0"], (True, False, False, [])),
        (["-g", "-O2"], (True, False, True, [])),
        (["-g", "-O2", "-gz"], (True, False, True, [])),
        ([], (False, False, None, [])),
        (["-g", "-s"], (False, True, None, [])),
        (["-g", "-fsanitize=address,undefined"], (True, False, False, ["address", "undefined"])),
        (["-g", "-fsanitize=thread"], (True, False, False, ["thread"])),
    ],
    ids=lambda value: " ".join(value) or "none" if isinstance(value, list) else "",
)
def test_what_gcc_was_told_is_read_off_the_program(tmp_path: Path, flags: list[str], facts: Any):
    assert facts_of(make("gcc", flags, FACTS, ".c", tmp_path)) == facts


@pytest.mark.parametrize(
    ("flags", "facts"),
    [
        (["-g"], (True, False, False, [])),
        (["-g", "-O"], (True, False, True, [])),
        ([], (False, False, None, [])),
        (["-C", "strip=symbols"], (False, True, None, [])),
    ],
    ids=lambda value: " ".join(value) or "none" if isinstance(value, list) else "",
)
def test_what_rustc_was_told_is_read_off_the_program(tmp_path: Path, flags: list[str], facts: Any):
    source = """
    fn total(of: &[i32], times: i32) -> i32 { let mut sum = 0; for each in of { sum += each * times; } sum }
    fn main() { let v = vec![1, 2, 3]; println!("{}", total(&v, v.len() as i32)); }
    """
    program = make("rustc", flags, source, ".rs", tmp_path)
    assert facts_of(program) == facts
    assert elf.is_rust(str(program))


def compiled(text: str, suffix: str, folder: Path, sanitize: Sequence[str] = ()) -> Path:
    """The program made of this text as `dap-ai ask FILE` makes it; skips the test where there is no compiler."""
    try:
        build.find_compiler(suffix)
    except build.StartError as error:
        pytest.skip(str(error))
    source = folder / f"source{suffix}"
    source.write_text(text, encoding="utf-8")
    return build.compile_source(source, folder, sanitize)


def make(compiler: str, flags: Sequence[str], text: str, suffix: str, folder: Path) -> Path:
    """The same with flags of one's own."""
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"no {compiler} here")
    source, program = folder / f"source{suffix}", folder / "program"
    source.write_text(text, encoding="utf-8")
    done = subprocess.run([found, *flags, "-o", program, source], capture_output=True, text=True, timeout=WAIT_S)
    if done.returncode and "sanitize" in " ".join(flags):
        pytest.skip(f"{compiler} has no such sanitizer here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return program


def facts_of(program: Path) -> tuple[bool, bool, bool | None, list[str]]:
    """What is read off a program, short."""
    binary = elf.binary_of(str(program))
    assert binary is not None
    return binary.debug_info, binary.stripped, binary.optimised, binary.sanitizers
