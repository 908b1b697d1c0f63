"""The session over a live agent, without an agent: what happens goes in, responses and events come out."""

from __future__ import annotations

from typing import Any

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.live.endpoint_messages import EndpointInput
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, GateMessage, Order, OrderResult
from dap_ai.debuggees.runs.run_model import Agent, Event, Ref, Run
from dap_ai.debuggees.runs.running.happening import Happening
from dap_ai.debuggees.runs.running.live_launch import LiveLaunch
from dap_ai.debuggees.runs.running.live_session import LiveSession
from dap_ai.system import child_python
from tests.conformance import schema
from tests.unit.debuggees.runs.adapter.recorded import Known

REF = Ref("run.jsonl", (1, 1))
NOTHING = Known(RunAnalysis())
EVENTS = [
    Event(0, "note", REF, text="mini -t x"),
    Event(1, "task", REF, text="make it pass"),
    Event(2, "query", REF, cycle=1, native_id="1"),
    Event(3, "response", REF, cycle=1, step=1, text="I look."),
    Event(4, "call", REF, cycle=1, step=1, tool="bash", text="ls", arguments={"command": "ls"}, call_id="c1"),
    Event(5, "result", REF, cycle=1, step=1, tool="bash", text="a.py", call_id="c1"),
    Event(6, "query", REF, cycle=2, native_id="2"),
]
CALL = AgentHold(2, "call", 1, "main", "c1", "exception", [1], "call", {"tool": "bash", "arguments": {"command": "ls"}})
QUERY = AgentHold(1, "query", 1, "main", reason="pause", value={"messages": []})


def run(count: int) -> Run:
    return Run("/r", "dap-ai-recording", agents=[Agent("main", model="m")], events=EVENTS[:count])


class Stage:
    """Keeps what the session wants done."""

    path = "/r"

    def __init__(self) -> None:
        self.said: list[EndpointInput] = []
        self.documents: dict[str, str] = {}
        self.done: list[str] = []

    def run(self) -> Run:
        return run(1)

    def say(self, line: EndpointInput) -> None:
        self.said.append(line)

    def begin(self) -> None:
        self.done.append("begin")

    def in_terminal(self) -> tuple[list[str], dict[str, str | None], str]:
        return ["launcher", "mini"], {"A": "1"}, "/w"

    def write(self, name: str, text: str) -> str:
        self.documents[f"/d/{name}"] = text
        return f"/d/{name}"

    def read(self, path: str) -> str | None:
        return self.documents.get(path)

    def end_agent(self) -> None:
        self.done.append("end")

    def leave(self) -> None:
        self.done.append("leave")

    @property
    def orders(self) -> list[Order]:
        return [line.order for line in self.said if line.order is not None]


