"""The debug adapter of recorded runs: requests in, responses and events out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.backends.agents.conditions import ConditionError, parsed, value_of
from dap_ai.backends.agents.session import Loaded, Refused, RunSession
from dap_ai.backends.agents.titles import index_of, line_of
from dap_ai.runs.analysis.analysing import analyse
from dap_ai.runs.model import Agent, Event, Ref, Run, Usage
from tests.conformance import schema

REF = Ref()
EVENTS = [
    Event(0, "task", REF, text="make it pass"),
    Event(1, "query", REF, cycle=1),
    Event(2, "response", REF, cycle=1, text="I look.", usage=Usage(100, None, 20, 0.5)),
    Event(3, "call", REF, cycle=1, step=1, tool="bash", text="ls", arguments={"command": "ls"}),
    Event(4, "result", REF, cycle=1, step=1, text="a.py", status="ok", exit_code=0),
    Event(5, "query", REF, cycle=2),
    Event(6, "response", REF, cycle=2, text="I test."),
    Event(7, "call", REF, cycle=2, step=2, tool="bash", text="pytest -q", arguments={"command": "pytest -q"}),
    Event(8, "result", REF, cycle=2, step=2, text="1 failed\x1b[2J", status="error", exit_code=1),
    Event(9, "call", REF, agent="helper", cycle=1, step=3, tool="edit_file", arguments={"path": "a.py"}),
    Event(10, "end", REF, text="Submitted"),
]
RUN = Run(
    "/run", "made", agents=[Agent("main", model="m-1"), Agent("helper", "main")], task="make it pass", events=EVENTS
)


class Client:
    """Speaks to a session, and checks each message of it against DAP's schema."""

    def __init__(self, run: Run = RUN) -> None:
        self.written: dict[str, str] = {}
        self.session = RunSession(lambda _: Loaded(run, analyse(run)), self._write)
        self.events: list[dict[str, Any]] = []
        self._seq = 0

    def _write(self, name: str, text: str) -> str:
        self.written[name] = text
        return f"/tmp/run/{name}"

    def send(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._seq += 1
        answer, *events = self.session.receive(
            {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        )
        for number, message in enumerate([answer, *events], 1):
            schema.check(message | {"seq": number})
        self.events += events
        return answer

    def body(self, command: str, **arguments: Any) -> dict[str, Any]:
        answer = self.send(command, **arguments)
        assert answer["success"], answer
        return answer.get("body") or {}

    def stopped(self) -> dict[str, Any]:
        return [e["body"] for e in self.events if e["event"] == "stopped"][-1]

    def held(self) -> int:
        """The index of the held event."""
        return index_of(self.body("stackTrace", threadId=self.stopped()["threadId"])["stackFrames"][0]["line"])


@pytest.fixture
def client() -> Client:
    made = Client()
    made.body("initialize", adapterID="agents")
    made.body("launch", run="/run")
    made.body("configurationDone")
    return made


def test_it_stops_at_the_beginning(client: Client):
    assert client.stopped()["reason"] == "entry"
    assert client.held() == 0


def test_steps_go_by_event_by_cycle_and_back(client: Client):
    client.body("next", threadId=1)
    assert client.held() == 1
    client.body("next", threadId=1)
    assert client.held() == 5
    client.body("stepIn", threadId=1)
    assert client.held() == 6
    client.body("stepBack", threadId=1)
    assert client.held() == 5
    client.body("reverseContinue", threadId=1)
    assert client.held() == 0


def test_a_breakpoint_by_tool_takes_a_condition(client: Client):
    asked = [{"name": "tool:ba*", "condition": '"pytest" in args.command'}]
    (made,) = client.body("setFunctionBreakpoints", breakpoints=asked)["breakpoints"]
    client.body("continue", threadId=1)
    assert (client.held(), client.stopped()["hitBreakpointIds"]) == (7, [made["id"]])


def test_a_breakpoint_stands_at_a_line_of_the_run(client: Client):
    source = {"path": "/tmp/run/run.md"}
    (made,) = client.body("setBreakpoints", source=source, breakpoints=[{"line": line_of(4)}])["breakpoints"]
    assert (made["verified"], made["line"]) == (True, line_of(4))
    client.body("continue", threadId=1)
    assert client.held() == 4


def test_a_hit_count_lets_the_first_ones_pass(client: Client):
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash", "hitCondition": "2"}])
    client.body("continue", threadId=1)
    assert client.held() == 7


def test_a_logpoint_speaks_and_does_not_stop(client: Client):
    source = {"path": "/tmp/run/run.md"}
    client.body("setBreakpoints", source=source, breakpoints=[{"line": line_of(3), "logMessage": "ran {args.command}"}])
    client.body("continue", threadId=1)
    assert any(e["event"] == "output" and e["body"]["output"] == "ran ls\n" for e in client.events)
    assert client.held() == 10


@pytest.mark.parametrize(("name", "index"), [("toolError", 8), ("call", 3), ("response", 2), ("checkFailed", 8)])
def test_a_filter_stops_at_its_events(client: Client, name: str, index: int):
    client.body("setExceptionBreakpoints", filters=[name])
    client.body("continue", threadId=1)
    assert (client.held(), client.stopped()["reason"]) == (index, "exception")


def test_a_wrong_condition_is_told_where_it_is_set(client: Client):
    (made,) = client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash", "condition": "1 +"}])[
        "breakpoints"
    ]
    assert not made["verified"]
    assert "not an expression" in made["message"]


def test_the_end_is_a_stop_and_then_it_is_over(client: Client):
    client.body("continue", threadId=1)
    assert client.stopped()["description"] == "the end of the run"
    client.body("continue", threadId=1)
    client.body("continue", threadId=1)
    assert [e["event"] for e in client.events].count("terminated") == 1


def test_a_sub_agent_is_a_thread_whose_stack_names_its_parents_call(client: Client):
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "agent:helper"}])
    client.body("continue", threadId=1)
    names = [frame["name"] for frame in client.body("stackTrace", threadId=2)["stackFrames"]]
    assert client.stopped()["threadId"] == 2
    assert "main: 2 bash: pytest -q" in names


