"""`stack`, `frame` and `threads`: where the program stands."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from dap_ai.agent.source import header_expressions, last_line
from dap_ai.agent.stack import MAX_FRAMES, Frame, Place, sub_expressions
from dap_ai.agent.tools.base import NO_FRAME, Bench, Tool, ToolResult, code, fenced
from dap_ai.agent.tools.reading import numbered
from dap_ai.agent.values import cut, show_fact, typed
from dap_ai.protocol.inspection import Fact, FrameFacts, ThreadFacts, Variable
from dap_ai.protocol.tools import Frame as FrameArguments
from dap_ai.protocol.tools import Stack, Threads

_MAX_LINES = 80
"""Of a function that is shown whole."""
_BEFORE, _AFTER = 40, 20
_MAX_FOLDED = 3
_MAX_VARIABLES = 40
_MAX_PARTS = 25
_MAX_VALUE_CHARS = 160
_MAX_THREADS = 100


class StackTool(Tool[Stack]):
    """See agent.tools.base.Tool."""

    name = "stack"
    description = (
        "The frames, numbered from 0, the innermost. `thread`: as `threads` lists it; default: the stopped one."
    )
    arguments = Stack

    async def run(self, bench: Bench, arguments: Stack) -> ToolResult:
        """Every frame; those of libraries folded, and counted like the others."""
        case = bench.case
        if arguments.thread in (None, case.stop.thread_id):
            rows = list(_rows(bench, case.frames))
            return ToolResult(fenced("\n".join(rows)) if rows else "The stack is empty.")
        names = {row["id"]: str(row.get("name", "")) for row in await _listed_threads(bench)}
        if arguments.thread not in names:
            known = ", ".join(map(str, names))
            return ToolResult(f"There is no thread {arguments.thread}: there are {known}.", failed=True)
        rows = await _elsewhere(bench, arguments.thread, names[arguments.thread])
        text = fenced("\n".join(rows)) if rows else "None is known: it runs no code of the program."
        return ToolResult(f"Frames of this thread have no number and take no `frame`. Innermost first:\n\n{text}")


class FrameTool(Tool[FrameArguments]):
    """See agent.tools.base.Tool."""

    name = "frame"
    description = (
        "A frame's source, arguments, locals, values in its statement. `frame`, in all tools: number of `stack`."
    )
    arguments = FrameArguments

    async def run(self, bench: Bench, arguments: FrameArguments) -> ToolResult:
        """All that is known of the frame."""
        del arguments  # `bench` is at the frame
        place = bench.focus
        if place is None:
            return NO_FRAME
        number = bench.case.frames.index(place.frame)
        head = f"#{number} {place.frame.name} {_at(bench, place.frame.path, place.frame.line)}"
        if place.facts and place.facts.unwound:
            head += " (already left: its `finally` blocks have run)"
        return ToolResult("\n\n".join(filter(None, [head, _source(place), *_values(place)])))


class ThreadsTool(Tool[Threads]):
    """See agent.tools.base.Tool."""

    name = "threads"
    description = "All threads: number, name, where each is and what it waits for, which of them stopped."
    arguments = Threads

    async def run(self, bench: Bench, arguments: Threads) -> ToolResult:
        """The threads that the debug adapter lists."""
        del arguments
        by_name: dict[str, list[int]] = {}
        for row in await _listed_threads(bench):
            by_name.setdefault(str(row.get("name", "")), []).append(row["id"])
        lines = [await _thread(bench, name, ids) for name, ids in list(by_name.items())[:_MAX_THREADS]]
        if len(by_name) > _MAX_THREADS:
            lines.append(f"... {len(by_name) - _MAX_THREADS} more")
        return ToolResult(fenced("\n".join(lines)) if lines else "The debug adapter lists no threads.")


def _rows(bench: Bench, frames: list[Frame]) -> Iterator[str]:
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
            yield f"#{number} {frame.name} {_at(bench, frame.path, frame.line)}{mark}{line}"
    if len(frames) == MAX_FRAMES:
        yield f"... only the innermost {MAX_FRAMES} frames were read"


def _spot(bench: Bench, row: dict[str, Any]) -> str:
    source: dict[str, Any] = row.get("source") or {}
    path = str(source.get("path") or source.get("name") or "?")
    return f"{row.get('name', '?')} {_at(bench, path, int(row.get('line', 0)))}"


def _at(bench: Bench, path: str, line: int) -> str:
    return f"{bench.short(path)}:{line}"


def _source(place: Place) -> str:
    source, line, function = place.source, place.frame.line, place.function
    if source is None:
        return "(there is no source of it)"
    first, last = (function.lineno, last_line(function)) if function else (1, len(source.lines))
    if last - first >= _MAX_LINES:
        head = f"{source.line(first)}\n  ...\n" if function and line - _BEFORE > first else ""
        first, end = max(first, line - _BEFORE), min(last, line + _AFTER)
        tail = f"\n  ... {last - end} more lines" if last > end else ""
        return fenced(head + numbered(source, first, end, line) + tail, "python")
    return fenced(numbered(source, first, last, line), "python")


def _values(place: Place) -> Iterator[str]:
    facts = place.facts
    if facts is None or facts.error:
        yield f"(its values could not be read: {facts.error if facts else 'no walker'})"
        return
    yield _listed("Arguments", facts.arguments, 0)
    yield _listed("Locals", facts.locals, facts.hidden_variables)
    known = dict(_parts(place, facts))
    rows = [
        f"{cut(text, 100)} -> {show_fact(f, _MAX_VALUE_CHARS)}" for text, f in known.items() if f.error != "refused"
    ]
    more = [f"... {len(rows) - _MAX_PARTS} more"] if len(rows) > _MAX_PARTS else []
    yield "Parts of its statement:\n\n" + fenced("\n".join(rows[:_MAX_PARTS] + more)) if rows else ""
    calls = [cut(text, 100) for text, f in known.items() if f.error == "refused"]
    listed = "; ".join(code(text) for text in calls[:_MAX_FOLDED])
    yield f"Not read, because code of the program would run: {listed}. `evaluate` runs it in a copy." if calls else ""


def _listed(title: str, variables: list[Variable], hidden: int) -> str:
    rows = [f"{v.name} = {typed(v.value, _MAX_VALUE_CHARS)}" for v in variables[:_MAX_VARIABLES]]
    hidden += len(variables) - len(rows)
    if hidden:
        rows.append(f"... {hidden} more: `variables` lists them")
    return f"{title}:\n\n{fenced(chr(10).join(rows))}" if rows else ""


def _parts(place: Place, facts: FrameFacts) -> Iterator[tuple[str, Fact]]:
    """What was read of sub-expressions, without names that are listed anyway, functions and classes."""
    statement = place.statement
    bound = {v.name for v in (*facts.arguments, *facts.locals)}
    for node in sub_expressions(header_expressions(statement)) if statement else ():
        text = ast.unparse(node)
        fact = place.fact(text)
        if fact and text not in bound and not (fact.value and fact.value.kind in ("function", "class", "module")):
            yield text, fact


async def _listed_threads(bench: Bench) -> list[dict[str, Any]]:
    return (await bench.debugger.request("threads", {})).get("threads", [])


async def _elsewhere(bench: Bench, thread_id: int, name: str) -> list[str]:
    """The frames of a thread; as the walker saw them where the debug adapter cannot suspend it."""
    body = await bench.debugger.request("stackTrace", {"threadId": thread_id, "levels": MAX_FRAMES})
    rows = [_spot(bench, row) for row in body.get("stackFrames", [])]
    known = [fact for fact in bench.case.inspection.threads if fact.name == name]
    if not rows and len(known) == 1:
        rows = [f"{known[0].waiting} (waits there)"] if known[0].waiting else []
        rows += [f"{f.name} {_at(bench, f.file, f.line)}" for f in known[0].frames]
    return rows


async def _thread(bench: Bench, name: str, ids: list[int]) -> str:
    """The threads of one name: the walker knows them by it, the debug adapter by number."""
    stop = bench.case.stop
    known = [fact for fact in bench.case.inspection.threads if fact.name == name]
    if known:
        places = Counter(_place_of(bench, fact) for fact in known)
        where = "; ".join(f"{place} (x {count})" if count > 1 else place for place, count in places.items())
    elif bench.debugger.can_inspect:  # a thread without a Python frame; to ask the debug adapter takes it long
        where = "no frame is known"
    else:
        body = await bench.debugger.request("stackTrace", {"threadId": ids[0], "levels": 1})
        where = next((_spot(bench, row) for row in body.get("stackFrames", [])), "no frame is known")
    marks = [f"{n} stopped here" for n in ids if n == stop.thread_id]
    marks += [f"{n} stopped too" for n in ids if n != stop.thread_id and n in stop.stopped_threads]
    return f"{', '.join(map(str, ids))} {name}: {where}" + (f" <- {', '.join(marks)}" if marks else "")


def _place_of(bench: Bench, fact: ThreadFacts) -> str:
    top = f"{fact.frames[0].name} {_at(bench, fact.frames[0].file, fact.frames[0].line)}" if fact.frames else ""
    waits = f"waits in {fact.waiting}" if fact.waiting else ""
    return ", ".join(filter(None, [top, waits, "daemon" if fact.daemon else ""])) or "in code of a library"


stack = StackTool()
frame = FrameTool()
threads = ThreadsTool()
