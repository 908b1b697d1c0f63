"""Guests: clients that join a session which another client drives. They ask and read, and may leave without effect.

A guest is a terminal (`dap-ai ask --join`), another program, or a related session whose client asks through it. To a
guest, the session looks attached: the guest gets `initialized`, and `stopped` if the program is stopped. Guests' events
about the program are derived from the session's own state, whatever events the adapter sends or omits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from dap_ai.adapter.asks.reads import MAX_WAITING
from dap_ai.adapter.asks.slots import GuestRead
from dap_ai.adapter.asks.typed_lines import Typed
from dap_ai.adapter.session.request_serving import Handler, Serving
from dap_ai.adapter.session.session_info import About
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.effects import CloseGuest
from dap_ai.adapter.state.outbox import Message, Outbox, read_or
from dap_ai.protocol.wire.dap_messages import EvaluateArguments, StoppedBody
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import GUEST_BUSY, GUEST_ONLY_READS

READS = frozenset({"threads", "stackTrace", "source"})
"""Requests of a guest that the backend answers. They wait in the agent's queue, after the session's own client.

None of these requests runs code of the program.
"""
_CAPABILITIES = ("supportsConfigurationDoneRequest", "supportsAskRequest", "supportsCancelRequest")


class GuestReads:
    """Queues guests' requests that read the program, after requests of the session's own client."""

    def __init__(self, out: Outbox, put: Callable[[GuestRead], bool], forward: Callable[[Envelope], None]) -> None:
        self._out = out
        self._put = put
        self._forward = forward

    def on_request(self, message: Envelope) -> None:
        """Queue a guest's request, or fail the request if too many wait."""
        guest = self._out.guest
        if not self._put(GuestRead(guest, partial(self._send, guest, message))):
            self._out.fail(message, GUEST_BUSY, command=message.name, count=f"{MAX_WAITING}")

    def _send(self, guest: str, message: Envelope) -> None:
        with self._out.serving(guest):
            self._forward(message)


class Guests:
    """The guests of a session.

    `requests` maps commands to the handlers that guests share with the session's own client. Each function in `leave`
    is called with the id of a guest that leaves.
    """

    def __init__(
        self,
        out: Outbox,
        state: DebuggeeState,
        about: About,
        *,
        serving: Serving,
        typed: Typed,
        requests: Mapping[str, Handler],
        leave: Sequence[Callable[[str], None]],
    ) -> None:
        self._out = out
        self._state = state
        self._about = about
        self._serving = serving
        self._typed = typed
        self._leave = leave
        self._attached: set[str] = set()
        self._told: dict[int, StoppedBody] = {}
        """The stops that guests know of, by thread id."""
        self._told_end = False
        self._requests: Mapping[str, Handler] = {
            **requests,
            "initialize": partial(self._on_initialize, requests["initialize"]),
            "attach": self._on_attach,
            "launch": self._on_attach,
            "configurationDone": out.respond,
            "askSession": lambda message: out.respond(message, about.info()),
            "evaluate": self._on_evaluate,
            "completions": lambda message: out.respond(message, {"targets": typed.completions(message) or []}),
            "disconnect": self._on_disconnect,
        }

    def receive(self, guest: str, message: Envelope) -> None:
        """Serve one message of a guest."""
        if message.kind == "request":
            self._out.seqs.meet_guest(guest)
            with self._out.serving(guest):
                self._serving.serve(message, self._requests.get(message.name, self._refuse))

    def closed(self, guest: str) -> None:
        """Forget a guest that has disconnected, and end its questions. The session itself continues."""
        self._out.seqs.forget_guest(guest)
        self._forget(guest)

    def follow(self) -> None:
        """Tell all guests which threads have stopped or resumed, or that the program has ended."""
        if self._told == self._state.stops and self._told_end == self._has_ended:
            return
        news = self._news()
        self._told, self._told_end = dict(self._state.stops), self._has_ended
        for guest in sorted(self._attached):
            self._out.tell(news, guest)

    def _news(self) -> list[Message]:
        """Return the events for threads that resumed or stopped, or for the program's end."""
        stops = self._state.stops
        if self._has_ended:
            return [] if self._told_end else [("terminated", {})]
        if self._told and not stops:
            return [("continued", {"threadId": 0, "allThreadsContinued": True})]
        gone = [thread_id for thread_id in self._told if thread_id not in stops]
        new = [stop for thread_id, stop in stops.items() if self._told.get(thread_id) != stop]
        return [
            *[("continued", {"threadId": thread_id, "allThreadsContinued": False}) for thread_id in gone],
            *[("stopped", _stopped(stop)) for stop in new],
        ]

    @property
    def _has_ended(self) -> bool:
        return self._state.phase is Phase.ENDED

    def _stops(self) -> list[Message]:
        return [("stopped", _stopped(stop)) for stop in self._state.stops.values()]

    def _on_initialize(self, learn: Handler, message: Envelope) -> None:
        learn(message)
        body: dict[str, object] = dict.fromkeys(_CAPABILITIES, True)
        self._out.respond(message, body | {"dapAiSession": self._about.info()})

    def _on_attach(self, message: Envelope) -> None:
        self._attached.add(self._out.guest)
        self._out.respond(message)
        self._out.tell([("initialized", {}), *self._stops()], self._out.guest)
        if self._has_ended:
            self._out.tell([("terminated", {})], self._out.guest)

    def _on_evaluate(self, message: Envelope) -> None:
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        typed = self._typed.read(arguments)
        if typed is None:
            self._refuse(message)
        else:
            self._typed.on_line(message, typed, arguments.frame_id)

    def _on_disconnect(self, message: Envelope) -> None:
        self._out.respond(message)
        guest = self._out.guest
        self._forget(guest)
        self._out.seqs.forget_guest(guest)
        self._out.do(CloseGuest(guest))

    def _forget(self, guest: str) -> None:
        for leave in self._leave:
            leave(guest)
        self._attached.discard(guest)

    def _refuse(self, message: Envelope) -> None:
        self._out.fail(message, GUEST_ONLY_READS, command=message.name)


def _stopped(stop: StoppedBody) -> dict[str, object]:
    body: dict[str, object] = {"reason": stop.reason, "threadId": stop.thread_id}
    body |= {name: text for name, text in (("description", stop.description), ("text", stop.text)) if text}
    return body | {"allThreadsStopped": stop.all_threads_stopped}
