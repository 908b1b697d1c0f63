"""The `stack`, `frame` and `threads` tools: frames with their values, and all threads."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from dap_ai.agent.case.stop_reader import MAX_FRAMES
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot, sub_expressions
from dap_ai.agent.case.value_texts import cut, first_of, show_result, timed, typed
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES
from dap_ai.agent.source.statements import header_expressions, last_line
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult
from dap_ai.agent.tools.tool_reads import numbered
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameFacts, ThreadFacts, Variable
from dap_ai.protocol.contracts.tool_arguments import FrameArguments, StackArguments, ThreadsArguments
from dap_ai.system.texts import code, fenced

_MAX_LINES = 80
"""Maximum length of a function that is shown whole, in lines."""
_BEFORE, _AFTER = 40, 20
_MAX_FOLDED = 3
_MAX_VARIABLES = 40
_MAX_PARTS = 25
_MAX_VALUE_CHARS = 160
MAX_THREADS = 100


class StackTool(Tool[StackArguments]):
    """Stack frames, numbered from 0 (innermost). Consecutive library frames take one line, with their count."""

    description = (
        "The frames, numbered from 0, the innermost. `thread`: as `threads` lists it; default: the stopped one."
    )
    arguments = StackArguments
    level = "observe"
    title = "Call stack"
    hint = "Begin here."

    async def run(self, bench: ToolContext, arguments: StackArguments) -> ToolResult:
        """Returns the frames of a thread. Several library frames in a row become one line."""
        case = bench.case
        if arguments.thread in (None, case.stop.thread_id):
            rows = self.rows(bench)
            return ToolResult(fenced("\n".join(rows)) if rows else "The stack is empty.")
        names = {row["id"]: str(row.get("name", "")) for row in await listed_threads(bench)}
        if arguments.thread not in names:
            known = ", ".join(map(str, names))
            return ToolResult(f"There is no thread {arguments.thread}: there are {known}.", failed=True)
        rows = await self.elsewhere(bench, arguments.thread, names[arguments.thread])
        text = fenced("\n".join(rows)) if rows else "None is known: it runs no code of the program."
        return ToolResult(f"Frames of this thread have no number and take no `frame`. Innermost first:\n\n{text}")

    def rows(self, bench: ToolContext) -> list[str]:
        """Returns one text per frame of the stopped thread."""
        return list(_rows(bench, bench.case.frames))

    async def elsewhere(self, bench: ToolContext, thread_id: int, name: str) -> list[str]:
        """Returns one text per frame of another thread.

        If the debug adapter lists no frames, uses those that the inspector has read.
        """
        body = await bench.debugger.request("stackTrace", {"threadId": thread_id, "levels": MAX_FRAMES})
        rows = [_spot(bench, row) for row in body.get("stackFrames", [])]
        known = [fact for fact in bench.case.inspection.threads if fact.name == name]
        if not rows and len(known) == 1:
            rows = [f"{known[0].waiting} (waits there)"] if known[0].waiting else []
            rows += [f"{f.name} {spot_of(bench, f.file, f.line)}" for f in known[0].frames]
        return rows


class FrameTool(Tool[FrameArguments]):
    """Source of a frame's function with its line marked; arguments, locals, and the values in its statement."""

    description = (
        "A frame's source, arguments, locals, values in its statement. `frame`, in all tools: number of `stack`."
    )
    arguments = FrameArguments
    level = "observe"
    title = "Source and values of a frame"

    async def run(self, bench: ToolContext, arguments: FrameArguments) -> ToolResult:
        """Returns the source and the values of the frame."""
        place = bench.focus  # `bench` is at the frame
        if place is None:
            return NO_FRAME
        number = arguments.frame if arguments.frame is not None else number_of(bench.case, place.frame)
        inlined = " (inlined)" if place.frame.inlined else ""
        head = f"#{number} {place.frame.name}{inlined} {spot_of(bench, place.frame.path, place.frame.line)}"
        if place.facts and place.facts.unwound:
            head += " (already left: its `finally` blocks have run)"
        return ToolResult("\n\n".join(filter(None, [head, _source(place), *_values(place)])))


