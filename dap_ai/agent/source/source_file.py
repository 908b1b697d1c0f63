"""Source files of the stack frames: read, cached by modification time and size, and parsed once. Lines are 1-based.

A file that does not parse (newer syntax, a notebook cell) still has lines; its statements are parsed one by one.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock, RLock
from typing import NamedTuple, TypeVar

from dap_ai.agent.source.indexing import FunctionNode, Index
from dap_ai.agent.source.parsed import Unit, grammar_of
from dap_ai.agent.source.source_files import PYTHON_SUFFIXES, language_of, why_no_source
from dap_ai.agent.source.statements import first_line, last_line
from dap_ai.system.extras import MissingExtraError
from dap_ai.system.texts import fenced
from dap_ai.system.user_code import is_user_path as is_user_path  # noqa: PLC0414  it is known from here

ScopeNode = FunctionNode | ast.Module
T = TypeVar("T")

MAX_SOURCE_BYTES = 4_000_000
_LINE_END = re.compile(r"\r\n|\r|\n")
"""Matches Python's line ends. `str.splitlines` also splits at form feeds, which the standard library contains."""


NATIVE_LANGUAGES = frozenset({"c", "cpp", "rust"})
"""Languages that the native debuggee kind parses with its own grammar."""
_CPP_TEXT = re.compile(
    r"^[ \t]*(class\s+\w+\s*(final\s*)?([:{;]|$)|namespace\b|template\s*<|using\s+(namespace\s|\w+\s*=)"
    r"|(public|private|protected):|#\s*include\s*<\w+>)|\b\w+::\w",
    re.MULTILINE,
)


def is_source(path: Path) -> bool:
    """Whether a file has the suffix of Python, C, C++ or Rust source."""
    return path.suffix in PYTHON_SUFFIXES or language_of(str(path)) in NATIVE_LANGUAGES


