"""A session under arbitrary events: it never raises, numbers its messages, and answers every request exactly once."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.adapter import effects as fx
from dap_ai.adapter.options import Options
from dap_ai.adapter.session import Session
from dap_ai.protocol.asking import Answer
from dap_ai.protocol.errors import RequestFailed
from tests.playbook import Rules

COMMANDS = [
    "initialize", "launch", "attach", "ask", "askApprove", "askTool", "cancel", "evaluate", "completions", "threads",
    "stackTrace", "scopes", "variables", "continue", "next", "restart", "disconnect", "terminate", "exceptionInfo",
    "readMemory", "vendorSpecial",
]  # fmt: skip
EVENTS = [
    "initialized", "stopped", "continued", "output", "process", "exited", "terminated", "capabilities",
    "progressStart", "thread", "vendorEvent",
]  # fmt: skip
TIMERS = [
    "jobs.hold",
    "slots.quiet",
    "slots.patience",
    "slots.request",
    "session.disconnect",
    "session.part",
    "unknown",
]

ENDS_STOP = {"continue", "next", "restart", "disconnect", "terminate"}

scalars = st.none() | st.booleans() | st.integers(-2, 50) | st.sampled_from(["", "??", "??stop", "repl", "x", "{y}"])
bodies = st.dictionaries(
    st.sampled_from(
        ["threadId", "frameId", "expression", "context", "question", "conversationId", "progressId", "requestId",
         "reason", "allThreadsStopped", "stackFrames", "capabilities", "text", "column", "output", "category",
         "supportsProgressReporting", "dapAiToken", "askEvents", "level"]
    ),
    scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.sampled_from(["id", "supportsRestartRequest"]), scalars),
    max_size=4,
)  # fmt: skip

requests = st.tuples(st.just("request"), st.sampled_from(COMMANDS), bodies)
steps = st.one_of(
    requests,
    requests,
    requests,
    st.tuples(st.just("event"), st.sampled_from(EVENTS), bodies),
    st.tuples(st.just("answer"), st.integers(0, 5), st.booleans(), bodies),
    st.tuples(st.just("reverse"), st.sampled_from(["runInTerminal", "startDebugging"]), bodies),
    st.tuples(st.just("reply"), st.integers(0, 5), bodies),
    st.tuples(st.just("prepared"), st.sampled_from(["ok", "error", "connected"])),
    st.tuples(st.just("read"), st.sampled_from(["stackTrace", "evaluate"]), st.integers(0, 3)),
    st.tuples(st.just("job"), st.integers(0, 3)),
    st.tuples(st.just("job ended"), st.integers(0, 5), st.booleans()),
    st.tuples(st.just("say"), st.sampled_from(["answer", "status"]), st.text(max_size=5)),
    st.tuples(st.just("done"), st.booleans()),
    st.tuples(st.just("timer"), st.sampled_from(TIMERS)),
    st.tuples(st.just("junk"), st.booleans(), st.binary(max_size=20)),
    st.tuples(st.just("lost"), st.booleans()),
)


class World:
    """Client, backend and agent around one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seq = 0
        self.token = 0
        self.asked: list[int] = []
        self.answered: Counter[int] = Counter()
        self.reads: Counter[int] = Counter()
        self.for_backend: list[dict[str, Any]] = []
        self.for_client: list[dict[str, Any]] = []
        self.asks: list[str] = []
        self.jobs: list[str] = []
        self.ended: Counter[str] = Counter()
        self.last_to_client = self.last_to_backend = 0

    def tell(self, event: fx.Event) -> None:
        for effect in self.session.receive(event):
            match effect:
                case fx.ToClient(body):
                    message = json.loads(body)
                    assert message["seq"] > self.last_to_client
                    self.last_to_client = message["seq"]
                    if message["type"] == "response":
                        self.answered[message["request_seq"]] += 1
                    elif message["type"] == "request":
                        self.for_client.append(message)
                    elif message["event"] == "askEnded":
                        self.ended[message["body"]["askId"]] += 1
                case fx.ToBackend(body):
                    message = json.loads(body)
                    assert message["seq"] > self.last_to_backend
                    assert not str(message.get("command")).startswith("ask")
                    self.last_to_backend = message["seq"]
                    if message["type"] == "request":
                        self.for_backend.append(message)
                        self.check_jobs(message)
                case fx.ToAgent(token, _, error):
                    assert error is None or isinstance(error, RequestFailed)
                    self.reads[token] += 1
                case fx.StartAsk(ask, _, _):
                    self.asks.append(ask.ask_id)

    def check_jobs(self, message: dict[str, Any]) -> None:
        """What ends a stop is sent only after each of its jobs was ended."""
        if message["command"] in ENDS_STOP:
            assert not self.session.running_jobs

    def client(self, message: dict[str, Any]) -> None:
        self.tell(fx.FromClient(json.dumps(message).encode()))

    def backend(self, message: dict[str, Any]) -> None:
        self.tell(fx.FromBackend(json.dumps(message).encode()))

    def step(self, step: tuple[Any, ...]) -> None:
        match step:
            case "request", command, arguments:
                self.seq += 1
                self.asked.append(self.seq)
                self.client({"seq": self.seq, "type": "request", "command": command, "arguments": arguments})
            case "event", name, body:
                self.backend({"seq": 1, "type": "event", "event": name, "body": body})
            case "answer", index, success, body if self.for_backend:
                request = self.for_backend.pop(index % len(self.for_backend))
                reply = {"request_seq": request["seq"], "command": request["command"], "success": success}
                self.backend({"seq": 2, "type": "response", "body": body, **reply})
            case "reverse", command, arguments:
                self.backend({"seq": 3, "type": "request", "command": command, "arguments": arguments})
            case "reply", index, body if self.for_client:
                request = self.for_client.pop(index % len(self.for_client))
                reply = {"request_seq": request["seq"], "command": request["command"], "success": True}
                self.client({"seq": 4, "type": "response", "body": body, **reply})
            case "prepared", how:
                self.tell(fx.Prepared(b"{}", "no" if how == "error" else "", connected=how == "connected"))
            case "read", command, back if self.asks:
                self.token += 1
                epoch = self.session.state.epoch - (back == 3)
                self.tell(fx.AgentRequest(self.asks[-1 - back % len(self.asks)], self.token, epoch, command, {}))
            case "job", back if self.asks:
                self.jobs.append(f"job-{len(self.jobs)}")
                epoch = self.session.state.epoch - (back == 3)
                kill: dict[str, Any] = {"kill": self.jobs[-1]}
                self.tell(fx.JobBegun(self.asks[-1 - back % len(self.asks)], self.jobs[-1], epoch, "evaluate", kill))
            case "job ended", index, alive if self.jobs:
                self.tell(fx.JobEnded(self.jobs[index % len(self.jobs)], alive))
            case "say", category, text if self.asks:
                self.tell(fx.AgentOutput(self.asks[-1], category, text))
            case "done", failed if self.asks:
                self.tell(fx.AgentEnded(self.asks[-1], Answer(), "broken" if failed else ""))
            case "timer", timer_id:
                self.tell(fx.TimerFired(timer_id))
            case "junk", client, data:
                self.tell(fx.FromClient(data) if client else fx.FromBackend(data))
            case "lost", client:
                self.tell(fx.ClientClosed() if client else fx.BackendClosed("gone"))
            case _:
                pass


@settings(max_examples=300, deadline=None)
@given(st.lists(steps, min_size=5, max_size=60), st.booleans())
def test_whatever_happens_every_request_is_answered_exactly_once(script: list[tuple[Any, ...]], token: bool):
    world = World(Session(Rules(greeting=("evaluate", {"expression": "x"})), Options(token="t" if token else "")))
    for step in script:
        world.step(step)
    world.tell(fx.BackendClosed("the end"))
    assert {seq: world.answered[seq] for seq in world.asked} == dict.fromkeys(world.asked, 1)
    assert all(count == 1 for count in world.ended.values())
    assert world.reads == Counter(range(1, world.token + 1))
