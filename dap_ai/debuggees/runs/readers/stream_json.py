"""Converts messages of Claude Code: `claude -p --output-format stream-json`, session logs and web exports.

An answer of the model is written as several lines with one message id: thinking, text and each call. These lines become
one `response` and its `call`s. Each tool call is a step, in order of appearance, even if it has no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dap_ai.debuggees.runs.readers import content_blocks, json_shapes
from dap_ai.debuggees.runs.readers.run_assembly import iso
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_model import Event, Outcome, Ref, Run

Line = tuple[Ref, Mapping[str, Any], float | None]
"""(location, object, time) of a line. The time is in seconds since 1970 or another epoch. It is None if unknown, or if
the object records the time."""


class StreamMessages:
    """Converts stream-json objects to events of a timeline, in order."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._agents: dict[str, str] = {"": MAIN}
        self._responses: dict[str, tuple[str, Event]] = {}
        self._partial = _Partial()
        self._place = content_blocks.within
        self.run = Run("", "claude-code", outcome=Outcome())
        """Fields of the run. `finish` adds the events."""

    def feed(
        self, ref: Ref, message: Mapping[str, Any], at: float | None = None, agent: str = "", *, blocks_at: bool = True
    ) -> None:
        """Add the events of one object. `agent` is the speaker, if the caller knows a better name than the object.

        `blocks_at` tells whether pointers into the object are valid in the file too. If not, refs point to the whole
        object.
        """
        self._place = content_blocks.within if blocks_at else _whole
        when = at if at is not None else epoch_s(message.get("timestamp"))
        kind = message.get("type")
        self._learn(message)
        speaker = agent or self._speaker(ref, message)
        if kind in ("assistant", "user") and "content" not in json_shapes.table(message.get("message")):
            self._timeline.problem(ref, f"a message of type {kind!r} without content", "message without content")
            self._other(ref, message, when, speaker)
        elif kind == "assistant":
            self._assistant(ref, message, when, speaker)
        elif kind == "user":
            self._user(ref, message, when, speaker)
        elif kind == "result":
            self._end(ref, message, when, speaker)
        elif kind == "stream_event":
            self._partial.feed(ref, message)
        else:
            self._other(ref, message, when, speaker)

    def _learn(self, message: Mapping[str, Any]) -> None:
        """Set the run's workspace and version, if the line has them."""
        self.run.workspace = self.run.workspace or content_blocks.text_of(message.get("cwd"))
        version = message.get("claude_code_version", message.get("version"))
        self.run.format_version = self.run.format_version or content_blocks.text_of(version)

    def _speaker(self, ref: Ref, message: Mapping[str, Any]) -> str:
        """Return the agent that speaks: the main agent, or the agent that the call `parent_tool_use_id` started."""
        parent = content_blocks.text_of(message.get("parent_tool_use_id"))
        if parent not in self._agents:
            call = next((event for event in reversed(self._timeline.events) if event.call_id == parent), None)
            if call is None:
                self._timeline.problem(ref, f"a sub-agent of the call {parent!r}, which is not recorded", "no parent")
            wanted = content_blocks.text_of((call.arguments or {}).get("subagent_type")) if call else ""
            self._agents[parent] = self._timeline.new_agent(wanted or "sub-agent", call.agent if call else MAIN)
        return self._agents[parent]

    def _assistant(self, ref: Ref, line: Mapping[str, Any], when: float | None, agent: str) -> None:
        message: Mapping[str, Any] = line["message"]
        model = content_blocks.text_of(message.get("model"))
        if model and model != "<synthetic>":
            self._timeline.agent(agent, model=model)
        native = content_blocks.text_of(message.get("id")) or content_blocks.text_of(line.get("uuid"))
        self._partial.whole(native)
        response = self._response(ref, native, message, when, agent)
        for pointer, block in content_blocks.each(message.get("content"), "/message/content"):
            response = self._answer_block(ref, pointer, block, response, when)
        if error := line.get("error"):
            self._timeline.add("error", ref, agent=agent, at=when, text=content_blocks.readable(error))

    def _response(self, ref: Ref, native: str, message: Mapping[str, Any], when: float | None, agent: str) -> Event:
        """Return the response to which a line belongs. The line updates the response's token usage."""
        known = self._responses.get(agent)
        if known is None or known[0] != native or not native:
            self._timeline.new_cycle(agent)
            response = self._timeline.add("response", ref, agent=agent, at=when, native_id=native)
        else:
            response = known[1]
        self._responses[agent] = (native, response)
        response.usage = content_blocks.usage_of(message.get("usage")) or response.usage
        return response

    def _answer_block(
        self, ref: Ref, pointer: str, block: Mapping[str, Any], response: Event, when: float | None
    ) -> Event:
        """Add one block of an answer. Returns the response to which the next block belongs."""
        part = content_blocks.classify(block)
        if part.kind == "call":
            self._timeline.call(
                self._place(ref, pointer), part.tool, part.arguments, call_id=part.call_id, agent=response.agent,
                at=when, text=part.text, native_id=part.call_id,
            )  # fmt: skip
        elif part.kind == "result":
            self._result(self._place(ref, pointer), part, when, response.agent)
        elif part.kind in ("text", "thinking"):
            response = self._continued(ref, response, when)
            joined = (response.text, part.text) if part.kind == "text" else (response.reasoning, part.text)
            text = "\n".join(filter(None, joined))
            if part.kind == "text":
                response.text = text
            else:
                response.reasoning = text
        else:
            self._strange(self._place(ref, pointer), part, when, response.agent)
        return response

    def _continued(self, ref: Ref, response: Event, when: float | None) -> Event:
        """Return the response if it is the latest event. Otherwise, add a further response in the same cycle."""
        if self._timeline.events[-1] is response:
            response.ref = content_blocks.joined(response.ref, ref)
            return response
        more = self._timeline.add("response", ref, agent=response.agent, at=when, native_id=response.native_id)
        self._responses[response.agent] = (response.native_id, more)
        return more

    def _user(self, ref: Ref, line: Mapping[str, Any], when: float | None, agent: str) -> None:
        message: Mapping[str, Any] = line["message"]
        beside = next((key for key in ("tool_use_result", "toolUseResult") if key in line), "")
        more = [self._place(ref, f"/{beside}")] if beside else []
        for pointer, block in content_blocks.each(message.get("content"), "/message/content"):
            part = content_blocks.classify(block)
            place = self._place(ref, pointer)
            if part.kind == "result":
                self._result(place, part, when, agent, line.get(beside), more=more)
            elif part.kind == "text":
                self._asked(place, part.text, when, agent, is_meta=bool(line.get("isMeta")))
            else:
                self._strange(place, part, when, agent)

    def _asked(self, ref: Ref, text: str, when: float | None, agent: str, *, is_meta: bool) -> None:
        """Add text of a user message as a task, or as a note if Claude Code itself wrote the text."""
        is_note = is_meta or content_blocks.is_reminder(text)
        self._timeline.add("note" if is_note else "task", ref, agent=agent, at=when, text=text)
        if not is_note and agent == MAIN and not self.run.task:
            self.run.task = text

    def _result(
        self,
        ref: Ref,
        part: content_blocks.ContentBlock,
        when: float | None,
        agent: str,
        extra: Any = None,
        *,
        more: Sequence[Ref] = (),
    ) -> None:
        """Add a tool's result.

        `extra` is the result's structured data. `more` is the location of `extra` beside the message.
        """
        self._timeline.result(
            ref, part.text, call_id=part.call_id, agent=agent, at=when, status=part.status, more=more,
            exit_code=content_blocks.exit_code_of(part.text), arguments=content_blocks.unsaid(extra, part.text),
        )  # fmt: skip

    def _strange(self, ref: Ref, part: content_blocks.ContentBlock, when: float | None, agent: str) -> None:
        self._timeline.add("note", ref, agent=agent, at=when, text=part.text)
        if part.kind == "unknown":
            self._timeline.problem(ref, f"a block of the unknown type {part.tool!r}", f"unknown block {part.tool}")

    def _end(self, ref: Ref, line: Mapping[str, Any], when: float | None, agent: str) -> None:
        """Add the line of type `result`, which ends a run."""
        rest = {key: value for key, value in line.items() if key not in ("type", "result")}
        is_error = line.get("is_error") is True
        text = content_blocks.readable(line.get("result", ""))
        self._timeline.add(
            "end", ref, agent=agent, at=when, text=text, arguments=rest, status="error" if is_error else "ok"
        )
        self.run.cost_usd = content_blocks.number(line.get("total_cost_usd"), self.run.cost_usd)
        milliseconds = content_blocks.number(line.get("duration_ms"))
        self.run.seconds = milliseconds / 1000 if milliseconds is not None else self.run.seconds
        self.run.outcome = _outcome(ref, content_blocks.text_of(line.get("subtype")), is_error=is_error)

    def _other(self, ref: Ref, line: Mapping[str, Any], when: float | None, agent: str) -> None:
        """Add a line that Claude Code itself wrote: start, summaries, retries, file snapshots."""
        is_error = line.get("subtype") in ("api_retry", "api_error") or line.get("type") == "error"
        kind = "error" if is_error else "note"
        self._timeline.add(kind, ref, agent=agent, at=when, text=content_blocks.program_text(line))

    def finish(self, *, by_time: bool) -> Run:
        """Return the run with all events.

        The caller sets the run's root, or merges the run with the events of another file.
        """
        self._partial.tell(self._timeline)
        if by_time:
            self._timeline.sort_by_time()
        self._timeline.tell_unanswered()
        run, timeline = self.run, self._timeline
        run.started = iso(timeline.finish())
        run.events, run.agents, run.problems = timeline.events, timeline.agents, timeline.problems
        return run


