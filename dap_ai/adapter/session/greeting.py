"""What a backend wants said before the program runs: sent once the adapter is `initialized`.

The client's `configurationDone` waits for the answer, since it lets the program go: on a busy machine a short program
would have come to its end before the adapter has done what it was asked. An adapter that does not answer keeps nobody
waiting for long.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_ai.adapter.state.effects import CancelTimer, SetTimer, ToBackend
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.seqmap import GreetingOwner
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope

GREETING = "session.greeting"
GREETING_S = 2.0
"""A program that is attached to may hold the interpreter's lock for as long as it likes."""


class Greeting:
    """Of one session. At most one is under way; a program that is started anew is greeted again."""

    def __init__(self, out: Outbox, gate: Gate) -> None:
        self._out = out
        self._gate = gate
        self._is_awaited = False
        self._held: Callable[[], None] | None = None

    def on_initialized(self) -> None:
        """The adapter has its debuggee, which has not begun to run if it was launched."""
        if self._gate.rules.greeting is None:
            return
        command, arguments = self._gate.rules.greeting
        seq = self._out.seqs.next_to_backend(GreetingOwner(command))
        self._out.do(ToBackend(envelope.request(seq, command, arguments)), SetTimer(GREETING, GREETING_S))
        self._is_awaited = True

    def holds(self, message: Envelope, work: Callable[[], None]) -> bool:
        """Whether `work`, which is to serve this request of the client, waits until the greeting is answered."""
        if not self._is_awaited or self._held or message.kind != "request" or message.name != "configurationDone":
            return False
        self._held = work
        return True

    def next_held(self) -> Callable[[], None] | None:
        """What has waited and need not any more."""
        if self._is_awaited:
            return None
        held, self._held = self._held, None
        return held

    def on_over(self) -> None:
        """It is answered, or nobody will answer it any more."""
        if self._is_awaited:
            self._is_awaited = False
            self._out.do(CancelTimer(GREETING))
