from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import document, kinds, lines, only, opened


def langsmith(id_, run_type, second, parent=None, **fields):
    return {
        "id": id_, "trace_id": "root", "parent_run_id": parent, "run_type": run_type, "name": fields.pop("name", id_),
        "inputs": {}, "outputs": {}, "status": "success", "start_time": f"2026-01-01T00:00:{second:02}.000",
        "end_time": f"2026-01-01T00:00:{second + 1:02}.000", **fields,
    }  # fmt: skip


def human(text):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"],
            "kwargs": {"content": text, "type": "human"}}  # fmt: skip


def wants(tool, call_id, **given):
    call = {"name": tool, "args": given, "id": call_id, "type": "tool_call"}
    message = {"lc": 1, "type": "constructor", "kwargs": {"content": "", "type": "ai", "tool_calls": [call]}}
    return {"generations": [[{"text": "", "message": message}]]}


ROOT = langsmith("root", "chain", 0, name="LangGraph", inputs={"input": "what is the weather?"})
MODEL = langsmith(
    "m1", "llm", 1, "root", inputs={"messages": [[human("what is the weather?")]]},
    outputs=wants("weather", "c1", city="Bonn"), prompt_tokens=20, completion_tokens=5, total_cost="0.002",
    extra={"metadata": {"ls_model_name": "m"}},
)  # fmt: skip
TOOL = langsmith(
    "t1", "tool", 3, "root", name="weather", inputs={"input": "{'city': 'Bonn'}"},
    outputs={"output": {"type": "tool", "content": "rain", "tool_call_id": "c1"}},
)  # fmt: skip


def test_runs_of_langsmith_open(tmp_path):
    run = opened(document(tmp_path / "runs.json", [ROOT, MODEL, TOOL]), "langsmith")
    assert kinds(run) == ["task", "query", "response", "call", "result"]
    assert (run.task, run.cost_usd, run.agents[0].model) == ("what is the weather?", 0.002, "m")
    step = steps_of(run)[0]
    assert step.call and step.call.tool == "weather" and step.result and step.result.text == "tool: rain"
    assert run.steps == 1


def test_runs_of_langsmith_within_their_parents_are_the_same_run(tmp_path):
    nested = {**ROOT, "child_runs": [{**MODEL, "parent_run_id": None}, {**TOOL, "parent_run_id": None}]}
    flat = opened(lines(tmp_path / "runs.jsonl", [ROOT, MODEL, TOOL]), "langsmith")
    run = opened(document(tmp_path / "nested.json", nested), "langsmith")
    assert [(event.kind, event.text, event.agent) for event in run.events] == [
        (event.kind, event.text, event.agent) for event in flat.events
    ]
    assert run.events[3].ref.pointer == "/child_runs/1/inputs"


def test_runs_of_an_answer_of_langsmiths_api_find_their_parents_by_the_dotted_order(tmp_path):
    order = "20260101T000000000000Zroot"
    answer = {"runs": [
        {**ROOT, "dotted_order": order},
        {**TOOL, "parent_run_id": None, "dotted_order": f"{order}.20260101T000003000000Zt1"},
    ], "cursors": {"next": None}}  # fmt: skip
    run = opened(document(tmp_path / "runs.json", answer), "langsmith")
    assert kinds(run) == ["note", "task", "call", "result"]
    assert run.events[2].ref.pointer == "/runs/1/inputs"
    assert [agent.name for agent in run.agents] == ["main"]


def test_a_failed_run_of_langsmith_is_an_error(tmp_path):
    failed = {**TOOL, "error": "TimeoutError()", "outputs": None, "status": "error"}
    run = opened(document(tmp_path / "runs.json", [failed]), "langsmith")
    assert [(event.status, event.text) for event in only(run, "result")] == [("error", "TimeoutError()")]


def observation(id_, kind, second, **fields):
    return {
        "id": id_, "traceId": "tr", "type": kind, "name": fields.pop("name", id_), "level": "DEFAULT",
        "startTime": f"2026-01-01T00:00:{second:02}.000Z", "endTime": f"2026-01-01T00:00:{second + 1:02}.000Z", **fields,
    }  # fmt: skip


