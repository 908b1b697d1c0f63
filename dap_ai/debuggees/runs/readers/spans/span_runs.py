"""Builds a run from the spans of a trace, for any tracing tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.readers.base import Glance, glance
from dap_ai.debuggees.runs.readers.json_lines import objects
from dap_ai.debuggees.runs.readers.json_shapes import array, table, total
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.spans.span import RawSpan, TraceTexts
from dap_ai.debuggees.runs.readers.spans.span_events import SpanEvents
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_model import Ref, Run


def run_from_spans(path: Path, name: str, raws: Callable[[Path, Timeline], Iterable[RawSpan]]) -> Run:
    """Return the run that the spans in a file record.

    `raws` yields the spans and reports problems to the timeline.
    """
    timeline = Timeline()
    spans = list(map(TraceTexts().span, raws(path, timeline)))
    traces = {span.raw.trace for span in spans if span.raw.trace}
    if len(traces) > 1:
        timeline.problem(Ref(), f"{len(traces)} traces in one file: they are shown as one run, in the order of time")
    telling = SpanEvents(timeline, spans)
    telling.tell()
    cost = total(span.raw.usage.cost_usd for span in spans if span.raw.usage and span.raw.kind == "model")
    return finished(path, name, timeline, by_time=True, task=telling.task, cost_usd=cost)


def records(path: Path, timeline: Timeline, nested: str = "") -> Iterator[tuple[Ref, Mapping[str, Any], str]]:
    """Yields (ref, object, parent's id) for each object in a file of JSON lines, a list, or a single object.

    Objects in the list under the key `nested` follow their parent. Deep nesting does not hit the recursion limit.
    Raises CannotRead.
    """
    waiting = list(_top(path, timeline))
    waiting.reverse()
    while waiting:
        ref, record, parent = waiting.pop()
        yield ref, {key: value for key, value in record.items() if key != nested or not nested}, parent
        below = list(enumerate(map(table, array(record.get(nested)))))
        own = record.get("id")
        for place, inner in reversed(below):
            place_of = Ref(ref.path, ref.lines, f"{ref.pointer}/{nested}/{place}")
            waiting.append((place_of, inner, own if isinstance(own, str) else ""))


def _top(path: Path, timeline: Timeline) -> Iterator[tuple[Ref, Mapping[str, Any], str]]:
    if glance(path).kind == "lines":
        yield from ((ref, record, "") for ref, record in objects(path, timeline))
        return
    value, problems = document(path)
    timeline.problems.extend(problems)
    if table(value):
        yield Ref(), table(value), ""
    for at, one in enumerate(array(value)):
        if table(one):
            yield Ref(pointer=f"/{at}"), table(one), ""
        else:
            timeline.problem(Ref(pointer=f"/{at}"), "is no object", "no object")


def first_records(seen: Glance) -> list[Mapping[str, Any]]:
    """Return the first objects that a glance at a file shows, at most 20."""
    values = seen.rows or array(seen.value) or [seen.value]
    return [table(value) for value in values[:20]]
