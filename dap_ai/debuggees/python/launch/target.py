"""Makes a Python program, or a process that runs one, the target of `dap-ai ask`."""

from __future__ import annotations

import asyncio
import linecache
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import click

from dap_ai.commands.running import program_job as jobs
from dap_ai.commands.running.run_targets import Out, Target, TargetJob, TargetSession
from dap_ai.commands.running.start_debuggee import Debugged, quietly
from dap_ai.commands.target_kinds import Make, TargetRequest
from dap_ai.commands.wiring import backend_of
from dap_ai.debuggees.python.launch.post_mortem_target import PostMortemTarget
from dap_ai.debuggees.python.launch.python_program import PythonProgram, find_program, function_at
from dap_ai.protocol.wire.ask_messages import AskEnded, Usage
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings import configuration
from dap_ai.settings.configuration import Resolved
from dap_ai.system.texts import code

_PAUSE_S = 3.0
_ATTACH_FAILED = "Attach to PID failed"
"""The text of debugpy's output event after a failed attach, which is its only sign: `attach` gets no response."""
_ATTACH_ADVICE = "debugpy could not get into process {pid}: `dap-ai doctor` tells what it needs for that."


class PythonTarget(Debugged):
    """A Python program to launch (`program`) or attach to (`pid`); exactly one is set.

    `terminal_setup`: the request that prepares debugpy for a program in the command line's own terminal, or None.
    """

    initialize: Mapping[str, Any] = {"adapterID": "python", "supportsRunInTerminalRequest": True}

    def __init__(
        self,
        job: TargetJob,
        *,
        program: PythonProgram | None = None,
        pid: int | None = None,
        just_my_code: bool = True,
        terminal_setup: tuple[str, dict[str, Any]] | None = None,
    ) -> None:
        self._program = program
        self._pid = pid
        self._just_my_code = just_my_code
        self._terminal_setup = terminal_setup
        self.job = job
        self._holds = False
        """Whether the program must stop at its first line and has not reached that line yet."""
        self.ours = program is not None
        self.command_line = program.command_line() if program else ""

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Returns the `launch` or `attach` request, with its arguments."""
        del capabilities
        if self._program:
            self._holds = hold = session.wishes.hold
            return "launch", self._program.launch_arguments(just_my_code=self._just_my_code, hold=hold)
        return "attach", {"processId": self._pid, "justMyCode": self._just_my_code}

    def start_failure(self, name: str, body: Mapping[str, Any]) -> RequestFailed | None:
        """Returns an error if the output event shows that debugpy could not attach; otherwise None."""
        if name == "output" and _ATTACH_FAILED in body.get("output", ""):
            return RequestFailed("attach", "attachFailed", _ATTACH_ADVICE.format(pid=self._pid))
        return None

    async def initialized(self, session: TargetSession) -> None:
        """Sends the request `terminal_setup`, if set."""
        if self._program and self._terminal_setup:
            await quietly(session, *self._terminal_setup)

    async def started(self, session: TargetSession) -> None:
        """Pauses an attached process at once, unless breakpoints or exception filters are set."""
        if self._pid and not session.wishes.breakpoints and not session.wishes.exceptions:
            await session.controls.pause()
            not_stopped: tuple[str, dict[str, Any]] = ("notStopped", {})
            asyncio.get_running_loop().call_later(_PAUSE_S, session.events.put_nowait, not_stopped)

    async def stopped(self, session: TargetSession, body: dict[str, Any], *, running: bool) -> dict[str, Any] | None:
        """Steps to the program's first line, because debugpy stops a held program earlier, in injected code."""
        del running
        if not self._holds:
            return body
        asked = {"threadId": body["threadId"], "levels": 1}
        frames = (await session.controls.request("stackTrace", asked))["stackFrames"]
        if body["reason"] in {"entry", "step"} and frames and _path(frames[0]) in {"", "<string>"}:
            await session.controls.request("next", {"threadId": body["threadId"]})
            return None
        self._holds = False
        return body | {"reason": "entry"} if body["reason"] == "step" else body

    async def not_stopped(self, session: TargetSession) -> None:
        """Shows where each thread waits, because no thread could be paused; leaves the process alone."""
        session.outcome.answered = True
        session.display.ask_ended(await where_threads_wait(session.controls.request))

    async def introduce(self, session: TargetSession, thread_id: int) -> None:
        """Prints the advice to use `pytest --ask` if the program is pytest."""
        del thread_id
        if self._program and self._program.better_way and not session.wishes.breakpoints:
            session.display.status(self._program.better_way)

    async def frame_of(self, session: TargetSession, thread_id: int) -> int | None:
        """Returns the frame below the injected code in an attached process; None for a launched program."""
        return await program_frame(session.controls.request, thread_id) if self._pid else None

    def statement(self, text: str) -> str:
        """Returns the text unchanged, because the user already enters Python."""
        return text

    def first_line(self, name: str, source: Sequence[str]) -> int:
        """Returns the 1-based line where a function's body starts, from the syntax tree.

        debugpy's own function breakpoints ignore methods and watch every call.
        """
        return function_at(source, name)

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Returns the reason why the program never stopped, from its exit code and the exception filters."""
        return self._program.why_no_stop(status, exceptions) if self._program else ""


def look(wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """Finds the program, process or kernel, and returns a function that makes the target. Raises UsageError."""
    if wanted.sanitize:
        raise click.UsageError("--sanitize works for C and C++ source files only.")
    del tell
    if wanted.kernel is not None:
        from dap_ai.debuggees.python.launch.kernel_targets import target_at  # noqa: PLC0415  an extra

        kernel = target_at(wanted.kernel, stays=wanted.stays)
        return lambda _out: kernel
    if wanted.held is not None:
        held = PostMortemTarget(wanted.held)
        return lambda _out: held
    settings = resolved.settings
    program = _program(wanted, resolved) if wanted.pid is None else None

    def make(out: Out) -> Target:
        job = jobs.ProgramJob(out.terminal, out.display.program_output if out.for_programs else None)
        return PythonTarget(
            job, program=program, pid=wanted.pid, just_my_code=settings.just_my_code, terminal_setup=out.terminal_setup
        )

    return make


def _program(wanted: TargetRequest, resolved: Resolved) -> PythonProgram:
    words, module = tuple(wanted.words), wanted.module
    if not module and not words:
        raise click.UsageError(
            "PROGRAM is missing: name a Python file, a native program or its source, or use -m MODULE, --pid N "
            "or --core FILE."
        )
    path = "" if module else find_program(words[0])
    python = resolved.settings.python or backend_of(resolved.settings).default_python(wanted.cwd)
    model = configuration.provider_of(resolved.settings, os.environ) != "offline"
    return PythonProgram(python, path, module or "", words if module else words[1:], wanted.cwd, wanted.env, model)


Request = Callable[[str, Mapping[str, Any] | None], Awaitable[dict[str, Any]]]
"""A function that sends a request and returns the response's body. Raises RequestFailed."""

