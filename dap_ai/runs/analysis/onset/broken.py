"""Whether a file's text is such that no program can read it.

Python and JSON by the parsers of the library, others by what they begin with.
"""

from __future__ import annotations

import ast
import json
import warnings

_MAX = 100_000
"""Characters: of longer texts nothing is said."""
_NEWER = ("print ", "exec ", "match ", "case ", "type ", "except*", "except ")
"""Lines that other versions of Python can read."""
_NO_PREFIX = (".py", ".c", ".h", ".cc", ".cpp", ".rs", ".go", ".js", ".ts", ".java", ".json", ".toml")
"""Files in which nothing can begin with `>` or `:`."""


def fault_of(path: str, text: str | None) -> str:
    """What is wrong, with the line's own words after `: `; "" where nothing is, or where that is not known."""
    if not text or len(text) > _MAX or not text.strip():
        return ""
    if text.lstrip()[0] in ">:" and path.endswith(_NO_PREFIX):
        return f"line 1, a stray prefix: {text.lstrip().split(chr(10), 1)[0].strip()}"
    reader = {"py": _python, "json": _json}.get(path.rpartition(".")[2])
    try:
        return reader(text) if reader else ""
    except (RecursionError, MemoryError, ValueError):
        return ""


def _python(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        lines = text.split("\n")
        line = lines[error.lineno - 1].strip() if error.lineno and error.lineno <= len(lines) else ""
        other = "f-string" in str(error.msg) or line.startswith(_NEWER) or "except*" in text or "{{" in text
        return "" if other else f"line {error.lineno or 1}, {error.msg}: {line}"
    return ""


def _json(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.split("\n")
        return f"line {error.lineno}, {error.msg}: {lines[min(error.lineno, len(lines)) - 1].strip()}"
    return ""