class ThreadsTool(Tool[ThreadsArguments]):
    """All threads: number, location, what each thread waits for, and which thread stopped."""

    description = "All threads: number, name, where each is and what it waits for, which of them stopped."
    arguments = ThreadsArguments
    level = "observe"

    async def run(self, bench: ToolContext, arguments: ThreadsArguments) -> ToolResult:
        """Describes the threads that the debug adapter lists."""
        del arguments
        by_name: dict[str, list[int]] = {}
        for row in await listed_threads(bench):
            by_name.setdefault(str(row.get("name", "")), []).append(row["id"])
        lines = [await _thread(bench, name, ids) for name, ids in list(by_name.items())[:MAX_THREADS]]
        if len(by_name) > MAX_THREADS:
            lines.append(f"... {len(by_name) - MAX_THREADS} more")
        return ToolResult(fenced("\n".join(lines)) if lines else "The debug adapter lists no threads.")


def number_of(case: StopSnapshot, frame: StackFrame) -> int:
    """Returns the number of a frame in the stack; -1 if the frame was not read with the stop."""
    if frame in case.outermost:
        return case.total_frames - len(case.outermost) + case.outermost.index(frame)
    return case.frames.index(frame) if frame in case.frames else -1


def _rows(bench: ToolContext, frames: list[StackFrame]) -> Iterator[str]:
    focus = bench.focus.frame if bench.focus else None
    for user, group in groupby(enumerate(frames), key=lambda pair: pair[1].user or pair[1] is focus):
        run = list(group)
        if not user and len(run) > _MAX_FOLDED:
            names = ", ".join(dict.fromkeys(f"{Path(f.path).name} {f.name}" for _, f in (run[0], run[-1])))
            yield f"#{run[0][0]}-{run[-1][0]} {len(run)} library frames ({names})"
            continue
        for number, frame in run:
            mark = "  <- the question is about it" if frame is focus else ""
            source = bench.sources.read(frame.path) if user else None
            line = f"\n      {cut(source.line(frame.line).strip(), 160)}" if source else ""
            yield f"#{number} {frame.name} {spot_of(bench, frame.path, frame.line)}{mark}{line}"
    if len(frames) == MAX_FRAMES:
        yield f"... only the innermost {MAX_FRAMES} frames were read"


def _spot(bench: ToolContext, row: dict[str, Any]) -> str:
    source: dict[str, Any] = row.get("source") or {}
    path = str(source.get("path") or source.get("name") or "?")
    return f"{row.get('name', '?')} {spot_of(bench, path, int(row.get('line', 0)))}"


def spot_of(bench: ToolContext, path: str, line: int) -> str:
    """Formats a file and line: `shop.py:12`."""
    return f"{bench.short(path)}:{line}"


def _source(place: FramePlace) -> str:
    source, line = place.source, place.frame.line
    if source is None:
        return "(there is no source of it)"
    function = _extent(place)
    first, last = function or (1, len(source.lines))
    if last - first >= _MAX_LINES:
        head = f"{source.line(first)}\n  ...\n" if function and line - _BEFORE > first else ""
        first, end = max(first, line - _BEFORE), min(last, line + _AFTER)
        tail = f"\n  ... {last - end} more lines" if last > end else ""
        return fenced(head + numbered(source, first, end, line) + tail, source.language)
    return fenced(numbered(source, first, last, line), source.language)


def _extent(place: FramePlace) -> tuple[int, int] | None:
    """Returns the (first, last) line of the frame's function; None at module level or without source."""
    unit = place.source.unit if place.source else None
    if unit:
        native = unit.function_at(place.frame.line)
        return (native.first, native.last) if native else None
    function = place.function
    return (function.lineno, last_line(function)) if function else None


