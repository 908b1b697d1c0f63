"""What acts on the program itself: `step`, `continue_to`, `set_breakpoint`, `execute`, `set_variable`.

Offered at the level `mutate` only. By the time that a tool runs here, the gate has let it pass.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec

from dap_ai.agent.evidence import read_again
from dap_ai.agent.gate import MAX_NOW_CHARS
from dap_ai.agent.reader import Reader
from dap_ai.agent.roots import Refused
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.source import SourceFile
from dap_ai.agent.stack import Case
from dap_ai.agent.tools.base import Bench, Tool, ToolResult, clip, code, fenced
from dap_ai.agent.tools.reading import find
from dap_ai.agent.tools.stack import frame
from dap_ai.agent.values import show
from dap_ai.protocol import acting
from dap_ai.protocol.acting import Done
from dap_ai.protocol.ask import Evidence
from dap_ai.protocol.asking import Stop
from dap_ai.protocol.errors import RequestFailed
from dap_ai.protocol.inspection import Inspection
from dap_ai.protocol.tools import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from dap_ai.protocol.tools import Frame as FrameArguments

_MAX_RESULT_CHARS = 2000
_PLACE = TypeVar("_PLACE", ContinueTo, SetBreakpoint)
_ENDED = "The program has ended: nothing more can be read. Answer from what you know."
_RUNS = "The program runs and has not stopped again: nothing can be read now. Answer from what you know."


class StepTool(Tool[Step]):
    """See agent.tools.base.Tool."""

    name = "step"
    description = "Let the program go on (asks the user; `reason`: why, for him): to the next line, into, out, or on."
    arguments = Step

    async def run(self, bench: Bench, arguments: Step) -> ToolResult:
        """Where it stands then."""
        return await _arrived(bench, await bench.debugger.act(acting.Step(arguments.how)))


class ContinueToTool(Tool[ContinueTo]):
    """See agent.tools.base.Tool."""

    name = "continue_to"
    description = "Let the program go on to a line (asks the user); it may stop or end before."
    arguments = ContinueTo

    async def exact(self, bench: Bench, arguments: ContinueTo) -> ContinueTo:
        """With the file in full."""
        return await _placed(bench, arguments)

    async def run(self, bench: Bench, arguments: ContinueTo) -> ToolResult:
        """Where it stands then."""
        done = await bench.debugger.act(acting.ContinueTo(arguments.file, arguments.line))
        return await _arrived(bench, done, arguments)


class SetBreakpointTool(Tool[SetBreakpoint]):
    """See agent.tools.base.Tool."""

    name = "set_breakpoint"
    description = "Add a breakpoint beside the user's own (asks the user); `condition`: an expression."
    arguments = SetBreakpoint

    async def exact(self, bench: Bench, arguments: SetBreakpoint) -> SetBreakpoint:
        """With the file in full, and a condition that can be evaluated."""
        if arguments.condition:
            _parsed(arguments.condition)
        return await _placed(bench, arguments)

    async def run(self, bench: Bench, arguments: SetBreakpoint) -> ToolResult:
        """What the debug adapter says of it."""
        action = acting.SetBreakpoint(arguments.file, arguments.line, arguments.condition)
        done = await bench.debugger.act(action)
        spot = f"{bench.short(arguments.file)}:{arguments.line}"
        said = f" ({done.result})" if done.result else ""
        text = f"A breakpoint is set at {code(spot)}{said}. It goes when this answer ends."
        return ToolResult(text, changed=True)


class ExecuteTool(Tool[Execute]):
    """See agent.tools.base.Tool."""

    name = "execute"
    description = (
        "Evaluate in the program itself (asks the user): it CHANGES the program. `evaluate` does not: use that."
    )
    arguments = Execute

    async def exact(self, bench: Bench, arguments: Execute) -> Execute:
        """An expression."""
        _in_frame(bench)
        _parsed(arguments.expression)
        return msgspec.structs.replace(arguments, expression=arguments.expression.strip())

    async def run(self, bench: Bench, arguments: Execute) -> ToolResult:
        """Its value, and what it has made of the frame."""
        done = await bench.debugger.act(acting.Execute(arguments.expression, bench.frame_id))
        gave = f"in the program itself, gave:\n\n{fenced(clip(done.result, _MAX_RESULT_CHARS))}"
        return await _changed(bench, done, f"{code(arguments.expression)}, {gave}")


class SetVariableTool(Tool[SetVariable]):
    """See agent.tools.base.Tool."""

    name = "set_variable"
    description = "Give a name, an attribute or an item a new value in the program itself (asks the user)."
    arguments = SetVariable

    async def exact(self, bench: Bench, arguments: SetVariable) -> SetVariable:
        """Something that can be assigned to, and an expression."""
        _in_frame(bench)
        if not isinstance(_parsed(arguments.expression), ast.Name | ast.Attribute | ast.Subscript):
            raise Refused(f"{code(arguments.expression)} cannot be set: name a variable, an attribute or an item")
        _parsed(arguments.value)
        return arguments

    async def now(self, bench: Bench, arguments: SetVariable) -> str:
        """Its value."""
        place, stop = bench.focus, bench.case.stop
        if place is None:
            return ""
        frame = place.frame
        cited = Evidence(arguments.expression, "", frame.path, frame.line, frame.id, stop.thread_id, stop.epoch, False)
        facts = await read_again([cited], Reader(bench.debugger, bench.sources, bench.level), bench.debugger)
        fact = facts.get((frame.id, arguments.expression))
        return bench.mask(show(fact.value, MAX_NOW_CHARS)) if fact and fact.value else ""

    async def run(self, bench: Bench, arguments: SetVariable) -> ToolResult:
        """What it is now."""
        action = acting.SetVariable(arguments.expression, arguments.value, bench.frame_id)
        done = await bench.debugger.act(action)
        now = clip(done.result or arguments.value, _MAX_RESULT_CHARS)
        return await _changed(bench, done, f"{code(arguments.expression)} is now {code(now)}, in the program itself.")


async def _placed(bench: Bench, arguments: _PLACE) -> _PLACE:
    """The same with the file's whole path. Raises Refused where the file may not be read, or has no such line."""
    source: SourceFile = await find(bench, arguments.file)
    if arguments.line > len(source.lines):
        raise Refused(f"{Path(source.path).name} has no line {arguments.line}: it has {len(source.lines)}")
    return msgspec.structs.replace(arguments, file=source.path)


