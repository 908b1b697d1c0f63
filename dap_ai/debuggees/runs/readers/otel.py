"""Reader of OpenTelemetry traces: OTLP JSON (whole, or one export per line), lists of spans, and nested spans.

Attributes follow the GenAI conventions, OpenInference, OpenLLMetry and a few others. Large files are read one span at a
time. Of each span, only text that no earlier span contains is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.content_blocks import readable, text_of
from dap_ai.debuggees.runs.readers.json_shapes import arguments as arguments_of
from dap_ai.debuggees.runs.readers.json_shapes import array, table
from dap_ai.debuggees.runs.readers.spans.span import RawSpan
from dap_ai.debuggees.runs.readers.spans.span_attributes import Meaning, plain
from dap_ai.debuggees.runs.readers.spans.span_files import SpanLocation, all_spans, spans_of
from dap_ai.debuggees.runs.readers.spans.span_runs import run_from_spans
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import duration_s, epoch_s
from dap_ai.debuggees.runs.run_model import Ref, Run

_ERROR_CODES = (2, "2", "STATUS_CODE_ERROR", "ERROR", "Error")
_OK_CODES = (1, "1", "STATUS_CODE_OK", "OK", "Ok")
_ATTRIBUTES = ("span_attributes", "attributes")
_CHILDREN = frozenset({"child_spans", "children"})
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp")
_ENDS = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
_MAX_DIGITS = 20
_LOOKED_AT = 4


def _sniff(path: Path) -> tuple[float, str]:
    seen = glance(path)
    timeline = Timeline()
    values = list(seen.rows[:_LOOKED_AT]) if seen.kind == "lines" else [seen.value]
    found = next((span for value in values for span in spans_of(value, Ref(), timeline)), None)
    if found is None:
        return 0.0, "no spans of OpenTelemetry"
    return 0.9, f"spans of OpenTelemetry at {found.ref.pointer or 'each line'}"


def _read(path: Path) -> Run:
    return run_from_spans(path, "otel", lambda path, timeline: map(_raw, all_spans(path, timeline)))


def _raw(found: SpanLocation) -> RawSpan:
    """Convert a span in any notation to a `RawSpan`."""
    span = found.span
    key = next((key for key in _ATTRIBUTES if key in span), "attributes")
    events = list(_events(span))
    meaning = Meaning(_with_events(plain(span.get(key, span)), events))
    kind = meaning.kind
    start, end = _times(span)
    error, is_ok = _status(span, events)
    given, taken = meaning.input(kind), meaning.output(kind)
    logged = _logged(span, "function.arguments"), _logged(span, "function.output")
    return RawSpan(
        ref=found.ref,
        id=_id(span, "span_id", "spanId"),
        parent=_id(span, "parent_span_id", "parentSpanId", "parent_id") or found.parent,
        trace=text_of(span.get("trace_id", span.get("traceId", table(span.get("context")).get("trace_id")))),
        name=text_of(span.get("span_name")) or text_of(span.get("name")),
        kind=kind,
        start_s=start,
        end_s=end,
        input=given if given is not None else logged[0],
        output=taken if taken is not None else logged[1],
        model=meaning.model,
        agent=meaning.name_of("gen_ai.agent.name", "agent.name", "traceloop.entity.name"),
        tool=meaning.name_of("tool.name", "gen_ai.tool.name", "ai.toolCall.name", "traceloop.entity.name"),
        call_id=meaning.name_of("gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"),
        arguments=_arguments(given) if kind == "tool" else None,
        usage=meaning.usage if kind == "model" else None,
        error=error,
        is_ok=is_ok,
        page=found.page,
        whole=[{name: value for name, value in span.items() if name not in _CHILDREN}, found.around],
        input_at=_place(span, key, events, logged=given is None and logged[0] is not None),
        output_at=_place(span, key, events, logged=taken is None and logged[1] is not None),
    )


def _place(span: Mapping[str, Any], key: str, events: Sequence[Any], *, logged: bool) -> str:
    """Return the JSON pointer of an input or output within its span; empty if several places may contain it."""
    place = "logs" if logged else key
    return f"/{place}" if place in span and (logged or not events) else ""


def _id(span: Mapping[str, Any], *keys: str) -> str:
    """Return an id stored in the span itself or in the span's context; empty if there is no id."""
    context = table(span.get("context"))
    places = [span.get(key) for key in keys] + [context.get(key) for key in keys]
    places += [span.get(f"context.{key}") for key in keys]
    return next((place for place in places if isinstance(place, str) and place), "")


def _times(span: Mapping[str, Any]) -> tuple[float | None, float | None]:
    start, end = (_time(span, names) for names in (_STARTS, _ENDS))
    took = duration_s(span.get("duration"))
    return start, end if end is not None or start is None or took is None else start + took


def _time(span: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """Return the time under the first of `names` in seconds since 1970, or None. OTLP records nanoseconds."""
    for name in names:
        value = span.get(name)
        if name.lower().endswith("nano") and isinstance(value, (str, int)):
            value = int(value) / 1e9 if str(value).isdecimal() and len(str(value)) <= _MAX_DIGITS else None
        if (found := epoch_s(value)) is not None:
            return found
    return None


def _status(span: Mapping[str, Any], events: list[tuple[str, Mapping[str, Any]]]) -> tuple[str, bool]:
    """Return the span's error text, and whether the span records success.

    The error text is empty if there was no error.
    """
    status = table(span.get("status"))
    code = status.get("code", status.get("status_code", span.get("status_code")))
    told = (status.get("message"), status.get("description"), span.get("status_message"))
    words = next((text for text in told if isinstance(text, str) and text), "")
    for _, attributes in events:
        if text := text_of(attributes.get("exception.message")):
            trace = text_of(attributes.get("exception.stacktrace"))
            return "\n".join(filter(None, (words if words != text else "", text, trace))), False
    if code in _ERROR_CODES:
        return words or "the span says that it has failed, and not why", False
    return "", code in _OK_CODES


def _events(span: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the name and attributes of each event of a span."""
    for event in map(table, array(span.get("events"))):
        yield text_of(event.get("name")), plain(event.get("attributes"))


def _with_events(flat: dict[str, Any], events: list[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the attributes, extended by the messages that older instrumentations record as span events."""
    asked: list[Any] = []
    told: list[Any] = []
    for name, attributes in events:
        if name == "gen_ai.choice":
            told.append({"role": "assistant", **table(attributes.get("message")), **attributes})
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            asked.append({"role": name.split(".")[1], **attributes})
        elif name.startswith("gen_ai."):
            flat = {**attributes, **flat}
    if asked:
        flat.setdefault("gen_ai.input.messages", asked)
    if told:
        flat.setdefault("gen_ai.output.messages", told)
    return flat


def _arguments(given: Any) -> Mapping[str, Any] | None:
    found, _ = arguments_of(given)
    return found


def _logged(span: Mapping[str, Any], key: str) -> Any:
    """Return an input or output of a traced function from the span's logs, or None if the logs lack it."""
    values = (table(table(log).get("body")).get(key) for log in array(span.get("logs")))
    found = next((value for value in values if value not in (None, "<null>", {})), None)
    return readable(found) if found is not None else None


reader = Reader("otel", "a trace of OpenTelemetry (OTLP JSON, or spans as a list or nested)", _sniff, _read)
