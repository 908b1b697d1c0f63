"""Serves clients' requests: each request is answered exactly once, even if dap_ai itself fails.

If dap_ai fails, only the current request fails. What that request has started is undone, a question that it was about
to end is ended, and effects for others are carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dap_ai.adapter.asks.asks import LIMIT, AskRecord, Asks
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import Effect, SetTimer, StartAsk, ToBackend, ToClient, ToGuest
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.seqmap import ClientOwner
from dap_ai.protocol.wire.dap_messages import StoppedBody
from dap_ai.protocol.wire.dap_requests import DEFINED
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BAD_ASK, OWN_FAILURE, RemoteProtocolError

_OBJECTS = DEFINED - {"disconnect"}
"""Requests whose arguments must be an object. After any other arguments, debugpy stops answering."""
_VITAL = frozenset({"initialize", "launch", "attach", "configurationDone", "disconnect", "terminate"})
"""Requests without which a session cannot begin or end."""


Handler = Callable[[Envelope], None]
"""Serves one request of a client."""


class _Request(NamedTuple):
    """The request being served, and the session's state before that request."""

    message: Envelope
    guest: str
    effects: int
    """Number of effects that were decided before the request."""
    backend_seq: int
    """Seq of the newest request that waited for the backend before this request."""
    asks: AskRecord
    stops: dict[int, StoppedBody]


class Serving:
    """Serves one request at a time, from the session's own client or from a guest.

    `fail(ask_id, reason)` ends a question for this reason.
    """

    def __init__(
        self, out: Outbox, state: DebuggeeState, asks: Asks, reads: AgentReads, fail: Callable[[str, str], None]
    ) -> None:
        self._out = out
        self._state = state
        self._asks = asks
        self._reads = reads
        self._fail = fail
        self._request: _Request | None = None

    def serve(self, message: Envelope, work: Handler) -> None:
        """Serve a request by calling `work`. Fail the request if its arguments cannot be parsed."""
        out = self._out
        newest = next(reversed(out.seqs.owners), 0)
        stops = dict(self._state.stops)
        self._request = _Request(message, out.guest, out.count, newest, self._asks.record(), stops)
        if message.name in _OBJECTS and message.content.lstrip()[:1] not in (b"", b"{", b"n"):
            out.fail(message, BAD_ASK, reason=f"Arguments of {message.name} are an object.")
        else:
            try:
                work(message)
            except RemoteProtocolError as error:
                out.fail(message, BAD_ASK, reason=f"Arguments of {message.name}: {error}")
        self._request = None

    def answer_failure(self, error: str) -> bool:
        """Fail the request in which an internal error occurred. Return whether the session can continue.

        The session cannot continue if it needs that request, or if the error occurred outside a request: somebody may
        wait for what the error has lost.
        """
        request, self._request = self._request, None
        if request is None or (not request.guest and request.message.name in _VITAL):
            return False
        decided = self._out.take_since(request.effects)
        withdrawn = self._withdraw(request)
        begun, half_ended = self._asks.restore(request.asks)
        self._out.do(*(each for each in decided if not _is_undone(each, request.guest, withdrawn, begun)))
        with self._out.serving(request.guest):
            self._out.fail(request.message, OWN_FAILURE, command=request.message.name, error=error)
        for ask_id in half_ended:
            self._fail(ask_id, f"dap_ai itself has failed ({error})")
        self._state.on_resume_failed(request.stops)
        if request.message.name == "restart":
            self._state.on_restart_failed()
        return True

    def _withdraw(self, request: _Request) -> set[int]:
        """Withdraw the messages that the request has forwarded. Return their seqs towards the backend."""
        owners = self._out.seqs.owners
        withdrawn = set[int]()
        for seq, owner in list(owners.items()):
            if seq > request.backend_seq and isinstance(owner, ClientOwner):
                withdrawn.add(seq)
                del owners[seq]
                self._reads.client_answered(owner.command)
        return withdrawn


def _is_undone(effect: Effect, guest: str, withdrawn: set[int], begun: set[str]) -> bool:
    """Whether this effect belongs to the failed request: its answers, its forwarded messages or its question."""
    match effect:
        case ToClient():
            return not guest
        case ToGuest(to):
            return to == guest
        case ToBackend(body):
            return Envelope.parse(body).seq in withdrawn
        case StartAsk(ask):
            return ask.ask_id in begun
        case SetTimer(timer_id):
            return timer_id.removeprefix(LIMIT) in begun
        case _:
            return False
