from __future__ import annotations

from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import kinds, lines, only, opened
from tests.unit.debuggees.runs.shared import real

ROLLOUT = "rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl"


def test_a_rollout_has_the_steps_of_its_index():
    run = opened(real("codex", ROLLOUT), "codex")
    assert (run.steps, run.workspace, run.task) == (3, "/workspace/synthetic-project", "List the synthetic files.")


def record(kind, minute=0, **payload):
    return {"timestamp": f"2026-01-01T10:{minute:02}:00Z", "type": kind, "payload": payload}


META = record("session_meta", id="1", cwd="/w", cli_version="0.9")


def message(role, text, minute=0):
    return record("response_item", minute, type="message", role=role, content=[{"type": "input_text", "text": text}])


def rollout(tmp_path, *records):
    return opened(lines(tmp_path / "rollout-1.jsonl", [META, *records]), "codex")


def test_what_the_screen_showed_is_a_further_place_of_the_same_event(tmp_path):
    shown = record("event_msg", type="agent_message", message="Hello.")
    run = rollout(tmp_path, shown, message("assistant", "Hello."))
    assert kinds(run) == ["note", "response"]
    assert [more.lines for more in run.events[1].more] == [(2, 2)]


def test_what_only_the_screen_showed_is_an_event(tmp_path):
    run = rollout(tmp_path, record("event_msg", type="user_message", message="only here"))
    assert (run.task, kinds(run)) == ("only here", ["note", "task"])


def test_the_context_that_codex_sends_is_no_task(tmp_path):
    run = rollout(tmp_path, message("user", "<environment_context>x</environment_context>"), message("user", "do it"))
    assert (run.task, kinds(run)) == ("do it", ["note", "note", "task"])


def test_a_shell_call_has_its_command_and_its_exit_code(tmp_path):
    call = record(
        "response_item", type="function_call", name="shell", call_id="c", arguments='{"command":["bash","-lc","ls -a"]}'
    )
    output = '{"output":"none","metadata":{"exit_code":2,"duration_seconds":0.1}}'
    result = record("response_item", 1, type="function_call_output", call_id="c", output=output)
    step = steps_of(rollout(tmp_path, call, result))[0]
    assert step.call and step.call.text == "ls -a"
    assert step.result and (step.result.text, step.result.exit_code, step.result.status) == ("none", 2, "error")


def test_the_exit_code_of_a_newer_output_stands_in_its_head(tmp_path):
    call = record("response_item", type="function_call", name="exec_command", call_id="c", arguments='{"cmd":"x"}')
    output = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nExit code: 3\n"
    result = record("response_item", 1, type="function_call_output", call_id="c", output=output)
    assert only(rollout(tmp_path, call, result), "result")[0].exit_code == 0


def test_a_patch_is_a_call_with_its_text(tmp_path):
    call = record("response_item", type="custom_tool_call", name="apply_patch", call_id="c", input="*** Begin Patch")
    assert only(rollout(tmp_path, call), "call")[0].arguments == {"input": "*** Begin Patch"}


def test_arguments_that_are_no_json_are_kept_as_they_are(tmp_path):
    call = record("response_item", type="function_call", name="f", call_id="c", arguments='{"cut')
    assert only(rollout(tmp_path, call), "call")[0].arguments == {"input": '{"cut'}


def test_tokens_belong_to_the_answer_before_them(tmp_path):
    usage = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}
    count = record("event_msg", 1, type="token_count", info={"last_token_usage": usage})
    run = rollout(tmp_path, message("assistant", "Hi."), count)
    found = only(run, "response")[0].usage
    assert found and (found.input_tokens, found.cached_tokens, found.output_tokens) == (10, 4, 2)


def test_an_unknown_record_is_a_note_and_a_problem(tmp_path):
    run = rollout(tmp_path, record("brand_new", text="what is it?"))
    assert "what is it?" in run.events[1].text
    assert "'brand_new'" in run.problems[0].text


def test_the_output_of_codex_exec_opens(tmp_path):
    item = {"id": "i1", "type": "command_execution", "command": "ls", "aggregated_output": "a\n", "exit_code": 0,
            "status": "completed"}  # fmt: skip
    log = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": item},
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "Done."}},
        {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1}},
    ]
    run = opened(lines(tmp_path / "exec.jsonl", log), "codex")
    assert kinds(run) == ["note", "call", "result", "response", "end"]
    assert (run.events[1].text, run.events[2].exit_code, run.steps) == ("ls", 0, 1)


def test_an_early_rollout_without_envelopes_opens(tmp_path):
    log = [
        {"id": "1", "timestamp": "2025-05-01T10:00:00Z", "instructions": "be good"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
    ]
    run = opened(lines(tmp_path / "rollout.jsonl", log), "codex")
    assert (run.task, run.steps, list(run.problems)) == ("go", 1, [])