class _Partial:
    """Collects partial messages (`--include-partial-messages`). They are used only if the whole message is missing."""

    def __init__(self) -> None:
        self._refs: list[Ref] = []
        self._current = ""
        self._texts: dict[str, tuple[Ref, list[str]]] = {}

    def feed(self, ref: Ref, line: Mapping[str, Any]) -> None:
        """Add one partial message."""
        inner = json_shapes.table(line.get("event"))
        self._refs = [*self._refs[:1], ref]
        if inner.get("type") == "message_start":
            self._current = content_blocks.text_of(json_shapes.table(inner.get("message")).get("id"))
            self._texts[self._current] = (ref, [])
        delta = json_shapes.table(inner.get("delta"))
        if self._current in self._texts:
            pieces = (delta.get(key) for key in ("text", "thinking", "partial_json"))
            self._texts[self._current][1].extend(piece for piece in pieces if isinstance(piece, str))

    def whole(self, native: str) -> None:
        """Drop the parts of a message, because the whole message was received."""
        self._texts.pop(native, None)

    def tell(self, timeline: Timeline) -> None:
        """Add a response for each message of which only parts are recorded."""
        for native, (ref, pieces) in self._texts.items():
            if pieces:
                timeline.new_cycle(MAIN)
                timeline.add("response", ref, text="".join(pieces), native_id=native)
                timeline.problem(ref, "an answer that was cut off: only pieces of it are recorded")
        if self._refs:
            timeline.problem(self._refs[0], "pieces of answers (stream_event) are left to the whole messages")


def _whole(ref: Ref, _pointer: str) -> Ref:
    return ref


def _outcome(ref: Ref, subtype: str, *, is_error: bool) -> Outcome:
    """Return the outcome that the `result` line shows.

    The line never records whether the task is solved.
    """
    words = f"result {subtype or 'without a subtype'}"
    if subtype.startswith("error_max"):
        return Outcome("limit", words, ref)
    return Outcome("error" if is_error or subtype.startswith("error") else "unknown", words, ref)


def parse(lines: Iterable[Line]) -> Run:
    """Return the run that these lines of stream-json record, in the given order."""
    messages = StreamMessages(Timeline())
    for ref, message, at in lines:
        messages.feed(ref, message, at)
    return messages.finish(by_time=False)
