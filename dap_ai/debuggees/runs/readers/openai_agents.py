"""Reader of traces from the OpenAI Agents SDK's trace processors: objects `trace` and `trace.span`, often one per line.

Agents that hand over to each other are siblings in a trace. The first of them is the main agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import readable, text_of
from dap_ai.debuggees.runs.readers.json_shapes import arguments, at, table, usage
from dap_ai.debuggees.runs.readers.spans.span import RawSpan, SpanKind
from dap_ai.debuggees.runs.readers.spans.span_runs import first_records, records, run_from_spans
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run

NAME = "openai-agents"
_KINDS: Mapping[str, SpanKind] = {"agent": "agent", "generation": "model", "response": "model", "function": "tool"}
_BATCHES = ("data", "spans")
"""Keys of the list of objects in a batch. Requests to the API use `data`, some exports use `spans`."""


def _sniff(path: Path) -> tuple[float, str]:
    for record in first_records(glance(path)):
        if record.get("object") == "trace.span" and "span_data" in record:
            return 0.95, "objects trace.span with span_data"
        if any(at(record, key, 0, "object") in ("trace", "trace.span") for key in _BATCHES):
            return 0.95, "a batch of trace and trace.span"
    return 0.0, "no spans of the OpenAI Agents SDK"


def _read(path: Path) -> Run:
    return run_from_spans(path, NAME, _raws)


def _raws(path: Path, timeline: Timeline) -> Iterator[RawSpan]:
    key = next((key for key in _BATCHES if isinstance(glance(path).table.get(key), list)), "data")
    for ref, record, _ in records(path, timeline, key):
        if record.get("object") == "trace.span":
            yield _raw(ref, record)
        elif record:
            name = text_of(record.get("workflow_name")) or "trace"
            yield RawSpan(ref, text_of(record.get("id")), name=name, whole=record)


def _raw(ref: Ref, span: Mapping[str, Any]) -> RawSpan:
    data = table(span.get("span_data"))
    kind = _KINDS.get(text_of(data.get("type")), "other")
    response = table(data.get("response"))
    found, _ = arguments(data.get("input"))
    return RawSpan(
        ref=ref,
        id=text_of(span.get("id")),
        parent=text_of(span.get("parent_id")) or text_of(span.get("trace_id")),
        trace=text_of(span.get("trace_id")),
        name=text_of(data.get("name")) or text_of(data.get("type")),
        kind=kind,
        start_s=epoch_s(span.get("started_at")),
        end_s=epoch_s(span.get("ended_at")),
        input=data.get("input"),
        output=data.get("output", response.get("output")),
        model=text_of(data.get("model")) or text_of(response.get("model")),
        agent=text_of(data.get("name")),
        tool=text_of(data.get("name")),
        arguments=found if kind == "tool" else None,
        usage=usage(data.get("usage")) or usage(response.get("usage")),
        error=_error(span.get("error")),
        is_ok=span.get("error") is None and span.get("ended_at") is not None,
        whole=span,
        input_at="/span_data" if data else "",
        output_at="/span_data" if data else "",
    )


def _error(error: Any) -> str:
    """Return the text of an error object `{"message": ..., "data": {...}}`."""
    told_of = table(error)
    if not told_of:
        return readable(error)
    return "\n".join(filter(None, (text_of(told_of.get("message")), readable(told_of.get("data")))))


reader = Reader(NAME, "a trace of the OpenAI Agents SDK (trace.span)", _sniff, _read)
