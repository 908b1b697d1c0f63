"""Types of a language server's requests, answers and errors."""

from __future__ import annotations

from dataclasses import dataclass


class LanguageServerError(Exception):
    """Raised when a language server cannot answer. The text gives the reason."""


class ServerEnded(Exception):  # noqa: N818  named after the event
    """Raised when the language server's process ends before it has answered."""


class ServerRefused(Exception):  # noqa: N818  named after the event
    """Raised when the language server answers with an error. The text is the server's own."""


@dataclass(frozen=True)
class Workspace:
    """The folder and the Python environment in which a language server looks up names."""

    root: str
    """Path of the workspace folder."""
    python: str = ""
    """Path of the debuggee's interpreter. Empty for dap_ai's own environment."""
    import_path: tuple[str, ...] = ()
    """The debuggee's `sys.path`, searched after the interpreter's own paths."""


@dataclass(frozen=True)
class Position:
    """Position of a character in a file. `line` is 1-based, `column` 0-based; `path` is absolute."""

    path: str
    text: str
    """Full text of the file."""
    line: int
    column: int
    language: str = "python"
    """Language name that `source_files.language_of` returns for the file."""


@dataclass(frozen=True)
class SourceLine:
    """A file's path and the 1-based number of one line."""

    path: str
    line: int
