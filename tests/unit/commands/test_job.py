"""The program as a job of ours: real processes, no debugger."""

from __future__ import annotations

import asyncio
import contextlib
import sys

import psutil
import pytest

from dap_ai.commands.running.controlling_terminal import ControllingTerminal
from dap_ai.commands.running.program_job import ProgramJob
from tests.patience import at_worst

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="process groups")]
WAIT_S = at_worst(10.0)
_LAUNCHER = """
import subprocess, sys
program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(program.pid, flush=True)
program.wait()
"""


async def test_a_program_of_which_no_event_has_told_ends_with_its_launcher():
    loop, said = asyncio.get_running_loop(), asyncio.Queue[bytes]()
    job = ProgramJob(ControllingTerminal(), lambda _category, data: loop.call_soon_threadsafe(said.put_nowait, data))
    await job.run_in_terminal({"args": [sys.executable, "-c", _LAUNCHER]})
    program = psutil.Process(int(await asyncio.wait_for(said.get(), WAIT_S)))
    job.kill()
    await job.ended()

    async def gone() -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            while program.status() != psutil.STATUS_ZOMBIE:
                await asyncio.sleep(0.01)

    await asyncio.wait_for(gone(), WAIT_S)
