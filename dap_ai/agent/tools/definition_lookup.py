"""Finds the definitions of a symbol, by a language server, else by name in the program's files."""

from __future__ import annotations

import ast
import asyncio
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dap_ai.agent.case.debuggee_kind import kind_of_language
from dap_ai.agent.case.source_roots import is_library, roots_of
from dap_ai.agent.language.declared import defined_in, extent, last_part
from dap_ai.agent.language.language_messages import LanguageServerError, Position, SourceLine, Workspace
from dap_ai.agent.language.language_servers import LanguageServer, LanguageServers
from dap_ai.agent.language.recipes import Family, family_of, name_of, why_not_installed
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES, SourceFile, language_of
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.tool_reads import import_path, printed, somewhere

_MAX_TRIED = 4
_MAX_CANDIDATES = 4
"""Maximum files to open in clangd in search of a definition, if clangd knows only the declaration."""
_MAX_FILES = 3000
_MAX_FILE_BYTES = 1_000_000
_INTERPRETER = re.compile(r"(python|pypy)[\w.\-]*", re.IGNORECASE)


@dataclass(frozen=True)
class SymbolQuery:
    """A symbol on a line of a file, with the columns at which it occurs."""

    source: SourceFile
    line: int
    symbol: str
    columns: list[int]

    def positions(self) -> list[Position]:
        """Returns up to 4 positions of the symbol, because the first may be in a string or a comment."""
        source = self.source
        return [
            Position(source.path, source.text, self.line, column, source.language)
            for column in self.columns[:_MAX_TRIED]
        ]


@dataclass
class Definitions:
    """Places where a symbol is defined, and how they were found."""

    spots: list[SourceLine]
    by_name: str = ""
    """Why the program's files were searched by name. Empty if a language server found the places."""
    import_path: tuple[str, ...] = ()
    """Python's `sys.path` in the program, for finding its libraries."""


async def definitions(bench: ToolContext, asked: SymbolQuery) -> Definitions:
    """Finds where a symbol is defined. Raises NotStopped, RequestFailed.

    Raises LanguageServerError for Python; other languages are searched by name.
    """
    family = family_of(asked.source.language)
    why = why_not(bench, family)
    if family and bench.language and not why:
        try:
            server = await server_of(bench, bench.language, family, asked.source.path)
            found = await _by_server(bench, server, family, asked)
        except LanguageServerError as error:
            if family == "python":
                raise
            why = str(error)
        else:
            if found or family == "python":
                return Definitions(found, import_path=server.workspace.import_path if server.workspace else ())
            why = f"{name_of(family)} knows of none"
    if asked.source.language not in NATIVE_LANGUAGES:
        return Definitions([])
    return Definitions(await asyncio.to_thread(by_name, bench, asked.symbol, asked.source.language), why)


def why_not(bench: ToolContext, family: Family | None) -> str:
    """Returns why no language server can be asked; empty if one is available."""
    if bench.language is None or family is None:
        return "there is no language server here"
    return why_not_installed(family)


def by_name(bench: ToolContext, symbol: str, language: str) -> list[SourceLine]:
    """Returns the lines that define a name in the program's files, beginning with files of the stack.

    Call this in a thread.
    """
    found: list[SourceLine] = []
    for path in _files(bench, language, last_part(symbol)):
        source = bench.sources.read(path)
        found += [SourceLine(path, line) for line in defined_in(source, symbol)] if source else []
    return found


async def server_of(bench: ToolContext, languages: LanguageServers, family: Family, path: str) -> LanguageServer:
    """Returns the language server for the program's folder and Python. Raises NotStopped, RequestFailed."""
    own = roots_of(bench.case).workspace
    root = str(next((folder for folder in own if Path(path).is_relative_to(folder)), own[0] if own else ""))
    server = languages.of(family, root or str(Path(path).parent))
    if server.workspace is None:
        root = root or str(Path(path).parent)
        server.workspace = await _workspace(bench, root) if family == "python" else Workspace(root)
    return server