def _values(place: FramePlace) -> Iterator[str]:
    facts = place.facts
    if facts is None or facts.error:
        yield f"(its values could not be read: {facts.error if facts else 'no inspector'})"
        return
    yield _listed("Arguments", facts.arguments, 0)
    yield _listed("Locals", facts.locals, facts.hidden_variables)
    known = dict(_parts(place, facts))
    rows = [
        f"{cut(text, 100)} -> {show_result(f, _MAX_VALUE_CHARS)}" for text, f in known.items() if f.error != "refused"
    ]
    yield "Parts of its statement:\n\n" + fenced("\n".join(first_of(rows, _MAX_PARTS))) if rows else ""
    calls = [cut(text, 100) for text, f in known.items() if f.error == "refused"]
    listed = "; ".join(code(text) for text in calls[:_MAX_FOLDED])
    advice = "" if place.language in NATIVE_LANGUAGES else " `evaluate` runs it in a copy."
    yield f"Not read, because code of the program would run: {listed}.{advice}" if calls else ""


def _listed(title: str, variables: list[Variable], hidden: int) -> str:
    rows = [f"{v.name} = {typed(v.value, _MAX_VALUE_CHARS)}{timed(v.value)}" for v in variables[:_MAX_VARIABLES]]
    hidden += len(variables) - len(rows)
    if hidden:
        rows.append(f"... {hidden} more: `variables` lists them")
    return f"{title}:\n\n{fenced(chr(10).join(rows))}" if rows else ""


def _parts(place: FramePlace, facts: FrameFacts) -> Iterator[tuple[str, ExpressionResult]]:
    """Yields the results of the statement's sub-expressions. Omits variables, functions, classes and modules."""
    unit = place.source.unit if place.source else None
    if unit:
        texts = [e.text for e in unit.expressions_at(place.frame.line)]
    else:
        statement = place.statement
        texts = [ast.unparse(n) for n in sub_expressions(header_expressions(statement))] if statement else []
    bound = {v.name for v in (*facts.arguments, *facts.locals)}
    for text in texts:
        fact = place.evaluation(text)
        if fact and text not in bound and not (fact.value and fact.value.kind in ("function", "class", "module")):
            yield text, fact


async def listed_threads(bench: ToolContext) -> list[dict[str, Any]]:
    """Returns the threads that the debug adapter lists. Raises NotStopped, RequestFailed."""
    return (await bench.debugger.request("threads", {})).get("threads", [])


async def _thread(bench: ToolContext, name: str, ids: list[int]) -> str:
    """Describes the threads called `name`. The inspector's and the adapter's threads are matched by name."""
    stop = bench.case.stop
    known = [fact for fact in bench.case.inspection.threads if fact.name == name]
    if known:
        places = Counter(where_it_is(bench, fact) for fact in known)
        where = "; ".join(f"{place} (x {count})" if count > 1 else place for place, count in places.items())
    elif bench.debugger.can_inspect:  # a thread without a Python frame; asking the debug adapter is slow
        where = "no frame is known"
    else:
        body = await bench.debugger.request("stackTrace", {"threadId": ids[0], "levels": 1})
        where = next((_spot(bench, row) for row in body.get("stackFrames", [])), "no frame is known")
    marks = [f"{n} stopped here" for n in ids if n == stop.thread_id]
    marks += [f"{n} stopped too" for n in ids if n != stop.thread_id and n in stop.stopped_threads]
    return f"{', '.join(map(str, ids))} {name}: {where}" + (f" <- {', '.join(marks)}" if marks else "")


def where_it_is(bench: ToolContext, fact: ThreadFacts) -> str:
    """Describes the place of a thread and what the thread waits for."""
    top = f"{fact.frames[0].name} {spot_of(bench, fact.frames[0].file, fact.frames[0].line)}" if fact.frames else ""
    for_what = f" for {fact.wants}" if fact.wants else ""
    holder = f", which thread {fact.owner} holds" if fact.owner and fact.waiting != "join" else ""
    joins = f" of thread {fact.owner}" if fact.owner and fact.waiting == "join" else ""
    waits = f"waits in {fact.waiting}{for_what}{holder}{joins}" if fact.waiting else ""
    return ", ".join(filter(None, [top, waits, "daemon" if fact.daemon else ""])) or "in code of a library"


stack = StackTool()
frame = FrameTool()
threads = ThreadsTool()
