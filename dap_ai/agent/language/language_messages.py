"""Requests to a language server, its answers, and its errors."""

from __future__ import annotations

from dataclasses import dataclass


class LanguageServerError(Exception):
    """Raised when a language server cannot answer; the text says why."""


class ServerEnded(Exception):  # noqa: N818  named after the event
    """Raised when the language server's process ends before it answers."""


class ServerRefused(Exception):  # noqa: N818  named after the event
    """Raised when the language server answers with an error; the text is the server's."""


@dataclass(frozen=True)
class Workspace:
    """The folder and Python environment in which names are looked up."""

    root: str
    """Path of the workspace folder."""
    python: str = ""
    """The debuggee's interpreter; empty for dap_ai's own environment."""
    import_path: tuple[str, ...] = ()
    """The debuggee's `sys.path`, searched after the interpreter's own paths."""


@dataclass(frozen=True)
class Position:
    """A character in a file. `line` is 1-based, `column` 0-based; `path` is absolute."""

    path: str
    text: str
    """Text of the whole file."""
    line: int
    column: int
    language: str = "python"
    """Language name, as from source_files.language_of."""


@dataclass(frozen=True)
class SourceLine:
    """A line of a file, 1-based."""

    path: str
    line: int
