"""Checks before attaching to a process that it is a Python, that we have permission, and which method works.

Python 3.14 and later runs code that is queued for its main thread, once that thread runs Python code
(attaching/queued.py). Otherwise debugpy injects itself with gdb. A gdb that is too old for the processor cannot restore
a thread that it interrupted in a system call, which kills the program: with gdb 13 here, `time.sleep` raises "Unknown
error 514". So gdb first attaches to a sleeping process of ours, and to the user's process only if ours survives.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any, NamedTuple

from dap_ai.backends.debugpy import interpreters
from dap_ai.backends.debugpy.attaching import injecting, queued
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.system import child_python, programs
from dap_ai.system.extras import ATTACH
from dap_ai.system.load_limits import communicate
from dap_ai.system.texts import code

_TRIAL_S = 20.0
_GET_NEWER = f"The extra {code(ATTACH.name)} brings one. {ATTACH.install}"


class AttachMethod(NamedTuple):
    """A method for attaching to a process."""

    arguments: tuple[str, ...]
    """Values for `debugpyArgs` that select the method (see attaching/injecting.py)."""
    note: str = ""
    """A note for the user about the method."""


async def choose(process_id: Any) -> AttachMethod:
    """Choose and prepare a method of attaching that works and cannot harm the process. Raises StartError."""
    interpreter = await _interpreter_of(process_id)
    version = interpreter.version
    if version < interpreters.OURS_SUPPORTS:
        raise StartError(
            f"Process {process_id} runs Python {interpreter.version_text}; attaching by process id works from 3.10 on. "
            "Call debugpy.listen(PORT) in the program and attach by port instead."
        )
    if version < queued.SINCE:
        await check_gdb()
        return AttachMethod((injecting.BY_GDB,))
    try:
        return AttachMethod((injecting.QUEUED_OPTION, await queued.enter(int(process_id), interpreter.path)))
    except queued.NotEnteredError as error:
        why = f"Python's own way into process {process_id} (sys.remote_exec) is closed: {error}"
    try:
        await check_gdb()
    except StartError as error:
        raise StartError(f"{why}. {error}") from error
    return AttachMethod((injecting.BY_GDB,), f"{why}, so dap_ai attaches with gdb.")


async def _interpreter_of(process_id: Any) -> interpreters.PythonInterpreter:
    import psutil  # noqa: PLC0415  20 ms, needed only to attach by process id

    try:
        process = psutil.Process(int(process_id))
        name, executable = process.name(), process.exe()
    except (ValueError, TypeError, psutil.NoSuchProcess) as error:
        raise StartError(f"There is no process {process_id}.") from error
    except psutil.AccessDenied as error:
        raise StartError(
            f"Process {process_id} belongs to another user: run dap-ai as that user, or as root."
        ) from error
    if "python" not in f"{name} {executable}".lower():
        raise StartError(f"Process {process_id} is '{name}' ({executable}), not a Python program.")
    try:
        return await interpreters.describe(executable)
    except interpreters.InterpreterError as error:
        raise StartError(str(error)) from error


async def check_gdb() -> None:
    """Test on a sleeping process of ours whether gdb can attach (Linux only). Raises StartError."""
    if sys.platform != "linux":
        return
    gdb = programs.locate("gdb", programs.search_path())
    if gdb is None:
        raise StartError(f"Attaching to a process needs gdb, and there is none. {_GET_NEWER}")
    sleeper = await asyncio.create_subprocess_exec(
        *child_python.command("dap_ai.backends.debugpy.sleeper:main"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        if sleeper.stdout is not None:
            await sleeper.stdout.readline()
        said = await _run_gdb(gdb, sleeper.pid)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(sleeper.wait(), 0.2)
        if "Operation not permitted" in said:
            raise StartError(
                "The system does not let gdb attach to processes of yours. Either run dap-ai as root, or allow it: "
                "sysctl kernel.yama.ptrace_scope=0 (in a container: --cap-add=SYS_PTRACE)."
            )
        if sleeper.returncode is not None:
            raise StartError(
                f"{gdb} breaks the programs it attaches to on this machine (tried on a process of our own: "
                f"{_last_line(said)}), so your program was left alone. {_GET_NEWER}"
            )
    finally:
        if sleeper.returncode is None:
            sleeper.kill()
        await sleeper.wait()


async def _run_gdb(gdb: str, pid: int) -> str:
    process = await asyncio.create_subprocess_exec(
        *[gdb, "--nw", "--nh", "--nx", "--batch", f"--pid={pid}"],
        *["-ex", "set scheduler-locking off", "-ex", "call (int)getpid()"],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await communicate(process, _TRIAL_S)
    except asyncio.TimeoutError:
        return "it did not come back"
    return output.decode(errors="replace")


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if "detached" not in line]
    return lines[-1] if lines else "it ended"
