"""What is printed to stdout: JSON for other programs, lines for people, through a pager where they are many."""

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
    """Each on its line at once, what would act on a terminal as JSON escapes; how many there were."""
    count = 0
    for count, value in enumerate(objects, 1):  # noqa: B007  counted
        click.echo(in_json(_json(value)))
    return count


def print_found(found: Sequence[Any], lines: Iterable[str], nothing: str, *, as_json: bool) -> None:
    """As JSON, or as lines, made only then. Where nothing is found it ends with exit code 1, and says `nothing`."""
    if as_json:
        sys.exit(0 if print_json(found) else 1)
    if not found:
        click.echo(nothing, err=True)
        sys.exit(1)
    page(lines)


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a half character, which no UTF-8 has
        return json.dumps(msgspec.to_builtins(value))


def diff_lines(lines: Iterable[str]) -> Iterator[str]:
    """Each line by its first character."""
    for line in lines:
        yield styled(line, **_COLOURS.get(line[:1], {}))


def on_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout.isatty()


def screen_width() -> int:
    """Characters of a line; of a pipe, where nothing needs to be cut, what reads well."""
    return shutil.get_terminal_size().columns if on_terminal() else _PIPED_WIDTH


def styled(text: str, **style: Any) -> str:
    """A text of whatever origin in a colour of ours: nothing in it acts on the terminal."""
    return click.style(visible(text), **style)


def page(lines: Iterable[str]) -> None:
    """Prints lines, which are visible() already but for our own colours. They are made as they are wanted."""
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
    """Rows of the screen that lines take, those folded that are longer than it is wide."""
    width = max(shutil.get_terminal_size().columns, 1)
    return sum(1 + max(len(click.unstyle(part)) - 1, 0) // width for line in lines for part in line.split("\n"))
