"""Tools that change the program itself: `step`, `continue_to`, `set_breakpoint`, `execute`, `set_variable`.

A model sees these tools only at the level `mutate`. When a tool runs, the gate has already allowed the call.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec

from dap_ai.agent.case.evidence import evidence_at, read_again
from dap_ai.agent.case.source_roots import UnreadableFileError
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import show
from dap_ai.agent.guard.tool_gate import MAX_NOW_CHARS
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.stack_tools import frame
from dap_ai.agent.tools.tool_reads import find
from dap_ai.protocol.contracts.debugger import ActionResult
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.contracts.tool_arguments import (
    ContinueTo,
    Execute,
    FrameArguments,
    SetBreakpoint,
    SetVariable,
    Step,
)
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.texts import code, fenced

_MAX_RESULT_CHARS = 2000
_PLACE = TypeVar("_PLACE", ContinueTo, SetBreakpoint)
_ENDED = "The program has ended: nothing more can be read. Answer from what you know."
_RUNS = "The program is running and has not stopped again: nothing can be read now. Answer from what you know."


class StepTool(Tool[Step]):
    """Resume the program by `next`, `stepIn`, `stepOut` or `continue`, and show where it stops."""

    description = (
        "Continue the program (asks the user; `reason`: why, for the user): to the next line, into, out, or on."
    )
    arguments = Step
    level = "mutate"
    main = "{how}"
    alternative = "answer from this stop, or recommend where to stop next"

    async def run(self, bench: ToolContext, arguments: Step) -> ToolResult:
        """Resumes the program and returns the new stop."""
        return await _arrived(bench, await bench.debugger.act(arguments))


class ContinueToTool(Tool[ContinueTo]):
    """Run the program to a line. The program may stop or end earlier."""

    description = "Continue the program to a line (asks the user); it may stop or end before."
    arguments = ContinueTo
    level = "mutate"
    main = "{file}:{line}"
    alternative = "recommend a breakpoint to the user"

    async def exact(self, bench: ToolContext, arguments: ContinueTo) -> ContinueTo:
        """Returns the arguments with the full path of the file."""
        return await _placed(bench, arguments)

    async def run(self, bench: ToolContext, arguments: ContinueTo) -> ToolResult:
        """Runs the program to the line and returns the new stop."""
        done = await bench.debugger.act(arguments)
        return await _arrived(bench, done, arguments)


class SetBreakpointTool(Tool[SetBreakpoint]):
    """Set a breakpoint, which is removed when the question ends."""

    description = "Add a breakpoint besides the user's own (asks the user); `condition`: an expression."
    arguments = SetBreakpoint
    level = "mutate"
    main = "{file}:{line}"
    alternative = "recommend it to the user"

    def action(self, arguments: SetBreakpoint) -> str:
        """Returns the place and the condition of the breakpoint. The condition is code."""
        return super().action(arguments) + (f" if {arguments.condition}" if arguments.condition else "")

    async def exact(self, bench: ToolContext, arguments: SetBreakpoint) -> SetBreakpoint:
        """Returns the arguments with the full path of the file.

        Raises UnreadableFileError if the condition is not an expression.
        """
        if arguments.condition:
            _parsed(arguments.condition)
        return await _placed(bench, arguments)

    async def run(self, bench: ToolContext, arguments: SetBreakpoint) -> ToolResult:
        """Sets the breakpoint and returns the debug adapter's response."""
        done = await bench.debugger.act(arguments)
        spot = f"{bench.short(arguments.file)}:{arguments.line}"
        said = f" ({done.result})" if done.result else ""
        text = f"A breakpoint is set at {code(spot)}{said}. It is removed when this answer ends."
        return ToolResult(text, changed=True)


class ExecuteTool(Tool[Execute]):
    """Evaluate an expression in the program itself, with its side effects."""

    description = (
        "Evaluate in the program itself (asks the user): it CHANGES the program. `evaluate` does not: use that."
    )
    arguments = Execute
    level = "mutate"
    main = "{expression}"
    alternative = "use `evaluate`: it works on a copy"

    async def exact(self, bench: ToolContext, arguments: Execute) -> Execute:
        """Returns the arguments with the expression stripped.

        Raises UnreadableFileError without a frame or a valid expression.
        """
        _in_frame(bench)
        _parsed(arguments.expression)
        return msgspec.structs.replace(arguments, expression=arguments.expression.strip())

    async def run(self, bench: ToolContext, arguments: Execute) -> ToolResult:
        """Evaluates the expression in the program, rereads the stop, and returns the value."""
        done = await bench.debugger.act(arguments, bench.frame_id)
        gave = f"in the program itself, returned:\n\n{fenced(clip(done.result, _MAX_RESULT_CHARS))}"
        return await _changed(bench, done, f"{code(arguments.expression)}, {gave}")


