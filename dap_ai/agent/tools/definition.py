"""The `definition` tool: finds where the symbol on a line is defined, and shows the source there."""

from __future__ import annotations

import os
from pathlib import Path

from dap_ai.agent.case.debuggee_kind import Kind, kind_of_language
from dap_ai.agent.case.source_roots import Roots, UnreadableFileError, is_library, roots_of
from dap_ai.agent.language.declared import extent, holder
from dap_ai.agent.language.language_messages import LanguageServerError, SourceLine
from dap_ai.agent.language.recipes import is_installed, why_not_installed
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.definition_lookup import Definitions, SymbolQuery, definitions
from dap_ai.agent.tools.symbols import columns_of, place_of, symbol_of
from dap_ai.agent.tools.tool_reads import find, numbered
from dap_ai.protocol.contracts.tool_arguments import DefinitionArguments
from dap_ai.system.texts import code, fenced

MAX_WHOLE_LINES = 40
"""Maximum length of a function, class or struct that is shown whole, in lines."""
_AROUND = 3
"""Number of lines to show before and after any other definition."""
_MAX_SPOTS = 5
_MAX_ELSEWHERE = 5
_MAX_LINE_CHARS = 200


class DefinitionTool(Tool[DefinitionArguments]):
    """Where the symbol on a line is defined, with its source, from a language server (jedi, clangd, rust-analyzer).

    Without a language server, C, C++ and Rust symbols are found by name in the program's files, and the answer says so.
    """

    description = "Where the symbol that stands on this line is defined, with the source there; libraries too."
    arguments = DefinitionArguments
    level = "observe"
    main = "{file}:{line}"
    otherwise = "`search` finds where a text stands, `info` what a name of the frame is"
    """What to do if no definition is found."""

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether a language server can be started."""
        return bench.language is not None and is_installed()

    async def exact(self, bench: ToolContext, arguments: DefinitionArguments) -> DefinitionArguments:
        """Returns the arguments with `shop.py:12` split into file and line."""
        del bench
        file, line = place_of(arguments.file)
        return DefinitionArguments(file, line, arguments.symbol) if line == arguments.line else arguments

    async def run(self, bench: ToolContext, arguments: DefinitionArguments) -> ToolResult:
        """Returns the definitions of the symbol. Raises NotStopped, RequestFailed."""
        otherwise = self.otherwise
        if not self.is_offered(bench):
            why = why_not_installed("python") or "There is no language server here"
            return ToolResult(f"{why}; without it, {otherwise}.", failed=True)
        try:
            asked = await _asked(bench, arguments)
        except (UnreadableFileError, LookupError) as error:
            return ToolResult(f"{error}.", failed=True)
        name = f"{code(asked.symbol)} at {spot_text(bench, asked.source.path, asked.line)}"
        try:
            found = await definitions(bench, asked)
        except LanguageServerError as error:
            return ToolResult(f"{name} was not looked up, because {error}: {otherwise}.", failed=True)
        if not found.spots:
            where = f"in the program's files ({found.by_name})" if found.by_name else "that the language server knows"
            return ToolResult(f"{name} is defined nowhere {where}: {otherwise}.", [])
        return _result(bench, asked, name, found)


def excerpt(source: SourceFile, line: int) -> str:
    """Returns the numbered lines of the function, class or struct that starts at `line`, else the lines around it."""
    first, last = _native_whole(source, line) if source.language in NATIVE_LANGUAGES else _python_whole(source, line)
    if last < first:
        first, last = max(1, line - _AROUND), min(len(source.lines), line + _AROUND)
    shown = min(last, first + MAX_WHOLE_LINES - 1)
    more = f"\n...     {last - shown} more lines" if last > shown else ""
    return numbered(source, first, shown, line) + more


def _python_whole(source: SourceFile, line: int) -> tuple[int, int]:
    """Returns the (first, last) line of the function or class that starts at `line`.

    If no definition starts there, `last` is less than `first`.
    """
    node = source.function_starting(line) or next((c for c in source.classes if c.lineno == line), None)
    return (min([node.lineno, *(d.lineno for d in node.decorator_list)]), last_line(node)) if node else (line, 0)


def _native_whole(source: SourceFile, line: int) -> tuple[int, int]:
    """Returns the (first, last) line of the definition that starts at `line`, or of a short member's type.

    If neither is found, `last` is less than `first`.
    """
    first, last, has_body = extent(source, line)
    if has_body or last - first > 1:
        return first, last
    around = holder(source, line)
    return around if around and around[1] - around[0] < MAX_WHOLE_LINES else (line, 0)


async def _asked(bench: ToolContext, arguments: DefinitionArguments) -> SymbolQuery:
    """Locates the symbol on its line. Raises NotStopped, RequestFailed, UnreadableFileError.

    Raises LookupError if the symbol is not there.
    """
    source = await find(bench, place_of(arguments.file)[0])
    line, spot = arguments.line, spot_text(bench, source.path, arguments.line)
    if line > len(source.lines):
        raise LookupError(f"{code(arguments.file)} has no line {line}: it has {len(source.lines)}")
    symbol = symbol_of(arguments.symbol)
    columns = columns_of(source.line(line), symbol)
    if not columns:
        if not symbol:
            raise LookupError(f"{code(arguments.symbol)} is no name: give one as it stands on {spot}, `cart.pay`")
        text = clip(source.line(line).strip(), _MAX_LINE_CHARS)
        there = f"{spot}: {code(text)}" if text else f"{spot}, which is empty"
        raise LookupError(f"{code(symbol)} is not on {there}{_elsewhere(source, line, symbol)}")
    return SymbolQuery(source, line, symbol, columns)


def _elsewhere(source: SourceFile, line: int, symbol: str) -> str:
    lines = [n for n, text in enumerate(source.lines, 1) if columns_of(text, symbol)]
    nearest = sorted(sorted(lines, key=lambda n: abs(n - line))[:_MAX_ELSEWHERE])
    if not nearest:
        return ", nor anywhere else in this file"
    return f". It stands on line {', '.join(map(str, nearest))}"


def _result(bench: ToolContext, asked: SymbolQuery, name: str, found: Definitions) -> ToolResult:
    kind = kind_of_language(asked.source.language)
    folders = [str(Path(os.path.realpath(s.path)).parent) for s in found.spots if _in_library(s, kind)]
    roots = roots_of(bench.case, (*found.import_path, *folders))
    shown = [shown_at(bench, roots, spot) for spot in found.spots[:_MAX_SPOTS]]
    if len(found.spots) == 1:
        head = f"{name} is defined at "
    else:
        more = f", the first {len(shown)}" if len(found.spots) > len(shown) else ""
        head = f"{name} has {len(found.spots)} definitions{more}:\n\n"
    data = [{"file": spot.path, "line": spot.line} for spot in found.spots]
    how = f"\n\nFound by its name in the program's files: {found.by_name}." if found.by_name else ""
    return ToolResult(head + "\n\n".join(shown) + how, data)


def _in_library(spot: SourceLine, kind: Kind) -> bool:
    """Whether a definition is in a library. Links are resolved first, because they may lead out of the workspace."""
    return is_library(os.path.realpath(spot.path), kind)


def shown_at(bench: ToolContext, roots: Roots, spot: SourceLine) -> str:
    """Returns the place of a definition, with its source if the agent may read the file."""
    name = spot_text(bench, spot.path, spot.line)
    try:
        source = bench.sources.text(str(roots.check(spot.path)))
    except UnreadableFileError as error:
        return f"{name} (not shown: {error})"
    return f"{name}:\n\n{fenced(excerpt(source, spot.line))}" if source else name


def spot_text(bench: ToolContext, path: str, line: int) -> str:
    """Formats a file and line as code: `shop.py:12`."""
    return code(f"{bench.short(path)}:{line}")


definition = DefinitionTool()
"""The instance of the `definition` tool."""
