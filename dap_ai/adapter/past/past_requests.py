"""Serves `stepBack` and `reverseContinue` for adapters without them, by rerunning a copy to a past moment.

    present -> [find out what can be rerun] -> past -> past ... -> present

While the client looks at the past, only that client sees the thread there: moves of the thread go between moments,
reads are answered from a copy, and changes are refused. The program itself does not move, so that questions, guests and
other threads see the present. When the program's stop ends, the client returns to the present.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from dap_ai.adapter.asks import ask_console
from dap_ai.adapter.past.past_arguments import PastArguments
from dap_ai.adapter.past.past_moves import BACK, FORWARD, PastMoves
from dap_ai.adapter.past.past_reads import PastReads
from dap_ai.adapter.past.past_runs import PastRuns
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import LookedBack
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import ONLY_LOOKED_AT

CAPABILITY = "supportsStepBack"
_MOVES = frozenset({*BACK, *FORWARD, "continue", "pause"})
_CHANGES = frozenset({"goto", "restartFrame", "setVariable", "setExpression"})
_OF_THREAD = frozenset({"stackTrace", "exceptionInfo"})


@dataclass(eq=False)
class PastRequests:
    """Dispatches the client's requests that concern a past moment of the program."""

    _out: Outbox
    _state: DebuggeeState
    _options: SessionOptions
    _gate: ForwardingRules
    _runs: PastRuns
    _moving: PastMoves
    _reading: PastReads
    _offered: bool = field(default=False, init=False)

    def on_stopped(self) -> None:
        """Announce `stepBack` to the client, once, before the first stop at which dap_ai can step back."""
        may = self._gate.rules.runs_again and self._options.snapshots and self._options.level != "observe"
        if may and not self._offered and not self._gate.capabilities.get(CAPABILITY):
            self._offered = True
            self._out.tell([("capabilities", {"capabilities": {CAPABILITY: True}})])

    def takes(self, message: Envelope) -> bool:
        """Whether this message of the client concerns a past moment."""
        if not self._offered or message.kind != "request" or message.name.startswith("ask"):
            return False
        if message.name in BACK:
            return self._state.stopped
        arguments = read_or(message, PastArguments, PastArguments())
        if arguments.is_of_past:
            return not (message.name == "evaluate" and self._is_question(arguments))
        if message.name in _OF_THREAD:
            return self._moving.at > 0 and arguments.thread_id == self._runs.thread_id
        return message.name in _MOVES | _CHANGES and (self._moving.at > 0 or self._runs.are_under_way)

    def _is_question(self, typed: PastArguments) -> bool:
        is_typed = typed.context in ask_console.CONTEXTS
        return is_typed and ask_console.parse(typed.expression, self._options.console_prefix) is not None

    def on_request(self, message: Envelope) -> None:
        """Serve a request that concerns a past moment.

        A `pause` ends the active rerun and the requests that wait for it, and shows the present.
        """
        if message.name == "pause" and self._runs.are_under_way:
            is_shown = self._moving.at > 0
            self.leave()
            self._out.respond(message)
            if is_shown:
                self._moving.tell_present()
            return
        self._runs.in_turn(
            message, partial(self._handler(message), message, read_or(message, PastArguments, PastArguments()))
        )

    def _handler(self, message: Envelope) -> Callable[[Envelope, PastArguments], None]:
        if message.name in _CHANGES:
            return lambda refused, _: self._out.fail(refused, ONLY_LOOKED_AT, command=refused.name)
        if message.name == "pause":
            return lambda paused, _: self._out.respond(paused)
        return self._moving.move if message.name in _MOVES else self._reading.read

    def on_looked(self, event: LookedBack) -> None:
        """Continue with the result of a finished rerun."""
        self._runs.on_looked(event)

    def end_ask(self, ask_id: str) -> None:
        """Handle the end of an ask. If all reruns belonged to this ask, forget the past."""
        self._runs.end_ask(ask_id)
        if self._runs.recalled is None:
            self._moving.forget()

    def leave(self) -> None:
        """Leave the past, because the stop has ended or the client pauses."""
        self._runs.leave()
        self._moving.forget()