@dataclass
class SourceFile:
    """The text of one source file, with its parsed forms."""

    path: str
    text: str
    unparsed: str = ""
    """Reason why a C, C++ or Rust file has no `unit`. Set by the first access to `unit`."""
    _parsing: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Lock by which all threads share one tree of the file, because nodes are compared by identity."""

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the file without line ends. Line 1 is `lines[0]`."""
        lines = _LINE_END.split(self.text)
        return lines if lines[-1] else lines[:-1]

    @cached_property
    def language(self) -> str:
        """Language name by the suffix, such as `python`. The text of a `.h` file decides between C and C++."""
        named = language_of(self.path)
        return "cpp" if named == "c" and self.path.endswith(".h") and _CPP_TEXT.search(self.text) else named

    @cached_property
    def unit(self) -> Unit | None:
        """The parsed C, C++ or Rust file.

        None for any other language, or if the extra `grammars` is not installed.
        """
        if not self.is_native:
            return None
        try:
            return grammar_of(self.language).parse(self.text, self.language)
        except MissingExtraError as error:
            self.unparsed = str(error)
            return None

    @property
    def is_native(self) -> bool:
        """Whether the file is C, C++ or Rust."""
        return self.language in NATIVE_LANGUAGES

    @cached_property
    def tree(self) -> ast.Module | None:
        """The AST of a Python file. None for other languages, or if this Python cannot parse the file."""
        return self._once("tree", self._parsed)

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Returns the value of property `name`, which only the first thread computes. `make` must not block."""
        with self._parsing:
            if name not in self.__dict__:
                self.__dict__[name] = make()
            return self.__dict__[name]

    def _parsed(self) -> ast.Module | None:
        if self.language != "python":
            return None
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def block(self, text: str) -> str:
        """Returns `text` as a code block in the file's language."""
        return fenced(text, self.language)

    def line(self, number: int) -> str:
        """Returns a line by its number; empty if the file has no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def holds(self, text: str, statement: ast.stmt) -> bool:
        """Whether a line of this statement contains the text."""
        return any(text in line for line in self.lines[statement.lineno - 1 : last_line(statement)])

    @cached_property
    def index(self) -> Index:
        """Index of the AST. The index is empty if the file has no AST."""
        tree = self.tree or ast.Module([], [])
        return self._once("index", lambda: Index(tree))

    @property
    def functions(self) -> list[FunctionNode]:
        """Every function and method of the file, outer ones first."""
        return self.index.functions

    @property
    def classes(self) -> list[ast.ClassDef]:
        """Every class of the file, outer ones first."""
        return self.index.classes

    @property
    def owners(self) -> dict[ast.AST, ast.ClassDef]:
        """The class that defines each method."""
        return self.index.owners

    def function_at(self, line: int) -> FunctionNode | None:
        """Returns the innermost function that contains the line, or None at module level."""
        return self.index.function_at(line)

    def function_starting(self, line: int) -> FunctionNode | None:
        """Returns the function whose `def` or decorators include the line, or None."""
        return next((f for f in self.functions if first_line(f) <= line <= f.lineno), None)

    def scope_at(self, line: int) -> ScopeNode | None:
        """Returns the innermost function that contains the line, else the module. None if the file has no AST."""
        return self.function_at(line) or self.tree

    def statement_at(self, line: int) -> ast.stmt | None:
        """Returns the innermost statement at the line, or None.

        For a file without an AST, parses the statement that begins at the line.
        """
        if self.tree is None:
            return self._lone_statement(line)
        return self.index.statement_at(line)

    def _lone_statement(self, line: int) -> ast.stmt | None:
        for count in range(1, 20):
            text = textwrap.dedent("\n".join(self.lines[line - 1 : line - 1 + count]))
            for suffix in ("", "\n    pass"):
                try:
                    body = ast.parse(text + suffix).body
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    continue
                if body:
                    return ast.increment_lineno(body[0], line - 1)
        return None

    def window(self, line: int, *, before: int = 6, after: int = 4) -> tuple[int, int]:
        """Returns the (first, last) line to show around `line`. A short function is shown whole."""
        if self.unit and (own := self.unit.function_at(line)):
            if own.last - own.first <= before + after + 20:
                return own.first, own.last
            return max(line - before, own.first), min(line + after, own.last)
        function = self.function_at(line)
        first, last = max(1, line - before), min(len(self.lines), line + after)
        if function is None:
            return first, last
        if last_line(function) - function.lineno <= before + after + 20:
            return function.lineno, last_line(function)
        return max(first, function.lineno), min(last, last_line(function))


@dataclass
class Sources:
    """The source files of one session."""

    _cache: dict[tuple[str, bool], _Cached] = field(default_factory=dict[tuple[str, bool], "_Cached"])
    _given: dict[str, SourceFile] = field(default_factory=dict[str, SourceFile])
    _reading: RLock = field(default_factory=RLock)

    def read(self, path: str) -> SourceFile | None:
        """Returns the source file at a path from a frame, report or definition.

        None if the file is missing, too large or not source.
        """
        return self._given.get(path) or self._found(path, named=True).file

    def text(self, path: str) -> SourceFile | None:
        """Returns a text file, which the caller has already checked against the roots.

        None if the file is missing, too large or not text.
        """
        return self._given.get(path) or self._found(path, named=False).file

    def refusal(self, path: str) -> str:
        """Returns why an existing file does not count as source. Empty if it is source or does not exist."""
        return "" if path in self._given else self._found(path, named=True).refusal

    def add(self, path: str, text: str) -> SourceFile:
        """Adds source that has no file, such as a notebook cell. The text comes from DAP's `source` request."""
        file = self._given[path] = SourceFile(path, text)
        return file

    def _found(self, path: str, *, named: bool) -> _Cached:
        if not path or path.startswith("<"):
            return _NOTHING
        try:
            stat = Path(path).stat()
        except (OSError, ValueError):
            return _NOTHING
        key = (stat.st_mtime, stat.st_size)
        with self._reading:  # two threads must get the same SourceFile for a path
            cached = self._cache.get((path, named))
            if cached is None or cached.key != key:
                cached = self._cache[path, named] = _load(path, key, named=named)
        return cached


class _Cached(NamedTuple):
    """Result of reading a file, valid for the modification time and size in `key`."""

    key: tuple[float, int]
    file: SourceFile | None
    refusal: str = ""


_NOTHING = _Cached((0, 0), None)


def _load(path: str, key: tuple[float, int], *, named: bool) -> _Cached:
    if key[1] > MAX_SOURCE_BYTES:
        return _Cached(key, None)
    try:
        if refusal := why_no_source(path) if named else "":
            return _Cached(key, None, refusal)
        data = Path(path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return _Cached(key, SourceFile(path, io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace").read()))
    except (OSError, SyntaxError, LookupError, ValueError):
        return _Cached(key, None)
