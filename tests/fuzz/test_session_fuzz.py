"""A session under arbitrary events: it never raises, numbers its messages, and answers every request exactly once."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.ours import FIRST_OF_PAST
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from tests.fuzz.world import AGENTS_LINE, World
from tests.playbook import Rules

COMMANDS = [
    "initialize", "launch", "attach", "ask", "askApprove", "askTool", "cancel", "evaluate", "completions", "threads",
    "stackTrace", "scopes", "variables", "continue", "next", "restart", "disconnect", "terminate", "exceptionInfo",
    "readMemory", "vendorSpecial", "pause", "askModelDelta", "askModelEnd",
]  # fmt: skip
EVENTS = [
    "initialized", "stopped", "continued", "output", "process", "exited", "terminated", "capabilities",
    "progressStart", "thread", "vendorEvent",
]  # fmt: skip
FILES = ["/a.py", "/b.py"]
ACTIONS = [
    Step("next"),
    Step("continue"),
    *[ContinueTo(file, AGENTS_LINE + 1) for file in FILES],
    *[SetBreakpoint(file, AGENTS_LINE + line) for file in FILES for line in (1, 2)],
    SetBreakpoint(FILES[0], 1),
    Execute("f()"),
    SetVariable("x", "1"),
]

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
replies = st.builds(
    lambda number, more: {"requestId": f"dap-ai-model-{number}"} | more,
    st.integers(1, 4),
    st.sampled_from(
        [{}, {}, {"text": "x"}, {"text": 3}, {"calls": [{"name": "stack"}]}, {"calls": 3}, {"error": {"code": "quota"}}]
    ),
)
lends = st.one_of(
    st.tuples(st.just("request"), st.sampled_from(["askModelDelta", "askModelDelta", "askModelEnd"]), replies),
    st.tuples(st.just("guest"), st.integers(0, 1), st.sampled_from(["askModelDelta", "askModelEnd"]), replies),
    st.tuples(st.just("guest"), st.integers(0, 1), st.just("ask"), st.just({"providers": ["editor"]})),
    st.tuples(st.just("guest leaves"), st.integers(0, 1)),
    st.tuples(st.just("lend"), st.integers(0, 3)),
    st.tuples(st.just("lend"), st.integers(0, 3)),
    st.tuples(st.just("request"), st.just("ask"), st.just({"providers": ["editor"]})),
    st.tuples(st.just("request"), st.just("cancel"), st.just({"progressId": "dap-ai-ask-1"})),
    st.tuples(st.just("relative says"), st.integers(0, 7), st.just("askModel"), replies),
    st.tuples(st.just("done"), st.booleans()),
    st.tuples(st.just("timer"), st.integers(0, 5)),
)
"""Models that clients lend, and answer for well or badly."""

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
    st.tuples(st.just("timer"), st.integers(0, 5)),
    st.tuples(st.just("junk"), st.booleans(), st.binary(max_size=20)),
    st.tuples(st.just("lost"), st.booleans()),
)

guest_requests = st.sampled_from(
    ["initialize", "attach", "configurationDone", "threads", "stackTrace", "ask", "cancel", "evaluate", "completions",
     "askSession", "askTool", "askApprove", "source", "disconnect", "continue", "setBreakpoints", "nonsense"]
)  # fmt: skip
given_ids = st.sampled_from(["there-1", "there-2", "there-3"])
there = st.dictionaries(st.sampled_from(["askId", "conversationId", "approvalId", "progressId"]), given_ids, max_size=2)
odd = st.sampled_from([[1], [], "x", 3, True, None, {"threadId": [1]}, {"approvalId": 1}, {"name": [], "x": 1}])
family = st.one_of(
    st.tuples(st.just("guest"), st.integers(0, 2), guest_requests, bodies | there),
    st.tuples(st.just("guest"), st.integers(0, 2), guest_requests, bodies | there | odd),
    st.tuples(st.just("related guest"), st.integers(0, 1), guest_requests, bodies | there | odd),
    st.tuples(st.just("guest leaves"), st.integers(0, 2)),
    st.tuples(st.just("relatives"), st.lists(st.integers(0, 1), max_size=2, unique=True)),
    st.tuples(st.just("relative says"), st.integers(0, 7), st.just(""), there),
    st.tuples(
        st.just("relative says"), st.integers(0, 7), st.sampled_from(["askOutput", "askEnded", "stopped"]), there
    ),
    st.tuples(st.just("relative ends"), st.integers(0, 1)),
    st.tuples(st.just("listener"), st.integers(0, 3), st.sampled_from([0, 4711])),
    st.tuples(st.just("request"), st.sampled_from(["ask", "askApprove", "cancel"]), there),
    st.tuples(st.just("request"), st.just("evaluate"), st.just({"expression": "??why", "context": "repl"})),
    st.tuples(st.just("event"), st.just("debugpyAttach"), st.just({"connect": {"host": "127.0.0.1", "port": 5}})),
    st.tuples(
        st.just("reverse"),
        st.just("startDebugging"),
        st.just({"configuration": {"connect": {"port": 6}}, "request": "attach"}),
    ),
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
        st.tuples(st.just("timer"), st.integers(0, 5)),
    ),
)

of_past = st.integers(0, 12).map(lambda number: FIRST_OF_PAST + number)
past = st.one_of(
    st.tuples(st.just("looked"), st.integers(0, 4), st.sampled_from(["", "", "", "", "another", "none"])),
    st.tuples(
        st.just("request"),
        st.sampled_from(["stepBack", "stepBack", "reverseContinue", "next", "stepIn", "stepOut", "continue", "goto",
                         "stackTrace", "exceptionInfo", "pause"]),
        st.sampled_from([{"threadId": 1}, {"threadId": 1}, {"threadId": 1, "dapAiInto": True}, {"threadId": 2}]),
    ),
    st.tuples(st.just("request"), st.sampled_from(["scopes", "evaluate", "completions", "ask"]), of_past.map(
        lambda number: {"frameId": number, "expression": "x"})),
    st.tuples(st.just("request"), st.sampled_from(["variables", "setVariable"]), of_past.map(
        lambda number: {"variablesReference": number})),
    st.tuples(st.just("request"), st.just("setBreakpoints"), sets),
    st.tuples(st.just("event"), st.just("stopped"), st.just({"reason": "pause", "threadId": 1})),
)  # fmt: skip

ASKING: list[tuple[Any, ...]] = [
    ("request", "launch", {}),
    ("prepared", "ok"),
    ("answer", 0, True, {}),
    ("event", "stopped", {"reason": "pause", "threadId": 1}),
    ("timer", 0),
    ("request", "ask", {}),
]
"""A program that stands, and a question about it."""


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, min_size=5, max_size=60), st.booleans())
def test_whatever_happens_every_request_is_answered_exactly_once(script: list[tuple[Any, ...]], token: bool):
    world = World(
        Session(Rules(greeting=("evaluate", {"expression": "x"})), SessionOptions(token="t" if token else ""))
    )
    for step in script:
        world.step(step)
    world.end()


@settings(max_examples=150, deadline=None)
@given(st.lists(acts, min_size=20, max_size=80))
def test_whatever_happens_every_action_and_every_consent_ends_exactly_once(script: list[tuple[Any, ...]]):
    world = World(Session(Rules(), SessionOptions(level="mutate")))
    for step in [*ASKING, *script]:
        world.step(step)
    world.end()


LEAVES: tuple[Any, ...] = ("request", "disconnect", {})
JOINS: tuple[Any, ...] = ("guest", 0, "initialize", {})


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(family, family, steps, acts), min_size=10, max_size=60))
@example([JOINS, ("relatives", [0]), ("guest", 0, "threads", {}), ("event", "exited", {}), LEAVES])
@example([JOINS, ("request", "ask", {}), ("job", 0), JOINS, LEAVES, ("relatives", [0]), ("request", "ask", {})])
@example([("request", "ask", {}), ("job", 0), LEAVES, ("request", "initialize", {})])
def test_whatever_guests_and_relatives_do_everybody_is_answered_exactly_once(script: list[tuple[Any, ...]]):
    world = World(Session(Rules(), SessionOptions(level="mutate")))
    for step in [*ASKING[:4], *script]:
        world.step(step)
    world.end()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(past, past, past, past, acts), min_size=10, max_size=60))
def test_whatever_is_looked_at_in_the_past_every_request_is_answered_exactly_once(script: list[tuple[Any, ...]]):
    world = World(Session(Rules(runs_again=True), SessionOptions(level="mutate")))
    for step in [*ASKING[:5], *script]:
        world.step(step)
    world.step(("lost", False))
    assert {seq for seq in world.asked if world.answered[seq] != 1} == set()
    world.end()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(lends, lends, lends, family, acts), min_size=10, max_size=60))
def test_whatever_lent_models_say_every_reply_ends_exactly_once(script: list[tuple[Any, ...]]):
    world = World(Session(Rules(), SessionOptions()))
    for step in [*ASKING[:5], ("request", "ask", {"providers": ["editor"]}), *script]:
        world.step(step)
    world.end()
