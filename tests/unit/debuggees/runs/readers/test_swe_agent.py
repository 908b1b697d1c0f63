from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import Ref, steps_of
from tests.unit.debuggees.runs.shared import SAMPLES, real

FOLDER = SAMPLES / "swe-agent"
STEPS = {
    "pydicom-1458": 12,
    "marshmallow-1867-function-calling": 13,
    "function_calling_simple": 5,
    "fasterxml__jackson-core-1142--gpt-4o-2024-05-13": 12,
    "fasterxml__jackson-core-1142--doubao-pro-128k": 38,
    "fasterxml__jackson-databind-4219--deepseek-chat-v2": 7,
    "fasterxml__jackson-databind-4219--doubao-pro-128k": 51,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items())
def test_real_runs_have_the_steps_of_their_index(name, steps):
    run = open_run(real("swe-agent", f"{name}.traj"))
    assert (run.format, run.steps, len(steps_of(run))) == ("swe-agent", steps, steps)


def test_the_task_is_the_first_message_of_the_user_that_is_no_demonstration():
    run = open_run(FOLDER / "v0.traj")
    assert run.task == "Mend one.py." and run.workspace == "/repo" and run.format_version == "0.x"


def test_a_command_as_text_and_its_observation_are_one_step():
    first = steps_of(open_run(FOLDER / "v0.traj"))[0]
    assert first.call and (first.call.tool, first.call.text) == ("bash", "open one.py\n")
    assert first.result and first.result.text == "[File: one.py]\n1:x = 1/0"
    assert list(first.result.more) == [Ref(pointer="/history/4")]


def test_what_was_submitted_at_the_limit_of_cost_ended_by_that_limit():
    run = open_run(FOLDER / "v0.traj")
    assert (run.outcome.verdict, run.outcome.words) == ("limit", "exit_status submitted (exit_cost)")
    assert run.outcome.ref and resolve(run.root, run.outcome.ref) == b'"submitted (exit_cost)"'


def test_a_tool_call_has_the_name_and_the_arguments_of_the_history():
    run = open_run(FOLDER / "v1.traj")
    call = steps_of(run)[0].call
    assert call and (call.tool, call.arguments, call.call_id) == ("bash", {"command": "cat one.py"}, "c1")
    assert call.took_s == 0.25 and run.agents[0].model == "example/one" and run.format_version == "1.x"


def test_an_entry_without_an_action_is_a_step_with_its_refusal_as_an_error():
    step = steps_of(open_run(FOLDER / "v1.traj"))[1]
    assert step.call is None and step.response
    assert [(event.kind, event.text) for event in step.others] == [
        ("error", "Your last output did not use any tool calls!")
    ]


def test_the_prompt_of_each_step_is_its_query():
    run = open_run(FOLDER / "v1.traj")
    queries = [event for event in run.events if event.kind == "query"]
    assert [query.ref.pointer for query in queries] == [f"/trajectory/{place}/query" for place in range(3)]
    assert [event.cycle for event in run.events if event.kind == "call"] == [1, 3]


def test_a_history_alone_is_a_run():
    run = open_run(FOLDER / "history.traj")
    assert [step.call and step.call.tool for step in steps_of(run)] == ["bash", "submit"]
    assert run.outcome.verdict == "unknown" and run.outcome.ref is None


def test_of_attempts_without_a_choice_the_last_is_shown_and_that_is_told(tmp_path):
    attempt = json.loads((FOLDER / "v1.traj").read_text())
    (tmp_path / "a.traj").write_text(json.dumps({"attempts": [{"trajectory": []}, attempt]}))
    run = open_run(tmp_path / "a.traj")
    assert run.steps == 3 and "holds 2 attempts" in run.problems[0].text
    assert run.outcome.ref and run.outcome.ref.pointer == "/attempts/1/info/exit_status"
