"""Spans of a trace from any tool, reduced to the values that events need. Long traces then fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from dap_ai.debuggees.runs.readers import thin_events
from dap_ai.debuggees.runs.readers.content_blocks import readable
from dap_ai.debuggees.runs.readers.spans.chat_messages import ChatCall, ChatMessage, messages, parsed_json, shown
from dap_ai.debuggees.runs.run_model import Ref, TokenUsage

SpanKind = Literal["model", "tool", "agent", "other"]
_MIN_TOLD = 24
"""Minimum characters of a string that counts as text. Shorter strings are ids, flags or names."""
_UNTOLD_KEYS = frozenset(
    {
        "trace_id", "span_id", "parent_span_id", "traceId", "spanId", "parentSpanId", "trace_state", "id", "parent_id",
        "parent_run_id", "dotted_order", "start_time", "end_time", "timestamp", "startTime", "endTime", "started_at",
        "ended_at", "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "observed_timestamp",
    }
)  # fmt: skip


class RawSpan(msgspec.Struct):
    """One span as parsed by the reader of its format. Times are in seconds since 1970."""

    ref: Ref
    id: str
    parent: str = ""
    trace: str = ""
    name: str = ""
    kind: SpanKind = "other"
    start_s: float | None = None
    end_s: float | None = None
    input: Any = None
    output: Any = None
    model: str = ""
    agent: str = ""
    tool: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] | None = None
    usage: TokenUsage | None = None
    error: str = ""
    """Error message of the span; empty if there was no error."""
    is_ok: bool = False
    """Whether the span records success."""
    whole: Any = None
    """The whole span without its children. Used for text that no other field contains."""
    input_at: str = ""
    output_at: str = ""
    """JSON pointers of input and output within the span."""
    page: thin_events.Page | None = None
    """Page that finds the span's texts in the file again, or None if texts are kept in memory."""


class Span(msgspec.Struct):
    """One span, without the texts that earlier spans contain."""

    raw: RawSpan
    asked: str | thin_events.TextLocation = ""
    """Input of the span. Of a model's input, only the new messages."""
    results: Sequence[ChatMessage] = ()
    """Results of tool calls in a model's input."""
    text: str | thin_events.TextLocation = ""
    """Output of the span."""
    reasoning: str | thin_events.TextLocation = ""
    calls: Sequence[ChatCall] = ()
    rest: str = ""
    """Text of the span that neither the other fields nor earlier spans contain."""


class TraceTexts:
    """Remembers the texts of a trace, so that a prompt repeated in later queries is kept only once."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def is_new(self, text: str) -> bool:
        """Return whether this text occurs for the first time, and remember it. Blanks at its ends are ignored."""
        key = hash(text.strip())
        if key in self._hashes:
            return False
        self._hashes.add(key)
        return True

    def span(self, raw: RawSpan) -> Span:
        """Return the span without the texts of earlier spans, and drop its raw values."""
        asked = messages(raw.input)
        told = messages(raw.output)
        span = Span(raw)
        if raw.kind == "model":
            fresh = [said for said in asked if self._is_new_message(said)]
            span.asked = "\n\n".join(map(shown, fresh))
            span.results = [said for said in fresh if said.answers is not None]
            span.text = "\n".join(said.text for said in told if said.text)
            span.reasoning = "\n".join(said.reasoning for said in told if said.reasoning)
            span.calls = [call for said in told for call in said.calls]
            for said in told:
                self._is_new_message(said)
        else:
            span.asked, span.text = _plain(raw.input), _plain(raw.output)
            if raw.kind == "other":
                span.asked = span.asked if self.is_new(str(span.asked)) else ""
            if raw.kind != "tool":
                span.text = span.text if self.is_new(str(span.text)) else ""
            for said in (*asked, *told):
                self._is_new_message(said)
        self._remember(raw)
        span.rest = "\n".join(self._untold(raw.whole))
        if raw.page is not None:
            span.asked, span.text, span.reasoning = (
                raw.page.text(str(t)) for t in (span.asked, span.text, span.reasoning)
            )
        raw.input = raw.output = raw.whole = raw.page = None
        return span

    def _is_new_message(self, said: ChatMessage) -> bool:
        """Return whether the message is new.

        A message with a known combination of text, calls and answered call is not new.
        """
        for call in said.calls:
            self.is_new(readable(call.arguments))
        self.is_new(said.reasoning)
        key = f"{said.answers or ''}\0{said.text}\0{[(call.call_id, call.tool) for call in said.calls]}"
        self.is_new(said.text)
        return self.is_new(key)

    def _remember(self, raw: RawSpan) -> None:
        """Remember the texts in the span's own values, and the values that are strings (mostly JSON)."""
        for value in (raw.input, raw.output, raw.arguments, raw.error):
            for _, said in self._strings(value):
                self.is_new(said)
            if isinstance(value, str):
                self.is_new(value)

    def _untold(self, whole: Any) -> Iterator[str]:
        """Yields each text of a span that no earlier span contains, prefixed with its key."""
        for key, said in self._strings(whole):
            if len(said) >= _MIN_TOLD and key not in _UNTOLD_KEYS and self.is_new(said):
                yield f"{key}: {said}"

    def _strings(self, value: Any) -> Iterator[tuple[str, str]]:
        """Yields all strings in a value with their keys.

        A new string that contains JSON is replaced by the strings inside.
        """
        stack: list[tuple[str, Any]] = [("", value)]
        while stack:
            key, top = stack.pop()
            if isinstance(top, str):
                parsed = None if hash(top.strip()) in self._hashes else parsed_json(top)
                if parsed is None:
                    yield key, top
                else:
                    stack.append((key, parsed))
            elif isinstance(top, dict):
                found = cast("dict[str, Any]", top)
                stack.extend((name, found[name]) for name in reversed(found))
            elif isinstance(top, (list, tuple)):
                stack.extend((key, inner) for inner in reversed(cast("Sequence[Any]", top)))


def _plain(value: Any) -> str:
    """Return an input or output as text."""
    said = messages(value)
    if not said:
        return ""
    return readable(value) if not any(one.role for one in said) else "\n\n".join(map(shown, said))
