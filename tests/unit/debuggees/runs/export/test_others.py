"""OTLP JSON and Markdown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.export import markdown, otel
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.unit.debuggees.runs.hand_made import HOSTILE, any_run, event, hostile, ordinary, with_sub_agents


def spans(run: Run) -> list[dict[str, Any]]:
    return json.loads(otel.exported(run)["spans.json"])["resourceSpans"][0]["scopeSpans"][0]["spans"]


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def test_otel_has_a_span_for_the_agent_each_answer_and_each_call():
    found = spans(ordinary())
    assert [span["name"] for span in found] == [
        "invoke_agent main",
        *["chat gpt-x"] * 3,
        "execute_tool bash",
        "execute_tool bash",
        "execute_tool str_replace_editor",
    ]
    call = attributes(found[5])
    assert (call["gen_ai.tool.call.id"], call["gen_ai.tool.call.result"], call["dap_ai.step"]) == (
        "b",
        "1 failed in 0.1s",
        "2",
    )
    assert found[5]["status"] == {"code": 2}
    assert attributes(found[1])["gen_ai.usage.input_tokens"] == "100"


def test_otel_ids_are_of_the_form_that_is_wanted_and_the_same_each_time():
    found = spans(with_sub_agents())
    assert found == spans(with_sub_agents())
    assert all(
        re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"]) for span in found
    )
    assert len({span["spanId"] for span in found}) == len(found)
    ids = {span["spanId"] for span in found}
    assert all(span["parentSpanId"] in ids for span in found if "parentSpanId" in span)
    assert [span["name"] for span in found if "parentSpanId" not in span] == ["invoke_agent main"]


def test_otel_tells_calls_of_one_id_apart():
    events = [event(index, "call", "x", step=index + 1, tool="bash", call_id="same") for index in range(2)]
    calls = [attributes(span) for span in spans(Run("/r", "x", events=events)) if "tool" in span["name"]]
    assert [call["gen_ai.tool.call.id"] for call in calls] == ["same", "same_1"]


def test_otel_has_what_has_no_time_after_what_is_before_it():
    order = sorted(spans(ordinary())[1:], key=lambda span: int(span["startTimeUnixNano"]))
    assert [attributes(span).get("dap_ai.step") for span in order] == [None, "1", "2", None, "3", None]


def test_otel_says_whether_its_times_are_recorded():
    assert attributes(spans(ordinary())[0])["dap_ai.time"] == "recorded"
    assert spans(ordinary())[1]["startTimeUnixNano"] == str(1772359201 * 10**9)
    assert attributes(spans(with_sub_agents())[0])["dap_ai.time"] == "order only"


@given(any_run())
@settings(max_examples=40)
def test_otel_of_any_run_has_times_that_are_in_order_within_a_span(run: Run):
    assert all(0 <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) < 2**63 for span in spans(run))


def elements(text: str) -> set[str]:
    """Types of tokens that a reader of Markdown makes of a text."""
    found: set[str] = set()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        found |= {token.type, *(child.type for child in token.children or ())}
    return found


def test_markdown_has_every_step_and_finding():
    told = markdown.exported(ordinary(), analyse(ordinary()))["run.md"].decode()
    for wanted in ("# shop.jsonl", "**failed** reward 0", "pytest -q", "1 failed in 0.1s", "-return 1", "### 4."):
        assert wanted in told


@pytest.mark.parametrize("run", [hostile(), Run("/r", "x", events=[event(0, "note", "````\n~~~\n<b>")])])
def test_no_text_of_a_run_is_markup_in_markdown(run: Run):
    told = markdown.exported(run, analyse(run))["run.md"].decode()
    assert hidden_in(told) == []
    assert elements(told) & {"html_block", "html_inline", "image", "link_open", "code_block"} == set()


@given(any_run())
@settings(max_examples=40)
def test_no_text_of_any_run_is_markup_in_markdown(run: Run):
    told = markdown.exported(run, analyse(run))["run.md"].decode()
    assert elements(told) & {"html_block", "html_inline", "image", "link_open"} == set()


def test_a_fence_is_longer_than_any_in_its_text():
    assert markdown.fenced(f"{HOSTILE}\n``````").startswith("```````\n")
