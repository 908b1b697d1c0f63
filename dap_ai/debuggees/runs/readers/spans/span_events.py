"""Converts the spans of a trace to events.

A model's span becomes a query and its response, a tool's span a call and its result, an agent's span an agent. Each
call is a step, and so is each response without a call. There is one exception: if an agent writes code and its answers
request no tool, its calls belong to the answer's step.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from dap_ai.debuggees.runs.readers.content_blocks import readable, within
from dap_ai.debuggees.runs.readers.json_shapes import arguments as arguments_of
from dap_ai.debuggees.runs.readers.json_shapes import command, table
from dap_ai.debuggees.runs.readers.spans.chat_messages import parsed_json
from dap_ai.debuggees.runs.readers.spans.span import Span
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.run_model import Event, Ref, Status

_TASK_KEYS = ("task", "question", "query", "input", "prompt", "instruction")


class SpanEvents:
    """Adds the events of a trace's spans to a timeline."""

    def __init__(self, timeline: Timeline, spans: Sequence[Span]) -> None:
        self.task = ""
        self._timeline = timeline
        self._children, self._roots = _tree(timeline, spans)
        tools = [span.raw for span in spans if span.raw.kind == "tool"]
        self._run_ids = {raw.call_id for raw in tools if raw.call_id}
        self._run_names = Counter(raw.tool for raw in tools if not raw.call_id)
        self._agents: dict[int, str] = {}
        self._has_main = False
        self._sharing: dict[str, tuple[int, bool]] = {}
        self._open: dict[int, Event] = {}

    def tell(self) -> None:
        """Add the events of all spans.

        Uses a loop instead of recursion, so that deep traces do not hit the recursion limit.
        """
        waiting: list[tuple[Span, str, bool]] = [(span, MAIN, False) for span in reversed(self._roots)]
        while waiting:
            span, agent, is_end = waiting.pop()
            if is_end:
                self._ends(span, self._agents[id(span)])
                continue
            self._agents[id(span)] = speaker = self._starts(span, agent)
            below = [(child, speaker, False) for child in reversed(self._children.get(id(span), []))]
            # A tool span below a model span is called by the model's answer, so the answer comes first.
            waiting += [*below, (span, speaker, True)] if span.raw.kind == "model" else [(span, speaker, True), *below]

    def _starts(self, span: Span, agent: str) -> str:
        """Add the events of a span's start. Returns the agent that acts within the span."""
        raw = span.raw
        if raw.kind == "agent":
            return self._starts_agent(span, agent)
        if raw.kind == "model":
            self._timeline.agent(agent, model=raw.model)
            self._timeline.new_cycle(agent)
            for said in span.results:
                if self._timeline.is_open(said.answers or ""):
                    self._timeline.result(
                        self._input(span), said.text, call_id=said.answers or "", agent=agent, at=raw.start_s
                    )
            self._timeline.add(
                "query", self._input(span), agent=agent, at=raw.start_s, text=span.asked, native_id=raw.id
            )
        elif raw.kind == "tool":
            self._calls(span, agent)
        else:
            self._notes(span, agent)
        return agent

    def _starts_agent(self, span: Span, agent: str) -> str:
        name = MAIN
        if self._has_main:
            name = self._timeline.new_agent(span.raw.agent or span.raw.name, agent)
        self._has_main = True
        self._timeline.agent(name, model=span.raw.model)
        kind = "task" if span.asked else "note"
        text = span.asked or span.raw.name
        self._timeline.add(kind, self._input(span), agent=name, at=span.raw.start_s, text=text, native_id=span.raw.id)
        self.task = self.task or _task(str(span.asked))
        return name

    def _notes(self, span: Span, agent: str) -> None:
        raw = span.raw
        text = "\n".join(filter(None, (raw.name, str(span.asked))))
        self._timeline.add("note", raw.ref, agent=agent, at=raw.start_s, text=text, native_id=raw.id)

    def _calls(self, span: Span, agent: str) -> None:
        raw = span.raw
        step, goes_on = self._sharing.pop(agent, (0, False))
        if goes_on:
            self._sharing[agent] = (step, True)
        self._open[id(span)] = self._timeline.call(
            self._input(span), raw.tool or raw.name, _arguments(raw.arguments, str(span.asked)),
            call_id=raw.call_id or f"span {raw.id}", step=step, agent=agent, at=raw.start_s,
            text=command(raw.arguments), native_id=raw.id,
        )  # fmt: skip

    def _ends(self, span: Span, agent: str) -> None:
        raw = span.raw
        if raw.kind == "model":
            self._responds(span, agent)
        elif raw.kind == "tool":
            status: Status = "error" if raw.error else "ok" if raw.is_ok else "unknown"
            text = "\n".join(filter(None, (str(span.text), raw.error))) if raw.error else span.text
            call = self._open[id(span)]
            self._timeline.result(
                self._output(span), text, call_id=call.call_id, at=raw.end_s, status=status, native_id=raw.id
            )
        elif span.text:
            self._timeline.add("note", self._output(span), agent=agent, at=raw.end_s, text=span.text, native_id=raw.id)
        if raw.error and raw.kind != "tool":
            self._timeline.add("error", raw.ref, agent=agent, at=raw.end_s, text=raw.error, native_id=raw.id)
        if span.rest:
            self._timeline.add("note", raw.ref, agent=agent, at=raw.end_s, text=span.rest, native_id=raw.id)

    def _responds(self, span: Span, agent: str) -> None:
        raw = span.raw
        left = [call for call in span.calls if not self._is_run(call.call_id, call.tool)]
        step = 0 if span.calls else self._timeline.message_step()
        took = raw.end_s - raw.start_s if raw.end_s is not None and raw.start_s is not None else None
        self._timeline.add(
            "response", self._output(span), agent=agent, at=raw.end_s if raw.end_s is not None else raw.start_s,
            text=span.text, reasoning=span.reasoning, usage=raw.usage, step=step, native_id=raw.id, took_s=took,
        )  # fmt: skip
        # If the answer's text is not recorded, only the next call is attributed to it.
        self._sharing[agent] = (step, bool(span.text or span.reasoning))
        for call in left:
            found, _ = arguments_of(call.arguments)
            self._timeline.call(
                self._output(span), call.tool, _arguments(found, readable(call.arguments)), call_id=call.call_id,
                agent=agent, at=raw.end_s, text=command(found), native_id=raw.id,
            )  # fmt: skip

    def _is_run(self, call_id: str, tool: str) -> bool:
        """Return whether a tool's span records a call that a model requested."""
        if call_id in self._run_ids:
            return True
        self._run_names[tool] -= 1
        return self._run_names[tool] >= 0

    def _input(self, span: Span) -> Ref:
        return within(span.raw.ref, span.raw.input_at)

    def _output(self, span: Span) -> Ref:
        return within(span.raw.ref, span.raw.output_at)


