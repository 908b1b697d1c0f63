"""`definition`: where the symbol that stands on a line is defined, and its source; asks the language server."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from pathlib import Path

from dap_ai.agent.language.server import (
    LanguageServer,
    LanguageServerError,
    Position,
    Spot,
    Workspace,
    is_installed,
)
from dap_ai.agent.roots import Refused, Roots, roots_of
from dap_ai.agent.source import SourceFile, is_user_path, last_line
from dap_ai.agent.tools.base import Bench, Tool, ToolResult, clip, code, fenced
from dap_ai.agent.tools.reading import find, import_path, numbered, printed, somewhere
from dap_ai.protocol.tools import Definition

MAX_WHOLE_LINES = 40
"""A function or class is shown whole up to so many lines."""
_AROUND = 3
"""Lines shown before and after anything else."""
_MAX_TRIED = 4
_MAX_SPOTS = 5
_MAX_ELSEWHERE = 5
_MAX_LINE_CHARS = 200
_SYMBOL = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\s")
_INTERPRETER = re.compile(r"(python|pypy)[\w.\-]*", re.IGNORECASE)
_ELSE = "`search` finds where a text stands, `info` what a name of the frame is"


class DefinitionTool(Tool[Definition]):
    """See agent.tools.base.Tool."""

    name = "definition"
    description = "Where the symbol that stands on this line is defined, with the source there; libraries too."
    arguments = Definition

    def is_offered(self, bench: Bench) -> bool:
        """Where a language server can be started."""
        return bench.language is not None and is_installed()

    async def run(self, bench: Bench, arguments: Definition) -> ToolResult:
        """The definitions. Raises NotStopped, RequestFailed."""
        if bench.language is None or not is_installed():
            return ToolResult(f"There is no language server here: {_ELSE}.", failed=True)
        try:
            asked = await _asked(bench, arguments)
        except (Refused, LookupError) as error:
            return ToolResult(f"{error}.", failed=True)
        try:
            found = await _found(bench, bench.language, asked)
        except LanguageServerError as error:
            return ToolResult(f"{asked.text} was not looked up, because {error}: {_ELSE}.", failed=True)
        if not found:
            return ToolResult(f"{asked.text} is defined nowhere that the language server knows: {_ELSE}.", [])
        paths = bench.language.workspace.import_path if bench.language.workspace else ()
        return _told(bench, asked, found, paths)


@dataclass(frozen=True)
class _Asked:
    """A symbol on a line, and where in it."""

    source: SourceFile
    line: int
    symbol: str
    columns: list[int]
    text: str
    """In words: `total` at `shop.py:3`."""


def symbol_of(text: str) -> str:
    """The dotted name in what a model calls a symbol, `cart.items.pay` of `cart.items[0].pay(3)`; empty: none."""
    plain, count = _BRACKETS.subn("", text)
    while count:
        plain, count = _BRACKETS.subn("", plain)
    return plain if _SYMBOL.fullmatch(plain) else ""


def columns_of(text: str, symbol: str) -> list[int]:
    """Where the last part of a dotted symbol stands in a line, 0-based; the whole symbol before its last part alone."""
    if not symbol:
        return []
    parts = symbol.split(".")
    dotted = r"\s*\.\s*".join(map(re.escape, parts[:-1])) + r"\s*\.\s*" if parts[:-1] else ""
    last = re.escape(parts[-1])
    whole = re.finditer(rf"(?<![\w.]){dotted}({last})(?!\w)", text)
    alone = re.finditer(rf"(?<!\w)({last})(?!\w)", text)
    return list(dict.fromkeys(match.start(1) for match in (*whole, *alone)))


def excerpt(source: SourceFile, line: int) -> str:
    """Numbered lines: the function or class that starts there, else the lines around."""
    node = source.function_starting(line) or next((c for c in source.classes if c.lineno == line), None)
    if node is None:
        first, last = max(1, line - _AROUND), min(len(source.lines), line + _AROUND)
    else:
        first, last = min([node.lineno, *(d.lineno for d in node.decorator_list)]), last_line(node)
    shown = min(last, first + MAX_WHOLE_LINES - 1)
    more = f"\n...     {last - shown} more lines" if last > shown else ""
    return numbered(source, first, shown, line) + more


async def _asked(bench: Bench, arguments: Definition) -> _Asked:
    """Raises Refused, LookupError if the symbol does not stand there, NotStopped, RequestFailed."""
    source = await find(bench, arguments.file)
    line, spot = arguments.line, _spot(bench, source.path, arguments.line)
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
    return _Asked(source, line, symbol, columns, f"{code(symbol)} at {spot}")


def _elsewhere(source: SourceFile, line: int, symbol: str) -> str:
    lines = [n for n, text in enumerate(source.lines, 1) if columns_of(text, symbol)]
    nearest = sorted(sorted(lines, key=lambda n: abs(n - line))[:_MAX_ELSEWHERE])
    if not nearest:
        return ", nor anywhere else in this file"
    return f". It stands on line {', '.join(map(str, nearest))}"


async def _found(bench: Bench, language: LanguageServer, asked: _Asked) -> list[Spot]:
    """The definitions of the first occurrence that has any: one may stand in a string or a comment."""
    if language.workspace is None:
        language.workspace = await _workspace(bench, asked.source.path)
    for column in asked.columns[:_MAX_TRIED]:
        spots = await language.definitions(Position(asked.source.path, asked.source.text, asked.line, column))
        if spots:
            return spots
    return []


async def _workspace(bench: Bench, path: str) -> Workspace:
    own = roots_of(bench.case).workspace
    root = str(own[0]) if own else str(Path(path).parent)
    folders = [folder for folder in await import_path(bench) if Path(folder).is_absolute()]
    return Workspace(root, await _interpreter(bench), tuple(folders))


async def _interpreter(bench: Bench) -> str:
    """The debuggee's; empty where it is not told."""
    seen = await somewhere(bench, ["sys.executable", "os.sys.executable"], max_text=4000)
    if seen and seen[2].value:
        return _python_of(seen[2].value.text)
    path, _ = await printed(bench, "print(repr(__import__('sys').executable))")
    return _python_of(path)


