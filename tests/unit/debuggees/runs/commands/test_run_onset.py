"""`dap-ai run onset` on runs that were written by hand."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner

from dap_ai.debuggees.runs.commands.onset import command
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, called, run_of

EDIT = Did("sed -i '3s/a/b/' src/core.py", said="Now I fix it.")
BAD, GOOD, SUBMIT = Did("pytest", FAILED, 1), Did("pytest", PASSED), called("submit")


@pytest.fixture
def at(tmp_path):
    """Writes a run of these steps; its path."""

    def write(name, *steps, **fields):
        path = tmp_path / name
        path.write_bytes(msgspec.json.encode({"dap_ai_run": 1, "run": msgspec.to_builtins(run_of(steps, **fields))}))
        return str(path)

    return write


def ran(*arguments):
    return CliRunner().invoke(command, [str(each) for each in arguments])


def rows(*arguments):
    return [json.loads(line) for line in ran("--json", *arguments).stdout.splitlines()]


def test_a_finding_is_told_with_quotes_and_the_way_to_the_symptom(at):
    told = ran(at("bad.json", EDIT, BAD, SUBMIT))
    assert told.exit_code == 0
    assert told.stdout.startswith("step 1  incorrect hypothesis, confidence 0.65\n")
    assert "> sed -i '3s/a/b/' src/core.py" in told.stdout
    assert "from there to the symptom" in told.stdout


def test_why_nothing_is_said_is_told(at):
    assert "no recorded verdict" in ran(at("good.json", EDIT, GOOD, SUBMIT)).stdout


def test_json_has_an_object_a_run_with_every_field(at):
    bad, good = rows(at("bad.json", EDIT, BAD, SUBMIT), at("good.json", EDIT, GOOD, SUBMIT))
    assert bad["run"].endswith("bad.json") and good["onset"] is None
    fields = {"step", "first", "last", "type", "confidence", "chain", "evidence", "alternatives"}
    assert fields <= set(bad["onset"])
    assert bad["onset"]["evidence"][0]["ref"]


def test_a_run_that_cannot_be_read_is_a_row_with_its_error_and_the_others_are_read(at, tmp_path):
    told = ran("--json", tmp_path / "nothing", at("bad.json", EDIT, BAD, SUBMIT))
    missing, bad = (json.loads(line) for line in told.stdout.splitlines())
    assert told.exit_code == 2
    assert missing["error"] and missing["onset"] is None
    assert bad["onset"]["step"] == 1


def test_who_knows_that_the_run_failed_gets_an_answer(at):
    assert rows("--failed", at("good.json", EDIT, GOOD, SUBMIT))[0]["onset"]["step"] == 1


def test_a_run_that_went_well_shows_the_first_change_that_differs(at):
    other = Did("sed -i '9s/x/y/' src/other.py")
    bad, good = at("bad.json", EDIT, other, SUBMIT), at("good.json", EDIT, EDIT, SUBMIT)
    assert rows(bad, "--against", good)[0]["onset"]["step"] == 2


def test_a_run_of_another_task_is_warned_of(at):
    told = ran(at("bad.json", EDIT, task="one"), "--against", at("good.json", EDIT, task="two"))
    assert "its task is another" in told.stderr


def test_what_would_act_on_a_terminal_is_shown_as_an_escape(at):
    told = ran(at("bad.json", EDIT, Did("pytest", "E   assert \x1b[2J\n1 failed in 0.1s", 1), SUBMIT))
    assert "\x1b" not in told.stdout


def test_a_file_of_a_trial_is_judged_with_the_verdict_beside_it(tmp_path):
    agent = tmp_path / "trial" / "agent"
    agent.mkdir(parents=True)
    step = {"step_id": 1, "source": "user", "message": "Write regex.txt"}
    call = {"tool_call_id": "a", "function_name": "Write", "arguments": {"file_path": "/w/regex.txt", "content": "a+"}}
    result = {"results": [{"source_call_id": "a", "content": "File created"}]}
    write = {"step_id": 2, "source": "agent", "message": "", "tool_calls": [call], "observation": result}
    done = {"step_id": 3, "source": "agent", "message": "Done."}
    steps = [step, write, done]
    document = {
        "schema_version": "ATIF-v1.2",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": steps,
    }
    path = agent / "trajectory.json"
    path.write_text(json.dumps(document))
    assert rows(path)[0]["onset"]["step"] == 2
    (tmp_path / "trial" / "config.json").write_text("{}")
    (tmp_path / "trial" / "result.json").write_text(
        json.dumps(
            {"task_name": "t", "trial_name": "trial", "agent_info": {}, "verifier_result": {"rewards": {"reward": 1.0}}}
        )
    )
    assert "solved" in rows(path)[0]["why"]
