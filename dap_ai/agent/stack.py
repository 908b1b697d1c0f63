"""The stopped program as the analyst sees it: frames with their source and values, exceptions, threads.

Two round trips bring it: DAP's `stackTrace`, and one visit of the walker that answers every expression of interest
at once. A backend without a walker gives `scopes` and `variables` instead, of the innermost frames.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dap_ai.agent.native.depth import Depth, Rows, depth_of
from dap_ai.agent.native.frames import clean_name, is_inlined, is_user_frame
from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source import (
    NATIVE_LANGUAGES,
    FunctionNode,
    SourceFile,
    Sources,
    header_expressions,
    is_user_path,
    language_of,
    own_statements,
)
from dap_ai.agent.syntax import node_of
from dap_ai.agent.values import find
from dap_ai.protocol.ask import Level
from dap_ai.protocol.asking import HistoryItem, Stop
from dap_ai.protocol.debugger import Debugger
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.inspection import (
    ExceptionFacts,
    Fact,
    FrameFacts,
    FrameQuery,
    Inspection,
    Node,
    Query,
    Value,
    Variable,
)

if TYPE_CHECKING:
    from dap_ai.agent.native.reports import Report

MAX_FRAMES = 80
MAX_PLACES = 8
MAX_EXPRESSIONS = 60
_MAX_CALLERS = 2
"""Of the outermost frames of a deep stack."""

_NO_VALUE = ast.Constant | ast.Starred | ast.Slice | ast.FormattedValue
_BOUND_INSIDE = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class Frame:
    """A row of DAP's stack trace. `line` is 1-based."""

    id: int
    name: str
    path: str
    line: int
    user: bool
    reference: int = 0
    inlined: bool = False
    """The compiler put the function's code into its caller's."""


@dataclass
class Place:
    """A frame of the user's code, with what was read of it."""

    frame: Frame
    source: SourceFile | None = None
    facts: FrameFacts | None = None
    known: dict[str, Fact] = field(default_factory=dict[str, Fact])

    @property
    def function(self) -> FunctionNode | None:
        """The function that the frame runs; None: a module."""
        return self.source.function_at(self.frame.line) if self.source else None

    @property
    def scope(self) -> FunctionNode | ast.Module | None:
        """The function, else the module."""
        return self.source.scope_at(self.frame.line) if self.source else None

    @property
    def statement(self) -> ast.stmt | None:
        """The statement at which the frame stands."""
        return self.source.statement_at(self.frame.line) if self.source else None

    @property
    def language(self) -> str:
        """Of its expressions: see source.language_of. A frame without source is C's where its file is."""
        return self.source.language if self.source else language_of(self.frame.path)

    def fact(self, expression: ast.expr | str) -> Fact | None:
        """What was read for the expression in this frame."""
        text = expression if isinstance(expression, str) else ast.unparse(expression)
        if text in self.known:
            return self.known[text]
        value = find(self.facts, text)
        return Fact(value) if value else None

    def value(self, expression: ast.expr | str) -> Value | None:
        """Its value, where there is one."""
        fact = self.fact(expression)
        return fact.value if fact else None


@dataclass
class Case:
    """All that was read at one stop."""

    stop: Stop
    sources: Sources
    frames: list[Frame]
    places: list[Place]
    """User frames, innermost first."""
    inspection: Inspection
    level: Level = "compute"
    question: str = ""
    output: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    history: list[HistoryItem] = field(default_factory=list[HistoryItem])
    notes: list[str] = field(default_factory=list[str])
    """What could not be read, in words for the user."""
    messages: list[str] = field(default_factory=list[str])
    """The exception's message in other words than its own: as the walker reads it without running any code."""

    report: Report | None = None
    """What a native program said itself as it failed."""

    outermost: list[Frame] = field(default_factory=list[Frame])
    """Of a native stack deeper than `frames`: its last ones, innermost first."""

    total_frames: int = 0
    """Of the whole stack; 0: unknown, or `frames` are all."""

    more_frames: bool = False
    """There are even more than `total_frames`."""

    @property
    def exception(self) -> ExceptionFacts | None:
        """The exception that stopped the program."""
        return self.inspection.exceptions[0] if self.inspection.exceptions else None

    @property
    def focus(self) -> Place | None:
        """The user's frame of the question: the selected one, else the innermost."""
        wanted = self.stop.frame_id
        chosen = next((p for p in self.places if p.frame.id == wanted), None)
        return chosen or (self.places[0] if self.places else None)