def test_scopes_hold_the_event_its_call_and_what_analysis_sees(client: Client):
    client.body("setExceptionBreakpoints", filters=["toolError"])
    client.body("continue", threadId=1)
    frame = client.body("stackTrace", threadId=1)["stackFrames"][0]["id"]
    scopes = {s["name"]: s["variablesReference"] for s in client.body("scopes", frameId=frame)["scopes"]}
    seen = {v["name"]: v["value"] for v in client.body("variables", variablesReference=scopes["Result"])["variables"]}
    assert (seen["status"], seen["exit_code"]) == ("error", "1")
    assert "\x1b" not in seen["text"]
    assert {"Event", "Call", "Result", "Analysis", "Task", "Agent", "Messages"} <= set(scopes)


def test_references_end_with_their_stop(client: Client):
    frame = client.body("stackTrace", threadId=1)["stackFrames"][0]["id"]
    reference = client.body("scopes", frameId=frame)["scopes"][0]["variablesReference"]
    client.body("stepIn", threadId=1)
    assert client.body("variables", variablesReference=reference)["variables"] == []


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("tool", "edit_file"),
        ('args["path"]', "a.py"),
        ("len(args.path) > 3", "True"),
        ("cost", "1 queries with usage, 120 tokens, $0.50"),
    ],
)
def test_the_console_reads_fields_and_takes_commands(client: Client, text: str, result: str):
    client.body("goto", targetId=9, threadId=1)
    assert client.body("evaluate", expression=text, context="repl")["result"] == result


def test_a_document_of_an_event_holds_no_escape(client: Client):
    client.body("goto", targetId=8, threadId=1)
    client.held()
    assert "\x1b" not in "".join(client.written.values())
    assert "1 failed" in client.written["008-result.md"]


@pytest.mark.parametrize("command", ["setVariable", "restart", "nonsense"])
def test_what_a_recorded_run_cannot_do_is_refused_in_words(client: Client, command: str):
    answer = client.send(command)
    assert not answer["success"]
    assert command in answer["body"]["error"]["format"]


def test_a_request_before_the_launch_is_refused():
    assert not Client().send("continue", threadId=1)["success"]


def test_a_run_that_cannot_be_read_is_refused_with_the_reason():
    def load(_: str) -> Loaded:
        raise Refused("no reader knows it")

    session = RunSession(load, lambda name, _: name)
    answer = session.receive({"seq": 1, "type": "request", "command": "launch", "arguments": {"run": "/x"}})[0]
    assert answer["body"]["error"]["format"] == "no reader knows it"


@pytest.mark.parametrize(
    "text", ["__import__('os')", "open('x')", "(lambda: 1)()", "text.upper()", "[x for x in text]", "nope"]
)
def test_an_expression_runs_nothing(text: str):
    with pytest.raises(ConditionError):
        value_of(parsed(text), EVENTS[3])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_COMMANDS = [name.removeprefix("_on_") for name in dir(RunSession) if name.startswith("_on_")]


@given(st.lists(st.tuples(st.sampled_from(_COMMANDS), st.dictionaries(st.sampled_from(
    ["threadId", "frameId", "variablesReference", "expression", "context", "line", "breakpoints", "filters", "source",
     "filterOptions", "targetId", "start", "count", "text", "column", "run", "stopAt"]), _JSON, max_size=4)), max_size=8))  # fmt: skip
def test_whatever_a_client_sends_each_request_is_answered_once(requests: list[tuple[str, dict[str, Any]]]):
    session = RunSession(lambda _: Loaded(RUN, analyse(RUN)), lambda name, _: f"/tmp/{name}")
    session.receive({"seq": 1, "type": "request", "command": "launch", "arguments": {"run": "/run"}})
    for number, (command, arguments) in enumerate(requests, 2):
        answers = session.receive({"seq": number, "type": "request", "command": command, "arguments": arguments})
        assert [a["request_seq"] for a in answers if a["type"] == "response"] == [number]
