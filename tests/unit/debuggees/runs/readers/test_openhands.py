from __future__ import annotations

import json
import shutil

import pytest

from dap_ai.debuggees.runs.opening import find_runs, open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.shared import SAMPLES, real

FOLDER = SAMPLES / "openhands"
STEPS = {
    "ponyc-4595.output.jsonl": 23,
    "resolver-1.output.jsonl": 22,
    "traj-basic.json": 2,
    "traj-wrong_initial_state.json": 4,
    "harbor-rfc-openhands_trajectory.json": 2,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items())
def test_real_runs_have_the_steps_of_their_index(name, steps):
    run = open_run(real("openhands", name))
    assert (run.format, run.steps, list(run.problems)) == ("openhands", steps, [])


@pytest.mark.parametrize("name", ["trajectory.json", "session", "output.jsonl"])
def test_three_layouts_of_the_same_events_have_the_same_steps(name):
    run = open_run(FOLDER / name)
    told = [(step.call and step.call.tool, step.result and step.result.text) for step in steps_of(run)]
    assert told == [("execute_bash", "hi"), ("str_replace_editor", "Permission denied"), ("finish", None)]
    assert run.task == "Greet the world." and run.agents[0].model == "example/one" and run.seconds == 10.0


def test_a_result_has_the_exit_code_and_an_error_is_one():
    first, second, _ = steps_of(open_run(FOLDER / "session"))
    assert first.result and (first.result.status, first.result.exit_code) == ("ok", 0)
    assert second.result and second.result.status == "error"


def test_events_without_ids_are_joined_by_their_order():
    steps = steps_of(open_run(FOLDER / "resolver.jsonl"))
    assert [(step.call and step.call.text, step.result and step.result.text) for step in steps[:2]] == [
        ("echo hi", "hi"),
        ("print(1)", "1"),
    ]


def test_an_end_by_the_most_iterations_is_a_limit():
    assert open_run(FOLDER / "output.jsonl").outcome.verdict == "limit"


def test_that_the_agent_says_it_has_finished_is_no_verdict():
    outcome = open_run(FOLDER / "trajectory.json").outcome
    assert (outcome.verdict, outcome.words) == ("unknown", "finish, task_completed partial")


@pytest.fixture
def several(tmp_path):
    """An output.jsonl with two runs, an empty line between them."""
    line = (FOLDER / "output.jsonl").read_text()
    (tmp_path / "output.jsonl").write_text(line + "\n" + line.replace("Greet the world.", "Greet the moon."))
    return tmp_path / "output.jsonl"


def test_of_a_file_with_several_runs_the_first_is_shown_and_the_others_are_told(several):
    run = open_run(several)
    assert run.task == "Greet the world." and "holds 2 runs" in run.problems[0].text
    assert "output.jsonl#3 is the next" in run.problems[0].text


def test_each_run_of_a_file_with_several_is_found_and_opened_by_its_line(several):
    found = [path.name for path, _ in find_runs(several.parent)]
    assert found == ["output.jsonl#1", "output.jsonl#3"]
    run = open_run(several.with_name("output.jsonl#3"))
    assert run.task == "Greet the moon." and not run.problems
    assert b"moon" in resolve(run.root, next(event.ref for event in run.events if event.kind == "task"))


@pytest.mark.parametrize("name", ["output.jsonl#2", "output.jsonl#9", "output.jsonl#x", "output.jsonl#", "gone#1"])
def test_a_run_that_the_file_does_not_have_cannot_be_read(several, name):
    with pytest.raises(CannotRead):
        open_run(several.with_name(name))


def test_a_number_is_refused_where_a_file_is_one_run():
    with pytest.raises(CannotRead):
        open_run(FOLDER / "trajectory.json#1")
    with pytest.raises(CannotRead, match="no more than one run"):
        open_run(SAMPLES / "mini-swe-agent" / "v1.traj.json#1")


def test_a_delegate_is_an_agent_of_its_own(tmp_path):
    events = json.loads((FOLDER / "trajectory.json").read_text())
    delegation = [
        {"id": 20, "source": "agent", "action": "delegate", "args": {"agent": "Browser", "inputs": {}}},
        {"id": 21, "source": "agent", "action": "run", "args": {"command": "ls"}},
        {"id": 22, "source": "agent", "cause": 21, "observation": "run", "content": "a"},
        {"id": 23, "source": "agent", "cause": 20, "observation": "delegate", "content": "found"},
    ]
    (tmp_path / "run.json").write_text(json.dumps(events[:6] + delegation))
    run = open_run(tmp_path / "run.json")
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("Browser", "main")]
    assert [step.call and step.call.agent for step in steps_of(run)] == ["main", "main", "Browser"]


def test_a_conversation_of_the_sdk_has_parallel_calls_of_one_answer():
    run = open_run(SAMPLES / "openhands-sdk" / "conversation")
    first, second, last = steps_of(run)
    assert first.response is second.response and first.response and first.response.reasoning == "They are small."
    assert first.result and second.result and (first.result.exit_code, second.result.exit_code) == (0, 1)
    assert last.call and last.call.tool == "finish" and run.cost_usd == 0.125 and run.workspace == "/w"


def test_events_of_the_sdk_in_lines_are_one_run(tmp_path):
    files = sorted((SAMPLES / "openhands-sdk" / "conversation" / "events").iterdir())
    text = "".join(json.dumps(json.loads(file.read_text())) + "\n" for file in files)
    (tmp_path / "events.jsonl").write_text(text + "{broken\n")
    run = open_run(tmp_path / "events.jsonl")
    assert (run.format, run.steps) == ("openhands-sdk", 3)
    assert [problem.ref.lines for problem in run.problems] == [(9, 9)]


def test_an_error_of_a_call_that_is_not_recorded_is_an_event():
    run = open_run(SAMPLES / "openhands-sdk" / "conversation")
    assert [event.text for event in run.events if event.kind == "error"] == ["Tool 'nope' not found"]


def test_a_file_of_an_event_that_leads_out_of_the_folder_is_not_read(tmp_path):
    shutil.copytree(FOLDER / "session", tmp_path / "session")
    (tmp_path / "secret.json").write_text('{"action": "message", "args": {"content": "SECRET"}}')
    (tmp_path / "session" / "events" / "9.json").symlink_to(tmp_path / "secret.json")
    run = open_run(tmp_path / "session")
    assert not any("SECRET" in event.text for event in run.events)
    assert any("leads out of the run's folder" in problem.text for problem in run.problems)


def test_calls_of_another_agent_and_errors_of_the_conversation_are_events(tmp_path):
    events = [
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": "Go."}},
        {
            "kind": "ACPToolCallEvent",
            "source": "agent",
            "tool_call_id": "a1",
            "title": "Run ls",
            "tool_kind": "execute",
            "raw_input": {"command": "ls"},
            "raw_output": {"said": "a file"},
            "is_error": True,
        },
        {"kind": "ConversationErrorEvent", "source": "environment", "code": "Boom", "detail": "No model."},
        {"source": "agent"},
    ]
    (tmp_path / "run.json").write_text(json.dumps(events))
    run = open_run(tmp_path / "run.json")
    (step,) = steps_of(run)
    assert step.call and (step.call.text, step.call.tool) == ("ls", "execute")
    assert step.result and (step.result.status, step.result.text) == ("error", '{"said":"a file"}')
    assert [event.text for event in run.events if event.kind == "error"] == ["No model."]
    assert [problem.text for problem in run.problems] == ["is no event of a kind"]
