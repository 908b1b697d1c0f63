from __future__ import annotations

from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import kinds, lines, opened


def message(second, role, content, **fields):
    return {"time": 1000.0 + second, "ask": "dap-ai-ask-1", "role": role, "content": content, **fields}


def test_a_transcript_is_a_run(tmp_path):
    call = {"id": "c1", "type": "function", "function": {"name": "evaluate", "arguments": '{"expression": "total"}'}}
    talk = [
        message(0, "system", "You debug."),
        message(1, "user", "Stopped at share.py:2\nQuestion: why?"),
        message(2, "assistant", "", tool_calls=[call], usage={"model": "m", "input": 9, "output": 3}),
        message(2.5, "consent", None, tool="evaluate", action="total", outcome="allowed", how="by the level"),
        message(3, "tool", "0", tool_call_id="c1"),
        message(4, "assistant", "It is zero.", usage={"model": "m", "input": 12, "output": 4}),
    ]
    run = opened(lines(tmp_path / "talk.jsonl", talk), "dap-ai")
    assert kinds(run) == ["note", "task", "response", "call", "note", "result", "response"]
    assert (run.task, run.agents[0].model, run.seconds) == ("why?", "m", 4.0)
    first, second = steps_of(run)
    assert (
        first.call and first.call.arguments == {"expression": "total"} and first.result and first.result.took_s == 1.0
    )
    assert second.response and second.response.text == "It is zero."


def test_what_the_agent_itself_writes_opens(tmp_path):
    from dap_ai.debuggees.runs.opening import open_run
    from tests.unit.debuggees.runs.readers.own_transcript import written

    run = open_run(written(tmp_path))
    assert (run.format, run.task, run.steps) == ("dap-ai", "where is it set?", 1)