_NOT_STOPPABLE = (
    "No thread can be stopped: each of them waits outside of Python's code, for a lock, for input or in a sleep, "
    "so no value can be read. They wait here, the innermost call first:"
)


async def program_frame(request: Request, thread_id: int) -> int | None:
    """Returns the frameId of a thread's innermost frame in the program; None if the thread has no frame.

    A thread that was waiting when debugpy attached stops in the injected code, above the program's frames.
    """
    frames: list[dict[str, Any]] = (await request("stackTrace", {"threadId": thread_id}))["stackFrames"]
    injected = len(frames) > 1 and frames[0]["name"] == "<module>" and _path(frames[0]) in ("", "<string>")
    return frames[1 if injected else 0]["id"] if frames else None


async def where_threads_wait(request: Request) -> AskEnded:
    """Returns an answer with each thread's stack trace, which can be read while no thread is stopped."""
    lines = [_NOT_STOPPABLE]
    for thread in (await request("threads", None))["threads"]:
        lines += ["", f"Thread {code(thread['name'])}:", ""]
        frames = (await request("stackTrace", {"threadId": thread["id"]}))["stackFrames"]
        lines += [_frame(frame) for frame in frames] or ["- no Python code"]
    answer = "\n".join([*lines, ""])
    return AskEnded("", "", "notStopped", stale=False, answer=answer, usage=Usage(), evidence=[], suspects=[], fixes=[])


def _frame(frame: dict[str, Any]) -> str:
    path, line = _path(frame), frame["line"]
    source = linecache.getline(path, line).strip()
    return f"- {code(f'{path}:{line}')} in {code(frame['name'])}" + (f": {code(source)}" if source else "")


def _path(frame: dict[str, Any]) -> str:
    source: dict[str, Any] = frame.get("source") or {}
    return source.get("path") or ""
