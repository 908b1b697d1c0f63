"""A debuggee that is to outlive its session does, with whatever adapter it was started."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from tests.integration import native
from tests.integration.live import WAIT_S, Live, live
from tests.integration.test_generic import ADAPTERS, Start, begin, opened
from tests.processes import runs

pytestmark = pytest.mark.anyio

_PROGRAM = """
import os, sys, time
folder = sys.argv[1]
while not os.path.exists(os.path.join(folder, "stop")):
    print("running", flush=True)
    time.sleep(0.02)
with open(os.path.join(folder, "said"), "w") as said:
    said.write("ended by itself")
"""
_ADAPTER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
sys.stdin.read()
if sys.argv[1] == "stubborn":
    time.sleep(60)
"""


@pytest.fixture
def ended() -> Iterator[list[psutil.Process]]:
    """Processes that are ended after the test, if they run still."""
    processes: list[psutil.Process] = []
    yield processes
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


async def gone(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        await asyncio.wait_for(asyncio.to_thread(process.wait, WAIT_S), WAIT_S)


async def launched(session: Live, folder: Path, ended: list[psutil.Process]) -> psutil.Process:
    program = folder / "program.py"
    program.write_text(_PROGRAM)
    await session.launch(program, args=[str(folder)])
    process = psutil.Process((await session.event("process"))["systemProcessId"])
    ended += [psutil.Process(session.processes[0].pid), process]
    return process


async def goes_on_to_its_end(process: psutil.Process, folder: Path) -> None:
    assert runs(process)
    (folder / "stop").touch()
    await gone(process)
    assert (folder / "said").read_text() == "ended by itself"


async def test_a_launched_program_that_the_client_lets_go_runs_to_its_end_and_its_adapter_with_it(
    tmp_path: Path, ended: list[psutil.Process]
):
    async with live() as session:
        process = await launched(session, tmp_path, ended)
        await session.request("disconnect", {"terminateDebuggee": False})
    await goes_on_to_its_end(process, tmp_path)
    await gone(ended[0])


async def test_it_lives_too_if_the_client_does_not_wait_for_the_answer(tmp_path: Path, ended: list[psutil.Process]):
    async with live() as session:
        process = await launched(session, tmp_path, ended)
        answer = session.client.send("disconnect", {"terminateDebuggee": False})
    await asyncio.gather(answer, return_exceptions=True)
    await goes_on_to_its_end(process, tmp_path)


async def test_a_launched_program_that_nobody_lets_go_ends_with_its_session(
    tmp_path: Path, ended: list[psutil.Process]
):
    async with live() as session:
        process = await launched(session, tmp_path, ended)
    await gone(process)
    assert not (tmp_path / "said").exists()


async def started(how: str, *, carries: bool = False) -> tuple[AdapterProcess, psutil.Process]:
    """An adapter, and what it has started."""
    command = AdapterCommand([sys.executable, "-c", _ADAPTER, how], {}, carries_launched=carries)
    adapter = await AdapterProcess.start(command, lambda _text: None)
    said, whole = bytearray(), asyncio.Event()

    def on_data(data: bytes) -> None:
        said.extend(data)
        if said.endswith(b"\n"):
            whole.set()

    adapter.link.start(on_data, lambda: None, lambda _full: None)
    await asyncio.wait_for(whole.wait(), WAIT_S)
    return adapter, psutil.Process(int(said))


@pytest.mark.parametrize("how", ["polite", "stubborn"])
@pytest.mark.parametrize("spares", ["launch", "attach"])
async def test_of_a_spared_tree_only_the_adapter_ends(how: str, spares: str, ended: list[psutil.Process]):
    adapter, child = await started(how)
    ended.append(child)
    await asyncio.wait_for(adapter.end(spares), WAIT_S)
    assert adapter.exited.is_set()
    assert runs(child)


async def test_an_adapter_that_carries_what_it_launched_is_left_alone(ended: list[psutil.Process]):
    adapter, child = await started("stubborn", carries=True)
    ended += [child, psutil.Process(adapter.pid)]
    await asyncio.wait_for(adapter.end("launch"), WAIT_S)
    assert runs(psutil.Process(adapter.pid))


async def test_the_same_adapter_ends_if_it_has_attached(ended: list[psutil.Process]):
    adapter, child = await started("stubborn", carries=True)
    ended.append(child)
    await asyncio.wait_for(adapter.end("attach"), WAIT_S)
    assert adapter.exited.is_set()


async def test_of_a_tree_that_is_not_spared_nothing_is_left():
    adapter, child = await started("stubborn")
    await asyncio.wait_for(adapter.end(), WAIT_S)
    await gone(child)


_C_PROGRAM = """
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
    while (access(words[1], F_OK) != 0)
        usleep(20000);
    fclose(fopen(words[2], "w"));
    return 0;
}
"""


# Not gdb: it ends what it has launched as it quits, whatever it was told.
@pytest.mark.parametrize("name", [name for name in ADAPTERS if name != "gdb"])
async def test_a_stopped_native_program_that_the_client_lets_go_goes_on(
    name: str, start_dap_ai: Start, tmp_path: Path, ended: list[psutil.Process]
):
    client = await opened(start_dap_ai, "--backend", shlex.join(native.need(name)))
    marks = [str(tmp_path / "stop"), str(tmp_path / "said")]
    program = native.build(_C_PROGRAM, tmp_path)
    processes: list[int] = []
    client.on_event(lambda event, body: processes.append(body["systemProcessId"]) if event == "process" else None)
    arguments = {"program": str(program), "args": marks, "stopOnEntry": True, "stopAtBeginningOfMainSubprogram": True}
    await begin(client, "launch", arguments)
    ended.append(psutil.Process(processes[0]))
    await client.request("disconnect", {"terminateDebuggee": False}, WAIT_S)
    await client.close()
    (tmp_path / "stop").touch()
    await gone(ended[0])
    assert (tmp_path / "said").exists()
