"""Finds the spans of OpenTelemetry in a file, with their refs. Large files are not loaded as a whole."""

from __future__ import annotations

import mmap
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dap_ai.debuggees.runs.json_documents import decoded, document
from dap_ai.debuggees.runs.json_spans import escaped, salvaged
from dap_ai.debuggees.runs.readers import portion, thin_events
from dap_ai.debuggees.runs.readers.base import glance
from dap_ai.debuggees.runs.readers.json_lines import located
from dap_ai.debuggees.runs.readers.json_shapes import array, table
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_files import beginning, opened
from dap_ai.debuggees.runs.run_model import Ref

_LEVELS = (
    "resourceSpans", "resource_spans", "batches", "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "spans",
    "data",
)  # fmt: skip
_NESTED = ("child_spans", "children")
_AROUND = ("resource", "scope", "instrumentationLibrary")


class SpanLocation(NamedTuple):
    """One span and its ref.

    `around` is the span's resource and scope. It is set only for the first span of a scope.
    """

    ref: Ref
    span: Mapping[str, Any]
    parent: str = ""
    around: Any = None
    page: thin_events.Page | None = None
    """Page that finds the span's texts in the file again, or None if texts are kept in memory."""


class _Scope(msgspec.Struct):
    spans: list[msgspec.Raw] = []
    scope: msgspec.Raw = msgspec.Raw(b"null")


class _Resource(msgspec.Struct):
    scopeSpans: list[_Scope] = []  # noqa: N815  OTLP's own name
    resource: msgspec.Raw = msgspec.Raw(b"null")


class _Export(msgspec.Struct):
    resourceSpans: list[_Resource]  # noqa: N815  the same


_LONG: msgspec.json.Decoder[_Export | list[msgspec.Raw]] = msgspec.json.Decoder(_Export | list[msgspec.Raw])


def all_spans(path: Path, timeline: Timeline) -> Iterator[SpanLocation]:
    """Yields every OpenTelemetry span in a file. Raises CannotRead."""
    if glance(path).kind == "lines":
        for ref, value, page in located(path, timeline):
            yield from (found._replace(page=page) for found in spans_of(value, ref, timeline))
    elif path.stat().st_size >= portion.LARGE_BYTES and (yield from _beginning(path, timeline)):
        return
    elif path.stat().st_size < portion.LARGE_BYTES or not (yield from _one_by_one(path, timeline)):
        value, problems = document(path)
        timeline.problems.extend(problems)
        yield from spans_of(value, Ref(), timeline)


def _beginning(path: Path, timeline: Timeline) -> Generator[SpanLocation, None, bool]:
    """Yields the spans at the beginning of a document, if only a portion of the document is to be read.

    The generator's return value is False if the document must be read in full.
    """
    wanted = portion.current_portion()
    if wanted is None or wanted.most_bytes is None or wanted.most_bytes >= path.stat().st_size:
        return False
    closed = salvaged(beginning(path, wanted.most_bytes))
    if closed is None:
        return False
    wanted.is_cut = True
    yield from list(spans_of(decoded(closed[0])[0], Ref(), timeline))[:-1]  # the last span may be incomplete
    return True


def _one_by_one(path: Path, timeline: Timeline) -> Generator[SpanLocation, None, bool]:
    """Yields the spans of a long OTLP document or list one at a time. Returns False for any other document.

    The file is memory-mapped and each span decoded separately, because a parsed document takes six times its size in
    memory. Only the spans that the caller keeps stay in memory.
    """
    with opened(path) as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        export = _LONG.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    pages = _Pages(path, data)
    if not isinstance(export, _Export):
        for number, raw in enumerate(export):
            value, page = pages.next(bytes(raw))
            found = spans_of(value, Ref(pointer=f"/{number}"), timeline)
            yield from (one._replace(page=page) for one in found)
        return True
    for outer, resource in enumerate(export.resourceSpans):
        for inner, scope in enumerate(resource.scopeSpans):
            place = f"/resourceSpans/{outer}/scopeSpans/{inner}/spans"
            around: Any = [decoded(bytes(resource.resource))[0], decoded(bytes(scope.scope))[0]]
            for number, raw in enumerate(scope.spans):
                value, page = pages.next(bytes(raw))
                yield SpanLocation(Ref(pointer=f"{place}/{number}"), table(value), around=around, page=page)
                around = None
    return True


class _Pages:
    """Finds the byte offsets of JSON values in a file, in file order."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._source = thin_events.ThinSource(path) if portion.current_portion() else None
        self._data = data
        self._end = 0

    def next(self, raw: bytes) -> tuple[Any, thin_events.Page | None]:
        """Return the value of these bytes, and its page. The page is None if texts are kept in memory."""
        value, _ = decoded(raw)
        start = self._data.find(raw, self._end) if self._source else -1
        if self._source is None or start < 0:
            return value, None
        self._end = start + len(raw)
        return value, thin_events.Page(self._source, start, len(raw), value)


def spans_of(value: Any, ref: Ref, timeline: Timeline) -> Iterator[SpanLocation]:
    """Yields the spans in a value, in order.

    Uses a loop instead of recursion, so that deep values do not hit the recursion limit.
    """
    waiting: list[tuple[Any, str, str, Any]] = [(value, ref.pointer, "", None)]
    while waiting:
        top, pointer, parent, around = waiting.pop()
        if isinstance(top, list):
            waiting += _elements(array(top), pointer, parent, around)
            continue
        found = table(top)
        if is_span(found):
            yield SpanLocation(Ref(ref.path, ref.lines, pointer), found, parent, around)
            own = next((found[key] for key in ("span_id", "spanId") if key in found), "")
            keys, inner_around = _NESTED, None
            parent = own if isinstance(own, str) else ""
        else:
            keys = _LEVELS
            inner_around = [around, *(found[key] for key in _AROUND if key in found)]
        for key in reversed(keys):
            if isinstance(found.get(key), list):
                waiting.append((found[key], f"{pointer}/{escaped(key)}", parent, inner_around))
        if not is_span(found) and not any(key in found for key in keys):
            timeline.problem(Ref(ref.path, ref.lines, pointer), "is no span", "no span")


def _elements(top: Sequence[Any], pointer: str, parent: str, around: Any) -> Iterator[tuple[Any, str, str, Any]]:
    """Yields the elements of a list in reverse order."""
    for place in range(len(top) - 1, -1, -1):
        yield top[place], f"{pointer}/{place}", parent, around if place == 0 else None


def is_span(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a span of OpenTelemetry. A span has an id, and a name or a time."""
    has_id = any(key in value for key in ("span_id", "spanId", "context.span_id"))
    has_id = has_id or "span_id" in table(value.get("context"))
    return has_id and any(key in value for key in ("name", "span_name", "startTimeUnixNano", "start_time", "timestamp"))
