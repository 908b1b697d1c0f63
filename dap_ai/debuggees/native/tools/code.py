"""The tool `code`, which shows the whole function around a line, with its name."""

from __future__ import annotations

import msgspec

from dap_ai.agent.case.source_roots import UnreadableFileError
from dap_ai.agent.language.declared import holder
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.agent.tools.symbols import place_of
from dap_ai.agent.tools.tool_reads import find, numbered
from dap_ai.debuggees.native.source.languages import function_at
from dap_ai.protocol.contracts.tool_arguments import CodeArguments
from dap_ai.system.texts import code, fenced

MAX_WHOLE_LINES = 120


class CodeTool(Tool[CodeArguments]):
    """The whole function around a line, with its name. `file` may include the line: `shop.c:12`."""

    description = "The whole function, with its name, that holds a line: `file` may be `shop.c:12`."
    arguments = CodeArguments
    level = "observe"
    main = "{file}"
    only = "native"
    instead = "`source` shows the lines around a line."

    async def exact(self, bench: ToolContext, arguments: CodeArguments) -> CodeArguments:
        """Separate file and line. Without a line, use the current line of the file's innermost frame."""
        file, line = place_of(arguments.file, arguments.line)
        stands = (f.line for f in bench.case.frames if f.path.replace("\\", "/").endswith(file.replace("\\", "/")))
        return msgspec.structs.replace(arguments, file=file, line=line or next(stands, 1))

    async def run(self, bench: ToolContext, arguments: CodeArguments) -> ToolResult:
        """Show the function around the line. If there is none, or it is very long, show `around` lines on each side."""
        try:
            source = await find(bench, arguments.file)
        except UnreadableFileError as error:
            return ToolResult(f"{error}.", failed=True)
        line, count = max(1, arguments.line), len(source.lines)
        if line > max(1, count):
            return ToolResult(f"{code(source.path)} has no line {line}: it has {count}.", failed=True)
        name, start, end = block_at(source, line)
        first, last = start, end
        if not name or end - start >= MAX_WHOLE_LINES:
            first, last = max(start, line - arguments.around), min(end, line + arguments.around)
        cut = f" (it is long: {start} to {end})" if name and (first, last) != (start, end) else ""
        head = f"{code(name)}{cut}, " if name else ""
        head += f"{bench.short(source.path)}, lines {first} to {last} of {count} (`>`: line {line})"
        return ToolResult(f"{head}:\n\n{fenced(numbered(source, first, last, line))}")


def block_at(source: SourceFile, line: int) -> tuple[str, int, int]:
    """Return name, first and last line of the function around a line, else of the type around it.

    If the line is in neither, the name is empty and the lines are the whole file's.
    """
    if source.language in NATIVE_LANGUAGES:
        if own := function_at(source, line):
            return own.name, own.first, own.last
        if around := holder(source, line):
            return source.line(around[0]).strip().rstrip("{").strip(), *around
    elif node := source.function_at(line):
        owner = source.owners.get(node)
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return (f"{owner.name}.{node.name}" if owner else node.name), first, last_line(node)
    return "", 1, len(source.lines)


code_ = CodeTool()