def sub_expressions(roots: list[ast.expr]) -> Iterator[ast.expr]:
    """Every expression under the roots that has a value of its own, outermost first; none that is bound inside."""
    for root in roots:
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop(0)
            if isinstance(node, ast.Lambda):
                continue
            if isinstance(node, ast.expr) and not isinstance(node, _NO_VALUE):
                yield node
            if isinstance(node, _BOUND_INSIDE):
                generators = getattr(node, "generators", [])
                todo[:0] = [generators[0].iter] if generators else []
                continue
            todo[:0] = list(ast.iter_child_nodes(node))


def expressions_at(place: Place, *, wide: bool) -> Iterable[str]:
    """What is worth reading in a frame: the sub-expressions of its statement and the functions it calls.

    `wide`: also the plain names, attributes and subscripts of the whole function.
    """
    unit = place.source.unit if place.source else None
    if unit is None:
        return _python_at(place, wide=wide)
    function = unit.function_at(place.frame.line)
    found = [e.text for e in unit.expressions_at(place.frame.line) if e.node is not None]
    if wide and function:
        found += [e.text for e in unit.reads(function) if e.node is not None]
    return list(dict.fromkeys(found))[:MAX_EXPRESSIONS]


def _python_at(place: Place, *, wide: bool) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    statement, scope = place.statement, place.scope
    if statement is None:
        return found

    def add(node: ast.expr) -> None:
        if len(found) < MAX_EXPRESSIONS:
            found.setdefault(ast.unparse(node), node)

    for node in sub_expressions(header_expressions(statement)):
        add(_loaded(node))
    for other in own_statements(scope) if scope else ():
        for node in sub_expressions(header_expressions(other)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                add(node.func)
                if wide and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
                    add(node.func.value)
                    add(node.args[0])
            elif wide and isinstance(node, ast.Attribute | ast.Subscript) and _is_chain(node):
                add(_loaded(node))
    return found


def _loaded(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body if isinstance(getattr(node, "ctx", None), ast.Store) else node


def _is_chain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Name | ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)


class Reader:
    """Reads one stop through a Debugger."""

    def __init__(self, debugger: Debugger, sources: Sources, level: Level) -> None:
        self._debugger = debugger
        self._sources = sources
        self._level: Level = level

    async def read(self, stop: Stop, extra: Callable[[str], list[str]] = lambda _: []) -> Case:
        """The case of this stop. `extra`: by the focus frame's language, expressions to read there too.

        Raises NotStopped, RequestFailed.
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
        places = [Place(frame, await self._source(frame)) for frame in selected]
        case = Case(stop, self._sources, frames, places, Inspection(frames=[]), self._level)
        case.outermost, case.total_frames, case.more_frames = outermost, depth.total, depth.more
        case.output = list(self._debugger.output_tail())
        case.history = list(self._debugger.history())
        if self._debugger.can_inspect:
            await self._inspect(case, extra)
        else:
            await self._plain(case)
        return case

    async def more(self, case: Case, wanted: dict[int, list[str]]) -> None:
        """Reads further expressions, by frame id, into the case."""
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
        query = Query(frames=queries, level=self._level, exception=False, threads=False)
        reply = await self._debugger.inspect(query)
        for facts, names in zip(reply.frames, texts, strict=False):
            place = next(p for p in case.places if p.frame.id == facts.frame_id)
            place.known.update(zip(names, facts.values, strict=False))

    async def place(self, case: Case, frame: Frame) -> Place:
        """A frame that was not read with the case, read now and added to it. Raises NotStopped, RequestFailed."""
        place = Place(frame, await self._source(frame))
        if self._debugger.can_inspect:
            wanted = _nodes(expressions_at(place, wide=True), place.language)
            frames = [FrameQuery(frame_id=frame.id, expressions=[node for _, node in wanted])]
            reply = await self._debugger.inspect(Query(frames, self._level, exception=False, threads=False))
            place.facts = reply.frames[0] if reply.frames else None
            if place.facts:
                place.known.update(zip((text for text, _ in wanted), place.facts.values, strict=False))
        else:
            place.facts = await self._plain_facts(frame)
        case.places.append(place)
        return place

    async def again(self, expressions: Mapping[tuple[int, str], str]) -> dict[tuple[int, str], Fact]:
        """The same expressions (frame id and text, with their language) read anew, each apart from what is known."""
        queries: dict[int, list[tuple[str, Node]]] = {}
        for (frame_id, text), language in expressions.items():
            queries.setdefault(frame_id, []).extend(_nodes([text], language))
        frames = [
            FrameQuery(frame_id=frame_id, variables=False, expressions=[node for _, node in pairs])
            for frame_id, pairs in queries.items()
        ]
        reply = await self._debugger.inspect(Query(frames=frames, level=self._level, exception=False, threads=False))
        facts: dict[tuple[int, str], Fact] = {}
        for frame, pairs in zip(reply.frames, queries.values(), strict=False):
            facts.update({(frame.frame_id, t): f for (t, _), f in zip(pairs, frame.values, strict=False)})
        return facts

    async def frames(self, thread_id: int, start: int, count: int) -> list[Frame]:
        """Frames of any depth, by number. Raises NotStopped, RequestFailed."""
        return _frames((await self._rows(thread_id, start, count)).get("stackFrames", []))

    async def _rows(self, thread_id: int, start: int, count: int) -> dict[str, Any]:
        page = {"startFrame": start} if start else {}
        return await self._debugger.request("stackTrace", {"threadId": thread_id, **page, "levels": count})

    async def _stack(self, stop: Stop) -> tuple[list[Frame], int]:
        """The innermost frames, and how many the adapter says there are."""
        body = await self._rows(stop.thread_id, 0, MAX_FRAMES)
        frames = _frames(body.get("stackFrames", []))
        # Code without a file above the program's own is the debugger's: what it injected to attach.
        while len(frames) > 1 and frames[0].path == "<string>" and any(f.user for f in frames):
            frames.pop(0)
        return frames, int(body.get("totalFrames") or 0)

    async def _deep(self, stop: Stop, frames: list[Frame], claimed: int) -> tuple[Depth, list[Frame]]:
        """How deep a native stack is that was not read to its end, and its outermost frames."""
        if len(frames) < MAX_FRAMES or not any(language_of(f.path) in NATIVE_LANGUAGES for f in frames):
            return Depth(0, []), []

        async def read(start: int, count: int) -> Rows:
            try:
                return (await self._rows(stop.thread_id, start, count)).get("stackFrames", [])
            except NotStopped:
                raise
            except RequestFailed:
                return []

        depth = await depth_of(read, len(frames), claimed)
        return depth, _frames(depth.outermost)

    async def _source(self, frame: Frame) -> SourceFile | None:
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

    async def _inspect(self, case: Case, extra: Callable[[str], list[str]]) -> None:
        queries: list[FrameQuery] = []
        texts: list[list[str]] = []
        for index, place in enumerate(case.places):
            wanted = expressions_at(place, wide=index == 0 or place is case.focus)
            pairs = _nodes([*(extra(place.language) if place is case.focus else []), *wanted], place.language)
            queries.append(FrameQuery(frame_id=place.frame.id, expressions=[node for _, node in pairs]))
            texts.append([text for text, _ in pairs])
        said = "; ".join(filter(None, [case.stop.reason, case.stop.description, case.stop.text]))
        query = Query(frames=queries, level=self._level, thread_id=case.stop.thread_id, stopped=said)
        case.inspection = await self._debugger.inspect(query)
        if case.inspection.native:
            for frame in (frame for thread in case.inspection.threads for frame in thread.frames):
                frame.name = clean_name(frame.name)
            await self._report(case)
        else:
            _use_own_message(case)
        by_id = {facts.frame_id: facts for facts in case.inspection.frames}
        for place, names in zip(case.places, texts, strict=True):
            place.facts = by_id.get(place.frame.id)
            if place.facts:
                place.known.update(zip(names, place.facts.values, strict=False))

    async def _report(self, case: Case) -> None:
        """What the program said itself; the adapter is asked for it too, where it can be."""
        from dap_ai.agent.native.reports import report_of  # noqa: PLC0415  a Python program does not need it

        info: dict[str, Any] = {}
        with contextlib.suppress(RequestFailed):
            info = await self._debugger.request("exceptionInfo", {"threadId": case.stop.thread_id})
        case.report = report_of(case, info)

    async def _plain(self, case: Case) -> None:
        """Names and values by `scopes` and `variables`, the exception by `exceptionInfo`; never `evaluate`."""
        if case.stop.reason == "exception":
            case.inspection.exceptions = await self._exception_info(case.stop.thread_id)
        for place in case.places[:3]:
            place.facts = await self._plain_facts(place.frame)
            case.inspection.frames.append(place.facts)
        case.notes.append("this debug adapter has no static walker: sub-expressions were not evaluated")

    async def _plain_facts(self, frame: Frame) -> FrameFacts:
        facts = FrameFacts(frame_id=frame.id, name=frame.name, file=frame.path, line=frame.line)
        try:
            scopes = (await self._debugger.request("scopes", {"frameId": frame.id})).get("scopes", [])
            for scope in scopes:
                if not scope.get("expensive") and scope.get("name", "").lower() not in ("globals", "registers"):
                    facts.locals += await self._variables(scope["variablesReference"])
        except NotStopped:
            raise
        except RequestFailed as error:
            facts.error = error.user_text
        return facts

    async def _variables(self, reference: int) -> list[Variable]:
        body = await self._debugger.request("variables", {"variablesReference": reference})
        rows = [row for row in body.get("variables", []) if not row.get("name", "").endswith(" variables")]
        return [Variable(r["name"], Value(text=r.get("value", ""), type=r.get("type", ""))) for r in rows[:60]]

    async def _exception_info(self, thread_id: int) -> list[ExceptionFacts]:
        try:
            body = await self._debugger.request("exceptionInfo", {"threadId": thread_id})
        except NotStopped:
            raise
        except RequestFailed:
            return []
        kind = str(body.get("exceptionId", "exception")).removeprefix("builtins.")
        return [ExceptionFacts(type=kind, message=str(body.get("description") or ""))]


def _frames(rows: list[dict[str, Any]]) -> list[Frame]:
    """DAP's stack frames as ours."""
    if any(
        "`" in _path(row) or language_of(_path(row)) in NATIVE_LANGUAGES for row in rows
    ):  # lldb-dap: `program`main`
        return _native_frames(rows)
    frames: list[Frame] = []
    for row in rows:
        path, reference = _path(row), int(_source_of(row).get("sourceReference") or 0)
        name = str(row.get("name", "?")).removesuffix(" (Current frame)")  # debugpy's mark at a user-unhandled stop
        user = (is_user_path(path) or bool(reference)) and not _is_subtle(row)
        frames.append(Frame(row["id"], name, path, row.get("line", 0), user, reference))
    return frames


def _native_frames(rows: list[dict[str, Any]]) -> list[Frame]:
    """What an adapter gives instead of a source that is not there is no source of the user's."""
    frames: list[Frame] = []
    for row, caller in zip(rows, [*rows[1:], {}], strict=True):
        told, path = str(row.get("name", "?")), _path(row)
        user = is_user_frame(told, path) and not _is_subtle(row)
        at = row.get("instructionPointerReference")
        shares = bool(at) and at == caller.get("instructionPointerReference") and told != caller.get("name")
        inlined = shares or is_inlined(told)
        frames.append(Frame(row["id"], clean_name(told), path, row.get("line", 0), user, inlined=inlined))
    return frames


def _source_of(row: dict[str, Any]) -> dict[str, Any]:
    return row.get("source") or {}


def _path(row: dict[str, Any]) -> str:
    source = _source_of(row)
    return str(source.get("path") or source.get("name") or "")


def _is_subtle(row: dict[str, Any]) -> bool:
    return "subtle" in (row.get("presentationHint"), _source_of(row).get("presentationHint"))


def _use_own_message(case: Case) -> None:
    """Take the exception's own words, where the debug adapter has asked it for them anyway."""
    said = case.stop.description
    if case.stop.reason == "exception" and case.exception and said and not said.startswith("exception: no desc"):
        case.messages.append(case.exception.message)
        case.exception.message = said


def _nodes(texts: Iterable[str], language: str) -> list[tuple[str, Node]]:
    return [(text, node) for text in texts if (node := _node(text, language)) is not None]


def _node(text: str, language: str) -> Node | None:
    try:
        return node_of(text, language)
    except SyntaxRefused:
        return None