class Client:
    """Speaks to a session, and checks each message of it against DAP's schema."""

    def __init__(self, *, starts_sessions: bool = False, **launch: Any) -> None:
        self.stage = Stage()
        self.session = LiveSession(self._load, lambda name, _: f"/d/{name}", stage=self._staged)
        self.events: list[dict[str, Any]] = []
        self._seq = 0
        self.body("initialize", adapterID="agents", supportsStartDebuggingRequest=starts_sessions)
        self.body("launch", command=["mini"], cwd="/w", **launch)
        self.body("setExceptionBreakpoints", filters=["call"])
        self.body("configurationDone")

    def _load(self, path: str) -> Any:
        raise AssertionError(path)

    def _staged(self, wanted: LiveLaunch) -> Stage:
        self.wanted = wanted
        return self.stage

    def send(self, request: str, /, **arguments: Any) -> dict[str, Any]:
        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": request, "arguments": arguments}
        return self._take(self.session.receive(message))[0]

    def _take(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for number, each in enumerate(messages, 1):
            schema.check(each | {"seq": number})
        self.events += [each for each in messages if each["type"] != "response"]
        return messages

    def body(self, request: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self.send(request, **arguments)
        assert answer["success"], answer
        return answer.get("body") or {}

    def refused(self, request: str, /, **arguments: Any) -> str:
        answer = self.send(request, **arguments)
        assert not answer["success"], answer
        return str(answer["body"]["error"]["format"])

    def happens(self, **what: Any) -> list[str]:
        """The names of the events that the client is told, but for output."""
        told = self._take(self.session.happens(Happening(**what)))
        names = [str(each.get("event") or each.get("command")) for each in told]
        return [name for name in names if name not in {"output", "loadedSource"}]

    def holds(self, held: AgentHold, count: int) -> Client:
        self.happens(run=run(count), analysed=NOTHING, heard=GateMessage(held=held))
        return self

    def last(self, name: str) -> dict[str, Any]:
        return [each["body"] for each in self.events if each.get("event") == name][-1]

    def top(self) -> str:
        return str(self.body("stackTrace", threadId=1)["stackFrames"][0]["name"])


def test_the_table_is_sent_before_the_agent_begins_and_whenever_it_changes():
    client = Client(stopOnEntry=True)
    assert client.stage.done == ["begin"]
    kinds = ["table" if line.table else "pause" if line.pause else "order" for line in client.stage.said]
    assert kinds == ["table", "table", "pause"]
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash"}])
    table = client.stage.said[-1].table
    assert table is not None and [row.kind for row in table.rows] == ["function", "filter"]


def test_while_the_agent_runs_nothing_is_looked_at_and_everything_is_told():
    client = Client()
    assert "the agent runs" in client.refused("stackTrace", threadId=1)
    assert "the agent runs" in client.refused("continue", threadId=1)
    assert client.happens(run=run(4), analysed=NOTHING) == ["thread"]
    said = "".join(each["body"]["output"] for each in client.events if each.get("event") == "output")
    assert "1 response: I look." in said


def test_a_held_call_is_shown_edited_and_sent_on():
    client = Client().holds(CALL, 5)
    assert client.last("stopped")["description"] == "Before a tool"
    assert client.top() == "1 bash: ls"
    assert client.body("setExpression", expression="args.command", value='"pwd"') == {"value": "pwd"}
    assert client.stage.documents["/d/004-call-bash.json"].count("pwd") == 1
    client.body("continue", threadId=1)
    orders = [(order.do, order.arguments) for order in client.stage.orders]
    assert orders == [("edit", {"command": "pwd"}), ("go", msgspec.UNSET)]
    assert "the agent runs" in client.refused("stackTrace", threadId=1)


def test_a_client_that_shows_the_run_is_told_that_what_is_held_can_be_edited_and_the_past_cannot():
    client = Client().holds(CALL, 5)
    assert client.body("runView")["standing"] == {"index": 4, "isHeld": True, "threadId": 1}
    client.body("goto", threadId=1, targetId=2)
    assert client.body("runView")["standing"]["isHeld"] is False
    client.body("goto", threadId=1, targetId=4)
    client.body("continue", threadId=1)
    assert client.body("runView")["view"]["total"] == 5, "also while the agent runs"


def test_a_variable_of_a_scope_is_edited_by_its_place():
    client = Client().holds(CALL, 5)
    frame = client.body("stackTrace", threadId=1)["stackFrames"][0]["id"]
    scopes = {each["name"]: each for each in client.body("scopes", frameId=frame)["scopes"]}
    rows = client.body("variables", variablesReference=scopes["Call"]["variablesReference"])["variables"]
    args = next(row for row in rows if row["name"] == "args")
    answer = client.body("setVariable", variablesReference=args["variablesReference"], name="command", value='"pwd"')
    assert answer["value"] == "pwd"
    assert client.stage.orders[-1].arguments == {"command": "pwd"}
    task = scopes["Task"]["variablesReference"]
    assert "no part of it" in client.refused("setVariable", variablesReference=task, name="task", value='"x"')


def test_a_document_that_was_edited_is_sent_as_the_agent_goes_on_and_one_that_was_not_is_not():
    client = Client().holds(CALL, 5)
    client.body("next", threadId=1)
    assert [(order.do, order.until) for order in client.stage.orders] == [("go", "cycle")]
    client.happens(heard=GateMessage(left=2))
    client.holds(msgspec.structs.replace(QUERY, ident=3, query=2), 7)
    client.stage.documents["/d/006-query.json"] = '{"messages": [1]}'
    client.body("stepIn", threadId=1)
    assert [(order.do, order.value) for order in client.stage.orders[1:]] == [
        ("edit", {"messages": [1]}),
        ("go", msgspec.UNSET),
    ]


def test_the_past_is_read_only_and_leads_back_to_the_present():
    client = Client().holds(CALL, 5)
    client.body("stepBack", threadId=1)
    assert client.top() == "1 response: I look."
    assert "past: read-only" in client.refused("setExpression", expression="text", value="x")
    client.body("continue", threadId=1)
    assert (client.top(), client.stage.orders) == ("1 bash: ls", [])


def test_a_change_that_is_known_late_moves_what_is_held_and_who_looks_at_it_with_its_document():
    client = Client().holds(QUERY, 3)
    change = Event(2, "change", REF, text="M a.py", agent="main")
    query = Event(3, "query", REF, cycle=1, native_id="1")
    late = Run("/r", "dap-ai-recording", agents=[Agent("main", model="m")], events=[*EVENTS[:2], change, query])
    assert client.happens(run=late, analysed=NOTHING) == ["invalidated"]
    assert client.top() == "query"
    document = client.body("stackTrace", threadId=1)["stackFrames"][1]["source"]["path"]
    assert document == "/d/002-query.json"
    client.stage.documents[document] = '{"messages": [1]}'
    client.body("continue", threadId=1)
    assert [(order.do, order.value) for order in client.stage.orders] == [
        ("edit", {"messages": [1]}),
        ("go", msgspec.UNSET),
    ]


def test_the_model_is_asked_again_while_its_answer_is_held_and_not_else():
    client = Client().holds(QUERY, 3)
    frame = client.body("stackTrace", threadId=1)["stackFrames"][0]["id"]
    assert "only while its answer is held" in client.refused("restartFrame", frameId=frame)
    client.happens(heard=GateMessage(left=1))
    client.holds(msgspec.structs.replace(CALL, kind="response", ident=4, value="I look."), 5)
    frame = client.body("stackTrace", threadId=1)["stackFrames"][0]["id"]
    client.body("restartFrame", frameId=frame)
    assert client.stage.orders[-1].do == "again"


def test_an_edit_that_was_not_taken_is_told():
    client = Client().holds(CALL, 5)
    edited = OrderResult(2, "edit", "the answer has no call c1")
    assert client.happens(run=run(5), analysed=NOTHING, heard=GateMessage(edited=edited)) == ["invalidated"]
    assert "not taken: the answer has no call c1" in client.last("output")["output"]


def test_two_agents_are_held_side_by_side():
    client = Client()
    both = run(5)
    both.agents = [*both.agents, Agent("helper", "main")]
    both.events = [*both.events, Event(5, "query", REF, agent="helper", cycle=1, native_id="9")]
    client.happens(run=both, analysed=NOTHING, heard=GateMessage(held=CALL))
    client.happens(heard=GateMessage(held=msgspec.structs.replace(QUERY, ident=5, query=9, agent="helper")))
    assert client.top() == "1 bash: ls"
    assert client.body("continue", threadId=2) == {"allThreadsContinued": False}
    assert [order.ident for order in client.stage.orders] == [5]


def test_the_end_is_told_or_held_where_that_is_wanted():
    whole = {"run": run(7), "analysed": NOTHING, "words": "exit code 3", "ended": 3}
    client = Client()
    assert client.happens(**whole)[-2:] == ["exited", "terminated"]
    assert client.last("exited") == {"exitCode": 3}
    client = Client(stopAt="failure")
    assert client.happens(**whole)[-1] == "stopped"
    assert client.top() == "query"
    assert "recorded: read-only" in client.refused("setVariable", variablesReference=1, name="x", value="1")
    assert Client(stopAt="failure").happens(**{**whole, "ended": 0})[-1] == "terminated"


def test_a_client_that_leaves_ends_the_agent_or_lets_it_go_on():
    client = Client()
    client.body("disconnect")
    assert client.stage.done == ["begin", "end"]
    client = Client()
    client.body("disconnect", terminateDebuggee=False)
    assert client.stage.done == ["begin", "leave"]


def test_a_terminal_of_the_clients_is_asked_for():
    client = Client(console="integratedTerminal")
    (asked,) = [each for each in client.events if each["type"] == "request"]
    assert asked["arguments"] == {
        "kind": "integrated", "title": "mini", "cwd": "/w", "args": ["launcher", "mini"], "env": {"A": "1"},
    }  # fmt: skip
    assert client.stage.done == []


def test_commands_of_the_console_change_what_is_held():
    client = Client().holds(QUERY, 3)
    client.body("evaluate", expression='answer "No."', context="repl")
    client.body("evaluate", expression="note look at shop.py", context="repl")
    assert [(order.do, order.text) for order in client.stage.orders] == [("answer", "No."), ("note", "look at shop.py")]
    help_text = client.body("evaluate", expression="help", context="repl")["result"]
    assert all(word in help_text for word in ("answer", "note", "drop", "fork"))


def test_a_fork_is_a_session_of_its_own_where_the_client_starts_one():
    client = Client(starts_sessions=True).holds(CALL, 6)
    said = client.body("evaluate", expression="fork 1 --say 'Look at b.py.'", context="repl")["result"]
    assert "fork at step 1: a session of its own" in said
    (asked,) = [each["arguments"] for each in client.events if each.get("command") == "startDebugging"]
    command = asked["configuration"]["command"]
    assert asked["request"] == "launch"
    assert command == child_python.command(
        *("dap_ai.cli:main", "run", "fork", "/r", "--at", "1", "--say", "Look at b.py.")
    )


def test_where_the_client_starts_none_the_command_of_a_fork_is_told():
    client = Client().holds(CALL, 6)
    assert "dap-ai run fork /r --at 1" in client.body("evaluate", expression="fork", context="repl")["result"]
    assert "no step of this run, which has 1" in client.refused("evaluate", expression="fork 3", context="repl")
    assert "is no edit" in client.refused("evaluate", expression="fork 1 say", context="repl")
