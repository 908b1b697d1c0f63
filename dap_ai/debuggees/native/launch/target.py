"""A native program, process or core file that `dap-ai ask` debugs."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from dap_ai.commands.running.run_targets import Out, Target, TargetSession
from dap_ai.commands.running.start_debuggee import Debugged
from dap_ai.commands.target_kinds import Make, TargetRequest
from dap_ai.debuggees.native.launch.native_job import NativeJob
from dap_ai.debuggees.native.launch.native_program import Adapter, Core, NativeProgram, exception_filters, find_core
from dap_ai.debuggees.native.launch.prepare_native import adapter_of, panics, prepared
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings.configuration import Resolved

_PANICS = ("rust_panic", "__rustc::rust_panic")
"""Functions that every Rust panic calls. lldb finds them by name in any version; gdb only from Rust 1.87 on."""
_NOISE = re.compile(
    r"^(?:warning: .*has no plugin for the language|(?:error|warning): .*\b0x[0-9a-f]+\]?: .*\bDW_[A-Z]+_).*(?:\n|\Z)",
    re.MULTILINE,
)
"""Matches lldb's complaints about Rust, whose values it shows nevertheless, and about debug information."""
_MAIN = "main"
"""Function at whose first line a program can be held. Only the C library runs before that line."""
_CONSOLE: Mapping[Adapter, str] = {"lldb": "`", "gdb": ""}
"""Prefix that makes a line sent with context `repl` a command of the debugger."""
_ASSIGN: Mapping[Adapter, str] = {"lldb": "expression -- ", "gdb": "print "}
_QUIET_S = 0.03
_SETTLE_S = 0.3
"""Seconds to wait for output that the program wrote before a stop, and that arrives after the `stopped` event."""


