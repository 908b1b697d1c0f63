from __future__ import annotations

import json
import shutil

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.shared import SAMPLES, real

TRIALS = {
    "sqlite-db-truncate__kfqQYr3": (24, "solved"),
    "polyglot-c-py__3z6k7TU": (147, "solved"),
    "git-multibranch__jtDQTyU": (82, "unknown"),
    "regex-log__XYfBZFy": (5, "unknown"),
    "db-wal-recovery__KrUq6sC": (104, "failed"),
    "polyglot-rust-c__s3NDv6x": (2, "limit"),
}
FILES = {
    "hello-world-context-summarization.trajectory.json": 10,
    "hello-world-context-summarization.trajectory.summarization-1-summary.json": 5,
    "hello-world-context-summarization.trajectory.summarization-1-questions.json": 2,
    "hello-world-context-summarization.trajectory.summarization-1-answers.json": 7,
    "hello-world-invalid-json.trajectory.json": 5,
}


@pytest.fixture
def trial(tmp_path):
    """A copy of the sample, to be changed."""
    return shutil.copytree(SAMPLES / "harbor" / "greet__abc", tmp_path / "greet__abc")


@pytest.mark.parametrize(("name", "steps", "verdict"), [(name, *told) for name, told in TRIALS.items()])
def test_real_trials_have_the_steps_and_the_outcome_of_their_index(name, steps, verdict):
    run = open_run(real("harbor-atif", name))
    assert (run.format, run.steps, run.outcome.verdict) == ("harbor", steps, verdict)


@pytest.mark.parametrize(("name", "steps"), FILES.items())
def test_real_atif_files_have_the_steps_of_their_index(name, steps):
    run = open_run(real("harbor-atif", "terminus-2-golden", name))
    assert (run.format, run.steps) == ("atif", steps)


def test_a_real_call_whose_input_was_lost_is_told_from_both_sides():
    run = open_run(real("harbor-atif", "db-wal-recovery__KrUq6sC"))
    assert any('"command": ":"' in one.text and '"command": "ls -la /app/"' in one.text for one in run.problems)


def test_steps_have_the_numbers_of_the_file_and_the_order_of_their_times():
    run = open_run(SAMPLES / "harbor" / "greet__abc")
    calls = [(event.step, event.text, event.at_s) for event in run.events if event.kind == "call"]
    assert calls == [(3, ":", 2.0), (5, "echo hi", 5.0), (4, "cat hi.txt", 9.0)]
    assert [step.number for step in steps_of(run)] == [2, 3, 4, 5]


def test_a_message_that_the_converter_made_up_is_no_response():
    run = open_run(SAMPLES / "harbor" / "greet__abc")
    responses = [event for event in run.events if event.kind == "response"]
    assert [(event.text, event.reasoning) for event in responses] == [("I look first.", "A look costs nothing.")]


def test_what_the_log_says_too_is_a_further_place_of_the_event():
    run = open_run(SAMPLES / "harbor" / "greet__abc")
    call = next(event for event in run.events if event.kind == "call" and event.text == "echo hi")
    places = [ref for ref in call.more if ref.path == "agent/claude-code.txt"]
    assert places and json.loads(resolve(run.root, places[0]))["input"] == {"command": "echo hi"}


def test_a_call_that_the_log_has_with_another_command_is_a_problem_with_both():
    run = open_run(SAMPLES / "harbor" / "greet__abc")
    told = [problem.text for problem in run.problems]
    assert any('"command": ":"' in text and '"command": "ls -la /app"' in text for text in told)


def test_a_line_of_the_log_that_is_no_json_is_a_note():
    run = open_run(SAMPLES / "harbor" / "greet__abc")
    assert "Killed" in [event.text for event in run.events if event.kind == "note"]


def test_a_reward_of_0_from_tests_that_ran_is_a_failure():
    outcome = open_run(SAMPLES / "harbor" / "greet__abc").outcome
    assert outcome.verdict == "failed" and outcome.ref and outcome.ref.path == "verifier/reward.txt"


def test_a_reward_of_0_from_a_verifier_that_never_ran_is_unknown(trial):
    (trial / "verifier" / "ctrf.json").unlink()
    (trial / "verifier" / "test-stdout.txt").write_text("curl: (7) Failed\n/tests/test.sh: uvx: command not found\n")
    outcome = open_run(trial).outcome
    assert outcome.verdict == "unknown" and "uvx: command not found" in outcome.words


def test_a_timeout_of_the_agent_is_a_limit_and_other_exceptions_are_errors(trial):
    (trial / "exception.txt").write_text("Traceback:\n  ...\nAgentTimeoutError: timed out after 900 s\n")
    assert open_run(trial).outcome.verdict == "limit"
    (trial / "exception.txt").write_text("Traceback:\n  ...\nRuntimeError: no docker\n")
    assert open_run(trial).outcome.verdict == "error"


