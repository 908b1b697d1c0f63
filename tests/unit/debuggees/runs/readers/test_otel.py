from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.readers import portion
from dap_ai.debuggees.runs.readers.spans import span_files
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import document, kinds, lines, only, opened
from tests.unit.debuggees.runs.shared import real

TRACES = ("4ae16319f0de44a7d1e84595b41ae08d", "2713fa0aa73f0c5a8b480f026c21a547", "9ec7d4a8ab8c74ab56361ef29d1b1660")


@pytest.mark.parametrize("name", TRACES)
def test_a_nested_trace_has_11_spans_and_a_step_for_each_answer_of_the_model(name):
    run = opened(real("otel-openinference", f"{name}.json"), "otel")
    assert len({event.native_id for event in run.events}) == 11
    assert (run.steps, len(only(run, "query"))) == (4, 4)
    step = steps_of(run)[2]
    assert step.call and step.call.tool == "final_answer" and step.response and "final_answer" in step.response.text


def attribute(key, value):
    kind = {str: "stringValue", int: "intValue", bool: "boolValue"}[type(value)]
    return {"key": key, "value": {kind: str(value) if isinstance(value, int) else value}}


def span(id_, parent, start, end, **attributes):
    return {
        "traceId": "t", "spanId": id_, "parentSpanId": parent, "name": attributes.pop("name", id_),
        "startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str(end * 10**9),
        "attributes": [attribute(key.replace("__", "."), value) for key, value in attributes.items()],
        "status": {"code": 1},
    }  # fmt: skip


