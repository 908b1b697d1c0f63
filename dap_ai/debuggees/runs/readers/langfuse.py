"""Reader of Langfuse traces: a trace with its `observations`, a list of observations, or one observation per line.

The fields are those of Langfuse's public API (`GET /api/public/traces/ID`, `.../observations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import number, text_of, tokens
from dap_ai.debuggees.runs.readers.json_shapes import arguments, array, at, table
from dap_ai.debuggees.runs.readers.spans.span import RawSpan, SpanKind
from dap_ai.debuggees.runs.readers.spans.span_runs import first_records, records, run_from_spans
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run, TokenUsage

NAME = "langfuse"
_KINDS: Mapping[str, SpanKind] = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}
_TYPES = frozenset({"SPAN", "EVENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL", *_KINDS})


def _is_observation(value: Mapping[str, Any]) -> bool:
    return text_of(value.get("type")).upper() in _TYPES and "startTime" in value


def _sniff(path: Path) -> tuple[float, str]:
    for record in first_records(glance(path)):
        observed = [record, *map(table, array(record.get("observations"))), *map(table, array(record.get("data")))]
        if any(map(_is_observation, observed)):
            return 0.95, "observations with type and startTime"
    return 0.0, "no observations of Langfuse"


def _read(path: Path) -> Run:
    return run_from_spans(path, NAME, _raws)


def _raws(path: Path, timeline: Timeline) -> Iterator[RawSpan]:
    for ref, record, _ in records(path, timeline):
        observations = [key for key in ("observations", "data") if isinstance(record.get(key), list)]
        if not observations:
            yield _raw(ref, record)
            continue
        rest = {key: value for key, value in record.items() if key not in observations}
        trace_id = text_of(rest.get("id"))
        if trace_id:
            yield _trace(ref, rest, trace_id)
        for key in observations:
            for place, one in enumerate(map(table, array(record[key]))):
                raw = _raw(Ref(ref.path, ref.lines, f"{ref.pointer}/{key}/{place}"), one)
                raw.parent = raw.parent or trace_id
                yield raw


def _trace(ref: Ref, trace: Mapping[str, Any], trace_id: str) -> RawSpan:
    """Return the trace itself as the span of an agent, which is the parent of the trace's observations."""
    return RawSpan(
        ref=ref, id=trace_id, name=text_of(trace.get("name")), kind="agent", start_s=epoch_s(trace.get("timestamp")),
        input=trace.get("input"), output=trace.get("output"), agent=text_of(trace.get("name")), whole=trace,
        input_at="/input" if "input" in trace else "", output_at="/output" if "output" in trace else "",
    )  # fmt: skip


def _raw(ref: Ref, one: Mapping[str, Any]) -> RawSpan:
    kind = _KINDS.get(text_of(one.get("type")).upper(), "other")
    level = text_of(one.get("level"))
    name = text_of(one.get("name"))
    found, _ = arguments(one.get("input"))
    return RawSpan(
        ref=ref,
        id=text_of(one.get("id")),
        parent=text_of(one.get("parentObservationId")),
        trace=text_of(one.get("traceId")),
        name=name,
        kind=kind,
        start_s=epoch_s(one.get("startTime")),
        end_s=epoch_s(one.get("endTime")),
        input=one.get("input"),
        output=one.get("output"),
        model=text_of(one.get("model")) or text_of(one.get("providedModelName")),
        agent=name,
        tool=name,
        call_id=text_of(at(one, "metadata", "tool_call_id")),
        arguments=found if kind == "tool" else None,
        usage=_usage(one),
        error=(text_of(one.get("statusMessage")) or "its level is ERROR") if level == "ERROR" else "",
        is_ok=level == "DEFAULT" and one.get("endTime") is not None,
        whole=one,
        input_at="/input" if "input" in one else "",
        output_at="/output" if "output" in one else "",
    )


def _usage(one: Mapping[str, Any]) -> TokenUsage | None:
    details, older = table(one.get("usageDetails")), table(one.get("usage"))
    costs = (at(one, "costDetails", "total"), one.get("totalCost"), one.get("calculatedTotalCost"), older.get("cost"))
    cost = next((known for known in map(number, costs) if known is not None), None)
    cached = next((details[key] for key in ("input_cached_tokens", "cache_read_input_tokens") if key in details), None)
    inputs = details.get("input", older.get("input", older.get("promptTokens")))
    outputs = details.get("output", older.get("output", older.get("completionTokens")))
    return tokens(inputs, cached, outputs, cost)


reader = Reader(NAME, "a trace of Langfuse with its observations", _sniff, _read)
