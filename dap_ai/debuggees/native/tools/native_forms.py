"""Native forms of general tools, which work differently in native programs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dap_ai.agent.case.stop_reader import MAX_FRAMES, StopReader
from dap_ai.agent.case.value_texts import typed
from dap_ai.agent.source.syntax import node_of
from dap_ai.agent.tools import base
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult
from dap_ai.agent.tools.definition import DefinitionTool
from dap_ai.agent.tools.evaluate import MAX_VALUE_CHARS as MAX_RESULT_CHARS
from dap_ai.agent.tools.evaluate import EvaluateTool, read_one
from dap_ai.agent.tools.stack_tools import MAX_THREADS, StackTool, ThreadsTool, listed_threads, spot_of, where_it_is
from dap_ai.agent.tools.tool_reads import read
from dap_ai.agent.tools.variables_tool import (
    MAX_VALUE_CHARS,
    MAX_WHOLE_CHARS,
    VariablesTool,
    heading,
    names_page,
    paged,
)
from dap_ai.debuggees.native.tools.frames import whole_stack
from dap_ai.debuggees.native.tools.value_pages import page_of
from dap_ai.protocol.contracts.inspection import Value, Variable
from dap_ai.protocol.contracts.tool_arguments import EvaluateToolArguments, ThreadsArguments, VariablesToolArguments
from dap_ai.system.texts import code, fenced


class NativeVariables(VariablesTool):
    """The native form of the tool `variables`. For a value without parts, it shows the value itself."""

    async def run(self, bench: ToolContext, arguments: VariablesToolArguments) -> ToolResult:
        """Show one page of variables, and state their total number."""
        if bench.focus is None:
            return NO_FRAME
        if not arguments.expression:
            return await names_page(bench, arguments)
        if refusal := refused(bench, arguments.expression, "read"):
            return refusal
        fact = (await read(bench, [arguments.expression], max_text=MAX_WHOLE_CHARS))[0]
        value = fact.value
        if value is None:
            reason = fact.text.removeprefix("refused: ") or "it is not known here"
            return ToolResult(f"{code(arguments.expression)} was not read: {reason}.", fact, failed=True)
        try:
            parts, total = await page_of(bench, arguments.expression, arguments.start, arguments.count)
        except LookupError:
            parts, total = [Variable(f".{f.name}", Value(f.text, f.type)) for f in value.fields or ()], 0
            parts = parts[arguments.start :]
            total = arguments.start + len(parts)
        if not parts and not arguments.start:
            return ToolResult(f"{code(arguments.expression)} = {typed(value, MAX_WHOLE_CHARS)}", value)
        rows = [f"{part.name} = {typed(part.value, MAX_VALUE_CHARS)}" for part in parts]
        return paged(heading(arguments, value, value.note), rows, arguments, total or value.length or 0)


class NativeStack(StackTool):
    """The native form of the tool `stack`.

    A recursion, or a run of library frames, takes one line, with their number.
    """

    def rows(self, bench: ToolContext) -> list[str]:
        """Format the innermost frames, a summary of the frames in between, and the outermost frames."""
        return whole_stack(bench)

    async def elsewhere(self, bench: ToolContext, thread_id: int, name: str) -> list[str]:
        """List the frames of another thread, which can be read because all threads are suspended."""
        del name
        frames = await StopReader(bench.debugger, bench.sources, bench.level).frames(thread_id, 0, MAX_FRAMES)
        return [f"{f.name} {spot_of(bench, f.path, f.line) if f.path else '(no source)'}" for f in frames]


class NativeThreads(ThreadsTool):
    """The native form of the tool `threads`. It identifies threads by number, since many threads have the same name."""

    async def run(self, bench: ToolContext, arguments: ThreadsArguments) -> ToolResult:
        """List the threads that the debug adapter lists, with the place where each of them is."""
        del arguments
        names = {row["id"]: str(row.get("name", "")) for row in await listed_threads(bench)}
        known = {fact.ident: fact for fact in bench.case.inspection.threads}
        lines: list[str] = []
        for number in sorted({*names, *known}, key=lambda n: n != bench.case.stop.thread_id)[:MAX_THREADS]:
            fact = known.get(number)
            name = fact.name if fact else names[number]
            where = where_it_is(bench, fact) if fact else "not read: `stack` shows where it is"
            mark = f" <- {number} stopped here" if number == bench.case.stop.thread_id else ""
            lines.append(f"{number} {name}: {where}{mark}")
        return ToolResult(fenced("\n".join(lines)) if lines else "The debug adapter lists no threads.")


_ONLY_READ = "read from the stopped program; nothing was called in it, nothing was written"


class NativeEvaluate(EvaluateTool):
    """The native form of the tool `evaluate`. It only reads the program, without copies and calls."""

    async def run(self, bench: ToolContext, arguments: EvaluateToolArguments) -> ToolResult:
        """Show the expression's value, or why it has no value."""
        expression = arguments.expression
        if (refusal := refused(bench, expression, "evaluated")) is not None:
            return refusal
        fact = await read_one(bench, expression)
        if fact.value is not None:
            note = f" ({fact.value.note})" if fact.value.note else ""
            told = f"{code(expression)} is {code(typed(fact.value, MAX_RESULT_CHARS))}{note}."
            return ToolResult(told, fact, _ONLY_READ)
        if fact.error == "raised":
            return ToolResult(f"{code(expression)} has no value: {fact.text}.", fact, _ONLY_READ)
        reason = fact.text.removeprefix("refused: ") or "it is not known here"
        advice = " A native program is only read: nothing is called in it." if fact.error == "refused" else ""
        return ToolResult(f"{code(expression)} was not evaluated: {reason}.{advice}", fact, failed=True)


class NativeDefinition(DefinitionTool):
    """The native form of the tool `definition`. Without a language server, it searches the program's files by name."""

    otherwise = "`search` finds where a text stands, `type` what a variable or a type is"

    def is_offered(self, bench: ToolContext) -> bool:
        """Always True, because the program's files can be searched even without a language server."""
        del bench
        return True


def refused(bench: ToolContext, expression: str, done: str) -> ToolResult | None:
    """Return the refusal of an expression that cannot be read in the frame's language, or None if it can."""
    return base.refused(bench, expression, done, partial(node_of, language=bench.dialect))


_ALL: tuple[Tool[Any], ...] = (NativeStack(), NativeThreads(), NativeVariables(), NativeEvaluate(), NativeDefinition())
FORMS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""Native forms of general tools, by the tool's name."""
