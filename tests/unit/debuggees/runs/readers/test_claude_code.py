from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import document, kinds, lines, only, opened, sound
from tests.unit.debuggees.runs.shared import real

STEPS = {
    "cancel-async-tasks__4gQ8rsy.stream.jsonl": 34,
    "headless-terminal__bemYu3W.stream.jsonl": 37,
    "build-cython-ext__anXGFcA.stream.jsonl": 22,
    "session-representative_messages.jsonl": 2,
    "session-todowrite_examples.jsonl": 3,
    "simonw-sample_session.jsonl": 2,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items())
def test_real_runs_have_the_steps_of_their_index(name, steps):
    run = opened(real("claude-code", name), "claude-code")
    assert run.steps == steps


def said(number, *blocks, **fields):
    message = {"role": "assistant", "id": f"msg_{number}", "model": "m", "content": list(blocks)}
    return {"type": "assistant", "message": message, "session_id": "s", **fields}


def call(id_, name="Bash", **given):
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def result(id_, text, **fields):
    block = {"type": "tool_result", "tool_use_id": id_, "content": text, **fields}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "session_id": "s"}


START = {
    "type": "system",
    "subtype": "init",
    "session_id": "s",
    "cwd": "/app",
    "model": "m",
    "claude_code_version": "2.1",
}


def stream(tmp_path, *messages):
    return opened(lines(tmp_path / "run.jsonl", [START, *messages]), "claude-code")


def test_the_lines_of_one_answer_are_one_response(tmp_path):
    thought = {"type": "thinking", "thinking": "look first"}
    run = stream(
        tmp_path, said(1, thought), said(1, {"type": "text", "text": "I look."}), said(1, call("a", command="ls"))
    )
    assert kinds(run) == ["note", "response", "call"]
    response = run.events[1]
    assert (response.reasoning, response.text, response.ref.lines) == ("look first", "I look.", (2, 3))


def test_the_call_points_to_its_own_block(tmp_path):
    run = stream(tmp_path, said(1, {"type": "text", "text": "now"}, call("a", command="ls")))
    assert b'"tool_use"' in resolve(run.root, only(run, "call")[0].ref)
    assert b'"now"' not in resolve(run.root, only(run, "call")[0].ref)


def test_the_exit_code_is_read_from_the_start_of_a_result_alone(tmp_path):
    run = stream(
        tmp_path,
        said(1, call("a", command="false"), call("b", command="echo")),
        result("a", "Exit code 127\nnot found", is_error=True),
        result("b", "it said: Exit code 1", is_error=False),
    )
    assert [(event.exit_code, event.status) for event in only(run, "result")] == [(127, "error"), (None, "ok")]


def test_a_call_without_a_result_is_a_step_and_a_problem(tmp_path):
    run = stream(tmp_path, said(1, call("a", command="ls")), said(2, call("b", command="pwd")), result("b", "/app"))
    assert run.steps == 2
    assert [problem.text.split(":")[0] for problem in run.problems] == ["step 1"]


def test_a_result_belongs_to_the_last_call_of_its_id_that_waits(tmp_path):
    run = stream(tmp_path, said(1, call("x", command="one")), said(2, call("x", command="two")), result("x", "done"))
    assert only(run, "result")[0].step == 2


def test_a_result_for_no_call_is_kept_and_told(tmp_path):
    run = stream(tmp_path, result("ghost", "who called?"))
    assert only(run, "result")[0].text == "who called?"
    assert "'ghost'" in run.problems[0].text


def test_a_sub_agent_of_a_stream_is_an_agent_of_its_call(tmp_path):
    run = stream(
        tmp_path,
        said(1, call("t", "Task", subagent_type="Explore", prompt="find it")),
        said(2, call("g", "Grep", pattern="x"), parent_tool_use_id="t"),
    )
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("Explore", "main")]
    assert [event.agent for event in only(run, "call")] == ["main", "Explore"]


