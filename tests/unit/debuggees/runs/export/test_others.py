"""CodeTracer's files, OTLP JSON and Markdown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from dap_ai.debuggees.runs.analysis.analysing import analyse
from dap_ai.debuggees.runs.analysis.facts import Analysis, Effect, Node, Pattern, Stage
from dap_ai.debuggees.runs.analysis.onsets import Finding, Onset
from dap_ai.debuggees.runs.export import codetracer, markdown, otel
from dap_ai.debuggees.runs.model import Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.unit.debuggees.runs.hand_made import HOSTILE, any_run, event, hostile, ordinary, with_sub_agents


def traced(run: Run, analysis: Analysis | None = None) -> dict[str, Any]:
    files = codetracer.exported(run, analysis or analyse(run))
    return {name: json.loads(data) if name.endswith(".json") else data.decode() for name, data in files.items()}


def test_codetracer_has_a_record_of_each_step_with_its_place():
    steps = traced(ordinary())["steps.json"]
    assert [step["step_id"] for step in steps] == [1, 2, 3, 4]
    assert steps[1]["action"] == "bash: pytest -q" and steps[1]["observation"] == "1 failed in 0.1s"
    assert steps[1]["action_ref"] == {"path": "run.jsonl", "line_start": 4, "line_end": 4, "content": "pytest -q"}
    assert (steps[0]["parallel_group"], steps[1]["parallel_group"], steps[0]["thinking"]) == (1, 1, "hm\nI look first.")
    assert steps[3]["tool_type"] == "message" and "parallel_group" not in steps[2]


def test_codetracers_tree_has_what_follows_a_change_below_it():
    analysis = Analysis(
        tree=[
            Node(1, 0, "explore", "", ""),
            Node(2, 0, "verify", "", ""),
            Node(3, 0, "change", "", ""),
            Node(4, 3, "message", "", ""),
        ]
    )
    assert traced(ordinary(), analysis)["tree.md"].splitlines() == [
        "root",
        "├── [1] bash: cat shop.py (explore)",
        "├── [2] bash: pytest -q (explore)",
        "└── [3] str_replace_editor: str_replace shop.py (change)",
        "    └── [4] Done: total() is right. (explore)",
    ]


def test_codetracers_tree_of_thousands_of_changes_is_written():
    count = 3000
    tree = [Node(number, number - 1, "change", "", "") for number in range(1, count + 1)]
    assert len(traced(Run("/r", "x"), Analysis(tree=tree))["tree.md"].splitlines()) == count + 1


def test_codetracers_stages_and_labels_are_those_that_were_found():
    analysis = Analysis(
        effects=[Effect(1, "explore", noop="no-op"), Effect(3, "change")],
        stages=[Stage("inspection", 1, 2), Stage("patching", 3, 3), Stage("submission", 4, 4)],
        patterns=[Pattern("edit-lost", [3], "the edit was lost"), Pattern("same-call-again", [1, 2], "again")],
    )
    found = traced(ordinary(), analysis)
    assert found["stage_ranges.json"][1] == {"stage": "patching", "start_step_id": 3, "end_step_id": 3}
    assert [
        (each["stage_id"], each["incorrect_step_ids"], each["unuseful_step_ids"])
        for each in found["codetracer_labels.json"]
    ] == [
        (1, [], [1, 2]),
        (2, [3], []),
    ]
    assert found["codetracer_labels.json"][1]["reasoning"] == "edit-lost: the edit was lost"


def test_what_a_tool_refused_brought_nothing_and_is_not_wrong():
    analysis = Analysis(
        effects=[Effect(2, "change", refused="No replacement was performed"), Effect(3, "change")],
        stages=[Stage("patching", 1, 4)],
        patterns=[Pattern("success-without-change", [2, 3], "nothing was changed")],
    )
    [label] = traced(ordinary(), analysis)["codetracer_labels.json"]
    assert (label["incorrect_step_ids"], label["unuseful_step_ids"]) == ([3], [2])


def test_codetracers_labels_have_the_onset_as_wrong_in_its_stage():
    onset = Onset(3, 3, 3, "mislocalized edit", 0.7, "the wrong file")
    stages = [Stage("inspection", 1, 2), Stage("patching", 3, 3), Stage("submission", 4, 4)]
    [label] = traced(ordinary(), Analysis(stages=stages, finding=Finding(onset)))["codetracer_labels.json"]
    assert (label["stage_id"], label["incorrect_step_ids"]) == (2, [3])
    assert label["reasoning"] == "onset, mislocalized edit: the wrong file"


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
