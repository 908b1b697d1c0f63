"""The debug adapter of recorded runs: it moves, stops where it is told to, and says so as DAP wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.debuggees.runs.adapter.background_analysis import BackgroundAnalysis
from dap_ai.debuggees.runs.adapter.read_only import READ_ONLY
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.run_session import Loaded, RequestError, RunSession
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError, parsed, value_of
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS
from dap_ai.debuggees.runs.adapter.views.run_document import line_of
from dap_ai.debuggees.runs.analysis.analysis_model import Effect, RunAnalysis
from dap_ai.debuggees.runs.run_model import Event, Run
from tests.unit.debuggees.runs.adapter.recorded import EVENTS, LAST, REF, RUN, SEEN, Client, Known

RUN_MD = {"path": "/tmp/run/run.md"}


@pytest.fixture
def client() -> Client:
    return Client(seen=SEEN).open()


def test_a_session_from_its_first_message_to_its_last():
    Client(seen=SEEN).play("""
        >> initialize {"adapterID": "agents"}
        << ok {"supportsConfigurationDoneRequest": true, ...
        >> launch {"run": "/run"}
        << ok
        << process {"name": "/run", "isLocalProcess": true, "startMethod": "launch"}
        << initialized
        >> setExceptionBreakpoints {"filters": ["toolError"]}
        << ok {"breakpoints": [{"id": 1, "verified": true}]}
        >> configurationDone
        << ok
        << thread {"reason": "started", "threadId": 1}
        << stopped {"reason": "entry", "threadId": 1, "allThreadsStopped": true, "description": "the beginning of the run"}
        >> continue {"threadId": 1}
        << ok {"allThreadsContinued": true}
        << stopped {"reason": "exception", "threadId": 1, "allThreadsStopped": true, "text": "2 result error, exit code 1: 1 failed\\\\x1b[2J", "description": "Tool error", "hitBreakpointIds": [1]}
        >> stepIn {"threadId": 1}
        << ok
        << thread {"reason": "started", "threadId": 2}
        << stopped {"reason": "step", "threadId": 2, "allThreadsStopped": true}
        >> continue {"threadId": 2}
        << ok {"allThreadsContinued": true}
        << thread {"reason": "exited", "threadId": 2}
        << stopped {"reason": "pause", "threadId": 1, "allThreadsStopped": true, "description": "the end of the run"}
        >> stepBack {"threadId": 1}
        << ok
        << thread {"reason": "started", "threadId": 1000000012}
        << stopped {"reason": "step", "threadId": 1000000012, "allThreadsStopped": true}
        >> continue {"threadId": 1}
        << ok {"allThreadsContinued": true}
        << thread {"reason": "exited", "threadId": 1000000012}
        << stopped {"reason": "pause", ...
        >> continue {"threadId": 1}
        << ok {"allThreadsContinued": true}
        << exited {"exitCode": 0}
        << terminated
        >> next {"threadId": 1}
        << refused the run has ended
        >> restart
        << ok
        << process {"name": "/run", "isLocalProcess": true, "startMethod": "launch"}
        << thread {"reason": "started", "threadId": 1}
        << stopped {"reason": "entry", ...
        >> disconnect
        << ok
    """)  # fmt: skip


def test_requests_out_of_turn_are_refused_in_words():
    Client(seen=SEEN).play("""
        >> continue {"threadId": 1}
        << refused no run is open yet: `launch` comes before `continue`
        >> configurationDone
        << refused no run is open yet: `launch` comes before `configurationDone`
        >> restart
        << refused no run has begun yet: there is nothing to restart
        >> launch
        << refused the launch configuration names no `run`: the path of a recorded run
        >> launch {"run": "/run", "stopAt": "somewhere"}
        << refused `stopAt` is 'somewhere', and has to be a step's number, or one of entry, end, breakpoint
        >> launch {"run": "/run"}
        << ok
        << process ...
        << initialized
        >> launch {"run": "/run"}
        << refused a run is open already: one session looks at one run
        >> next {"threadId": 1}
        << refused the run has not begun: configurationDone
        >> configurationDone
        << ok
        << thread ...
        << stopped ...
        >> configurationDone
        << refused the run has begun already
        >> next {"threadId": 7}
        << refused there is no thread 7
        >> next {"threadId": "x"}
        << refused arguments: `threadId` is to be a whole number, not a text
        >> scopes {"frameId": 99999}
        << refused there is no frame 99999
        >> scopes
        << refused arguments: `frameId` is missing
        >> goto {"threadId": 1, "targetId": 99}
        << refused there is no target 99: ask gotoTargets
        >> variables {"variablesReference": 1000}
        << refused there is no variablesReference 1000: they end when the run moves
    """)


# -- moves -----------------------------------------------------------------------------------------------------------


def test_steps_go_by_event_by_cycle_and_back(client: Client):
    assert [client.on(move) for move in ("next", "next", "stepIn", "stepBack", "reverseContinue")] == [1, 5, 6, 5, 0]


def test_a_step_out_of_the_main_agent_is_the_end_of_its_cycle_and_then_the_next_one(client: Client):
    client.go(2)
    assert [client.on("stepOut"), client.on("stepOut")] == [4, 5]


def test_a_step_out_of_a_sub_agent_is_its_parent_again(client: Client):
    client.go(9)
    assert client.on("stepOut") == 11


def test_a_step_over_passes_what_sub_agents_do(client: Client):
    client.go(8)
    assert client.on("next") == 11


def test_a_step_of_another_thread_goes_to_where_that_agent_goes_on(client: Client):
    client.go(9)
    client.body("next", threadId=1)
    assert client.held() == 11


def test_a_step_over_a_parallel_call_is_its_result(client: Client):
    client.go(12)
    assert client.stopped()["threadId"] > 1000
    assert client.on("next") == 15


@pytest.mark.parametrize(("stop_at", "index"), [("entry", 0), ("end", LAST), (3, 9), ("3", 9), ("breakpoint", LAST)])
def test_a_run_is_held_first_where_the_configuration_says(stop_at: Any, index: int):
    assert Client(seen=SEEN).open(stopAt=stop_at).held() == index


def test_a_run_without_events_ends_at_once():
    client = Client(Run("/run", "made"))
    client.play("""
        >> launch {"run": "/run"}
        << ok
        << process ...
        << initialized
        >> setBreakpoints {"source": {"path": "/tmp/run/run.md"}, "breakpoints": [{"line": 1}]}
        << ok {"breakpoints": [{"verified": false, ...
        >> configurationDone
        << ok
        << exited {"exitCode": 0}
        << terminated
        >> stackTrace {"threadId": 1}
        << ok {"stackFrames": [], "totalFrames": 0}
    """)


def test_goto_goes_to_the_event_of_a_line_and_of_an_events_document(client: Client):
    client.go(7)
    (target,) = client.body("gotoTargets", source=RUN_MD, line=line_of(3))["targets"]
    assert (target["id"], target["line"]) == (3, line_of(3))
    own = client.frames()[1]["source"]
    client.go(3)
    (target,) = client.body("gotoTargets", source=own, line=1)["targets"]
    assert target["id"] == 7
    assert client.body("gotoTargets", source={"path": "/elsewhere"}, line=1)["targets"] == []


def test_a_restart_reads_the_run_again_and_keeps_the_breakpoints(client: Client):
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash"}])
    client.on()
    client.body("restart")
    assert client.held() == 0
    assert client.on() == 3


# -- breakpoints -----------------------------------------------------------------------------------------------------


def test_a_breakpoint_by_tool_takes_a_condition(client: Client):
    asked = [{"name": "tool:ba*", "condition": '"pytest" in args.command'}]
    (made,) = client.body("setFunctionBreakpoints", breakpoints=asked)["breakpoints"]
    assert client.on() == 7
    assert client.stopped()["reason"] == "function breakpoint"
    assert client.stopped()["hitBreakpointIds"] == [made["id"]]


@pytest.mark.parametrize(
    ("name", "indices"),
    [
        ("llm", [1, 2, 5, 6, 11]),
        ("agent:help*", [9]),
        ("agent:main", [0, 11]),
        ("effect:verify", [7]),
        ("end", [16]),
        ("tool:read", [12, 13]),
    ],
)
def test_a_function_breakpoint_stops_at_what_its_name_says(name: str, indices: list[int]):
    client = Client(seen=SEEN)
    client.body("launch", run="/run", stopAt="breakpoint")
    client.body("setFunctionBreakpoints", breakpoints=[{"name": name}])
    client.body("configurationDone")
    found = [client.held()]
    while client.stopped()["reason"] == "function breakpoint" and client.held() != LAST:
        found.append(client.on())
    assert [i for i in found if i != LAST or LAST in indices] == indices


def test_a_breakpoint_stands_at_a_line_of_the_run_or_the_nearest_one(client: Client):
    asked = [{"line": line_of(4)}, {"line": 1}, {"line": 9999}]
    made = client.body("setBreakpoints", source=RUN_MD, breakpoints=asked)["breakpoints"]
    assert [each["line"] for each in made] == [line_of(4), line_of(0), line_of(LAST)]
    assert client.on() == 4


def test_a_breakpoint_in_an_events_document_stops_at_that_event(client: Client):
    own = client.go(7).frames()[1]["source"]
    client.go(0)
    client.body("setBreakpoints", source=own, breakpoints=[{"line": 3}])
    assert client.on() == 7


def test_breakpoints_of_one_document_leave_those_of_another(client: Client):
    own = client.go(7).frames()[1]["source"]
    client.go(0)
    client.body("setBreakpoints", source=RUN_MD, breakpoints=[{"line": line_of(4)}])
    client.body("setBreakpoints", source=own, breakpoints=[{"line": 1}])
    assert [client.on(), client.on()] == [4, 7]
    client.body("setBreakpoints", source=RUN_MD, breakpoints=[])
    assert client.go(0).on() == 7


def test_a_breakpoint_elsewhere_is_not_verified_and_says_why(client: Client):
    (made,) = client.body("setBreakpoints", source={"path": "/x.py"}, breakpoints=[{"line": 1}])["breakpoints"]
    assert not made["verified"]
    assert "run.md" in made["message"]


def test_lines_that_can_have_a_breakpoint_are_those_of_events(client: Client):
    found = client.body("breakpointLocations", source=RUN_MD, line=1, endLine=9999)["breakpoints"]
    assert [each["line"] for each in found] == [line_of(i) for i in range(len(EVENTS))]
    assert client.body("breakpointLocations", source={"path": "/x"}, line=1)["breakpoints"] == []


@pytest.mark.parametrize(("hits", "index"), [("2", 7), ("== 1", 3), ("> 1", 7), ("% 2", 7)])
def test_hits_are_counted_from_the_beginning_of_the_run_forward_and_back(client: Client, hits: str, index: int):
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash", "hitCondition": hits}])
    assert client.on() == index
    assert client.go(LAST).on("reverseContinue") == index


def test_a_logpoint_speaks_and_does_not_stop(client: Client):
    log = [{"line": line_of(3), "logMessage": "ran {args.command} {nonsense}"}]
    client.body("setBreakpoints", source=RUN_MD, breakpoints=log)
    assert client.on() == LAST
    assert "ran ls <there is no `nonsense`" in client.said()


def test_log_before_a_name_makes_a_logpoint_with_the_text_behind_it(client: Client):
    asked = [{"name": "log:tool:bash ran {args.command}"}, {"name": "log:tool:edit_file"}]
    client.body("setFunctionBreakpoints", breakpoints=asked)
    assert client.on() == LAST
    assert "ran ls\n" in client.said()
    assert "ran pytest -q\n" in client.said()
    assert "tool:edit_file: edit_file" in client.said()


def test_a_condition_may_stand_behind_the_name_for_editors_that_give_it_none(client: Client):
    asked = [{"name": 'tool:* if "pytest" in args.command'}, {"name": "tool:* if )"}]
    made = client.body("setFunctionBreakpoints", breakpoints=asked)["breakpoints"]
    assert [each["verified"] for each in made] == [True, False]
    assert EVENTS[client.on()].text == "pytest -q"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"name": "tool:bash", "condition": "1 +"}, "not an expression"),
        ({"name": "tool:bash", "condition": "nonsense == 1"}, "there is no `nonsense`"),
        ({"name": "tool:bash", "hitCondition": "often"}, "a hit count is a number"),
        ({"name": "main"}, "name `tool:PATTERN`"),
        ({"name": 7}, "`name` is to be a text"),
        ({}, "`name` is missing"),
    ],
)
def test_a_wrong_breakpoint_is_told_where_it_is_set_and_leaves_the_others(client: Client, asked: Any, why: str):
    wrong, right = client.body("setFunctionBreakpoints", breakpoints=[asked, {"name": "tool:bash"}])["breakpoints"]
    assert not wrong["verified"]
    assert why in wrong["message"]
    assert right["verified"]


# -- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "indices"),
    [
        ("query", [1, 5]),
        ("response", [2, 6, 11]),
        ("call", [3, 7, 9, 12, 13]),
        ("result", [4, 8, 10, 14, 15]),
        ("change", [10]),
        ("toolError", [8]),
        ("apiError", []),
        ("checkFailed", [8]),
        ("onset", [9]),
        ("pattern", [10, 16]),
        ("failedCheckIgnored", [10]),
        ("successWithoutChange", []),
        ("budget", [16]),
        ("end", [16]),
    ],
)
def test_a_filter_stops_at_its_events(name: str, indices: list[int]):
    assert [e.index for e in EVENTS if FILTERS[name].stops_at(e, RunFacts(RUN, Known(SEEN)))] == indices


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_is_announced_and_can_be_set_with_a_condition(client: Client, name: str):
    announced = client.body("initialize", adapterID="agents")["exceptionBreakpointFilters"]
    assert name in [each["filter"] for each in announced if each["supportsCondition"]]
    asked = [{"filterId": name, "condition": "step > 99"}]
    (made,) = client.body("setExceptionBreakpoints", filters=[], filterOptions=asked)["breakpoints"]
    assert made["verified"]
    assert client.on() == LAST


@pytest.mark.parametrize(
    ("status", "effect"),
    [
        ("error", Effect(1, "change")),
        ("ok", Effect(1, "change", refused="No replacement")),
        ("ok", Effect(1, "change", noop=":")),
    ],
)
def test_a_change_that_was_refused_or_failed_is_none(status: Any, effect: Effect):
    events = [Event(0, "call", REF, step=1, tool="edit"), Event(1, "result", REF, step=1, status=status)]
    facts = RunFacts(Run("/run", "made", events=events), Known(RunAnalysis(effects=[effect])))
    assert not any(FILTERS["change"].stops_at(event, facts) for event in events)


def test_a_stop_at_a_pattern_says_which(client: Client):
    client.body("setExceptionBreakpoints", filters=["failedCheckIgnored"])
    assert client.on() == 10
    stop = client.stopped()
    assert (stop["reason"], stop["description"]) == ("exception", "Failed check ignored")
    info = client.body("exceptionInfo", threadId=stop["threadId"])
    assert stop["text"] == info["description"] == SEEN.patterns[0].text
    assert info["exceptionId"] == "Failed check ignored"


def test_the_first_steps_ask_for_no_analysis_where_no_step_of_the_run_ends():
    asked: list[RunAnalysis] = []

    class Waited(Known):
        """Tells that it was waited for."""

        def __call__(self) -> RunAnalysis:
            asked.append(SEEN)
            return SEEN

    client = Client(seen=Waited(SEEN)).open()
    client.body("setExceptionBreakpoints", filters=["pattern", "change", "checkFailed", "onset"])
    for _ in range(2):
        client.body("stepIn", threadId=1)
    assert (client.stopped()["reason"], asked) == ("step", [])
    client.body("setExceptionBreakpoints", filters=["failedCheckIgnored"])
    assert client.on() == 10
    assert asked


def test_a_budget_is_the_first_event_above_what_the_condition_says(client: Client):
    asked = [{"filterId": "budget", "condition": "spent.cost > 0.5"}]
    client.body("setExceptionBreakpoints", filters=[], filterOptions=asked)
    assert client.on() == 6
    assert client.on() == LAST


def test_an_unknown_filter_is_told(client: Client):
    (made,) = client.body("setExceptionBreakpoints", filters=["uncaught"])["breakpoints"]
    assert "there is no filter 'uncaught'" in made["message"]


def test_exception_info_of_what_is_no_error_is_refused(client: Client):
    assert "no error" in client.refused("exceptionInfo", threadId=1)
    client.go(8)
    assert client.body("exceptionInfo", threadId=1)["exceptionId"] == "result"


# -- data breakpoints ------------------------------------------------------------------------------------------------


def test_a_file_is_watched_by_its_name_in_the_scope_and_by_its_path(client: Client):
    change = client.go(10).scopes()["Workspace change"]
    by_scope = client.body("dataBreakpointInfo", variablesReference=change["variablesReference"], name="src/a.py")
    by_name = client.body("dataBreakpointInfo", name="a.py")
    assert by_scope["dataId"] == "file:src/a.py"
    assert by_name["accessTypes"] == ["write", "read", "readWrite"]
    for found in (by_scope, by_name):
        (made,) = client.body("setDataBreakpoints", breakpoints=[{"dataId": found["dataId"]}])["breakpoints"]
        assert made["verified"]
        assert client.go(0).on() == 10
        assert client.stopped()["reason"] == "data breakpoint"


def test_a_file_that_is_read_stops_too_if_that_is_wished(client: Client):
    client.body("setDataBreakpoints", breakpoints=[{"dataId": "file:b.py", "accessType": "read"}])
    assert client.on() == 15


def test_what_cannot_be_watched_says_what_can(client: Client):
    told = client.body("dataBreakpointInfo", name="zzz")
    assert told["dataId"] is None
    assert "src/a.py" in told["description"]
    (made,) = client.body("setDataBreakpoints", breakpoints=[{"dataId": "x"}])["breakpoints"]
    assert not made["verified"]


def test_the_system_prompt_and_the_plan_are_watched():
    def todo(text: str) -> dict[str, Any]:
        return {"tool": "TodoWrite", "arguments": {"todos": [text]}}

    events = [
        Event(0, "query", REF, cycle=1, text="system: be brief\n\nuser: go"),
        Event(1, "call", REF, cycle=1, step=1, **todo("a")),
        Event(2, "query", REF, cycle=2, text="system: be brief\n\nuser: go on"),
        Event(3, "call", REF, cycle=2, step=2, **todo("a")),
        Event(4, "call", REF, cycle=2, step=3, **todo("b")),
        Event(5, "query", REF, cycle=3, text="system: be careful\n\nuser: go on"),
        Event(6, "end", REF),
    ]
    client = Client(Run("/run", "made", events=events), SEEN).open()
    ids = [client.body("dataBreakpointInfo", name=name)["dataId"] for name in ("system prompt", "plan")]
    client.body("setDataBreakpoints", breakpoints=[{"dataId": each} for each in ids])
    assert [client.on() for _ in range(4)] == [1, 4, 5, 6]


def test_one_item_of_the_plan_is_watched_from_its_scope_and_by_its_text():
    def call(index: int, **arguments: Any) -> Event:
        return Event(index, "call", REF, cycle=1, step=index, tool="mcp__own__TodoWrite", arguments=arguments)

    def todo(**states: str) -> list[dict[str, str]]:
        return [{"content": item, "status": state} for item, state in states.items()]

    events = [
        Event(0, "task", REF, text="go"),
        call(1, todos=todo(read="done", write="open")),
        call(2, todos=todo(read="done", write="open", check="open")),
        call(3, explanation="on", todos=json.dumps(todo(read="done", write="done", check="open"))),
        call(4, command="view"),
        call(5, todos=todo(read="done", check="open")),
        Event(6, "end", REF),
    ]
    client = Client(Run("/run", "made", events=events), SEEN).open()
    plan = client.go(4).scopes()["Plan"]
    assert {each["name"]: each["value"] for each in client.variables(plan)}["write"] == "done"
    found = client.body("dataBreakpointInfo", variablesReference=plan["variablesReference"], name="write")
    assert (found["dataId"], found["accessTypes"]) == ("plan:write", ["write"])
    assert client.body("dataBreakpointInfo", name="plan: wr*")["dataId"] == "plan:wr*"
    assert "read, write, check" in client.body("dataBreakpointInfo", name="plan:nothing")["description"]
    client.body("setDataBreakpoints", breakpoints=[{"dataId": "plan:write"}])
    client.go(0)
    assert [client.on() for _ in range(4)] == [1, 3, 5, 6]


# -- what is read-only, what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", READ_ONLY)
def test_what_would_change_the_past_is_refused_in_words(client: Client, command: str):
    assert client.refused(command).startswith("recorded: read-only")


def test_a_request_that_nobody_knows_is_refused_by_its_name(client: Client):
    assert client.refused("nonsense") == "a recorded run knows no 'nonsense'"


def test_a_run_that_cannot_be_read_is_refused_with_the_reason():
    def load(_: str) -> Loaded:
        raise RequestError("no reader knows it")

    session = RunSession(load, lambda name, _: name)
    answer = session.receive({"seq": 1, "type": "request", "command": "launch", "arguments": {"run": "/x"}})[0]
    assert answer["body"]["error"]["format"] == "no reader knows it"


@pytest.mark.parametrize(
    "text", ["__import__('os')", "open('x')", "(lambda: 1)()", "text.upper()", "[x for x in text]", "nope", "1 if step else 2",
             "f'{text}'", "text * 3", "len(text, text)", "not " * 900 + "step"]
)  # fmt: skip
def test_an_expression_runs_nothing(text: str):
    facts = RunFacts(RUN, Known(SEEN))
    with pytest.raises(ConditionError):
        value_of(parsed(text), EVENTS[3], facts)


def test_a_long_run_is_analysed_when_it_is_asked_for():
    long = Run("/run", "made", events=[Event(n, "call", REF, step=n + 1, tool="bash", text="ls") for n in range(6000)])
    analysed = BackgroundAnalysis(long, lambda _: SEEN)
    client = Client(long, analysed).open()
    assert "say `analyse`" in client.said()
    (made,) = client.body("setExceptionBreakpoints", filters=["onset"])["breakpoints"]
    assert "analyse" in made["message"]
    assert client.on() == 5999
    while "being analysed" in client.evaluated("analyse"):
        pass
    assert client.go(0).on() == 2


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = ["threadId", "frameId", "variablesReference", "expression", "context", "line", "endLine", "breakpoints", "filters",
          "source", "filterOptions", "targetId", "start", "count", "filter", "text", "column", "run", "stopAt", "name",
          "dataId", "levels", "startFrame", "lines", "arguments"]  # fmt: skip


@given(st.data())
def test_whatever_a_client_sends_each_request_is_answered_once(data: st.DataObject):
    client = Client(seen=SEEN, checks=False).open()
    client.checks = True
    commands = st.sampled_from([*client.session.commands, "nonsense", None, 7])
    for _ in range(data.draw(st.integers(1, 4))):
        arguments = data.draw(st.dictionaries(st.sampled_from(_NAMES), _JSON | st.integers(0, 40), max_size=5) | _JSON)
        client.send_raw(data.draw(commands), arguments)
        assert [each["type"] for each in client.told].count("response") == 1
        assert "own" not in str(client.told[0].get("message", ""))