@pytest.mark.parametrize(
    ("subtype", "is_error", "verdict"),
    [("success", False, "unknown"), ("error_max_turns", True, "limit"), ("error_during_execution", True, "error")],
)
def test_the_outcome_is_what_the_program_says_of_its_end(tmp_path, subtype, is_error, verdict):
    end = {"type": "result", "subtype": subtype, "is_error": is_error, "session_id": "s", "total_cost_usd": 0.5,
           "duration_ms": 2500, "result": "bye"}  # fmt: skip
    run = stream(tmp_path, end)
    assert (run.outcome.verdict, run.cost_usd, run.seconds) == (verdict, 0.5, 2.5)


def test_tokens_include_those_of_the_cache(tmp_path):
    line = said(1, {"type": "text", "text": "hi"})
    line["message"]["usage"] = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5,
                                "output_tokens": 7}  # fmt: skip
    usage = only(stream(tmp_path, line), "response")[0].usage
    assert usage and (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (100, 90, 7)


def test_an_answer_of_which_only_pieces_came_is_kept(tmp_path):
    pieces = [
        {"type": "message_start", "message": {"id": "msg_9"}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "half an "}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "answer"}},
    ]
    run = stream(tmp_path, *({"type": "stream_event", "event": piece, "session_id": "s"} for piece in pieces))
    assert only(run, "response")[0].text == "half an answer"
    assert any("cut off" in problem.text for problem in run.problems)


def logged(uuid, parent, minute, line, *, side=False):
    return {
        **line, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": side,
        "timestamp": f"2026-01-01T10:{minute:02}:00Z", "cwd": "/w", "version": "2",
    }  # fmt: skip


def user(text):
    return {"type": "user", "message": {"role": "user", "content": text}}


def test_a_session_is_ordered_by_time_and_its_steps_with_it(tmp_path):
    early = logged("b", "a", 1, said(1, call("1", command="first")))
    late = logged("c", "b", 5, said(2, call("2", command="second")))
    run = opened(lines(tmp_path / "s.jsonl", [logged("a", None, 0, user("do it")), late, early]), "claude-code")
    assert [(step.number, step.call.text) for step in steps_of(run) if step.call] == [(1, "first"), (2, "second")]
    assert (run.task, run.workspace, run.started) == ("do it", "/w", "2026-01-01T10:00:00+00:00")


def test_a_side_chain_is_the_agent_that_its_prompt_was_given_to(tmp_path):
    log = [
        logged("a", None, 0, user("task")),
        logged("b", "a", 1, said(1, call("t", "Task", subagent_type="reviewer", prompt="look at it"))),
        logged("x", None, 2, user("look at it"), side=True),
        logged("y", "x", 3, said(2, call("r", "Read", file_path="f")), side=True),
    ]
    run = opened(lines(tmp_path / "s.jsonl", log), "claude-code")
    assert [agent.name for agent in run.agents] == ["main", "reviewer"]
    assert [event.agent for event in only(run, "call")] == ["main", "reviewer"]


def test_logs_of_sub_agents_beside_a_session_are_read_with_it(tmp_path):
    session = lines(tmp_path / "s.jsonl", [logged("a", None, 0, user("task"))])
    beside = {**logged("x", None, 1, said(2, call("r", "Read", file_path="f")), side=True), "agentId": "7f"}
    lines(tmp_path / "agent-7f.jsonl", [beside])
    run = opened(session, "claude-code")
    assert list(run.artefacts) == ["s.jsonl", "agent-7f.jsonl"]
    assert only(run, "call")[0].ref.path == "agent-7f.jsonl"
    assert (run.agents[1].name, run.agents[1].parent) == ("7f", "main")


def test_a_result_of_the_main_chain_names_an_agent_and_is_no_line_of_it(tmp_path):
    log = [
        logged("a", None, 0, user("task")),
        logged("b", "a", 1, said(1, call("t", "Task", subagent_type="scout", prompt="look"))),
        {**logged("x", None, 2, user("another wording"), side=True), "agentId": "e1"},
        logged("y", "x", 3, said(2, call("r", "Read", file_path="f")), side=True),
        {**logged("c", "b", 4, result("t", "seen")), "agentId": "e1"},
    ]
    run = opened(lines(tmp_path / "s.jsonl", log), "claude-code")
    assert [agent.name for agent in run.agents] == ["main", "scout"]
    assert [(event.agent, event.tool) for event in only(run, "result")] == [("main", "Task")]
    assert [event.agent for event in only(run, "call")] == ["main", "scout"]