def _python_of(text: str) -> str:
    """The interpreter that a repr names; empty if it is no Python: a program that embeds one must not be started."""
    try:
        path = Path(str(ast.literal_eval(text)))
    except (ValueError, SyntaxError):
        return ""
    return str(path) if path.is_absolute() and _INTERPRETER.fullmatch(path.name) and path.is_file() else ""


def _told(bench: Bench, asked: _Asked, found: list[Spot], import_path: tuple[str, ...]) -> ToolResult:
    folders = [str(Path(os.path.realpath(spot.path)).parent) for spot in found if _in_library(spot)]
    roots = roots_of(bench.case, (*import_path, *folders))
    shown = [_shown(bench, roots, spot) for spot in found[:_MAX_SPOTS]]
    if len(found) == 1:
        head = f"{asked.text} is defined at "
    else:
        more = f", the first {len(shown)}" if len(found) > len(shown) else ""
        head = f"{asked.text} has {len(found)} definitions{more}:\n\n"
    data = [{"file": spot.path, "line": spot.line} for spot in found]
    return ToolResult(head + "\n\n".join(shown), data)


def _in_library(spot: Spot) -> bool:
    """Links are followed first: one that a workspace holds may lead anywhere."""
    return not is_user_path(os.path.realpath(spot.path))


def _shown(bench: Bench, roots: Roots, spot: Spot) -> str:
    name = _spot(bench, spot.path, spot.line)
    try:
        source = bench.sources.read(str(roots.check(spot.path)))
    except Refused as error:
        return f"{name} (not shown: {error})"
    return f"{name}:\n\n{fenced(excerpt(source, spot.line))}" if source else name


def _spot(bench: Bench, path: str, line: int) -> str:
    return code(f"{bench.short(path)}:{line}")


definition = DefinitionTool()
"""The tool."""
