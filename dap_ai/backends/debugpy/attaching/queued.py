"""Attaches to Python 3.14 and later by a script queued with `sys.remote_exec` (PEP 768).

The interpreter queues the script's path, and the main thread runs the script when it next runs Python code. A main
thread that waits in a system call may do so an hour later, when no debugger listens any more. So the main thread has a
second to begin with the script (entry.py). After that the script is first disabled, then removed from the queue, then
deleted. Where the queue cannot be accessed (not on Linux) the script stays, and removes itself when it is run.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from pathlib import Path

from dap_ai.backends.debugpy.attaching import entry_folder, pending_call
from dap_ai.system.load_limits import Limit, communicate

SINCE = (3, 14)
_TAKEN_S = 0.7
"""Seconds to wait until the program begins with the script.

Starting the interpreter that queues the script and withdrawing the script bring the total to one second.
"""
_QUEUE_S = 10.0
_TURN_S = 0.005
_LATE_S = 0.1
"""Seconds to wait before deleting the script, in case the program is just opening the file."""
_QUEUE = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])"


class NotEnteredError(Exception):
    """Raised if the program has not run the script and never will; the text is a clause with the reason."""


async def enter(process_id: int, python: str) -> str:
    """Queue the script; return the folder in which the program waits for its setup. Raises NotEnteredError.

    `python` is the process's own interpreter: the interpreter that queues a script must have the same minor version.
    """
    folder = entry_folder.make(process_id)
    script = entry_folder.fill(folder, process_id)
    taken = is_queued = False
    try:
        if not _can_see(process_id, Path(script)):
            raise NotEnteredError(f"the program cannot read {Path(folder).parent}")
        is_queued = True
        await _queue(process_id, python, script)
        taken = await _taken(folder) or not entry_folder.withdraw(folder)
        if not taken:
            raise NotEnteredError("its main thread was inside a call, and ran no Python code for a second")
    finally:
        if not taken:
            await asyncio.to_thread(_take_back, process_id, folder, script if is_queued else "")
    return folder


async def _queue(process_id: int, python: str, script: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *[python, "-I", "-S", "-c", _QUEUE, str(process_id), script],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await communicate(process, _QUEUE_S)
    except asyncio.TimeoutError as error:
        raise NotEnteredError(f"{python} could not queue a script in {_QUEUE_S:.0f} s") from error
    if process.returncode:
        lines = said.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise NotEnteredError(f"sys.remote_exec failed ({lines[-1].rstrip('.')})")


async def _taken(folder: str) -> bool:
    limit = Limit(_TAKEN_S)
    while not (taken := entry_folder.was_taken(folder)) and limit.left_s:  # noqa: ASYNC110  a file has no event
        await asyncio.sleep(_TURN_S)
    return taken


def _take_back(process_id: int, folder: str, script: str) -> None:
    """Withdraw the script; `script` is its path, or empty if it was never queued.

    A script that cannot be removed from the queue keeps its file, and does nothing when it runs.
    """
    entry_folder.withdraw(folder)
    if script:
        if not pending_call.clear(process_id, script):
            return
        time.sleep(_LATE_S)
    entry_folder.remove(folder)


def _can_see(process_id: int, script: Path) -> bool:
    """Return whether the process can read this file by this path, given its user and container.

    Returns True on other systems than Linux.
    """
    if not Path("/proc/self/root").exists():
        return True
    try:
        if not Path(f"/proc/{process_id}/root{script}").samefile(script):
            return False
        user = Path(f"/proc/{process_id}").stat().st_uid
    except FileNotFoundError:
        return False
    except OSError:
        return True  # we may not queue there either, and that error says why
    return user in (0, os.geteuid()) or all(above.stat().st_mode & stat.S_IXOTH for above in script.parents[1:])