def otlp(*spans):
    resource = {"attributes": [attribute("service.name", "a service with a long name")]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def chat(role, text):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def asks(tool, call_id, **arguments):
    return {"role": "assistant", "parts": [{"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments}]}


AGENT = span("a", "", 100, 110, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="planner",
             input__value="find the cause")  # fmt: skip
FIRST = span("m1", "a", 101, 102, gen_ai__operation__name="chat", gen_ai__request__model="big",
             gen_ai__input__messages=json.dumps([chat("system", "be short"), chat("user", "find the cause")]),
             gen_ai__output__messages=json.dumps([asks("bash", "c1", command="ls")]),
             gen_ai__usage__input_tokens=12, gen_ai__usage__output_tokens=3)  # fmt: skip
TOOL = span("t1", "a", 103, 104, gen_ai__operation__name="execute_tool", gen_ai__tool__name="bash",
            gen_ai__tool__call__id="c1", gen_ai__tool__call__arguments='{"command": "ls"}',
            gen_ai__tool__call__result="a.py")  # fmt: skip
SECOND = span("m2", "a", 105, 106, gen_ai__operation__name="chat",
              gen_ai__input__messages=json.dumps([chat("system", "be short"), chat("user", "find the cause"),
                                                  chat("user", "and hurry")]),
              gen_ai__output__messages=json.dumps([chat("assistant", "it is a.py")]))  # fmt: skip


def test_spans_of_genai_are_a_task_queries_responses_calls_and_results(tmp_path):
    run = opened(document(tmp_path / "trace.json", otlp(SECOND, TOOL, FIRST, AGENT)), "otel")
    told = [event for event in run.events if event.kind != "note"]
    assert [event.kind for event in told] == ["task", "query", "response", "call", "result", "query", "response"]
    assert [(step.number, step.call is not None) for step in steps_of(run)] == [(1, True), (2, False)]
    assert run.task == "find the cause"
    assert (told[3].text, told[3].arguments, told[4].text) == ("ls", {"command": "ls"}, "a.py")
    assert told[2].usage and told[2].usage.input_tokens == 12
    assert told[4].took_s == 1.0


def test_a_query_tells_what_is_new_since_the_queries_before(tmp_path):
    run = opened(document(tmp_path / "trace.json", otlp(FIRST, SECOND)), "otel")
    assert [query.text for query in only(run, "query")] == [
        "system: be short\n\nuser: find the cause",
        "user: and hurry",
    ]


def test_a_line_an_export_is_one_run(tmp_path):
    run = opened(lines(tmp_path / "trace.jsonl", [otlp(FIRST), otlp(TOOL)]), "otel")
    assert [event.ref.lines for event in only(run, "call")] == [(2, 2)]
    assert run.steps == 1


def test_a_call_that_only_the_model_tells_of_has_its_result_from_the_next_query(tmp_path):
    answer = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "a.py"}]}
    later = span("m2", "", 105, 106, gen_ai__operation__name="chat", gen_ai__input__messages=json.dumps([answer]))
    run = opened(document(tmp_path / "trace.json", otlp(FIRST, later)), "otel")
    step = steps_of(run)[0]
    assert step.call and step.call.arguments == {"command": "ls"} and step.result and step.result.text == "a.py"


def test_flattened_messages_of_openinference_are_put_together(tmp_path):
    place = "llm__output_messages__0__message__tool_calls__0__tool_call__"
    flat = span("m", "", 1, 2, openinference__span__kind="LLM", llm__input_messages__0__message__role="user",
                llm__input_messages__0__message__content="go", llm__token_count__prompt=9,
                **{f"{place}function__name": "grep", f"{place}function__arguments": '{"pattern": "x"}'})  # fmt: skip
    run = opened(document(tmp_path / "trace.json", otlp(flat)), "otel")
    assert (only(run, "query")[0].text, only(run, "call")[0].arguments) == ("user: go", {"pattern": "x"})


def test_a_list_of_spans_with_plain_attributes_opens(tmp_path):
    spans = [
        {"name": "chat", "context": {"trace_id": "t", "span_id": "1"}, "parent_id": None,
         "start_time": "2026-01-01T00:00:00.000000Z", "end_time": "2026-01-01T00:00:02.500000Z",
         "status": {"status_code": "ERROR", "description": "overloaded"},
         "attributes": {"gen_ai.operation.name": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "hi",
                        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "hello"}}
    ]  # fmt: skip
    run = opened(document(tmp_path / "spans.json", spans), "otel")
    assert [event.text for event in run.events] == ["user: hi", "hello", "overloaded"]
    assert run.events[1].took_s == 2.5


def test_messages_that_are_events_of_the_span_are_read(tmp_path):
    chatting = span("m", "", 1, 2, gen_ai__operation__name="chat")
    chatting["events"] = [
        {"name": "gen_ai.user.message", "attributes": [attribute("content", "hi there")]},
        {"name": "gen_ai.choice", "attributes": [attribute("content", "hello you")]},
    ]
    run = opened(document(tmp_path / "trace.json", otlp(chatting)), "otel")
    assert (only(run, "query")[0].text, only(run, "response")[0].text) == (
        "user: hi there",
        "assistant: hello you"[11:],
    )


def test_an_agent_within_an_agent_is_its_sub_agent(tmp_path):
    inner = span("b", "a", 102, 105, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="searcher")
    call = span("t", "b", 103, 104, gen_ai__operation__name="execute_tool", gen_ai__tool__name="web")
    run = opened(document(tmp_path / "trace.json", otlp(AGENT, inner, call)), "otel")
    assert [(agent.name, agent.parent) for agent in run.agents] == [("main", ""), ("searcher", "main")]
    assert only(run, "call")[0].agent == "searcher"


def test_calls_of_an_agent_that_writes_code_belong_to_the_step_of_its_answer(tmp_path):
    model = span("m", "", 1, 2, openinference__span__kind="LLM", output__value="search(); visit()")
    tools = [span(f"t{at}", "", at, at, openinference__span__kind="TOOL", tool__name="web") for at in (3, 4)]
    run = opened(document(tmp_path / "trace.json", otlp(model, *tools)), "otel")
    assert (run.steps, [event.step for event in only(run, "call")]) == (1, [1, 1])


def test_a_tool_that_raised_is_an_error_with_its_trace(tmp_path):
    failed = span("t", "", 1, 2, openinference__span__kind="TOOL", tool__name="web")
    failed["status"] = {"code": 2}
    failed["events"] = [{"name": "exception", "attributes": [attribute("exception.message", "no route")]}]
    result = only(opened(document(tmp_path / "trace.json", otlp(failed)), "otel"), "result")[0]
    assert (result.status, result.text) == ("error", "no route")


def test_parents_in_a_circle_and_ids_that_are_not_unique_are_told(tmp_path):
    spans = [span("x", "y", 1, 2), span("y", "x", 1, 2), span("z", "", 1, 2), span("z", "", 3, 4)]
    run = opened(document(tmp_path / "trace.json", otlp(*spans)), "otel")
    assert {problem.text for problem in run.problems} == {
        "the parents of spans lead round in a circle",
        "the id of a span is not unique: 'z'",
    }
    assert {event.native_id for event in run.events} == {"x", "y", "z"}


def test_text_that_no_event_has_a_place_for_is_a_note(tmp_path):
    other = span("o", "", 1, 2, my__own__attribute="words that only stand in this odd attribute")
    run = opened(document(tmp_path / "trace.json", otlp(other)), "otel")
    assert any("only stand in this odd attribute" in event.text for event in only(run, "note"))


@pytest.mark.parametrize("value", [otlp(AGENT, FIRST, TOOL, SECOND), [AGENT, FIRST, TOOL, SECOND]])
def test_a_long_document_is_read_span_by_span_as_the_short_one(value, tmp_path, monkeypatch):
    path = document(tmp_path / "trace.json", value)
    short = opened(path, "otel")
    monkeypatch.setattr(portion, "LARGE_BYTES", 1)
    monkeypatch.setattr(span_files, "document", None)  # a failure, if it were read at once
    assert opened(path, "otel").events == short.events


def test_a_trace_that_is_cut_off_tells_what_is_there(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(otlp(FIRST, TOOL, SECOND))[:-700])
    run = opened_cut(path)
    assert "query" in kinds(run)
    assert any("cut off" in problem.text for problem in run.problems)


def opened_cut(path):
    from dap_ai.debuggees.runs.opening import open_run  # the references of a broken document cannot all be found

    return open_run(path)
