"""A live agent under the debugger: held before and after each query and call, edited, stepped, looked back at."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.opening import open_run
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import AGENTS, Session, session

TINY = [sys.executable, str(AGENTS / "tiny.py"), "Make a file."]
PLAIN = [sys.executable, str(AGENTS / "plain.py")]
ALL = ("query", "response", "call", "result")
TWO_STEPS = (
    Reply("I look.", calls=[("bash", {"command": "echo one"})]),
    Reply("I write.", calls=[("bash", {"command": "echo two > a.txt"})]),
    Reply("Done."),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def model() -> Generator[Endpoint]:
    with Endpoint(TWO_STEPS) as endpoint:
        yield endpoint


@pytest.fixture
def live(model: Endpoint) -> Generator[Session]:
    with session({"OPENAI_BASE_URL": model.url}) as found:
        yield found


def test_an_agent_is_held_before_and_after_each_query_and_call(live: Session, work: Path):
    live.launch(PLAIN, work, filters=ALL)
    held: list[str] = []
    for _ in range(10):
        held.append(live.held())
        live.go()
    assert live.over() == 3
    assert held == [
        "query", "1 response: I look.", "1 bash: echo one", "1 result ok, exit code 0: one",
        "query", "2 response: I write.", "2 bash: echo two > a.txt", "2 result ok, exit code 0",
        "query", "3 response: Done.",
    ]  # fmt: skip
    assert "Done." in live.printed()


APIS = {
    "chat": PLAIN,
    "responses": [sys.executable, str(AGENTS / "others.py"), "responses"],
    "messages": [sys.executable, str(AGENTS / "others.py"), "messages"],
}
INTERFACES = [(api, stream) for api in APIS for stream in (False, True)]


@pytest.fixture
def any_live(model: Endpoint) -> Generator[Session]:
    with session({"OPENAI_BASE_URL": model.url, "ANTHROPIC_BASE_URL": model.url.removesuffix("/v1")}) as found:
        yield found


@pytest.mark.parametrize(("api", "stream"), INTERFACES)
def test_what_is_held_is_edited_in_each_interface(
    api: str, stream: bool, any_live: Session, model: Endpoint, work: Path
):
    live = any_live
    live.launch([*APIS[api], *(["--stream"] if stream else []), "--timeout", "1"], work, filters=ALL, keepAlive=0.2)
    assert live.held() == "query"
    document = live.document()
    body = json.loads(document.read_text())
    place = "input" if api == "responses" else "messages"
    body[place][-1]["content"] = "Make another file."
    document.write_text(json.dumps(body))
    time.sleep(1.2)  # longer than the client waits
    live.go()
    assert live.held() == "1 response: I look."
    live.document().write_text("I look closely.")
    time.sleep(1.2)
    live.go()
    assert live.held() == "1 bash: echo one"
    live.ask("setExpression", expression="args.command", value='"echo changed; touch b.txt"')
    live.go()
    assert live.held() == "1 result ok, exit code 0: changed"
    live.ask("setExpression", expression="text", value='"<returncode>0</returncode> nothing"')
    live.go()
    assert live.held() == "query"
    live.go()
    assert live.held() == "2 response: I write."
    live.ask("setExceptionBreakpoints", filters=[])
    live.go()
    assert live.over() == 3
    sent = [json.dumps(seen.body) for seen in model.requests]
    assert "Make another file." in sent[0] and "Make a file." in sent[1]
    assert "I look closely." in sent[1] and "I look." not in sent[1]
    assert all("nothing" in each and "changed\\n" not in each for each in (sent[1], sent[2]))
    assert (work / "b.txt").exists()
    run = open_run(work.parent / "recording")
    assert not run.problems
    told = [event.text for event in run.events if event.kind == "note"]
    assert any("the model's own:" in text and "I look." in text for text in told)
    assert any("the agent's own memory keeps the original" in text and "changed" in text for text in told)


def test_an_answer_is_given_in_the_models_place_and_the_model_is_not_asked(live: Session, model: Endpoint, work: Path):
    live.launch(TINY, work, filters=["query"])
    live.held()
    live.console('answer "Nothing to do."')
    live.go()
    assert live.over() == 0
    assert (live.printed().split("\n").count("Nothing to do."), model.requests) == (1, [])


def test_a_note_is_seen_by_the_model_from_then_on(live: Session, model: Endpoint, work: Path):
    live.launch(TINY, work, filters=["query"])
    live.held()
    live.console('note "Mind the gap."')
    for _ in range(3):
        live.go()
        if live.event("stopped", "exited")["event"] == "exited":
            break
    assert ["Mind the gap." in json.dumps(seen.body) for seen in model.requests] == [True] * 3


def test_another_tool_and_arguments_by_the_document_of_a_call_and_another_result(live: Session, work: Path):
    live.launch(TINY, work, filters=["call", "result"])
    live.held()
    live.document().write_text('{"tool": "bash", "arguments": {"command": "echo three | tee c.txt"}}')
    live.go()
    live.held()
    assert (work / "c.txt").read_text() == "three\n"
    live.document().write_text(live.document().read_text())
    live.go()
    live.held()
    live.document().write_text("{no json")
    assert "no JSON any more, and nothing was sent" in live.refused("continue", threadId=1)
    live.document().write_text('{"tool": "bash", "arguments": {"command": "true"}}')
    live.go()
    live.held()
    live.ask("setExpression", expression="text", value='""')
    live.go()
    assert live.over() == 0
    results = [event.text for event in open_run(work.parent / "recording").events if event.kind == "result"]
    assert results == ["<returncode>0</returncode>\nthree\n", ""], "an unchanged text is no edit, an empty one is"


def test_the_model_is_asked_again_and_its_first_answer_is_kept(work: Path):
    replies = [Reply("First."), Reply("Second.")]
    with Endpoint(replies) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["response"])
        assert live.held() == "1 response: First."
        live.ask("restartFrame", frameId=live.frames()[0]["id"])
        assert live.held() == "1 response: Second."
        live.go()
        assert live.over() == 0
    assert "Second." in live.printed().split("\n")
    run = open_run(work.parent / "recording")
    notes = [event.text for event in run.events if event.kind == "note"]
    assert any("was not taken" in text and "First." in text for text in notes)
    assert [event.text for event in run.events if event.kind == "response"] == ["Second."]


def test_the_agent_is_stepped_by_events_and_by_cycles(live: Session, work: Path):
    live.launch(TINY, work, stopOnEntry=True)
    held = [live.held()]
    assert live.stop["reason"] == "entry"
    for command in ("stepIn", "stepIn", "next", "stepIn", "stepOut"):
        live.go(command)
        held.append(live.held())
    assert held == [
        "query", "1 response: I look.", "1 bash: echo one", "query", "2 response: I write.", "2 result ok, exit code 0",
    ]  # fmt: skip
    live.go()
    assert live.over() == 0


def test_the_past_is_looked_at_while_the_agent_is_held_and_a_call_that_is_dropped_is_not_made(
    live: Session, work: Path
):
    live.launch(TINY, work, functions=["tool:bash if step > 1"])
    assert live.held() == "2 bash: echo two > a.txt"
    past: list[str] = []
    for command in ("stepBack", "stepBack", "reverseContinue", "stepIn"):
        live.go(command)
        past.append(live.held())
    assert past[:2] == ["2 response: I write.", "query"]
    assert "past: read-only" in live.refused("setExpression", expression="text", value="x")
    live.go()
    assert live.held() == "2 bash: echo two > a.txt"
    assert not (work / "a.txt").exists()
    live.console("drop")
    live.go()
    assert live.over() == 0
    assert (live.printed().split("\n").count("I write."), (work / "a.txt").exists()) == (1, False)


def test_an_agent_that_runs_is_paused(work: Path):
    slow = [Reply("I look.", calls=[("bash", {"command": "sleep 1"})]), Reply("Done.")]
    with Endpoint(slow) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work)
        assert "the agent runs" in live.refused("stackTrace", threadId=1)
        live.ask("pause", threadId=1)
        live.held()
        assert live.stop["reason"] == "pause"
        live.go()
        assert live.over() == 0


def test_logpoints_hit_counts_and_budgets(live: Session, work: Path):
    budget = {"filterId": "budget", "condition": "spent.tokens > 1500"}
    functions = ["log:tool:bash ran {args.command}", {"name": "tool:bash", "hitCondition": "2"}]
    live.launch(TINY, work, filters=[budget], functions=functions)
    held: list[tuple[str, str]] = []
    for _ in range(2):
        held.append((live.held(), live.stop["reason"]))
        live.go()
    assert live.over() == 0
    assert sorted(held) == [("2 bash: echo two > a.txt", "function breakpoint"), ("2 response: I write.", "exception")]
    assert "ran echo one" in live.printed("console")


def test_a_change_of_the_workspace_holds_the_agent(live: Session, work: Path):
    live.launch(TINY, work, filters=["change"])
    assert "a.txt" in live.held()
    live.go()
    assert live.over() == 0


def test_success_without_change_and_the_end_hold_the_agent(work: Path):
    with Endpoint([Reply("All is fixed.")]) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["successWithoutChange", "end"])
        assert live.held() == "1 response: All is fixed."
        assert len(live.stop["hitBreakpointIds"]) == 2
        live.go()
        assert live.over() == 0


def test_an_error_of_the_api_and_of_a_tool_hold_the_agent(work: Path):
    refused = Reply(status=429, error="Slow down, please.", headers={"Retry-After": "0"})
    failing = Reply("I try.", calls=[("bash", {"command": "exit 7"})])
    with Endpoint([refused, failing, Reply("Done.")]) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(PLAIN, work, filters=["apiError", "toolError"])
        assert "Slow down" in live.held()
        live.go()
        assert live.held() == "1 result error, exit code 7"
        live.go()
        assert live.over() == 3


def test_a_loop_holds_the_agent(work: Path):
    same = [Reply(f"Again {n}.", calls=[("bash", {"command": "echo same"})]) for n in range(4)]
    with Endpoint([*same, Reply("Done.")]) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(TINY, work, filters=["loop"])
        assert live.held() == "3 result ok, exit code 0: same"
        live.ask("setExceptionBreakpoints", filters=[])
        live.go()
        assert live.over() == 0


def test_what_only_the_end_shows_holds_the_ended_run_where_it_shows(work: Path):
    (work / "check.py").write_text("def test_it():\n    assert 1 == 2\n")
    ignored = (
        Reply("I change it.", calls=[("bash", {"command": "echo x = 1 > shop.py"})]),
        Reply(
            "The tests.", calls=[("bash", {"command": f"{sys.executable} -m pytest -q -p no:cacheprovider check.py"})]
        ),
        Reply("All is well."),
    )
    with Endpoint(ignored) as model, session({"OPENAI_BASE_URL": model.url}) as live:
        live.launch(PLAIN, work, filters=["failedCheckIgnored"])
        live.held()
        assert live.stop["description"] == "Failed check ignored"
        assert "The last check failed (step 2)" in live.stop["text"]
        live.go()
        assert live.held() == "end: exit code 3"
        live.go()
        assert live.over() == 3


def test_a_file_and_the_system_prompt_are_watched_before_the_agent_has_touched_them(live: Session, work: Path):
    live.launch(TINY, work, stopOnEntry=True)
    live.held()
    names = ("a.txt", "system prompt")
    watched = [live.ask("dataBreakpointInfo", name=name)["dataId"] for name in names]
    made = live.ask("setDataBreakpoints", breakpoints=[{"dataId": each} for each in watched])["breakpoints"]
    assert all(each["verified"] for each in made)
    live.go()
    assert "a.txt" in live.held()
    assert live.stop["reason"] == "data breakpoint"
    assert live.stop["hitBreakpointIds"] == [made[0]["id"]]
    live.go()
    assert live.over() == 0


def test_a_fork_from_the_console_is_held_at_its_step_in_a_session_of_its_own(
    live: Session, model: Endpoint, work: Path
):
    live.launch(TINY, work, functions=["tool:bash"])
    while "two" not in live.held():
        live.go()
    live.console("fork 2 --say 'Write three.'")
    asked = live.until(lambda message: message.get("command") == "startDebugging")["arguments"]["configuration"]
    (work.parent / "beside").mkdir()
    (work.parent / "beside/fork").mkdir()
    with session({"OPENAI_BASE_URL": model.url}) as fork:
        command = asked.pop("command")
        fork.launch(command, work.parent / "beside/fork", **asked)
        assert fork.held().startswith("query")
        assert "Write three." in fork.document().read_text()
        before = len(model.requests)
        fork.go()
        assert "end: exit code 0" in fork.held()
        assert len(model.requests) == before + 1
    live.ask("terminate")
