"""A native program as a job.

The adapter starts it on a separate terminal, and its output arrives in `output` events.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from dap_ai.commands.running.run_targets import TargetJob
from dap_ai.debuggees.native.launch.native_program import Adapter
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import ConnectionClosed

_SIGNAL = re.compile(r"\bsignal (SIG[A-Z0-9]+)")
_NO_ADDRESS = re.compile(r"(?<=invalid address) \(fault address[:=] ?0x0\)")
"""Matches lldb's text for a fault address that the operating system does not report. lldb then writes the false address
0."""
_PASS_INTERRUPT = {
    "lldb": "`process handle SIGINT --pass true --stop false --notify false",
    "gdb": "handle SIGINT nostop noprint pass",
}
_STOP_SIGNAL = "$_siginfo.si_signo"
_LAST_SIGNAL = "$_exitsignal"

Request = Callable[[str, Mapping[str, Any] | None], Awaitable[dict[str, Any]]]


class NativeJob(TargetJob):
    """A native program as a job. It shares no resources with dap_ai, and the adapter itself reports failures.

    `show_output` receives the program's output by category. `show_console`, if given, receives the adapter's own
    messages.
    """

    def __init__(
        self,
        adapter: Adapter,
        show_output: Callable[[str, bytes], None],
        show_console: Callable[[str], None] | None = None,
    ) -> None:
        self._adapter = adapter
        self._show_output = show_output
        self._show_console = show_console
        self._debuggee = 0
        self._exited = False
        self._signal = 0
        """Number of the last stop's signal; later, of the signal that ended the program. 0 if no signal."""
        self._interrupted = False
        self._returned: dict[str, str] = {}
        """By category, the carriage return with which the last `output` event ended."""

    def started(self, debuggee: int) -> None:
        """Record the debuggee's process id; 0 if unknown."""
        self._debuggee = debuggee

    def output(self, body: Mapping[str, Any]) -> None:
        """Handle an `output` event: show the program's output, or the adapter's message."""
        category, text = body.get("category") or "console", body.get("output") or ""
        is_adapters = self._adapter == "gdb" and not self._debuggee  # gdb's own messages look like the program's
        if category in {"stdout", "stderr"} and not is_adapters:
            self._show_output(category, self._lines(category, text).encode(errors="surrogateescape"))
        elif (category == "console" or is_adapters) and self._show_console and text.strip():
            self._show_console(text.rstrip())

    def _lines(self, category: str, text: str) -> str:
        """Return the text as the program wrote it, with line feeds as line ends.

        A terminal ends lines with a carriage return and a line feed, which two events may split.
        """
        text = self._returned.pop(category, "") + text
        if text.endswith("\r"):
            text, self._returned[category] = text[:-1], "\r"
        return text.replace("\r\n", "\n")

    async def stopped(self, body: dict[str, Any], request: Request) -> dict[str, Any]:
        """Handle a `stopped` event and return its corrected body.

        The body gets the signal's name, which gdb omits, and loses lldb's false address.
        """
        body = body | {key: _NO_ADDRESS.sub("", body[key]) for key in ("description", "text") if body.get(key)}
        if body["reason"] == "signal" and not body.get("description") and (number := await self._number(request)):
            body = body | {"description": f"signal {_name(number)}"}
        found = _SIGNAL.search(f"{body.get('description') or ''} {body.get('text') or ''}")
        self._signal = int(getattr(signal, found[1], 0)) if found else 0
        return body

    async def before_going_on(self, request: Request) -> None:
        """Let the program receive the user's Ctrl-C, whose signal only stopped it so far, when it resumes."""
        if self._interrupted:
            self._interrupted = False
            await self._tell(request, _PASS_INTERRUPT[self._adapter])

    def send(self, signal_number: int) -> None:
        """Send a signal to the debuggee. The debugger stops the program at the signal first."""
        if self._debuggee and not self._exited:
            self._interrupted = signal_number == signal.SIGINT
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._debuggee, signal_number)

    async def exited(self, exit_code: int, request: Request) -> None:
        """Handle the `exited` event. Only now can dap_ai learn whether a signal ended the program."""
        self._exited = True
        if self._adapter == "lldb":
            # The exit code may be a signal's number, without any indication.
            self._signal = self._signal if self._signal == exit_code else 0
        else:
            self._signal = await self._number(request, _LAST_SIGNAL)

    def kill(self) -> None:
        """Kill the debuggee if it still exists."""
        if self._debuggee and not self._exited:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._debuggee, getattr(signal, "SIGKILL", signal.SIGTERM))
            self._signal = int(getattr(signal, "SIGKILL", 0))

    async def ended(self) -> int | None:
        """Finish the output. Return 0, or None if the program never ran.

        The event `exited` gives the real exit code.
        """
        for category in ("stdout", "stderr"):
            if rest := self._returned.pop(category, ""):
                self._show_output(category, rest.encode())
            self._show_output(category, b"")
        return 0 if self._debuggee else None

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """Return the exit status as a shell would report it, and a description."""
        if self._signal:
            return 128 + self._signal, f"the program was killed by {_name(self._signal)}"
        return super().status_of(exit_code)

    async def _number(self, request: Request, variable: str = _STOP_SIGNAL) -> int:
        """Return the signal number in a variable of gdb; 0 if it holds no number."""
        told = re.fullmatch(r"\s*(\d+)\s*", await self._tell(request, variable, "watch"))
        return int(told[1]) if told else 0

    async def _tell(self, request: Request, text: str, context: str = "repl") -> str:
        """Return the output of a debugger command, or in another context than `repl` the value of an expression.

        With `repl` the text counts as the user's own, and the agent can see it.
        """
        arguments = {"expression": text, "context": context}
        with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
            return str((await request("evaluate", arguments)).get("result") or "")
        return ""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
