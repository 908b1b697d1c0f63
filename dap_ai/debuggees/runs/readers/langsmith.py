"""Reader of LangSmith runs from LangSmith's API or exports: a list, one run per line, or nested by `child_runs`.

The fields are those of LangSmith's run data format (docs.langchain.com/langsmith/run-data-format).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import number, readable, text_of, tokens
from dap_ai.debuggees.runs.readers.json_shapes import arguments, array, at, table
from dap_ai.debuggees.runs.readers.spans.span import RawSpan, SpanKind
from dap_ai.debuggees.runs.readers.spans.span_runs import first_records, records, run_from_spans
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run, TokenUsage

NAME = "langsmith"
_BATCH = "runs"
_KINDS: Mapping[str, SpanKind] = {"llm": "model", "tool": "tool"}


def _sniff(path: Path) -> tuple[float, str]:
    found = first_records(glance(path))
    found += [table(run) for record in found for run in array(record.get(_BATCH))]
    if any("run_type" in run and ("inputs" in run or "dotted_order" in run) for run in found):
        return 0.95, "runs with run_type and inputs"
    return 0.0, "no runs of LangSmith"


def _read(path: Path) -> Run:
    return run_from_spans(path, NAME, _raws)


def _raws(path: Path, timeline: Timeline) -> Iterator[RawSpan]:
    """Yields the spans of a file.

    In an API response or webhook, the fields beside the list of runs become a span without a type.
    """
    if isinstance(glance(path).table.get(_BATCH), list):
        yield from (_raw(ref, record, "") for ref, record, _ in records(path, timeline, _BATCH) if record)
    else:
        yield from (_raw(ref, run, parent) for ref, run, parent in records(path, timeline, "child_runs"))


def _raw(ref: Ref, run: Mapping[str, Any], parent: str) -> RawSpan:
    kind = _KINDS.get(text_of(run.get("run_type")), "other")
    name = text_of(run.get("name"))
    parent = text_of(run.get("parent_run_id")) or parent or _ordered_under(run)
    if kind == "other" and "run_type" in run and (not parent or name in ("AgentExecutor", "LangGraph")):
        kind = "agent"
    metadata = table(at(run, "extra", "metadata"))
    return RawSpan(
        ref=ref,
        id=text_of(run.get("id")),
        parent=parent,
        trace=text_of(run.get("trace_id")),
        name=name,
        kind=kind,
        start_s=epoch_s(run.get("start_time")),
        end_s=epoch_s(run.get("end_time")),
        input=_given(run.get("inputs"), kind),
        output=run.get("outputs"),
        model=text_of(metadata.get("ls_model_name")) or text_of(at(run, "extra", "invocation_params", "model")),
        agent=text_of(metadata.get("lc_agent_name")) or name,
        tool=name,
        call_id=text_of(metadata.get("tool_call_id")) or text_of(at(run, "outputs", "output", "tool_call_id")),
        arguments=_arguments(run.get("inputs")) if kind == "tool" else None,
        usage=_usage(run),
        error=readable(run.get("error") or ""),
        is_ok=run.get("status") == "success",
        whole=run,
        input_at="/inputs" if "inputs" in run else "",
        output_at="/outputs" if "outputs" in run else "",
    )


def _ordered_under(run: Mapping[str, Any]) -> str:
    """Return the parent's id in the dotted order `TIMEZparent-id.TIMEZown-id`; empty if there is no parent."""
    parts = text_of(run.get("dotted_order")).split(".")
    return parts[-2].partition("Z")[2] if len(parts) > 1 else ""


def _given(inputs: Any, kind: SpanKind) -> Any:
    """Return the input of a run. For a tool or chain whose input is a single text, returns the text."""
    only = table(inputs).get("input")
    return only if kind != "model" and isinstance(only, str) and len(table(inputs)) == 1 else inputs


def _arguments(inputs: Any) -> Mapping[str, Any] | None:
    """Return a tool's arguments, recorded as an object or as JSON text. None if they cannot be parsed."""
    only = table(inputs).get("input")
    found, _ = arguments(only if only is not None and len(table(inputs)) == 1 else inputs)
    return found


def _usage(run: Mapping[str, Any]) -> TokenUsage | None:
    cost = run.get("total_cost")
    dollars = float(cost) if isinstance(cost, str) and cost.replace(".", "", 1).isdecimal() else number(cost)
    told_of = table(at(run, "outputs", "usage_metadata"))
    inputs = run.get("prompt_tokens", told_of.get("input_tokens"))
    outputs = run.get("completion_tokens", told_of.get("output_tokens"))
    return tokens(inputs, at(run, "prompt_token_details", "cache_read"), outputs, dollars)


reader = Reader(NAME, "runs of LangSmith (run_type, inputs, outputs)", _sniff, _read)
