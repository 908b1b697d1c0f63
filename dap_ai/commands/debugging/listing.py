"""Formats frames and source as text. Has no side effects.

Line numbers are 1-based; frame numbers are 0-based from the innermost frame, as in gdb.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

from dap_ai.commands.debugging.prompt_breakpoints import near
from dap_ai.system.texts import cut

AROUND = 5
"""Number of lines to show before and after the current one: eleven in all, as in pdb."""
_MANY = 40
_NAME_CHARS = 60


def path_of(frame: Mapping[str, Any]) -> str:
    """Return the path of a frame's source file; empty if the frame has no file."""
    source: Mapping[str, Any] = frame.get("source") or {}
    return str(source.get("path") or "")


def where(frame: Mapping[str, Any]) -> str:
    """Describe a frame's place as `shop.py:12 in total`."""
    path = path_of(frame)
    name = cut(str(frame.get("name") or "?"), _NAME_CHARS, "…")
    return f"{near(path)}:{frame['line']} in {name}" if path and frame["line"] else f"in {name} (no source)"


def line_of(source: Sequence[str], number: int) -> str:
    """Format a source line with its number and an arrow; empty if the line does not exist."""
    return f"-> {number:>4}  {source[number - 1].rstrip()}" if 0 < number <= len(source) else ""


def listed(source: Sequence[str], first: int, last: int, current: int = 0, stops: Container[int] = ()) -> str:
    """Format source lines `first` to `last`, as far as they exist.

    `->` marks the current line, `B` each line with a breakpoint.
    """
    numbers = range(max(first, 1), min(last, len(source)) + 1)
    return "\n".join(f"{_mark(n, current, stops)}{n:>4}  {source[n - 1].rstrip()}".rstrip() for n in numbers)


def stack(frames: Sequence[Mapping[str, Any]], selected: int, limit: int = 0) -> str:
    """Format a stack, one line per frame. Consecutive identical frames of a recursion share a line."""
    shown = frames[:limit] if limit else frames
    lines: list[str] = []
    repeated = 0
    for number, frame in enumerate(shown):
        place = where(frame)
        if lines and place == where(shown[number - 1]) and number != selected and number != len(shown) - 1:
            repeated += 1
            continue
        if repeated:
            lines.append(f"       ... {repeated} more of it")
            repeated = 0
        lines.append(f"{'*' if number == selected else ' '} #{number:<3} {place}")
    if limit and len(frames) > limit:
        lines.append(f"       ... {len(frames) - limit} more; bt {min(len(frames), limit + _MANY)}")
    return "\n".join(lines)


def function_around(source: Sequence[str], line: int) -> tuple[int, int]:
    """Return the first and last line of the function that contains a line.

    Python's syntax delimits the function, or else braces. Without a function, return the first and last line of the
    file.
    """
    text = "\n".join(source)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return _braced(source, line)
    spans = [
        (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return max((span for span in spans if span[0] <= line <= span[1]), default=(1, len(source)))


def declared_at(source: Sequence[str], name: str) -> int:
    """Return the 1-based line that seems to define the function `name`, in any language; 0 if not found."""
    short = re.escape(re.split(r"\.|::", name)[-1])
    starts = re.compile(rf"^\s*(?:async\s+)?(?:def|class|fn|pub fn)\s+{short}\b|^\w[\w\s*&:<>,]*\b{short}\s*\([^;]*$")
    return next((number for number, line in enumerate(source, 1) if starts.match(line)), 0)


def _mark(number: int, current: int, stops: Container[int]) -> str:
    return ("B" if number in stops else " ") + ("->" if number == current else "  ")


def _braced(source: Sequence[str], line: int) -> tuple[int, int]:
    """Return a function's first and last line in a language with braces, judged by the lines without indentation."""
    first = next((n for n in range(min(line, len(source)), 0, -1) if re.match(r"[A-Za-z_]", source[n - 1])), 1)
    last = next((n for n in range(line, len(source) + 1) if source[n - 1].startswith("}")), len(source))
    return first, last