def _task(asked: str) -> str:
    """Return the task in an agent's input.

    If the input is a JSON object, this is the value of a known key. Otherwise, it is the whole input.
    """
    found = table(parsed_json(asked))
    return next((found[key] for key in _TASK_KEYS if isinstance(found.get(key), str)), asked)


def _arguments(found: Any, raw: str) -> dict[str, Any]:
    """Return a call's arguments. Arguments that are not an object are stored under the key `input`."""
    return dict(found) if found is not None else {"input": raw} if raw else {}


def _tree(timeline: Timeline, spans: Sequence[Span]) -> tuple[dict[int, list[Span]], list[Span]]:
    """Return the children of each span and the root spans, sorted by time.

    A cycle of parents is cut and reported as a problem.
    """
    by_id: dict[str, Span] = {}
    for span in spans:
        if span.raw.id in by_id:
            timeline.problem(span.raw.ref, f"the id of a span is not unique: {span.raw.id!r}", "id of a span")
        by_id.setdefault(span.raw.id, span)
    children: dict[int, list[Span]] = defaultdict(list)
    roots: list[Span] = []
    for span in spans:
        parent = by_id.get(span.raw.parent)
        (children[id(parent)] if parent is not None and parent is not span else roots).append(span)
    for circle in _cut_off(children, roots, spans):
        timeline.problem(circle.raw.ref, "the parents of spans lead round in a circle", "circle of parents")
        siblings = children[id(by_id[circle.raw.parent])]
        siblings[:] = [span for span in siblings if span is not circle]
        roots.append(circle)
    for family in (*children.values(), roots):
        family.sort(key=lambda span: span.raw.start_s if span.raw.start_s is not None else float("inf"))
    return children, roots


def _cut_off(children: dict[int, list[Span]], roots: Sequence[Span], spans: Sequence[Span]) -> list[Span]:
    """Return one span of each cycle of parents. Such spans cannot be reached from a root."""
    reached: set[int] = set()
    found: list[Span] = []
    rooted = {id(root) for root in roots}
    for start in (*roots, *spans):
        if id(start) not in reached and id(start) not in rooted:
            found.append(start)
        waiting = [start]
        while waiting:
            span = waiting.pop()
            if id(span) not in reached:
                reached.add(id(span))
                waiting += children.get(id(span), [])
    return found