def test_a_full_reward_solves_it_whatever_else_was_wrong(trial):
    (trial / "verifier" / "reward.txt").write_text("1.0")
    (trial / "exception.txt").write_text("AgentTimeoutError: timed out after 900 s\n")
    assert open_run(trial).outcome.verdict == "solved"


def test_without_a_trajectory_the_log_tells_the_steps(trial):
    (trial / "agent" / "trajectory.json").unlink()
    run = open_run(trial)
    assert [step.call and step.call.text for step in steps_of(run)] == ["ls -la /app", "echo hi", "cat hi.txt"]


def test_a_trial_without_anything_of_the_agent_says_so(trial):
    shutil.rmtree(trial / "agent")
    run = open_run(trial)
    assert run.steps == 0 and run.outcome.verdict == "failed"
    assert any("neither a trajectory nor a log" in problem.text for problem in run.problems)


def test_a_reward_of_another_name_is_one_where_it_is_the_only_one(trial):
    (trial / "verifier" / "reward.txt").unlink()
    (trial / "result.json").write_text(json.dumps({"trial_name": "x", "verifier_result": {"rewards": {"accuracy": 1}}}))
    run = open_run(trial)
    assert run.outcome.verdict == "solved" and run.outcome.ref
    assert resolve(run.root, run.outcome.ref) == b"1"


def test_whatever_else_is_in_the_folder_can_be_looked_at(trial):
    (trial / "agent" / "sessions").mkdir()
    (trial / "agent" / "sessions" / "a b.jsonl").write_text("{}")
    (trial / "link").symlink_to("/etc/passwd")
    run = open_run(trial)
    assert run.artefacts[-1] == "agent/sessions/a b.jsonl" and "link" not in run.artefacts
    assert [event.ref.path for event in run.events if event.kind == "note"][-1] == "agent/sessions/a b.jsonl"


def test_a_call_without_a_result_is_told_unless_it_is_the_last(trial):
    value = json.loads((trial / "agent" / "trajectory.json").read_text())
    for step in value["steps"]:
        step.pop("observation", None)
    (trial / "agent" / "trajectory.json").write_text(json.dumps(value))
    told = [problem.text for problem in open_run(trial).problems if "has no result" in problem.text]
    assert told == ["step 3: the call of Bash has no result", "step 5: the call of Bash has no result"]


def test_an_artefact_that_is_a_link_out_of_the_trial_is_refused(trial, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"schema_version": "ATIF-v1.2", "steps": [{"source": "user", "message": "SECRET"}]}))
    (trial / "agent" / "trajectory.json").unlink()
    (trial / "agent" / "trajectory.json").symlink_to(secret)
    run = open_run(trial)
    assert not any("SECRET" in event.text for event in run.events)
    assert any("leads out of the run's folder" in problem.text for problem in run.problems)


def test_parallel_calls_of_a_step_are_joined_to_their_results_by_id():
    run = open_run(SAMPLES / "atif" / "trajectory.json")
    results = {event.call_id: event.text for event in run.events if event.kind == "result"}
    assert results == {"c1": "42", "c2": "/app", "d1": "42"}


def test_a_sub_agent_is_an_agent_whose_calls_come_after_the_main_ones():
    run = open_run(SAMPLES / "atif" / "trajectory.json")
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("digger-1", "main")]
    assert [(event.agent, event.step) for event in run.events if event.kind == "call"] == [
        ("main", 3),
        ("main", 3),
        ("digger-1", 7),
    ]


def test_a_continuation_in_another_file_goes_on_and_a_circle_is_told():
    run = open_run(SAMPLES / "atif" / "trajectory.json")
    last = next(event for event in run.events if event.text == "It is 42.")
    assert (last.step, last.ref.path) == (6, "more.json")
    assert any("continues in itself" in problem.text for problem in run.problems)


def test_a_refused_reply_is_a_step_with_an_error():
    step = next(step for step in steps_of(open_run(SAMPLES / "atif" / "trajectory.json")) if step.number == 4)
    assert step.call is None and [event.kind for event in step.others] == ["error"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.json").write_text('{"steps": [{"step_id": 1, "source": "user", "message": "SECRET"}]}')
    folder = tmp_path / "run"
    folder.mkdir()
    value = {"schema_version": "ATIF-v1.5", "steps": [], "continued_trajectory_ref": "../secret.json"}
    (folder / "trajectory.json").write_text(json.dumps(value))
    run = open_run(folder / "trajectory.json")
    assert not any("SECRET" in event.text for event in run.events)
    assert any("cannot be read here" in problem.text for problem in run.problems)
