"""Clients that join a session which another client drives: they ask and read, and their leaving changes nothing.

A guest is a terminal (`dap-ai ask --join`), another program, or a related session whose client asks through it. To a
guest the session looks like one that was attached to: `initialized`, then `stopped` if it is stopped. What happens to
the debuggee is told to guests by what is known of it here, whatever the adapter says or leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

from dap_ai.adapter.asks import console
from dap_ai.adapter.asks.desk import AskDesk
from dap_ai.adapter.asks.reads import MAX_WAITING
from dap_ai.adapter.asks.slots import GuestRead
from dap_ai.adapter.session.serving import Serving
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.effects import CloseGuest
from dap_ai.adapter.state.options import Options
from dap_ai.adapter.state.outbox import Message, Outbox, read_or
from dap_ai.protocol.envelope import Envelope
from dap_ai.protocol.errors import GUEST_BUSY, GUEST_ONLY_READS
from dap_ai.protocol.messages import (
    CompletionsArguments,
    EvaluateArguments,
    InitializeArguments,
    ProcessBody,
    StartArguments,
    StoppedBody,
)
from dap_ai.protocol.sessions import SessionInfo, SessionStop

READS = frozenset({"threads", "stackTrace", "source"})
"""Requests of a guest that go to the backend, in turn with the agent's and behind the session's own client: none of
them runs code of the program."""
_CAPABILITIES = ("supportsConfigurationDoneRequest", "supportsAskRequest", "supportsCancelRequest")


class Guests:
    """Those who have joined. `forward` sends a request of a guest to the backend, once it is its turn."""

    def __init__(
        self,
        out: Outbox,
        state: DebuggeeState,
        desk: AskDesk,
        options: Options,
        *,
        serving: Serving,
        forward: Callable[[Envelope], None],
    ) -> None:
        self.client = self.program = ""
        """Of the session: who drives it, and what it debugs."""
        self.process_id = 0
        """Of the debuggee; 0: not known."""
        self._out = out
        self._state = state
        self._desk = desk
        self._options = options
        self._serving = serving
        self._attached: set[str] = set()
        self._forward = forward
        self._told: dict[int, StoppedBody] = {}
        """The stops that guests have been told of."""
        self._told_end = False
        self._requests: dict[str, Callable[[Envelope], None]] = {
            "initialize": self._on_initialize,
            "attach": self._on_attach,
            "launch": self._on_attach,
            "configurationDone": self._out.respond,
            "askSession": lambda message: self._out.respond(message, self.info()),
            "ask": desk.on_ask,
            "askTool": desk.on_tool,
            "askOffer": desk.lending.on_offer,
            "askApprove": desk.on_approve,
            "askModelDelta": desk.lending.on_delta,
            "askModelEnd": desk.lending.on_end,
            "cancel": self._on_cancel,
            "evaluate": self._on_evaluate,
            "completions": self._on_completions,
            "disconnect": self._on_disconnect,
            **dict.fromkeys(READS, self._read),
        }

    def receive(self, guest: str, message: Envelope) -> None:
        """A message of a guest."""
        if message.kind == "request":
            self._out.seqs.meet_guest(guest)
            with self._out.serving(guest):
                self._serving.serve(message, self._requests.get(message.name, self._refuse))

    def on_start(self, message: Envelope) -> None:
        """The session's client launches or attaches: what is debugged."""
        start = read_or(message, StartArguments, StartArguments())
        self.program = start.program or start.module or start.name
        self.process_id = start.process_id

    def on_event(self, message: Envelope) -> None:
        """An event of the backend: what is debugged, as the adapter says."""
        if message.name == "process":
            process = read_or(message, ProcessBody, ProcessBody())
            self.program = self.program or process.name
            self.process_id = process.system_process_id or self.process_id

    def closed(self, guest: str) -> None:
        """A guest is gone: its asks end, nothing else does."""
        self._out.seqs.forget_guest(guest)
        self._desk.end_guest(guest)
        self._attached.discard(guest)

    def follow(self) -> None:
        """Tells the guests what has become of the debuggee since they were told last."""
        if self._told == self._state.stops and self._told_end == self._has_ended:
            return
        news = self._news()
        self._told, self._told_end = dict(self._state.stops), self._has_ended
        for guest in sorted(self._attached):
            self._out.tell(news, guest)

    def _news(self) -> list[Message]:
        """The end, or the threads that go on and those that have stopped."""
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

    @property
    def label(self) -> str:
        """What is debugged, for a person."""
        program = PurePath(self.program).name or "the program"
        return f"{program} (process {self.process_id})" if self.process_id else program

    def info(self) -> SessionInfo:
        """What others may know of this session."""
        stop = self._state.last_stop()
        state = "stopped" if stop else self._state.phase.value
        return SessionInfo(
            id=self._options.session_id,
            parent=self._options.parent_id,
            pid=self.process_id,
            program=self.program,
            backend=self._options.backend,
            client=self.client,
            state="starting" if state == Phase.CREATED.value else state,
            stop=SessionStop(stop.thread_id, stop.reason, stop.description, stop.text) if stop else None,
            started=self._options.started,
        )

    def _stops(self) -> list[Message]:
        return [("stopped", _stopped(stop)) for stop in self._state.stops.values()]

    def _on_initialize(self, message: Envelope) -> None:
        if read_or(message, InitializeArguments, InitializeArguments()).supports_progress_reporting:
            self._desk.shows_progress.add(self._out.guest)
        body: dict[str, object] = dict.fromkeys(_CAPABILITIES, True)
        self._out.respond(message, body | {"dapAiSession": self.info()})

    def _on_attach(self, message: Envelope) -> None:
        self._attached.add(self._out.guest)
        self._out.respond(message)
        self._out.tell([("initialized", {}), *self._stops()], self._out.guest)
        if self._has_ended:
            self._out.tell([("terminated", {})], self._out.guest)

    def _on_cancel(self, message: Envelope) -> None:
        self._desk.cancel_of(message)
        self._out.respond(message)

    def _on_evaluate(self, message: Envelope) -> None:
        arguments = read_or(message, EvaluateArguments, EvaluateArguments())
        typed = console.parse(arguments.expression, self._options.console_prefix)
        if typed is None or arguments.context not in console.CONTEXTS:
            self._refuse(message)
        else:
            self._desk.on_console(message, typed, arguments.frame_id)

    def _on_completions(self, message: Envelope) -> None:
        arguments = read_or(message, CompletionsArguments, CompletionsArguments())
        items = console.complete(arguments.text, arguments.column, self._options.console_prefix)
        self._out.respond(message, {"targets": items or []})

    def _on_disconnect(self, message: Envelope) -> None:
        self._out.respond(message)
        guest = self._out.guest
        self._desk.end_guest(guest)
        self._attached.discard(guest)
        self._out.seqs.forget_guest(guest)
        self._out.do(CloseGuest(guest))

    def _read(self, message: Envelope) -> None:
        guest = self._out.guest
        if not self._desk.reads.put_guest(GuestRead(guest, partial(self._send, guest, message))):
            self._out.fail(message, GUEST_BUSY, command=message.name, count=f"{MAX_WAITING}")

    def _send(self, guest: str, message: Envelope) -> None:
        with self._out.serving(guest):
            self._forward(message)

    def _refuse(self, message: Envelope) -> None:
        self._out.fail(message, GUEST_ONLY_READS, command=message.name)


def _stopped(stop: StoppedBody) -> dict[str, object]:
    body: dict[str, object] = {"reason": stop.reason, "threadId": stop.thread_id}
    body |= {name: text for name, text in (("description", stop.description), ("text", stop.text)) if text}
    return body | {"allThreadsStopped": stop.all_threads_stopped}
