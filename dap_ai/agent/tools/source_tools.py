"""The `source` and `search` tools, which show and search the program's files."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from dap_ai.agent.case.source_roots import Roots, UnreadableFileError, roots_of
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.agent.tools.symbols import place_of
from dap_ai.agent.tools.tool_reads import find, import_path, numbered
from dap_ai.protocol.contracts.tool_arguments import SearchArguments, SourceArguments
from dap_ai.system.texts import code, counted, fenced

MAX_MATCHES = 60
_MAX_FILES = 5000
_MAX_BYTES = 64_000_000
_MAX_FILE_BYTES = 1_000_000
_MAX_LINE_CHARS = 160


class SourceTool(Tool[SourceArguments]):
    """`window` numbered lines of a file around `line`."""

    description = "Numbered lines of a file of the program or its libraries, around a line."
    arguments = SourceArguments
    level = "observe"
    main = "{file}"

    async def exact(self, bench: ToolContext, arguments: SourceArguments) -> SourceArguments:
        """Returns the arguments with `shop.c:12` split into file and line."""
        del bench
        file, line = place_of(arguments.file)
        return msgspec.structs.replace(arguments, file=file, line=line) if line and arguments.line == 1 else arguments

    async def run(self, bench: ToolContext, arguments: SourceArguments) -> ToolResult:
        """Returns the numbered lines. Marks the line at which a frame of the stack stands."""
        try:
            source = await _of_frame(bench, arguments.file) or await find(bench, arguments.file)
        except UnreadableFileError as error:
            return ToolResult(f"{error}.", failed=True)
        count = len(source.lines)
        if arguments.line > max(1, count):
            return ToolResult(f"{code(source.path)} has no line {arguments.line}: it has {count}.", failed=True)
        first = max(1, min(arguments.line - arguments.window // 2, count - arguments.window + 1))
        last = min(count, first + arguments.window - 1)
        stands = next((f.line for f in bench.case.frames if f.path == source.path and first <= f.line <= last), 0)
        head = f"{bench.short(source.path)}, lines {first} to {last} of {count}"
        mark = f" (`>`: a frame of the stack stands at line {stands})" if stands else ""
        return ToolResult(f"{head}{mark}:\n\n{fenced(numbered(source, first, last, stands))}")


class SearchTool(Tool[SearchArguments]):
    """Lines that contain a text, as `file:line: text`, in the program's own files whose path ends in `files`.

    Case is ignored only if there is no exact match. Name a library's file to search it: `json/decoder.py`.
    """

    description = "Where a text stands in the program's own files, no pattern; `files`: the end of their paths, `.py`."
    arguments = SearchArguments
    level = "observe"
    main = "{text}"

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the program has a folder to search."""
        return bool(roots_of(bench.case).workspace)

    async def run(self, bench: ToolContext, arguments: SearchArguments) -> ToolResult:
        """Returns `file:line: text` for each match. Ignores case only if there is no exact match."""
        text, ending = arguments.text.strip("\n"), arguments.files.strip().lstrip("*")
        if not text.strip() or "\n" in text:
            return ToolResult("Search for a text that stands in one line.", failed=True)
        roots = roots_of(bench.case)
        found = await asyncio.to_thread(_Hunt(text, ending).over, roots)
        if not found.files and "/" in ending.strip("/"):
            wide = roots_of(bench.case, await import_path(bench))
            found = await asyncio.to_thread(_Hunt(text, ending).through, wide)
        return ToolResult(_search_text(found, bench.case.inspection.cwd), failed=not found.files)


@dataclass
class _Hunt:
    """A text search with limits on files, bytes and time."""

    text: str
    ending: str
    files: int = 0
    skipped: int = 0
    is_cut: bool = False
    refusal: str = ""
    exact: list[tuple[str, int, str]] = field(default_factory=list[tuple[str, int, str]])
    loose: list[tuple[str, int, str]] = field(default_factory=list[tuple[str, int, str]])
    _bytes: int = 0

    def over(self, roots: Roots) -> _Hunt:
        """Searches the program's own folders."""
        walk = roots.walk()
        for path in walk:
            if self.files >= _MAX_FILES or self._bytes > _MAX_BYTES:
                self.is_cut = True
                break
            if path.as_posix().endswith(self.ending):
                self._look(path)
        self.is_cut = self.is_cut or walk.is_cut
        return self

    def through(self, roots: Roots) -> _Hunt:
        """Searches only the file named by `ending`, which may be in a library."""
        try:
            self._look(Path(roots.find(self.ending)))
        except UnreadableFileError as error:
            self.refusal = str(error)
        return self

    def _look(self, path: Path) -> None:
        try:
            if path.stat().st_size > _MAX_FILE_BYTES:
                self.skipped += 1
                return
            data = path.read_bytes()
        except OSError:
            self.skipped += 1
            return
        self._bytes += len(data)
        if b"\0" in data[:4096]:
            return
        self.files += 1
        text, wanted = data.decode("utf-8", "replace"), self.text.lower()
        if wanted not in text.lower():
            return
        for number, line in enumerate(text.splitlines(), 1):
            if self.text in line:
                self.exact.append((str(path), number, line))
            elif wanted in line.lower():
                self.loose.append((str(path), number, line))


def _search_text(found: _Hunt, root: str) -> str:
    if found.refusal:
        return f"{found.refusal}."
    where = counted(found.files, "file") + (f" that end in {code(found.ending)}" if found.ending else "")
    where += f" ({found.skipped} left out as too large)" if found.skipped else ""
    stopped = " The search ended before all was seen: it takes too long." if found.is_cut else ""
    matches = found.exact or found.loose
    if not matches:
        return f"{code(found.text)} does not stand in {where}.{stopped}"
    rows = [f"{shorten(path, root)}:{n}: {_around(line, found.text)}" for path, n, line in matches[:MAX_MATCHES]]
    if len(matches) > MAX_MATCHES:
        rows.append(f"... {len(matches) - MAX_MATCHES} more")
    case = "" if found.exact else ", in other capitals"
    return f"{counted(len(matches), 'line')} in {where}{case}.{stopped}\n\n{fenced(chr(10).join(rows))}"


def _around(line: str, text: str) -> str:
    """Returns the line. Of a long line, returns only the part around the text."""
    plain = line.strip()
    at = plain.lower().find(text.strip().lower())
    first = max(0, at - _MAX_LINE_CHARS // 2) if len(plain) > _MAX_LINE_CHARS else 0
    shown = plain[first : first + _MAX_LINE_CHARS]
    return f"{'...' if first else ''}{shown}{'...' if len(plain) > first + _MAX_LINE_CHARS else ''}"


async def _of_frame(bench: ToolContext, file: str) -> SourceFile | None:
    """Returns the source of a frame that has no file, such as a notebook cell or `<string>`, or None."""
    for number, frame in enumerate(bench.case.frames):
        if frame.path == file and (frame.reference or file.startswith("<")):
            place = (await bench.at(number)).focus
            return place.source if place else None
    return None


source = SourceTool()
search = SearchTool()
