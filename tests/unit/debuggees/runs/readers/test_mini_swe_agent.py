from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import TokenUsage, steps_of
from tests.unit.debuggees.runs.shared import SAMPLES, real

FOLDER = SAMPLES / "mini-swe-agent"
STEPS = {
    "matplotlib__matplotlib-26113": 19,
    "pydata__xarray-3305": 38,
    "django__django-11790": 26,
    "sphinx-doc__sphinx-9602": 37,
    "mwaskom__seaborn-3069": 57,
    "sphinx-doc__sphinx-9229": 142,
    "upstream-local": 2,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items())
def test_real_runs_have_the_steps_of_their_index(name, steps):
    run = open_run(real("mini-swe-agent", f"{name}.traj.json"))
    assert (run.format, run.steps, list(run.problems)) == ("mini-swe-agent", steps, [])


def test_a_command_of_version_1_and_its_result_are_one_step():
    run = open_run(FOLDER / "v1.traj.json")
    first = steps_of(run)[0]
    assert first.call and first.call.text == "ls -a" and first.call.arguments == {"command": "ls -a"}
    assert first.result and (first.result.text, first.result.exit_code) == (".\n..\nbroken.py\n", 0)
    assert first.response and first.response.reasoning == "Look before you leap."
    assert first.response.usage and first.response.usage.input_tokens == 900


def test_a_refused_reply_is_a_step_without_a_call_and_its_refusal_an_error():
    step = steps_of(open_run(FOLDER / "v1.traj.json"))[1]
    assert step.call is None and step.response and step.response.text.startswith("Two at once")
    assert [(event.kind, event.status) for event in step.others] == [("error", "error")]


def test_submitted_is_no_verdict():
    run = open_run(FOLDER / "v1.traj.json")
    assert (run.outcome.verdict, run.outcome.words) == ("unknown", "exit_status Submitted")


def test_parallel_tool_calls_of_version_2_are_steps_of_one_response():
    first, second, *_ = steps_of(open_run(FOLDER / "v2.traj.json"))
    assert first.response is second.response
    assert first.call and second.call and (first.call.text, second.call.text) == ("pwd", "cat broken.py")
    assert second.result and second.result.text == "print(1/0)\n" and first.result and first.result.exit_code == 0


def test_a_refused_reply_of_version_2_is_read_from_its_refusal():
    step = steps_of(open_run(FOLDER / "v2.traj.json"))[2]
    assert step.call is None and step.response and step.response.text == "I am done, I think."
    assert step.response.ref.pointer == "/messages/5/extra/response"


def test_a_limit_ends_a_run_as_a_limit():
    run = open_run(FOLDER / "v2.traj.json")
    assert run.outcome.verdict == "limit" and run.events[-1].kind == "end"
    assert run.seconds == 9.5 and run.cost_usd == 0.03


def test_messages_of_the_responses_api_are_read_too(tmp_path):
    reply = {
        "object": "response",
        "id": "r1",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Small steps."}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 2}},
        "extra": {"actions": [{"command": "ls", "tool_call_id": "c1"}], "cost": 0.5},
    }
    result = {"type": "function_call_output", "call_id": "c1", "output": "a", "extra": {"returncode": 0}}
    start = [{"role": "system", "content": "S"}, {"role": "user", "content": "Look."}]
    value = {"trajectory_format": "mini-swe-agent-1.1", "messages": [*start, reply, result]}
    (tmp_path / "a.traj.json").write_text(json.dumps(value))
    run = open_run(tmp_path / "a.traj.json")
    (step,) = steps_of(run)
    assert step.response and (step.response.text, step.response.reasoning) == ("I look.", "Small steps.")
    assert step.response.usage == TokenUsage(7, 2, 3, 0.5)
    assert step.call and (step.call.text, step.call.ref.pointer) == ("ls", "/messages/2/output/2")
    assert step.result and (step.result.text, step.result.exit_code) == ("a", 0)


def test_a_submission_that_fills_the_beginning_of_the_file_hides_no_run(tmp_path):
    run = json.loads((FOLDER / "v1.traj.json").read_text())
    run = {"info": {"exit_status": "Submitted", "submission": "+line\n" * 20_000}, "messages": run["messages"]}
    path = tmp_path / "long.traj.json"
    path.write_text(json.dumps(run))
    assert open_run(path).steps == open_run(FOLDER / "v1.traj.json").steps


def test_a_command_that_was_run_though_the_reply_has_two_is_told(tmp_path):
    value = json.loads((FOLDER / "v1.traj.json").read_text())
    value["messages"][5]["content"] = "<returncode>1</returncode>\n<output>\nno\n</output>"
    (tmp_path / "a.traj.json").write_text(json.dumps(value))
    run = open_run(tmp_path / "a.traj.json")
    step = steps_of(run)[1]
    assert step.call and step.call.text == "cat broken.py" and step.result and step.result.exit_code == 1
    assert any("not marked alone: 2 could be it" in problem.text for problem in run.problems)


def test_a_tool_call_with_broken_arguments_is_an_error_with_its_own_words(tmp_path):
    value = json.loads((FOLDER / "v2.traj.json").read_text())
    value["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"command": "pw'
    (tmp_path / "a.traj.json").write_text(json.dumps(value))
    call = steps_of(open_run(tmp_path / "a.traj.json"))[0].call
    assert call and (call.status, call.arguments, call.text) == ("error", None, '{"command": "pw')