async def _by_server(
    bench: ToolContext, server: LanguageServer, family: Family, asked: SymbolQuery
) -> list[SourceLine]:
    for position in asked.positions():
        if spots := await server.definitions(position):
            if family != "clang" or any(_has_body(bench, spot) for spot in spots):
                return spots
            return _own(asked, position) or await _elsewhere(bench, server, asked.symbol, position) or spots
    return []


def _own(asked: SymbolQuery, position: Position) -> list[SourceLine]:
    """Returns the line itself if the symbol's function begins there.

    For this line, clangd returns only the declaration.
    """
    functions = asked.source.unit.functions if asked.source.unit else ()
    named = (f for f in functions if last_part(f.name) == last_part(asked.symbol))
    return [SourceLine(position.path, asked.line) for f in named if f.first <= asked.line <= f.first + 1]


async def _elsewhere(bench: ToolContext, server: LanguageServer, symbol: str, position: Position) -> list[SourceLine]:
    """Finds the definition of a declared name in other files. Makes clangd read these files first."""
    for path in await asyncio.to_thread(_candidates, bench, symbol, position):
        source = bench.sources.read(path)
        if source is None:
            continue
        await server.learn(Position(path, source.text, 1, 0, source.language))
        spots = [spot for spot in await server.definitions(position) if _has_body(bench, spot)]
        if spots:
            return spots
    return []


def _candidates(bench: ToolContext, symbol: str, position: Position) -> list[str]:
    """Returns files that may define a function: a line has its name and `(`, but no `;` after it."""
    name = re.compile(rf"\b{re.escape(last_part(symbol))}\s*\([^;]*$", re.MULTILINE)
    found: list[str] = []
    for path in _files(bench, position.language, last_part(symbol)):
        source = bench.sources.read(path) if path != position.path else None
        if source and name.search(source.text):
            found.append(path)
        if len(found) == _MAX_CANDIDATES:
            break
    return found


def _has_body(bench: ToolContext, spot: SourceLine) -> bool:
    """Whether a place is more than the declaration of a function. Always True in libraries."""
    source = bench.sources.read(spot.path)
    if source is None or is_library(spot.path, kind_of_language(source.language)):
        return True
    first, last, has_body = extent(source, spot.line)
    text = "\n".join(source.lines[first - 1 : last])
    return has_body or not re.search(r"\w\s*\(", text) or "=" in text


def _files(bench: ToolContext, language: str, name: str) -> Iterator[str]:
    """Yields the program's files of a language family that contain a name, beginning with files of the stack."""
    family, seen = family_of(language), set[str]()
    own = [frame.path for frame in bench.case.frames if frame.user]
    for path in (*own, *map(str, roots_of(bench.case).walk())):
        suffixed = family_of(language_of(path)) == family and path not in seen
        if suffixed and len(seen) < _MAX_FILES:
            seen.add(path)
            if _mentions(path, name.encode()):
                yield path


def _mentions(path: str, name: bytes) -> bool:
    """Whether a file contains a name. Does not use the session's cache, which keeps every file it reads."""
    try:
        return os.stat(path).st_size <= _MAX_FILE_BYTES and name in Path(path).read_bytes()  # noqa: PTH116  one call
    except OSError:
        return False


async def _workspace(bench: ToolContext, root: str) -> Workspace:
    folders = [folder for folder in await import_path(bench) if Path(folder).is_absolute()]
    return Workspace(root, await _interpreter(bench), tuple(folders))


async def _interpreter(bench: ToolContext) -> str:
    """Returns the path of the debuggee's Python interpreter; empty if unknown."""
    seen = await somewhere(bench, ["sys.executable", "os.sys.executable"], max_text=4000)
    if seen and seen[2].value:
        return _python_of(seen[2].value.text)
    path, _ = await printed(bench, "print(repr(__import__('sys').executable))")
    return _python_of(path)


def _python_of(text: str) -> str:
    """Returns the path in a repr if it is that of a Python interpreter, else an empty string.

    A program that embeds Python must not be started as an interpreter.
    """
    try:
        path = Path(str(ast.literal_eval(text)))
    except (ValueError, SyntaxError):
        return ""
    known = path.is_absolute() and _INTERPRETER.fullmatch(path.name) and os.path.isfile(path)  # noqa: PTH113  no error
    return str(path) if known else ""
