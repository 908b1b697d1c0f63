"""Explains a stop at a data breakpoint: the variable, its values, and the line that wrote it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from dap_ai.agent.case.frame_rows import rows_of
from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import find
from dap_ai.agent.report.source_edits import shorten
from dap_ai.debuggees.native.analysis.report_builder import brief, root_of, short_name
from dap_ai.debuggees.native.source.languages import unit_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.question import WatchedData
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import code

_TOLD = re.compile(r"Watchpoint (\d+) hit:\r?\n(?:old value: (.*?)\r?\n)?new value: (.*?)\r?\n")
"""Matches the text that lldb prints in the console when a watchpoint is hit."""
_NUMBER = re.compile(r"watchpoint (\d+)")


async def hit_data(debugger: Debugger, case: StopSnapshot, read: Callable[[list[str]], Awaitable[None]]) -> str:
    """Return a sentence about the data whose access stopped the program; empty if no known data breakpoint was hit.

    `read` reads further expressions into the case. Raises NotStopped.
    """
    hit = case.stop.hit or ()
    place = case.places[0] if case.places else None
    if not hit or place is None:
        return ""
    if len(hit) > 1:
        return f"A data breakpoint was hit: one of {', '.join(code(each.name) for each in hit)} was accessed."
    watched = hit[0]
    before, now = _printed(case)
    if not now and (owner := _owner(case, watched)):
        await read([watched.name])
        value = owner.value(watched.name)
        now = brief(value) if value else ""
    values = f": it is {code(now)}" if now else ""
    was = f"; it was {code(before or watched.before)}" if before or watched.before else ""
    did = "written" if watched.access == "write" else "accessed"
    function, here = short_name(watched.function), short_name(place.frame.name)
    of = f" of {code(function)}" if watched.function and function != here else ""
    return f"{code(watched.name)}{of} was {did} {await _spot(debugger, case, place)}{values}{was}."


def _printed(case: StopSnapshot) -> tuple[str, str]:
    """Return the old and the new value that lldb printed for this hit; two empty strings if it printed none."""
    number = _NUMBER.search(case.stop.description)
    printed = [found for found in _TOLD.findall("".join(text for _, text in case.output)) if number]
    return (printed[-1][1], printed[-1][2]) if number and printed and printed[-1][0] == number[1] else ("", "")


def _owner(case: StopSnapshot, watched: WatchedData) -> FramePlace | None:
    """Return the frame in which the watched name means the watched data, or None.

    This is the frame of the data's function. For global data, it is the focused frame, unless a local has the same
    name.
    """
    if watched.function:
        return next((p for p in case.callers if short_name(p.frame.name) == short_name(watched.function)), None)
    place = case.focus
    return None if place is None or find(place.facts, watched.name) else place


async def _spot(debugger: Debugger, case: StopSnapshot, place: FramePlace) -> str:
    """Describe where the program accessed the data: at the line of the instruction before the current one."""
    frame, file = place.frame, shorten(place.frame.path, root_of(case))
    inside = f", in {code(short_name(frame.name))}"
    if case.frames[0] is not frame:
        return f"in the call at {code(f'{file}:{frame.line}')}{inside}"
    line, unit = await _line_before(debugger, case), unit_of(place.source)
    if line and unit and unit.function_at(line) == unit.function_at(frame.line):
        return f"at {code(f'{file}:{line}')}{inside}"
    return f"just before {code(f'{file}:{frame.line}')}{inside}"


async def _line_before(debugger: Debugger, case: StopSnapshot) -> int:
    """Return the line of the previous instruction; 0 if unknown. Some disassemblers start inside an instruction."""
    frame = case.places[0].frame
    try:
        wanted = {"threadId": case.stop.thread_id, "levels": 1}
        top = rows_of(await debugger.request("stackTrace", wanted), "stackFrames")
        at = str(top[0].get("instructionPointerReference") or "") if top else ""
        if not at or top[0].get("id") != frame.id:
            return 0
        arguments = {"memoryReference": at, "instructionOffset": -1, "instructionCount": 1}
        rows = rows_of(await debugger.request("disassemble", arguments), "instructions")
        before = rows[0] if rows else {}
        size = len(str(before.get("instructionBytes") or "").replace(" ", "")) // 2
        source: dict[str, Any] = before.get("location") or {}
        is_next = size and int(str(before.get("address")), 16) + size == int(at, 16)
        return int(before.get("line") or 0) if is_next and source.get("path") == frame.path else 0
    except NotStopped:
        raise
    except (RequestFailed, ValueError, TypeError, AttributeError):
        return 0