class SetVariableTool(Tool[SetVariable]):
    """Assign a new value to a variable, attribute or item."""

    description = "Assign to a name, an attribute or an item in the program itself (asks the user)."
    arguments = SetVariable
    level = "mutate"
    main = "{expression} = {value}"
    alternative = "use `evaluate` or `try_fix`: they work on a copy"

    async def exact(self, bench: ToolContext, arguments: SetVariable) -> SetVariable:
        """Returns the arguments. Raises UnreadableFileError if the target or the value is not valid."""
        _in_frame(bench)
        if not isinstance(_parsed(arguments.expression), ast.Name | ast.Attribute | ast.Subscript):
            raise UnreadableFileError(
                f"{code(arguments.expression)} cannot be set: name a variable, an attribute or an item"
            )
        _parsed(arguments.value)
        return arguments

    async def now(self, bench: ToolContext, arguments: SetVariable) -> str:
        """Returns the current value of the variable; empty if the value cannot be read."""
        place, stop = bench.focus, bench.case.stop
        if place is None:
            return ""
        cited = evidence_at(arguments.expression, "", place.frame, stop)
        facts = await read_again([cited], StopReader(bench.debugger, bench.sources, bench.level), bench.debugger)
        fact = facts.get((place.frame.id, arguments.expression))
        return show(fact.value, MAX_NOW_CHARS) if fact and fact.value else ""

    async def run(self, bench: ToolContext, arguments: SetVariable) -> ToolResult:
        """Sets the variable, rereads the stop, and returns the new value."""
        done = await bench.debugger.act(arguments, bench.frame_id)
        now = clip(done.result or arguments.value, _MAX_RESULT_CHARS)
        return await _changed(bench, done, f"{code(arguments.expression)} is now {code(now)}, in the program itself.")


async def _placed(bench: ToolContext, arguments: _PLACE) -> _PLACE:
    """Returns the arguments with the full path of the file.

    Raises UnreadableFileError if the file may not be read or has no such line.
    """
    source: SourceFile = await find(bench, arguments.file)
    if arguments.line > len(source.lines):
        raise UnreadableFileError(f"{Path(source.path).name} has no line {arguments.line}: it has {len(source.lines)}")
    return msgspec.structs.replace(arguments, file=source.path)


def _parsed(text: str) -> ast.expr:
    try:
        return parse_expression(text)
    except SyntaxRefused as error:
        raise UnreadableFileError(f"{code(clip(text, 200))} cannot be evaluated: {error}") from None


def _in_frame(bench: ToolContext) -> None:
    if bench.focus is None:
        raise UnreadableFileError("there is no frame with source in this stop")


async def _arrived(bench: ToolContext, done: ActionResult, wanted: ContinueTo | None = None) -> ToolResult:
    """Reads the stop at which the program has arrived, and returns the text of the tool `frame` for it."""
    note = f" ({done.result})" if done.result else ""
    if done.stop is None:
        return ToolResult(f"{_ENDED if done.ended else _RUNS}{note}", changed=True)
    case, trouble = await _read(bench, done.stop)
    place = case.focus.frame if case.focus else None
    spot = f" at {code(f'{bench.short(place.path)}:{place.line}')}" if place else ""
    head = f"Stopped{spot} ({_why(case)}). Frames are numbered anew.{note}"
    if wanted and (place is None or (place.path, place.line) != (wanted.file, wanted.line)):
        head = f"It did not reach line {wanted.line}. {head}"
    shown = trouble or (await frame.run(replace(bench, case=case, chosen=None), FrameArguments())).text
    return ToolResult(f"{head}\n\n{shown}", case=case, changed=True)


async def _changed(bench: ToolContext, done: ActionResult, text: str) -> ToolResult:
    """Rereads the stop after a change of the program, because any value may have changed."""
    stop = done.stop or bench.debugger.stop
    if stop is None or done.ended:
        return ToolResult(f"{text}\n\n{_ENDED if done.ended else _RUNS}", changed=True)
    case, trouble = await _read(bench, stop)
    return ToolResult("\n\n".join(filter(None, [text, trouble])), case=case, changed=True)


async def _read(bench: ToolContext, stop: StopEvent) -> tuple[StopSnapshot, str]:
    """Reads a stop and returns (snapshot, error text).

    If reading fails, the snapshot is empty, never that of an earlier stop.
    """
    case, trouble = StopSnapshot(stop, bench.sources, [], [], Inspection(frames=[]), bench.level), ""
    try:
        case = await StopReader(bench.debugger, bench.sources, bench.level).read(stop)
    except RequestFailed as error:
        trouble = f"It could not be read: {error.user_text}."
    case.question = bench.case.question
    return case, trouble


def _why(case: StopSnapshot) -> str:
    error = case.exception
    if error is None:
        return ": ".join(filter(None, [case.stop.reason, case.stop.text or case.stop.description]))
    return f"exception {error.type}: {clip(error.message, 300)}"


step = StepTool()
continue_to = ContinueToTool()
set_breakpoint = SetBreakpointTool()
execute = ExecuteTool()
set_variable = SetVariableTool()
