"""Language models that clients lend: the agent requests a reply, and the client that asked sends the reply in pieces.

    requested -> open -> answered (the client's `askModelEnd`, successful or not)
                      -> dropped (its ask ended; the client is silent; the reply is too long or cannot be parsed)

Only the client that asked the question gets the request and can answer it. dap_ai never repeats a request.
"""

from __future__ import annotations

import msgspec

from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.state.effects import CancelTimer, Lent, ModelRequest, SetTimer, Settled, ToAgent
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import (
    AskModel,
    AskModelBody,
    AskModelDelta,
    AskModelEnd,
    AskModelEnded,
    AskOfferArguments,
)
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import NO_MODEL_REQUEST, RemoteProtocolError, RequestFailed
from dap_ai.protocol.wire.lent_replies import EDITOR, LentCall, LentPiece, LentReply
from dap_ai.protocol.wire.visible import on_one_line

SILENCE = "lending.silence:"
SILENCE_S = 120.0
"""Seconds without a message after which dap_ai gives up on a client. The client may be asking its user first."""
MAX_REPLY_CHARS = 1_000_000
_MAX_ERROR_CHARS = 500


class _Loan(msgspec.Struct):
    request_id: str
    token: int
    ask_id: str
    guest: str
    """The guest that lends the model; empty if the session's own client lends it."""
    chars: int = 0


class _Id(msgspec.Struct, rename="camel"):
    request_id: str = ""


class Lending:
    """The open requests to clients' language models, by request id."""

    def __init__(self, out: Outbox, asks: Asks) -> None:
        self._out = out
        self._asks = asks
        self._open: dict[str, _Loan] = {}
        self._dropped: dict[str, str] = {}
        """Maps ids of dropped requests to their clients. A late reply to such a request is not an error."""
        self._requests = 0
        self._offers: dict[str, AskOfferArguments] = {}
        """Maps each client to the model it offers for console questions, which cannot name a model themselves."""

    @property
    def offer(self) -> AskOfferArguments:
        """The model that the current client lends for its console questions."""
        return self._offers.get(self._out.guest) or AskOfferArguments()

    def on_offer(self, message: Envelope) -> None:
        """Serve an `askOffer` request: record the model that the client lends."""
        self._offers[self._out.guest] = message.read(AskOfferArguments)
        self._out.respond(message)

    def on_request(self, wanted: ModelRequest) -> None:
        """Ask the client for a reply of its model."""
        ask = self._asks.running.get(wanted.ask_id)
        if ask is None:
            self._out.do(_failed(wanted.token, "cancelled", "the question has ended"))
            return
        if EDITOR not in ask.ask.arguments.providers:
            self._out.do(_failed(wanted.token, "notFound", "the client lends no model for this question"))
            return
        self._requests += 1
        request_id = f"dap-ai-model-{self._asks.mark}{self._requests}"
        self._open[request_id] = _Loan(request_id, wanted.token, wanted.ask_id, ask.guest)
        body = AskModel(request_id, wanted.ask_id, [*wanted.messages], wanted.tools)
        self._out.tell([*self._asks.flush(wanted.ask_id), ("askModel", body)], ask.guest)
        self._out.do(SetTimer(SILENCE + request_id, SILENCE_S))

    def on_delta(self, message: Envelope) -> None:
        """Serve an `askModelDelta` request, which contains a piece of a reply."""
        given = message.read(AskModelDelta)
        loan = self._loan(message, given.request_id)
        if loan is None:
            return
        loan.chars += len(given.text) + len(given.reasoning)
        if loan.chars > MAX_REPLY_CHARS:
            self._drop(loan, "failed", f"its reply has more than {MAX_REPLY_CHARS:,} characters")
            self._respond(message, active=False)
            return
        self._out.do(SetTimer(SILENCE + loan.request_id, SILENCE_S))
        if given.text or given.reasoning:
            self._out.do(Lent(loan.token, LentPiece(given.text, given.reasoning)))
        self._respond(message, active=True)

    def on_end(self, message: Envelope) -> None:
        """Serve an `askModelEnd` request, which ends a reply."""
        try:
            given = message.read(AskModelEnd)
        except RemoteProtocolError as error:
            loan = self._open.get(read_or(message, _Id, _Id()).request_id)
            if loan is not None and loan.guest == self._out.guest:
                self._drop(loan, "failed", f"its reply cannot be read: {error}")
            raise
        loan = self._loan(message, given.request_id)
        if loan is None:
            return
        if given.error is not None:
            outcome = _failed(loan.token, given.error.code, given.error.message)
        else:
            outcome = Settled(loan.token, _reply(given))
        self._out.do(CancelTimer(SILENCE + loan.request_id), outcome)
        del self._open[loan.request_id]
        self._respond(message, active=False)

    def on_timer(self, timer_id: str) -> None:
        """Drop a request because the client has been silent for SILENCE_S."""
        loan = self._open.get(timer_id.removeprefix(SILENCE))
        if loan is not None:
            self._drop(loan, "silent", f"it says nothing: it was given up after {SILENCE_S:g} s")

    def end_ask(self, ask_id: str) -> None:
        """Drop the request of a question that has ended."""
        for loan in list(self._open.values()):
            if loan.ask_id == ask_id:
                self._drop(loan, "cancelled", "the question has ended")

    def forget(self, guest: str) -> None:
        """Forget the offer and the dropped requests of a guest that has left."""
        self._offers.pop(guest, None)
        self._dropped = {request_id: whose for request_id, whose in self._dropped.items() if whose != guest}

    def _loan(self, message: Envelope, request_id: str) -> _Loan | None:
        """Return this client's open request with this id. If none is open, answer the message and return None."""
        loan = self._open.get(request_id)
        if loan is not None and loan.guest == self._out.guest:
            return loan
        if self._dropped.get(request_id) == self._out.guest:
            self._respond(message, active=False)
        else:
            self._out.fail(message, NO_MODEL_REQUEST, requestId=request_id)
        return None

    def _drop(self, loan: _Loan, code: str, why: str) -> None:
        self._out.do(CancelTimer(SILENCE + loan.request_id))
        self._out.tell([("askModelEnded", AskModelEnded(loan.request_id, loan.ask_id))], loan.guest)
        self._out.do(_failed(loan.token, code, why))
        del self._open[loan.request_id]
        self._dropped[loan.request_id] = loan.guest

    def _respond(self, message: Envelope, *, active: bool) -> None:
        self._out.respond(message, AskModelBody(active))


def _failed(token: int, code: str, why: str) -> ToAgent:
    text = on_one_line(" ".join(why.split()))[:_MAX_ERROR_CHARS]
    return ToAgent(token, error=RequestFailed("askModel", code, text))


def _reply(given: AskModelEnd) -> LentReply:
    calls = tuple(LentCall(call.id, call.name, _written(call.arguments)) for call in given.calls)
    usage = given.usage
    tokens = (max(0, usage.input_tokens), max(0, usage.output_tokens)) if usage else (0, 0)
    return LentReply(calls, given.model, *tokens)


def _written(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else envelope.encode(arguments).decode()