class NativeTarget(Debugged):
    """A native program, process or core file to debug.

    Signals stop it without a breakpoint, and the adapter sends its output. One of `program`, `pid` and `core` is set.
    """

    initialize: Mapping[str, Any] = {
        "adapterID": "native",
        "supportsRunInTerminalRequest": False,
        "supportsVariableType": True,
        "supportsVariablePaging": True,
        "supportsMemoryReferences": True,
    }

    def __init__(
        self,
        adapter: Adapter,
        job: NativeJob,
        *,
        program: NativeProgram | None = None,
        pid: int | None = None,
        core: Core | None = None,
        stops_at_panics: bool = False,
    ) -> None:
        self._adapter: Adapter = adapter
        self._program = program
        self._pid = pid
        self._core = core
        self._panics = _PANICS if stops_at_panics else ()
        self.job = self._job = job
        self._held = False
        self.ours = program is not None
        self.command_line = program.command_line() if program else ""

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """Return the adapter's exception filters. `raised` becomes C++'s throw; a signal stops without a filter."""
        return exception_filters(exceptions, announced)

    def prepare(self, session: TargetSession) -> None:
        """Set function breakpoints at Rust's panics, and at `main` if the program should be held at its beginning."""
        hold = (_MAIN,) if session.wishes.hold and self._program else ()
        session.controls.functions = (*self._panics, *hold)

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the command and arguments of the `launch` or `attach` request. For a core file, this is `attach`."""
        if self._program:
            return "launch", self._program.launch_arguments(self._adapter, capabilities)
        if self._core:
            program = {"program": self._core.program} if self._core.program else {}
            return "attach", {"coreFile": self._core.file, **program}
        return "attach", {"pid": self._pid, "stopOnEntry": not session.wishes.breakpoints}

    async def start(self, session: TargetSession) -> None:
        """Start the debug session. If lldb cannot read a core file, the error suggests gdb."""
        try:
            await super().start(session)
        except RequestFailed as error:
            if not self._core or self._adapter == "gdb":
                raise
            text = f"{error.user_text.rstrip('.')}. gdb may read what lldb cannot: --backend gdb."
            raise RequestFailed(error.command, error.message, text) from error

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Handle an event from the adapter. Output is shown without lldb's complaints about debug information."""
        if name == "output":
            body = self._without_noise(session, body)
            self._job.output(body)
            return body if body.get("output") else None
        if name == "exited":
            await self._job.exited(body["exitCode"], session.controls.request)
        return body

    def _without_noise(self, session: TargetSession, body: dict[str, Any]) -> dict[str, Any]:
        """Remove lldb's complaints from an output event.

        The program's output is kept: lldb sends it as `stdout`. lldb-dap 19 sends its own messages as `stderr`.
        """
        text = body.get("output") or ""
        if session.wishes.verbose or body.get("category") == "stdout":
            return body
        return body | {"output": _NOISE.sub("", text)}

    async def stopped(self, session: TargetSession, body: dict[str, Any], *, running: bool) -> dict[str, Any] | None:
        """Handle a stop: return the body of the `stopped` event with the signal's name.

        If breakpoints are set, gdb's stop at the attach is not reported and the program continues.
        """
        request = session.controls.request
        if body.get("reason") == "attach" and session.wishes.breakpoints:
            await request("continue", {"threadId": body["threadId"]})
            return None
        if running:  # otherwise it is another thread of the same stop
            await _settle(session)
        if session.controls.function_ids.intersection(body.get("hitBreakpointIds") or ()):
            if session.wishes.hold and not self._held:
                self._held = True
                session.controls.functions = self._panics
                return body | {"reason": "entry", "description": "", "text": ""}
            body = body | {"description": "panic", "text": ""}
        if str(body.get("description") or "").startswith("watchpoint"):  # lldb reports it as a breakpoint
            body = body | {"reason": "data breakpoint"}
        return await self._job.stopped(body, request)

    async def before_going_on(self, session: TargetSession) -> None:
        """Let the program receive a signal that was held back, when it resumes."""
        await self._job.before_going_on(session.controls.request)

    def statement(self, text: str) -> str:
        """Translate a statement to a command of the debugger; empty for a core file, which cannot change."""
        return "" if self._core else self.console(_ASSIGN[self._adapter] + text.rstrip(";"))

    def console(self, text: str) -> str:
        """Return the text as a line that the adapter treats as a command of the debugger."""
        return _CONSOLE[self._adapter] + text

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Explain why the program did not stop, judged by its exit status."""
        del exceptions
        return self._program.why_no_stop(status) if self._program else ""


async def _settle(session: TargetSession) -> None:
    """Show output that is still on its way. All other events keep their order.

    The function first waits for a response, however long it takes, because an adapter without processor time is silent.
    """
    with contextlib.suppress(RequestFailed):
        await session.controls.request("threads")
    others: list[tuple[str, dict[str, Any]]] = []
    loop, events = asyncio.get_running_loop(), session.events
    end = loop.time() + _SETTLE_S
    while loop.time() < end:
        try:
            name, body = await asyncio.wait_for(events.get(), _QUIET_S)
        except (TimeoutError, asyncio.TimeoutError):
            break
        if name == "output":
            await session.handle(name, body)
        else:
            others.append((name, body))
    others += [events.get_nowait() for _ in range(events.qsize())]
    for event in others:
        events.put_nowait(event)


def look(wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """Prepare the native target that a command line names, as commands.target_kinds.KindPort requires.

    Raises UsageError, or StartError with the compiler's messages.
    """
    adapter = adapter_of(resolved.settings.backend)
    runs = wanted.core is not None or wanted.pid is not None
    if wanted.sanitize and runs:
        raise click.UsageError("--sanitize works for C and C++ source files only.")
    core = find_core(wanted.core, wanted.words) if wanted.core else None
    program = (
        None if runs else prepared(wanted.words, wanted.cwd, wanted.env, adapter, sanitize=wanted.sanitize, tell=tell)
    )
    is_rust = panics(program, wanted.pid)

    def make(out: Out) -> Target:
        console = out.display.status if out.verbose else None
        job = NativeJob(adapter, out.display.program_output, console)
        return NativeTarget(adapter, job, program=program, pid=wanted.pid, core=core, stops_at_panics=is_rust)

    return make
