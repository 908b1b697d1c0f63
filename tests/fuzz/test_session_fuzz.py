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
from dap_ai.protocol.acting import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from dap_ai.protocol.asking import Answer
from dap_ai.protocol.errors import RequestFailed
from tests.playbook import Rules

COMMANDS = [
    "initialize", "launch", "attach", "ask", "askApprove", "askTool", "cancel", "evaluate", "completions", "threads",
    "stackTrace", "scopes", "variables", "continue", "next", "restart", "disconnect", "terminate", "exceptionInfo",
    "readMemory", "vendorSpecial", "pause",
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
    "consent.wait:dap-ai-approval-1",
    "consent.wait:dap-ai-approval-2",
    "resuming.wait",
    "unknown",
]
FILES = ["/a.py", "/b.py"]
AGENTS_LINE = 100
"""From here on, lines are the agent's; below, the client's."""
ACTIONS = [
    Step("next"),
    Step("continue"),
    *[ContinueTo(file, AGENTS_LINE + 1) for file in FILES],
    *[SetBreakpoint(file, AGENTS_LINE + line) for file in FILES for line in (1, 2)],
    SetBreakpoint(FILES[0], 1),
    Execute("f()", 1),
    SetVariable("x", "1", 1),
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

approvals = st.builds(
    lambda number, allow, remember: {"approvalId": f"dap-ai-approval-{number}", "allow": allow, "remember": remember},
    st.integers(1, 3), st.booleans(), st.booleans(),
)  # fmt: skip
sets = st.builds(
    lambda file, lines: {"source": {"path": file}, "breakpoints": [{"line": line} for line in lines]},
    st.sampled_from(FILES), st.lists(st.integers(1, 5), max_size=3),
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

acts = st.one_of(
    st.tuples(st.just("answer"), st.just(0), st.sampled_from([True, True, True, False]), st.just({})),
    st.tuples(st.just("answer"), st.just(0), st.just(True), st.just({})),
    st.tuples(st.just("request"), st.just("askApprove"), approvals),
    st.tuples(st.just("request"), st.just("setBreakpoints"), sets),
    st.tuples(st.just("request"), st.just("ask"), st.just({})),
    st.tuples(st.just("event"), st.just("stopped"), st.just({"reason": "pause", "threadId": 1})),
    st.tuples(st.just("approval"), st.integers(0, 3), st.sampled_from(["step", "execute"])),
    st.tuples(st.just("act"), st.integers(0, 3), st.sampled_from(ACTIONS)),
    st.tuples(st.just("changed"), st.integers(0, 20)),
    st.tuples(st.just("request"), st.sampled_from(["continue", "pause", "stackTrace"]), st.just({"threadId": 1})),
    st.tuples(st.just("request"), st.just("cancel"), st.just({"progressId": "dap-ai-ask-1"})),
    st.tuples(st.just("request"), st.just("evaluate"), st.just({"expression": "??allow", "context": "repl"})),
    st.tuples(st.just("event"), st.sampled_from(["continued", "continued", "terminated"]), st.just({})),
    st.one_of(
        st.tuples(st.just("job"), st.integers(0, 3)),
        st.tuples(st.just("done"), st.booleans()),
        st.tuples(st.just("timer"), st.sampled_from(TIMERS)),
    ),
)

ASKING: list[tuple[Any, ...]] = [
    ("request", "launch", {}),
    ("prepared", "ok"),
    ("answer", 0, True, {}),
    ("event", "stopped", {"reason": "pause", "threadId": 1}),
    ("timer", "slots.quiet"),
    ("request", "ask", {}),
]
"""A program that stands, and a question about it."""


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
        self.lines: dict[int, int] = {}
        """Of each breakpoint by the backend's id, which is new with each set."""

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
                    self.check_breakpoints(message)
                    if message.get("event") == "askEnded":
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
                case fx.Settled(token, _):
                    self.reads[token] += 1
                case fx.StartAsk(ask, _, _):
                    self.asks.append(ask.ask_id)

    def check_jobs(self, message: dict[str, Any]) -> None:
        """What ends a stop is sent only after each of its jobs was ended."""
        if message["command"] in ENDS_STOP:
            assert not self.session.running_jobs

    def check_breakpoints(self, message: dict[str, Any]) -> None:
        """The client is told nothing of the agent's."""
        if message.get("command") == "setBreakpoints" and message.get("success"):
            entries = message["body"]["breakpoints"]
        elif message.get("event") == "breakpoint":
            entries = [message["body"]["breakpoint"]]
        else:
            return
        assert all(self.lines[entry["id"]] < AGENTS_LINE for entry in entries)

    def set_breakpoints(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The backend's answer: each with a new id."""
        entries = []
        for wanted in arguments["breakpoints"]:
            number = len(self.lines) + 1
            self.lines[number] = wanted["line"]
            entries.append({"id": number, "line": wanted["line"], "verified": number % 5 != 0})
        return {"breakpoints": entries}

    def client(self, message: dict[str, Any]) -> None:
        self.tell(fx.FromClient(json.dumps(message).encode()))

    def backend(self, message: dict[str, Any]) -> None:
        self.tell(fx.FromBackend(json.dumps(message).encode()))

    def end(self) -> None:
        """Everybody has gone: nothing is left without its answer."""
        self.tell(fx.BackendClosed("the end"))
        self.tell(fx.ClientClosed())
        assert {seq: self.answered[seq] for seq in self.asked} == dict.fromkeys(self.asked, 1)
        assert all(count == 1 for count in self.ended.values())
        assert self.reads == Counter(range(1, self.token + 1))

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
                if request["command"] == "setBreakpoints" and success:
                    body = self.set_breakpoints(request["arguments"])
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
                self.tell(
                    fx.AgentRequest(
                        self.asks[-1 - back % len(self.asks)], self.token, epoch, command, {"context": "hover"}
                    )
                )
            case "approval", back, kind if self.asks:
                self.token += 1
                epoch = self.session.state.epoch - (back == 3)
                ask_id = self.asks[-1 - back % len(self.asks)]
                self.tell(fx.ApprovalWanted(ask_id, self.token, epoch, kind, "x", "y"))
            case "act", back, action if self.asks:
                self.token += 1
                epoch = self.session.state.epoch - (back == 3)
                self.tell(fx.ActionWanted(self.asks[-1 - back % len(self.asks)], self.token, epoch, 1, action))
            case "changed", number if number in self.lines:
                self.step(("event", "breakpoint", {"reason": "changed", "breakpoint": {"id": number}}))
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
    world.end()


@settings(max_examples=300, deadline=None)
@given(st.lists(acts, min_size=20, max_size=80))
def test_whatever_happens_every_action_and_every_consent_ends_exactly_once(script: list[tuple[Any, ...]]):
    world = World(Session(Rules(), Options(level="mutate")))
    for step in [*ASKING, *script]:
        world.step(step)
    world.end()