def test_a_log_with_lines_that_are_no_objects_between_is_recognized(tmp_path):
    log = [logged("a", None, 0, user("task")), "42", '"massive error"', logged("b", "a", 1, user("more"))]
    run = opened(lines(tmp_path / "s.jsonl", log), "claude-code")
    assert [event.text for event in run.events] == ["task", "42", '"massive error"', "more"]


def test_a_message_without_content_is_a_note_and_a_problem(tmp_path):
    odd = {"type": "user", "message": {"role": "user", "contenst": "a slip of the pen"}}
    run = opened(
        lines(tmp_path / "s.jsonl", [logged("a", None, 0, user("task")), logged("b", "a", 1, odd)]), "claude-code"
    )
    assert "a slip of the pen" in run.events[1].text and "without content" in run.problems[0].text


def test_parents_that_lead_round_in_a_circle_are_told(tmp_path):
    log = [
        logged("a", None, 0, user("task")),
        logged("x", "y", 1, user("one"), side=True),
        logged("y", "x", 2, user("two"), side=True),
    ]
    run = opened(lines(tmp_path / "s.jsonl", log), "claude-code")
    assert any("circle" in problem.text for problem in run.problems)
    assert kinds(run) == ["task", "task", "task"]


def test_a_line_that_stands_in_a_session_twice_is_told_and_counts_once(tmp_path):
    line = logged("b", "a", 1, said(1, call("x", command="ls")))
    run = opened(lines(tmp_path / "s.jsonl", [logged("a", None, 0, user("task")), line, line]), "claude-code")
    assert run.steps == 1
    assert any("repeats an earlier one" in problem.text for problem in run.problems)


def test_lines_that_are_no_json_are_notes_with_a_problem(tmp_path):
    run = opened(
        lines(tmp_path / "s.jsonl", [START, said(1, call("a")), "npm WARN old lockfile", "[1, 2]"]), "claude-code"
    )
    assert [event.text for event in only(run, "note")][1:] == ["npm WARN old lockfile", "[1, 2]"]
    assert len(run.problems) == 3  # and the call without a result


def test_a_line_separator_of_unicode_does_not_end_a_line(tmp_path):
    text = "one\u2028two\u0085three"
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        f'{{"type":"system","session_id":"s"}}\n{{"type":"user","session_id":"s","message":{{"role":"user","content":"{text}"}}}}\n'.encode()
    )
    run = open_run(path)
    sound(run)
    assert (run.task, list(run.problems)) == (text, [])


def test_a_session_exported_from_the_web_opens(tmp_path):
    value = {"loglines": [{"type": "user", "message": {"content": "hello"}}, said(1, call("a", command="ls"))]}
    run = opened(document(tmp_path / "web.json", value), "claude-code")
    assert (run.task, run.steps, run.events[0].ref.pointer) == ("hello", 1, "/loglines/0/message/content")


def test_conversations_of_the_web_are_an_agent_each(tmp_path):
    def conversation(name):
        content = [{"type": "text", "text": "hi"}]
        return {"uuid": name, "name": name, "chat_messages": [
            {"uuid": "1", "sender": "human", "text": "question", "attachments": [{"extracted_content": "a file"}]},
            {"uuid": "2", "sender": "assistant", "content": content},
        ]}  # fmt: skip

    run = opened(document(tmp_path / "conversations.json", [conversation("one"), conversation("two")]), "claude-code")
    assert [agent.name for agent in run.agents] == ["main", "two"]
    assert "a file" in "".join(event.text for event in run.events)
    assert any("2 conversations" in problem.text for problem in run.problems)
