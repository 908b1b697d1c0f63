"""Prints results to stdout: JSON for programs, or lines for people, through a pager if there are many."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import click
import msgspec

from dap_ai.protocol.wire.visible import in_json, visible

VERDICTS: dict[str, dict[str, Any]] = {
    "solved": {"fg": "green", "bold": True},
    "failed": {"fg": "red", "bold": True},
    "limit": {"fg": "yellow", "bold": True},
    "error": {"fg": "magenta", "bold": True},
    "unknown": {"dim": True},
}
EFFECTS: dict[str, dict[str, Any]] = {
    "change": {"fg": "yellow"},
    "verify": {"fg": "cyan"},
    "install": {"fg": "magenta"},
    "submit": {"fg": "green"},
    "run": {"fg": "blue"},
    "explore": {"dim": True},
    "message": {},
}
STAGES: dict[str, dict[str, Any]] = {
    "environment": {"bg": "white", "fg": "black"},
    "dependencies": {"bg": "magenta", "fg": "white"},
    "inspection": {"bg": "blue", "fg": "white"},
    "patching": {"bg": "yellow", "fg": "black"},
    "verification": {"bg": "cyan", "fg": "black"},
    "submission": {"bg": "green", "fg": "black"},
}
_COLOURS: dict[str, dict[str, Any]] = {"+": {"fg": "green"}, "-": {"fg": "red"}, "@": {"fg": "cyan"}}
_PIPED_WIDTH = 120


def print_json(objects: Iterable[Any]) -> int:
    """Print each object as a JSON line as soon as it is available; return the number of objects.

    Control characters are escaped.
    """
    count = 0
    for count, value in enumerate(objects, 1):  # noqa: B007  used after the loop
        click.echo(in_json(_json(value)))
    return count


def print_found(found: Sequence[Any], lines: Iterable[str], nothing: str, *, as_json: bool) -> None:
    """Print results as JSON or as lines. Without results, print `nothing` to stderr and exit with code 1."""
    if as_json:
        sys.exit(0 if print_json(found) else 1)
    if not found:
        click.echo(nothing, err=True)
        sys.exit(1)
    page(lines)


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # an unpaired surrogate, which UTF-8 cannot encode
        return json.dumps(msgspec.to_builtins(value))


def diff_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield each diff line in the colour of its first character."""
    for line in lines:
        yield styled(line, **_COLOURS.get(line[:1], {}))


def on_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def screen_width() -> int:
    """Return the terminal's width in characters, or 120 for a pipe."""
    return shutil.get_terminal_size().columns if on_terminal() else _PIPED_WIDTH


def styled(text: str, **style: Any) -> str:
    """Return text from any source in a style, with control characters escaped."""
    return click.style(visible(text), **style)


def page(lines: Iterable[str]) -> None:
    """Print lines, through a pager if they exceed the screen. The lines must be escaped already, except for styles."""
    colour = None if not os.environ.get("NO_COLOR") else False
    if not on_terminal():
        for line in lines:
            click.echo(line, color=colour)
        return
    rows = shutil.get_terminal_size().lines
    rest = iter(lines)
    first = list(islice(rest, rows))
    if len(first) < rows and _height(first) < rows:
        click.echo("\n".join(first), color=colour)
    else:
        click.echo_via_pager((f"{line}\n" for line in chain(first, rest)), color=colour)


def _height(lines: list[str]) -> int:
    """Return the number of screen rows that the lines take, wrapped lines included."""
    width = max(shutil.get_terminal_size().columns, 1)
    return sum(1 + max(len(click.unstyle(part)) - 1, 0) // width for line in lines for part in line.split("\n"))
