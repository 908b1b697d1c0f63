"""Requests that an adapter may leave unanswered for ever: after a while the proxy answers them itself.

Nobody knows what an adapter does with a request that DAP does not define: js-debug never answers one. `cancel` is
often announced and seldom answered. The seq of such a request stays taken, so that a late answer is swallowed.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_ai.adapter.state.effects import CancelTimer, SetTimer
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.seqmap import ClientOwner, SwallowedOwner
from dap_ai.protocol.wire.commands import DEFINED
from dap_ai.protocol.wire.errors import UNANSWERED

VENDOR_S = 10.0
"""dape, the most impatient client, waits for ten seconds itself."""
CANCEL_S = 2.0
"""What was cancelled answers itself: the cancel may succeed without the adapter's word."""
WAIT = "unanswered."


class Unanswered:
    """Waits for the answers to some requests of the client; `answered(command)` is told who waits no more."""

    def __init__(self, out: Outbox, answered: Callable[[str], None]) -> None:
        self._out = out
        self._answered = answered
        self._waiting: set[int] = set()

    def on_sent(self, backend_seq: int, command: str) -> None:
        """A request of the client has gone to the backend."""
        if command not in DEFINED or command == "cancel":
            self._waiting.add(backend_seq)
            self._out.do(SetTimer(f"{WAIT}{backend_seq}", CANCEL_S if command == "cancel" else VENDOR_S))

    def on_answered(self, backend_seq: int) -> None:
        """The backend has answered a request of the client."""
        if backend_seq in self._waiting:
            self._waiting.discard(backend_seq)
            self._out.do(CancelTimer(f"{WAIT}{backend_seq}"))

    def on_timer(self, timer_id: str) -> None:
        """The backend has not."""
        backend_seq = int(timer_id.removeprefix(WAIT))
        self._waiting.discard(backend_seq)
        owner = self._out.seqs.owners.get(backend_seq)
        if not isinstance(owner, ClientOwner):
            return  # the backend has died meanwhile, and everybody was answered
        self._out.seqs.owners[backend_seq] = SwallowedOwner(owner.command)
        if owner.command == "cancel":
            self._out.respond_owner(owner)
        else:
            self._out.fail_owner(owner, UNANSWERED, command=owner.command)
        self._answered(owner.command)