def _parsed(text: str) -> ast.expr:
    try:
        return parse_expression(text)
    except SyntaxRefused as error:
        raise Refused(f"{code(clip(text, 200))} cannot be evaluated: {error}") from None


def _in_frame(bench: Bench) -> None:
    if bench.focus is None:
        raise Refused("there is no frame with source in this stop")


async def _arrived(bench: Bench, done: Done, wanted: ContinueTo | None = None) -> ToolResult:
    """The new stop, shown as `frame` shows it; what was read before it holds no more."""
    note = f" ({done.result})" if done.result else ""
    if done.stop is None:
        return ToolResult(f"{_ENDED if done.ended else _RUNS}{note}", changed=True)
    case, trouble = await _read(bench, done.stop)
    place = case.focus.frame if case.focus else None
    spot = f" at {code(f'{bench.short(place.path)}:{place.line}')}" if place else ""
    head = f"Stopped{spot} ({_why(case)}). Frames are numbered anew.{note}"
    if wanted and (place is None or (place.path, place.line) != (wanted.file, wanted.line)):
        head = f"It did not come to line {wanted.line}. {head}"
    shown = trouble or (await frame.run(replace(bench, case=case, chosen=None), FrameArguments())).text
    return ToolResult(f"{head}\n\n{shown}", case=case, changed=True)


async def _changed(bench: Bench, done: Done, text: str) -> ToolResult:
    """The same stop, read again: any value may be another one."""
    stop = done.stop or bench.debugger.stop
    if stop is None or done.ended:
        return ToolResult(f"{text}\n\n{_ENDED if done.ended else _RUNS}", changed=True)
    case, trouble = await _read(bench, stop)
    return ToolResult("\n\n".join(filter(None, [text, trouble])), case=case, changed=True)


async def _read(bench: Bench, stop: Stop) -> tuple[Case, str]:
    """All of a stop, and what went wrong. A case of an earlier stop must never be left in its place."""
    case, trouble = Case(stop, bench.sources, [], [], Inspection(frames=[]), bench.level), ""
    try:
        case = await Reader(bench.debugger, bench.sources, bench.level).read(stop)
    except RequestFailed as error:
        trouble = f"It could not be read: {error.user_text}."
    case.question = bench.case.question
    return case, trouble


def _why(case: Case) -> str:
    error = case.exception
    if error is None:
        return ": ".join(filter(None, [case.stop.reason, case.stop.text or case.stop.description]))
    return f"exception {error.type}: {clip(error.message, 300)}"


step = StepTool()
continue_to = ContinueToTool()
set_breakpoint = SetBreakpointTool()
execute = ExecuteTool()
set_variable = SetVariableTool()
