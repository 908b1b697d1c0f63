from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import document, kinds, lines, only, opened
from tests.unit.debuggees.runs.shared import real

TRIALS = {
    "claude_code_c4--crack-7z-hash.easy": (19, "solved"),
    "claude_code_gpt5--processing-pipeline": (27, "solved"),
    "claude_code_coder--crack-7z-hash": (36, "failed"),
    "claude_code_gpt5--polyglot-rust-c": (5, "failed"),
}


@pytest.mark.parametrize(("name", "steps", "verdict"), [(name, *facts) for name, facts in TRIALS.items()])
def test_real_trials_have_the_steps_and_the_outcome_of_their_index(name, steps, verdict):
    run = opened(real("terminal-bench", name), "terminal-bench")
    assert (run.steps, run.outcome.verdict) == (steps, verdict)
    pointers = [problem.ref.path for problem in run.problems if "Git LFS" in problem.text]
    assert pointers == ["sessions/agent.log", "sessions/claude_code.log", "sessions/tests.log"]


def trial(folder, **results):
    (folder / "sessions").mkdir(parents=True)
    known = {
        "instruction": "make it work",
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_results": {"t": "passed"},
    }
    document(folder / "results.json", {**known, **results})
    return folder


def cast(path, *records):
    header = {"version": 2, "width": 80, "height": 24, "timestamp": 1000}
    return lines(path, [header, *records])


CALL = {
    "type": "assistant", "session_id": "s",
    "message": {"id": "m1", "role": "assistant", "content": [
        {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}]},
}  # fmt: skip


def test_an_object_over_several_records_is_one_call(tmp_path):
    text = json.dumps(CALL) + "\r\n"
    cast(trial(tmp_path / "t") / "sessions/agent.cast", [1.0, "o", "$ claude\r\n" + text[:40]], [2.5, "o", text[40:]])
    run = opened(tmp_path / "t", "terminal-bench")
    found = only(run, "call")[0]
    assert (found.text, found.ref.path, found.ref.lines) == ("ls", "sessions/agent.cast", (2, 3))
    assert run.task == "make it work"


def test_several_objects_in_one_record_and_noise_between_are_events_in_order(tmp_path):
    result = {"type": "user", "session_id": "s", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "b.py"}]}}  # fmt: skip
    text = "\x1b[?2004l" + json.dumps(CALL) + "\r\nnoise\r\n" + json.dumps(result) + "\r\n"
    cast(trial(tmp_path / "t") / "sessions/agent.cast", [1.0, "o", text])
    run = opened(tmp_path / "t", "terminal-bench")
    assert kinds(run) == ["task", "response", "call", "note", "result", "end"]
    assert steps_of(run)[0].result


def test_a_line_separator_of_unicode_within_a_string_ends_no_line(tmp_path):
    call = json.dumps(CALL).replace('"ls"', '"echo one\u2028two"')
    path = trial(tmp_path / "t") / "sessions/agent.cast"
    path.write_text(
        '{"version": 2, "timestamp": 1}\n' + json.dumps([1, "o", call + "\r\n"], ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    assert only(opened(tmp_path / "t", "terminal-bench"), "call")[0].text == "echo one\u2028two"


def test_without_stream_json_what_was_typed_are_the_calls(tmp_path):
    records = [[0.1, "o", "$ "], [1, "i", "l"], [1.1, "i", "s\r"], [1.2, "o", "ls\r\na.py\r\n$ "], [2, "i", "pwd\r"]]
    cast(trial(tmp_path / "t") / "sessions/agent.cast", *records)
    run = opened(tmp_path / "t", "terminal-bench")
    assert [event.text for event in only(run, "call")] == ["ls", "pwd"]
    assert only(run, "result")[0].text == "ls\r\na.py\r\n$ "


def test_a_log_tells_what_the_agent_did_where_the_cast_is_a_pointer(tmp_path):
    folder = trial(tmp_path / "t")
    (folder / "sessions/agent.cast").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    (folder / "sessions/agent.log").write_text("$ claude\n" + json.dumps(CALL) + "\n")
    run = opened(folder, "terminal-bench")
    assert only(run, "call")[0].ref.path == "sessions/agent.log"
    assert any(problem.ref.path == "sessions/agent.cast" and "LFS" in problem.text for problem in run.problems)


def episode(folder, number, prompt, answer):
    place = folder / "agent-logs" / f"episode-{number}"
    place.mkdir(parents=True)
    (place / "prompt.txt").write_text(prompt)
    (place / "response.txt").write_text(answer)


def test_episodes_of_terminus_are_a_step_each(tmp_path):
    folder = trial(tmp_path / "t")
    keys = [{"keystrokes": "ls\n", "duration": 0.1}, {"keystrokes": "pwd\n", "duration": 0.1}]
    episode(folder, 0, "You are ...", "Sure: " + json.dumps({"analysis": "a", "plan": "p", "commands": keys}))
    episode(folder, 1, "New Terminal Output: a.py", '<commands><keystrokes duration="1">vi\n</keystrokes></commands>')
    episode(folder, 2, "done?", json.dumps({"commands": [], "task_complete": True}))
    run = opened(folder, "terminal-bench")
    assert [(step.call.text if step.call else None) for step in steps_of(run)] == ["ls\npwd", "vi", None]
    assert steps_of(run)[0].result.text == "New Terminal Output: a.py"


def test_an_answer_of_an_episode_without_commands_is_told(tmp_path):
    folder = trial(tmp_path / "t")
    episode(folder, 0, "You are ...", "I am sorry, I cannot.")
    run = opened(folder, "terminal-bench")
    assert any("no commands of Terminus" in problem.text for problem in run.problems)


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ({"is_resolved": False, "parser_results": {"t": "failed"}, "failure_mode": "agent_timeout"}, "failed"),
        ({"is_resolved": None, "parser_results": None, "failure_mode": "agent_timeout"}, "limit"),
        ({"is_resolved": False, "parser_results": None, "failure_mode": "test_timeout"}, "unknown"),
        ({"is_resolved": None, "parser_results": None, "failure_mode": "unknown_agent_error"}, "error"),
        ({"is_resolved": None, "parser_results": None, "failure_mode": "unset"}, "unknown"),
    ],
)
def test_a_verdict_is_what_the_harness_has_recorded(tmp_path, results, verdict):
    cast(trial(tmp_path / "t", **results) / "sessions/agent.cast", [1, "o", "x\n"])
    assert opened(tmp_path / "t", "terminal-bench").outcome.verdict == verdict


def test_a_link_out_of_the_folder_is_told_and_not_read(tmp_path):
    folder = trial(tmp_path / "t")
    (tmp_path / "secret.txt").write_text("the password is x")
    (folder / "notes.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "sessions/agent.cast").symlink_to(tmp_path / "secret.txt")
    run = open_run(folder)
    assert "the password" not in "".join(event.text for event in run.events)
    assert [problem.text for problem in run.problems if "leads out" in problem.text]


def test_the_screens_of_a_trial_are_notes_with_their_file(tmp_path):
    folder = trial(tmp_path / "t")
    (folder / "panes").mkdir()
    (folder / "panes/post-test.txt").write_text("1 failed")
    run = opened(folder, "terminal-bench")
    assert [resolve(run.root, note.ref) for note in only(run, "note")] == [b"1 failed"]
