"""What a language server is asked and answers, and why it may not answer."""

from __future__ import annotations

from dataclasses import dataclass


class LanguageServerError(Exception):
    """No definition can be had; the text says why."""


class ServerEnded(Exception):  # noqa: N818  what has happened
    """The language server's process ended before it answered."""


class ServerRefused(Exception):  # noqa: N818  what has happened
    """The language server answered with an error; the text is its own."""


@dataclass(frozen=True)
class Workspace:
    """Where names are looked up."""

    root: str
    """A folder."""
    python: str = ""
    """The debuggee's interpreter; empty: the environment that dap_ai itself is in."""
    import_path: tuple[str, ...] = ()
    """The debuggee's `sys.path`: looked at after what the interpreter has of itself."""


@dataclass(frozen=True)
class Position:
    """A character of a file. `line` is 1-based, `column` 0-based; the path is absolute."""

    path: str
    text: str
    """Of the whole file."""
    line: int
    column: int
    language: str = "python"
    """As agent.source.language_of has it."""


@dataclass(frozen=True)
class SourceLine:
    """A line of a file, 1-based."""

    path: str
    line: int
