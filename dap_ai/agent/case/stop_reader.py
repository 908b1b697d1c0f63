"""Reads the state of the stopped program into a StopSnapshot: one `stackTrace`, and one inspection of all expressions.

For a backend without an inspector, reads `scopes` and `variables` of the innermost frames.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.agent.case.depth import Depth, Rows, depth_of
from dap_ai.agent.case.edited_values import settle
from dap_ai.agent.case.frame_rows import MAX_SCOPES, frames_of, is_quiet, page_of, rows_of, variable_of
from dap_ai.agent.case.kept_exceptions import kept_beside, kept_exception
from dap_ai.agent.case.remote_exceptions import remote_exception
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot, expressions_at
from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, SourceFile, Sources, language_of
from dap_ai.agent.source.syntax import node_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.inspection import (
    ExceptionFacts,
    ExpressionResult,
    FrameFacts,
    FrameQuery,
    Inspection,
    Node,
    Query,
    Variable,
)
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.ask_messages import Level
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.visible import without_colours
from dap_ai.system.texts import code

MAX_FRAMES = 80
MAX_PLACES = 8
MAX_ROWS = 10
"""Maximum rows read of a data frame or series: its first and last rows."""
_MAX_PLAIN = 120
"""Maximum variables read per frame without an inspector. One scope may fill half of it."""
_PLAIN_S = 4.0
"""Seconds after which no further frame is read without an inspector. The innermost frame is always read."""
_MAX_CALLERS = 2
"""Maximum frames read at the outer end of a deep stack."""


class StopReader:
    """Reads the stack, source and values of one stop through a Debugger."""

    def __init__(self, debugger: Debugger, sources: Sources, level: Level) -> None:
        self._debugger = debugger
        self._sources = sources
        self._level: Level = level

    async def read(self, stop: StopEvent, extra: Callable[[str], list[str]] = lambda _: []) -> StopSnapshot:
        """Reads the snapshot of a stop. Raises NotStopped, RequestFailed.

        `extra` returns further expressions to evaluate in the focus frame, given the frame's language.
        """
        frames, claimed = await self._stack(stop)
        depth, outermost = await self._deep(stop, frames, claimed)
        selected = [f for f in frames if f.user][:MAX_PLACES]
        if callers := [f for f in outermost if f.user][-_MAX_CALLERS:]:
            selected = [*selected[: MAX_PLACES - len(callers)], *callers]
        chosen = next((f for f in frames if f.id == stop.frame_id), None)
        if chosen and chosen not in selected:
            selected.append(chosen)
        if not selected:
            selected = frames[:1]
        places = [FramePlace(frame, await self._source(frame)) for frame in selected]
        case = StopSnapshot(stop, self._sources, frames, places, Inspection(frames=[]), self._level)
        case.outermost, case.total_frames, case.more_frames = outermost, depth.total, depth.more
        case.output = list(self._debugger.output_tail())
        case.notes += _not_shown(case)
        case.history = list(self._debugger.history())
        if self._debugger.can_inspect:
            await self._inspect(case, extra)
        else:
            await self._plain(case)
        settle(case)
        return case

    def caught(self, caught: Caught, read: Sequence[FrameFacts] = ()) -> StopSnapshot:
        """Returns the snapshot of an exception that the program caught and reported.

        Its frames have source. They have values only if `read` contains them.
        """
        frames = [
            StackFrame(number, row.name, row.file, row.line, row.user)
            for number, row in enumerate(reversed(caught.frames))
        ]
        selected = [frame for frame in frames if frame.user][:MAX_PLACES] or frames[:1]
        places = [FramePlace(frame, self._sources.read(frame.path)) for frame in selected]
        _know(places, read)
        error = ExceptionFacts(caught.type, caught.message, file=caught.frames[-1].file, line=caught.frames[-1].line)
        stop = StopEvent(epoch=0, thread_id=0, frame_id=None, reason="exception")
        inspection = Inspection(frames=list(read), exceptions=[error], cwd=caught.cwd)
        case = StopSnapshot(stop, self._sources, frames, places, inspection, self._level, is_over=True)
        case.output = list(self._debugger.output_tail())
        case.notes += _not_shown(case)
        return case

    async def more(self, case: StopSnapshot, wanted: dict[int, list[str]]) -> None:
        """Evaluates further expressions, given by frame id, and adds the results to the snapshot."""
        queries: list[FrameQuery] = []
        texts: list[list[str]] = []
        for place in case.places:
            pairs = _nodes((t for t in wanted.get(place.frame.id, []) if t not in place.known), place.language)
            if pairs:
                nodes = [node for _, node in pairs]
                queries.append(FrameQuery(frame_id=place.frame.id, variables=False, expressions=nodes))
                texts.append([text for text, _ in pairs])
        if not queries or not self._debugger.can_inspect:
            return
        query = Query(frames=queries, level=self._level, exception=False, threads=False, max_rows=MAX_ROWS)
        reply = await self._debugger.inspect(query)
        for facts, names in zip(reply.frames, texts, strict=False):
            place = next(p for p in case.places if p.frame.id == facts.frame_id)
            place.known.update(zip(names, facts.values, strict=False))

    async def place(self, case: StopSnapshot, frame: StackFrame) -> FramePlace:
        """Reads a frame that the snapshot lacks, and adds it. Raises NotStopped, RequestFailed."""
        place = FramePlace(frame, await self._source(frame))
        if self._debugger.can_inspect:
            wanted = _nodes(await _expressions(place, wide=True), place.language)
            frames = [FrameQuery(frame_id=frame.id, expressions=[node for _, node in wanted])]
            query = Query(frames, self._level, exception=False, threads=False, max_rows=MAX_ROWS)
            reply = await self._debugger.inspect(query)
            place.facts = reply.frames[0] if reply.frames else None
            if place.facts:
                place.known.update(zip((text for text, _ in wanted), place.facts.values, strict=False))
        else:
            place.facts = await self._plain_facts(frame)
        case.places.append(place)
        return place

    async def again(self, expressions: Mapping[tuple[int, str], str]) -> dict[tuple[int, str], ExpressionResult]:
        """Rereads expressions without changing a snapshot.

        `expressions` maps (frame id, text) to the language; the result has the same keys.
        """
        queries: dict[int, list[tuple[str, Node]]] = {}
        for (frame_id, text), language in expressions.items():
            queries.setdefault(frame_id, []).extend(_nodes([text], language))
        frames = [
            FrameQuery(frame_id=frame_id, variables=False, expressions=[node for _, node in pairs])
            for frame_id, pairs in queries.items()
        ]
        reply = await self._debugger.inspect(Query(frames=frames, level=self._level, exception=False, threads=False))
        facts: dict[tuple[int, str], ExpressionResult] = {}
        for frame, pairs in zip(reply.frames, queries.values(), strict=False):
            facts.update({(frame.frame_id, t): f for (t, _), f in zip(pairs, frame.values, strict=False)})
        return facts

    async def frames(self, thread_id: int, start: int, count: int) -> list[StackFrame]:
        """Returns `count` frames of a thread from frame number `start` (0-based). Raises NotStopped, RequestFailed."""
        return frames_of(rows_of(await self._rows(thread_id, start, count), "stackFrames")[:count])

    async def _rows(self, thread_id: int, start: int, count: int) -> dict[str, Any]:
        page = {"startFrame": start} if start else {}
        return await self._debugger.request("stackTrace", {"threadId": thread_id, **page, "levels": count})

    async def _stack(self, stop: StopEvent) -> tuple[list[StackFrame], int]:
        """Returns the innermost frames of the stack, and the number of frames that the adapter reports."""
        body = await self._rows(stop.thread_id, 0, MAX_FRAMES)
        frames = frames_of(rows_of(body, "stackFrames")[:MAX_FRAMES])
        # Code without a file above the program's own frames is what the debugger injected to attach.
        while len(frames) > 1 and frames[0].path == "<string>" and any(f.user for f in frames):
            frames.pop(0)
        return frames, int(body.get("totalFrames") or 0)

    async def _deep(self, stop: StopEvent, frames: list[StackFrame], claimed: int) -> tuple[Depth, list[StackFrame]]:
        """Returns the depth and the outermost frames of a native stack longer than MAX_FRAMES."""
        if len(frames) < MAX_FRAMES or not any(language_of(f.path) in NATIVE_LANGUAGES for f in frames):
            return Depth(0, []), []

        async def read(start: int, count: int) -> Rows:
            try:
                return rows_of(await self._rows(stop.thread_id, start, count), "stackFrames")[:count]
            except NotStopped:
                raise
            except RequestFailed:
                return []

        depth = await depth_of(read, len(frames), claimed)
        return depth, frames_of(depth.outermost)

    async def _source(self, frame: StackFrame) -> SourceFile | None:
        found = self._sources.read(frame.path)
        if found or not frame.reference:
            return found
        try:
            arguments = {"source": {"sourceReference": frame.reference}, "sourceReference": frame.reference}
            body = await self._debugger.request("source", arguments)
        except NotStopped:
            raise
        except RequestFailed:
            return None
        return self._sources.add(frame.path or f"<source {frame.reference}>", str(body.get("content", "")))

    async def _inspect(self, case: StopSnapshot, extra: Callable[[str], list[str]]) -> None:
        queries: list[FrameQuery] = []
        texts: list[list[str]] = []
        for index, place in enumerate(case.places):
            wanted = await _expressions(place, wide=index == 0 or place is case.focus)
            pairs = _nodes([*(extra(place.language) if place is case.focus else []), *wanted], place.language)
            queries.append(FrameQuery(frame_id=place.frame.id, expressions=[node for _, node in pairs]))
            texts.append([text for text, _ in pairs])
        said = "; ".join(filter(None, [case.stop.reason, case.stop.description, case.stop.text]))
        query = Query(frames=queries, level=self._level, max_rows=MAX_ROWS, thread_id=case.stop.thread_id, stopped=said)
        case.inspection = await self._debugger.inspect(query)
        await kind_of(case).complete(case, self._debugger)
        if told := remote_exception(case.inspection):
            case.remote = self.caught(*told)
        by_id = {facts.frame_id: facts for facts in case.inspection.frames}
        for place, names in zip(case.places, texts, strict=True):
            place.facts = by_id.get(place.frame.id)
            if place.facts:
                place.known.update(zip(names, place.facts.values, strict=False))
        if beside := kept_beside(case):
            await self.more(case, {case.places[0].frame.id: beside})
        if found := kept_exception(case, beside):
            case.held = found[0], self.caught(found[1])

    async def _plain(self, case: StopSnapshot) -> None:
        """Reads values without an inspector, by `scopes`, `variables` and `exceptionInfo`. Never sends `evaluate`."""
        if case.stop.reason == "exception":
            case.inspection.exceptions = await self._exception_info(case.stop.thread_id)
        began = time.monotonic()
        for place in case.places[:3]:
            if time.monotonic() - began > _PLAIN_S:
                case.notes.append("the debug adapter lists too much: the values of outer frames were not read")
                break
            place.facts = await self._plain_facts(place.frame)
            case.inspection.frames.append(place.facts)
        case.notes.append("this debug adapter has no static inspector: sub-expressions were not evaluated")

    async def _plain_facts(self, frame: StackFrame) -> FrameFacts:
        facts = FrameFacts(frame_id=frame.id, name=frame.name, file=frame.path, line=frame.line)
        try:
            scopes = rows_of(await self._debugger.request("scopes", {"frameId": frame.id}), "scopes")
            read = [scope for scope in scopes if not scope.get("expensive") and not is_quiet(scope)]
            for scope in read[:MAX_SCOPES]:
                if len(facts.locals) >= _MAX_PLAIN:
                    break
                facts.locals += await self._variables(int(scope.get("variablesReference") or 0))
        except NotStopped:
            raise
        except RequestFailed as error:
            facts.error = error.user_text
        return facts

    async def _variables(self, reference: int) -> list[Variable]:
        rows = rows_of(await self._debugger.request("variables", page_of(reference)), "variables")
        named = [row for row in rows if not str(row.get("name", "")).endswith(" variables")]
        return [variable_of(row) for row in named[: _MAX_PLAIN // 2]]

    async def _exception_info(self, thread_id: int) -> list[ExceptionFacts]:
        try:
            body = await self._debugger.request("exceptionInfo", {"threadId": thread_id})
        except NotStopped:
            raise
        except RequestFailed:
            return []
        kind = str(body.get("exceptionId", "exception")).removeprefix("builtins.")
        return [ExceptionFacts(type=kind, message=without_colours(str(body.get("description") or "")))]


def _know(places: list[FramePlace], read: Sequence[FrameFacts]) -> None:
    """Adds the values that another process sent to the frames of that process."""
    by_id = {facts.frame_id: facts for facts in read}
    for place in places:
        facts = by_id.get(place.frame.id)
        if facts and (facts.file, facts.line) == (place.frame.path, place.frame.line):
            place.facts = facts
            place.known.update(zip(facts.expressions, facts.values, strict=False))


def _not_shown(case: StopSnapshot) -> list[str]:
    """Returns a note for each file of a user frame that the agent refuses to show as source."""
    paths = dict.fromkeys(place.frame.path for place in case.places)
    return [f"the source {code(path)} is not shown: {why}" for path in paths if (why := case.sources.refusal(path))]


async def _expressions(place: FramePlace, *, wide: bool) -> Iterable[str]:
    """Returns the expressions to evaluate in a frame.

    Parses native languages in a thread, because a 3 MB file takes 1 s.
    """
    if place.language not in NATIVE_LANGUAGES:
        return expressions_at(place, wide=wide)
    return await asyncio.to_thread(expressions_at, place, wide=wide)


def _nodes(texts: Iterable[str], language: str) -> list[tuple[str, Node]]:
    return [(text, node) for text in texts if (node := _node(text, language)) is not None]


def _node(text: str, language: str) -> Node | None:
    try:
        return node_of(text, language)
    except SyntaxRefused:
        return None
