"""The tool `slice`: the lines that made a value, nearest first, with known values on these lines."""

from __future__ import annotations

import ast

import msgspec

from dap_ai.agent.case.value_texts import show
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.sanitize import SyntaxRefused, parse_expression
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult
from dap_ai.debuggees.python.analysis.slice.slicing import Slicer, SliceStep, part_of
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from dap_ai.protocol.contracts.tool_arguments import SliceArguments
from dap_ai.system.texts import code

_MAX_ROWS = 25
_MAX_CODE_CHARS = 100


class SliceOrigin(msgspec.Struct):
    """A line that contributed to the value. `line` is 1-based."""

    file: str
    line: int
    code: str
    role: str
    value: str = ""
    """The current value of the name that the line sets; empty if the name's frame is not on the stack."""


class SliceTool(Tool[SliceArguments]):
    """The lines that computed an expression's value, nearest first."""

    description = "Where a value came from: the assignments, arguments, returns and conditions behind it."
    arguments = SliceArguments
    level = "observe"
    main = "{expression}"
    title = "Where a value comes from"
    only = "python"
    instead = "It follows Python: in a native program `source` and `code` show what sets a value."

    async def run(self, bench: ToolContext, arguments: SliceArguments) -> ToolResult:
        """Returns the lines behind an expression's value in the frame in focus."""
        place = bench.focus
        resolver = Resolver(bench.sources, bench.case.places)
        scope = resolver.of_place(place) if place else None
        if place is None or scope is None:
            return NO_FRAME
        try:
            root = parse_expression(arguments.expression)
        except SyntaxRefused as error:
            return ToolResult(f"{code(arguments.expression)} has no history: {error}.", failed=True)
        found = Slicer(resolver).run([(scope, root, place.frame.line)])
        origins = [_origin(step) for step in found.steps]
        return ToolResult(_slice_text(bench, root, origins), origins)


def _origin(step: SliceStep) -> SliceOrigin:
    value = step.scope.place.value(step.name) if step.scope.place and step.role != "argument" else None
    line = " ".join(step.scope.source.line(step.line).split())
    return SliceOrigin(
        step.scope.source.path, step.line, line[:_MAX_CODE_CHARS], part_of(step), show(value, 80) if value else ""
    )


def _slice_text(bench: ToolContext, root: ast.expr, origins: list[SliceOrigin]) -> str:
    text = ast.unparse(root)
    value = bench.focus.value(root) if bench.focus else None
    now = f"{code(text)} is {code(show(value))}" if value else f"{code(text)} was not read"
    if not origins:
        return f"{now}. No line that made it was found in the code that was read."
    root_folder = bench.case.inspection.cwd
    rows = [
        f"- {code(f'{shorten(o.file, root_folder)}:{o.line}')} {code(o.code)}: {o.role}"
        + (f", now {code(o.value)}" if o.value else "")
        for o in origins[:_MAX_ROWS]
    ]
    more = [f"- ... {len(origins) - _MAX_ROWS} more lines"] if len(origins) > _MAX_ROWS else []
    return "\n".join([f"{now}. What made it, nearest first:\n", *rows, *more])


slice_ = SliceTool()
