"""Client, backend, agent and clock around one session, and what must hold after every event: the fuzz's own machine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state import effects as fx
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import MomentResult, MomentValue, PastFrame, Rewind, Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.errors import TOKEN_NEEDED, RequestFailed

AGENTS_LINE = 100
"""From here on, lines are the agent's; below, the client's."""
ENDS_STOP = {"continue", "next", "restart", "disconnect", "terminate"}
STARTS = {"launch", "attach"}
OBJECTS = {"threads", "stackTrace", "source"}
"""Requests whose arguments are an object, or debugpy hangs."""
RELATIVES = ("s-1", "s-2")
MARK = "fuzzEpoch"
"""An argument of each read of the agent: the stop that it is meant for."""

Message = dict[str, Any]


class Guest:
    """A joined client: the last seq to it, and its requests that wait."""

    def __init__(self) -> None:
        self.last = self.seq = 0
        self.pending: Counter[int] = Counter()


class World:
    """`step` tells the session one thing; each effect is checked as it comes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seq = 0
        self.token = 0
        self.asked: list[int] = []
        self.answered: Counter[int] = Counter()
        self.outcomes: Counter[int] = Counter()
        """By token: of reads, approvals and actions."""
        self.for_backend: list[Message] = []
        self.for_client: list[Message] = []
        self.asks: list[str] = []
        self.jobs: list[str] = []
        self.ended: Counter[str] = Counter()
        self.timers: dict[str, None] = {}
        """That run or stand still; in the order in which they were set."""
        self.guests: dict[str, Guest] = {}
        self._left = 0
        """Guests that have gone: no other has the name of one of them."""
        self.for_relatives: list[tuple[str, Message]] = []
        self.listens: list[tuple[str, int]] = []
        self.client_gone = self.backend_gone = self.closed = False
        self.turned_away = False
        """For want of the token: who may not use the session is answered by the end of the stream alone."""
        self._last_to_client = self._last_to_backend = 0
        self._lines: dict[int, int] = {}
        """Of each breakpoint by the backend's id, which is new with each set."""
        self._terminated_by_backend = self._terminated = 0
        self._starts = 0
        """After the first: each may end."""
        self._epochs: set[int] = set()
        self.looks: list[fx.LookBack] = []

    # -- what the session wants -------------------------------------------------------------------------------------

    def tell(self, event: fx.Event) -> None:
        self._epochs = {self.session.state.epoch}
        effects = self.session.receive(event)
        self._epochs.add(self.session.state.epoch)
        for effect in effects:
            self._check(effect)

    def _check(self, effect: fx.Effect) -> None:
        match effect:
            case fx.ToClient(body):
                assert not self.closed, f"to a client that was let go: {body!r}"
                self._to_client(json.loads(body))
            case fx.ToBackend(body):
                assert not self.closed, f"after the end: {body!r}"
                self._to_backend(json.loads(body))
            case fx.ToAgent(token, _, error):
                assert error is None or isinstance(error, RequestFailed)
                self.outcomes[token] += 1
            case fx.Settled(token, _):
                self.outcomes[token] += 1
            case fx.Lent(token, _):
                assert not self.outcomes[token], "a piece after the end of a reply"
            case fx.StartAsk(ask=ask):
                assert not self.closed
                self.asks.append(ask.ask_id)
            case fx.LookBack():
                assert not self.looks, "one run at a time"
                self.looks.append(effect)
            case fx.CancelAsk(ask_id):
                self.looks = [look for look in self.looks if look.ask.ask_id != ask_id]
            case fx.ToGuest(guest, body):
                self._to_guest(guest, json.loads(body))
            case fx.CloseGuest(guest):
                self.guests.pop(guest, None)  # it may have gone by itself, before its `disconnect` was served
            case fx.ToRelative(session_id, body):
                assert session_id in RELATIVES
                self.for_relatives.append((session_id, json.loads(body)))
            case fx.Prepare():
                self._starts += self._terminated > 0
            case fx.Listen(host, port):
                self.listens.append((host, port))
            case fx.SetTimer(timer_id, seconds):
                assert seconds >= 0
                self.timers[timer_id] = None
            case fx.CancelTimer(timer_id):
                self.timers.pop(timer_id, None)
            case fx.Close():
                self.closed = True
            case _:
                pass

    def _to_client(self, message: Message) -> None:
        assert message["seq"] > self._last_to_client
        self._last_to_client = message["seq"]
        match message["type"]:
            case "response":
                self.answered[message["request_seq"]] += 1
                self.turned_away |= message.get("message") == TOKEN_NEEDED.message and message["command"] in STARTS
            case "request":
                self.for_client.append(message)
            case _ if message["event"] == "askEnded":
                self.ended[message["body"].get("askId", "")] += 1
            case _ if message["event"] == "terminated":
                self._terminated += 1
                assert self._terminated <= max(1, self._terminated_by_backend) + self._starts
            case _:
                pass
        self._check_breakpoints(message)

    def _to_guest(self, guest: str, message: Message) -> None:
        known = self.guests.get(guest)
        if known is None:
            return  # it has gone: the pump drops what is still said to it
        assert message["seq"] > known.last
        known.last = message["seq"]
        assert message["type"] != "request", "an adapter's request is for the session's own client"
        if message["type"] == "response":
            known.pending[message["request_seq"]] -= 1
            assert known.pending[message["request_seq"]] == 0, "answered twice, or never asked"

    def _to_backend(self, message: Message) -> None:
        assert message["seq"] > self._last_to_backend
        assert not str(message.get("command")).startswith("ask")
        self._last_to_backend = message["seq"]
        if message["type"] != "request":
            return
        self.for_backend.append(message)
        self._starts += message["command"] == "restart"
        assert not (message["command"] in OBJECTS and isinstance(arguments := message.get("arguments"), list)), (
            arguments
        )
        if message["command"] in ENDS_STOP:
            assert not self.session.running_jobs, "what ends a stop is sent only after each of its jobs was ended"
        arguments = message.get("arguments")
        if isinstance(arguments, dict) and MARK in arguments:
            assert arguments[MARK] in self._epochs, "a read of another stop"

    def _check_breakpoints(self, message: Message) -> None:
        """The client is told nothing of the agent's."""
        if message.get("command") == "setBreakpoints" and message.get("success"):
            entries = message["body"]["breakpoints"]
        elif message.get("event") == "breakpoint":
            entries = [message["body"]["breakpoint"]]
        else:
            return
        assert all(self._lines[entry["id"]] < AGENTS_LINE for entry in entries)

    # -- what happens -----------------------------------------------------------------------------------------------

    def step(self, step: tuple[Any, ...]) -> None:
        """`(NAME, ...)`: what cannot happen now does nothing."""
        if not self.closed:
            happen: Callable[..., None] = getattr(self, "on_" + step[0].replace(" ", "_"))
            happen(*step[1:])

    def end(self) -> None:
        """Everybody goes: nothing is left without its answer."""
        for index in range(2):
            self.step(("relative ends", index))
        self.step(("lost", False))
        self.step(("lost", True))
        while self.timers and not self.closed:
            self.step(("timer", 0))
        assert self.closed
        assert max(self.answered.values(), default=1) == 1
        if not self.client_gone and not self.turned_away:
            assert {seq: self.answered[seq] for seq in self.asked} == dict.fromkeys(self.asked, 1)
        assert all(self.ended[ask_id] <= 1 for ask_id in self.asks)
        assert self.outcomes == Counter(range(1, self.token + 1))
        if not self.client_gone and not self.turned_away:  # else the session's end ends the guests' streams
            assert not any(+guest.pending for guest in self.guests.values()), "a guest waits for ever"

    def on_request(self, command: str, arguments: Any) -> None:
        if not self.client_gone:
            self.seq += 1
            self.asked.append(self.seq)
            self._client({"seq": self.seq, "type": "request", "command": command, "arguments": arguments})

    def on_event(self, name: str, body: Any) -> None:
        self._terminated_by_backend += name == "terminated"
        self._backend({"seq": 1, "type": "event", "event": name, "body": body})

    def on_answer(self, index: int, success: bool, body: Any) -> None:
        if not self.for_backend:
            return
        request = self.for_backend.pop(index % len(self.for_backend))
        reply = {"request_seq": request["seq"], "command": request["command"], "success": success}
        if request["command"] == "setBreakpoints" and success:
            body = self._set_breakpoints(request["arguments"])
        self._backend({"seq": 2, "type": "response", "body": body, **reply})

    def on_reverse(self, command: str, arguments: Any) -> None:
        self._backend({"seq": 3, "type": "request", "command": command, "arguments": arguments})

    def on_reply(self, index: int, body: Any) -> None:
        if self.for_client:
            request = self.for_client.pop(index % len(self.for_client))
            reply = {"request_seq": request["seq"], "command": request["command"], "success": True}
            self._client({"seq": 4, "type": "response", "body": body, **reply})

    def on_prepared(self, how: str) -> None:
        self.tell(fx.Prepared(b"{}", "no" if how == "error" else "", connected=how == "connected"))

    def on_read(self, command: str, back: int) -> None:
        if self.asks:
            epoch = self._epoch(back)
            arguments = {"context": "hover", MARK: epoch}
            self.tell(fx.AgentRequest(self._ask(back), self._wish(), epoch, command, arguments))

    def on_approval(self, back: int, kind: str) -> None:
        if self.asks:
            self.tell(fx.ApprovalRequest(self._ask(back), self._wish(), self._epoch(back), kind, "x", "y"))

    def on_lend(self, back: int) -> None:
        if self.asks:
            self.tell(fx.ModelRequest(self._ask(back), self._wish(), [{"role": "user", "content": "x"}], []))

    def on_act(self, back: int, action: Any) -> None:
        if self.asks:
            self.tell(fx.ActionRequest(self._ask(back), self._wish(), self._epoch(back), 1, action, 1))

    def on_looked(self, hit: int, error: str) -> None:
        """A run of a program of four lines has ended, at the moment that was wanted or, with an error, at another."""
        if not self.looks:
            return
        look = self.looks.pop()
        if error == "none":
            event = fx.LookedBack(look.ask.ask_id, why="there is none")
        elif look.query is None:
            rows = [part for line in range(1, 5) for part in (0, line, 1 + line % 2)]
            found = Rewound(4, first=1, codes=[("/a.py", "f")], steps=rows, depth=1)
            event = fx.LookedBack(look.ask.ask_id, Recalled(SnapshotQuery(1), "it", found, within=hit > 2))
        else:
            at = (look.query.rewind or Rewind()).at + (error == "another")
            frames = [PastFrame("f", "/a.py", at)]
            found = Rewound(
                4, hit=hit, frames=frames, seen=[MomentResult([MomentValue("x", "1", parts=1)], MomentValue("", "1"))]
            )
            event = fx.LookedBack(look.ask.ask_id, result=SnapshotResult("ok", rewound=found))
        self.tell(event)

    def on_changed(self, number: int) -> None:
        if number in self._lines:
            self.on_event("breakpoint", {"reason": "changed", "breakpoint": {"id": number}})

    def on_job(self, back: int) -> None:
        if self.asks:
            self.jobs.append(f"job-{len(self.jobs)}")
            kill: Message = {"kill": self.jobs[-1]}
            self.tell(fx.JobBegun(self._ask(back), self.jobs[-1], self._epoch(back), "evaluate", kill))

    def on_job_ended(self, index: int, alive: bool) -> None:
        if self.jobs:
            self.tell(fx.JobEnded(self.jobs[index % len(self.jobs)], alive))

    def on_say(self, category: Any, text: str) -> None:
        if self.asks:
            self.tell(fx.AgentOutput(self.asks[-1], category, text))

    def on_done(self, failed: bool) -> None:
        if self.asks:
            self.tell(fx.AgentEnded(self.asks[-1], Answer(), "broken" if failed else ""))

    def on_timer(self, which: int) -> None:
        """One that was set fires; it runs no more then."""
        if self.timers:
            timer_id = list(self.timers)[which % len(self.timers)]
            del self.timers[timer_id]
            self.tell(fx.TimerFired(timer_id))

    def on_guest(self, number: int, command: str, arguments: Any) -> None:
        """One joins with its first message."""
        self._say_as_guest(f"guest-{number}.{self._left}", command, arguments)

    def on_related_guest(self, index: int, command: str, arguments: Any) -> None:
        """The same of a related session, whose client asks through it."""
        self._say_as_guest(f"relative:{RELATIVES[index]}", command, arguments)

    def _say_as_guest(self, name: str, command: str, arguments: Any) -> None:
        guest = self.guests.setdefault(name, Guest())
        guest.seq += 1
        guest.pending[guest.seq] += 1
        message = {"seq": guest.seq, "type": "request", "command": command, "arguments": arguments}
        self.tell(fx.FromGuest(name, json.dumps(message).encode()))

    def on_guest_leaves(self, number: int) -> None:
        name = f"guest-{number}.{self._left}"
        if self.guests.pop(name, None) is not None:
            self._left += 1
            self.tell(fx.GuestClosed(name))

    def on_relatives(self, stopped: list[int]) -> None:
        relatives = tuple(fx.Relative(RELATIVES[each], f"child {each}") for each in stopped)
        self.tell(fx.RelativesChanged(relatives, need_adapter=bool(stopped)))

    def on_relative_says(self, index: int, name: str, body: Any) -> None:
        """An answer to what it was asked, or an event."""
        if name:
            session_id, message = RELATIVES[index % 2], {"seq": 1, "type": "event", "event": name, "body": body}
        elif self.for_relatives:
            session_id, asked = self.for_relatives.pop(index % len(self.for_relatives))
            reply = {"request_seq": asked["seq"], "command": asked["command"], "success": index % 4 != 3}
            message = {"seq": 1, "type": "response", "body": body, **reply}
        else:
            return
        self.tell(fx.FromRelative(session_id, json.dumps(message).encode()))

    def on_relative_ends(self, index: int) -> None:
        session_id = RELATIVES[index % 2]
        self.for_relatives = [each for each in self.for_relatives if each[0] != session_id]
        self.guests.pop(f"relative:{session_id}", None)
        self.tell(fx.RelativeClosed(session_id))
        self.tell(fx.GuestClosed(f"relative:{session_id}"))

    def on_listener(self, index: int, own_port: int) -> None:
        if self.listens:
            self.tell(fx.ListenerReady(*self.listens.pop(index % len(self.listens)), own_port))

    def on_junk(self, client: bool, data: bytes) -> None:
        self.tell(fx.FromClient(data) if client else fx.FromBackend(data))

    def on_lost(self, client: bool) -> None:
        if client:
            self.client_gone = True
            self.tell(fx.ClientClosed())
        else:
            self.backend_gone = True
            self.tell(fx.BackendClosed("gone"))

    def _set_breakpoints(self, arguments: Message) -> Message:
        """The backend's answer: each with a new id."""
        entries: list[Message] = []
        for wanted in arguments["breakpoints"]:
            number = len(self._lines) + 1
            self._lines[number] = wanted["line"]
            entries.append({"id": number, "line": wanted["line"], "verified": number % 5 != 0})
        return {"breakpoints": entries}

    def _epoch(self, back: int) -> int:
        """This stop; now and then the one before."""
        return self.session.state.epoch - (back == 3)

    def _ask(self, back: int) -> str:
        return self.asks[-1 - back % len(self.asks)]

    def _wish(self) -> int:
        self.token += 1
        return self.token

    def _client(self, message: Message) -> None:
        self.tell(fx.FromClient(json.dumps(message).encode()))

    def _backend(self, message: Message) -> None:
        if not self.backend_gone:
            self.tell(fx.FromBackend(json.dumps(message).encode()))