GENERATION = observation(
    "g", "GENERATION", 1, model="m", input=[{"role": "user", "content": "sum it up"}],
    output={"role": "assistant", "content": "I look."}, usageDetails={"input": 7, "output": 2},
    costDetails={"total": 0.01},
)  # fmt: skip
SEARCH = observation("t", "TOOL", 3, name="search", input={"query": "x"}, output="found", parentObservationId="g")


def test_a_trace_of_langfuse_opens(tmp_path):
    trace = {"id": "tr", "name": "summary", "input": "sum it up", "timestamp": "2026-01-01T00:00:00Z",
             "observations": [SEARCH, GENERATION]}  # fmt: skip
    run = opened(document(tmp_path / "trace.json", trace), "langfuse")
    assert (run.task, run.cost_usd, run.steps) == ("sum it up", 0.01, 1)
    assert only(run, "call")[0].arguments == {"query": "x"}
    assert only(run, "call")[0].ref.pointer == "/observations/0/input"


def test_an_observation_of_langfuses_newer_api_tells_model_and_cost(tmp_path):
    newer = {**GENERATION, "model": None, "providedModelName": "m2", "costDetails": None, "totalCost": 0.5}
    run = opened(document(tmp_path / "observations.json", {"data": [newer, SEARCH]}), "langfuse")
    assert (run.agents[0].model, run.cost_usd) == ("m2", 0.5)


def test_an_observation_of_langfuse_that_failed_says_why(tmp_path):
    failed = {**SEARCH, "level": "ERROR", "statusMessage": "no index"}
    run = opened(document(tmp_path / "observations.json", {"data": [failed]}), "langfuse")
    assert only(run, "result")[0].status == "error" and "no index" in only(run, "result")[0].text


def agents_span(id_, parent, second, **data):
    return {
        "object": "trace.span", "id": id_, "trace_id": "trace_1", "parent_id": parent, "error": data.pop("error", None),
        "started_at": f"2026-01-01T00:00:{second:02}+00:00", "ended_at": f"2026-01-01T00:00:{second + 1:02}+00:00",
        "span_data": data,
    }  # fmt: skip


AGENTS = [
    {"object": "trace", "id": "trace_1", "workflow_name": "Support"},
    agents_span("a", None, 0, type="agent", name="Triage", handoffs=["Billing"]),
    agents_span("g", "a", 1, type="generation", model="m", input=[{"role": "user", "content": "refund!"}],
                output=[{"role": "assistant", "tool_calls": [
                    {"id": "c", "function": {"name": "lookup", "arguments": '{"order": 7}'}}]}],
                usage={"input_tokens": 11, "output_tokens": 4}),
    agents_span("f", "a", 3, type="function", name="lookup", input='{"order": 7}', output="paid"),
    agents_span("b", None, 5, type="agent", name="Billing"),
    agents_span("x", "b", 6, type="function", name="refund", input="{}", output=None,
                error={"message": "denied", "data": {"code": 3}}),
]  # fmt: skip


def test_spans_of_the_openai_agents_sdk_open(tmp_path):
    run = opened(lines(tmp_path / "traces.jsonl", AGENTS), "openai-agents")
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("Billing", "main")]
    assert [(call.tool, call.agent, call.arguments) for call in only(run, "call")] == [
        ("lookup", "main", {"order": 7}),
        ("refund", "Billing", {}),
    ]
    assert [(result.text, result.status) for result in only(run, "result")] == [
        ("paid", "ok"),
        ('denied\n{"code":3}', "error"),
    ]
    assert only(run, "response")[0].usage.input_tokens == 11


@pytest.mark.parametrize("key", ["data", "spans"])
def test_a_batch_of_the_openai_agents_sdk_is_the_same_run(key, tmp_path):
    run = opened(document(tmp_path / "batch.json", {key: AGENTS}), "openai-agents")
    assert run.steps == 2
