"""Exceptions that the program caught without stopping: offers a question, and can stop at the next such exception.

A debuggee reports every traceback that it formats (backends/debugpy/traceback_reports.py). Until the session stops at
an exception, the user can ask about the last reported exception. The client is notified of the first exception at once;
but of a test's exception only after the test runner has ended with an error, since a test may be meant to fail.

    filters    the client's, plus those of `dapAiStopAt` and `askStopAt`, until the program is restarted
"""

from __future__ import annotations

from typing import Any

import msgspec

from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.session_options import Fields, SessionOptions
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import AskCaught, AskStopAtArguments
from dap_ai.protocol.wire.caught_messages import KEY, Caught
from dap_ai.protocol.wire.dap_messages import StoppedBody
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.visible import on_one_line
from dap_ai.system.texts import code

_MARK = f'"{KEY}"'.encode()
_MAX_SHOWN = 160
_BOXES = {"userUnhandled": "User Uncaught Exceptions", "raised": "Raised Exceptions"}
"""debugpy's display names of its exception filters."""


class _Data(msgspec.Struct, rename={"caught": KEY}):
    caught: Caught


class _TracebackEvent(msgspec.Struct):
    data: _Data


class _Exited(msgspec.Struct, rename="camel"):
    exit_code: int = 0


class CaughtExceptions:
    """A session's caught exceptions. `last` is the exception that a user can ask about while nothing is stopped."""

    def __init__(self, out: Outbox, options: SessionOptions) -> None:
        self.last: Caught | None = None
        self._out = out
        self._options = options
        self._told = self._has_stopped = False
        self._extra: list[str] = []
        self._of_client: Fields | None = None

    def takes(self, message: Envelope) -> bool:
        """Whether this event is the debuggee's report of an exception. Such a report is for dap_ai only."""
        if message.name != "output" or _MARK not in message.content:
            return False
        try:
            caught = message.read(_TracebackEvent).data.caught
        except RemoteProtocolError:
            return False  # the program printed this text itself
        if caught.frames and not self._has_stopped:
            self.last = caught
            if not caught.is_of_test:
                self._tell(caught, ended=False)
        return True

    def on_event(self, message: Envelope) -> None:
        """Update the caught exceptions from an event, before the client gets that event."""
        if message.name == "stopped":
            if read_or(message, StoppedBody, StoppedBody()).reason == "exception":
                self._has_stopped, self.last = True, None
        elif message.name == "initialized":
            self.last, self._told, self._has_stopped = None, False, False
        elif message.name == "exited" and self.last and read_or(message, _Exited, _Exited()).exit_code:
            self._tell(self.last, ended=True)

    def filters_of_client(self, message: Envelope) -> bytes | None:
        """Return the client's `setExceptionBreakpoints` arguments with dap_ai's filters; None without such filters."""
        self._of_client = read_or(message, Fields, {})
        return self._with_extra() if self._exception_names() else None

    def on_stop_at(self, message: Envelope) -> None:
        """Serve an `askStopAt` request: the program stops at such exceptions from now on."""
        wanted = message.read(AskStopAtArguments).filter
        if wanted not in self._extra:
            self._extra.append(wanted)
            self._out.ask_backend("setExceptionBreakpoints", msgspec.Raw(self._with_extra()))
        self._out.respond(message)

    def _exception_names(self) -> list[str]:
        return [*dict.fromkeys([*self._options.stop_at, *self._extra])]

    def _with_extra(self) -> bytes:
        body = dict(self._of_client or {})
        own: list[Any] = envelope.decode_or(bytes(body.get("filters", msgspec.Raw(b"[]"))), list[Any], [])
        added = [name for name in self._exception_names() if name not in own]
        return envelope.encode(body | {"filters": msgspec.Raw(envelope.encode([*own, *added]))})

    def _tell(self, caught: Caught, *, ended: bool) -> None:
        if self._told:
            return
        self._told = True
        spot = caught.spot
        what = on_one_line(f"{caught.type}: {caught.message}" if caught.message else caught.type)[:_MAX_SHOWN]
        if self._options.ask_events:
            told = AskCaught(caught.type, on_one_line(caught.message)[:_MAX_SHOWN], spot.file, spot.line, spot.name,
                             caught.filter, ended, caught)  # fmt: skip
            self._out.tell([("askCaught", told)])
            return
        ask = (
            f"{code(self._options.console_prefix)} asks about it. "
            if self._options.console_prefix and not ended
            else ""
        )
        text = (
            f"dap_ai: {what} ({on_one_line(spot.file)}:{spot.line}) was caught, and nothing stopped there. {ask}"
            f'To stop there next time, switch on "{_BOXES[caught.filter]}" among the exception breakpoints.\n'
        )
        self._out.tell([("output", {"category": "console", "output": text})])
