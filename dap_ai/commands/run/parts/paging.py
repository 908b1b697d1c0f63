"""Lines to stdout: through the pager where they are more than the screen has, plainly into a pipe or a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import click

from dap_ai.protocol.wire.visible import visible

_PIPED_WIDTH = 120


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
        click.echo_via_pager(_ended(chain(first, rest)), color=colour)


def _height(lines: list[str]) -> int:
    """Rows of the screen that lines take, those folded that are longer than it is wide."""
    width = max(shutil.get_terminal_size().columns, 1)
    return sum(1 + max(len(click.unstyle(part)) - 1, 0) // width for line in lines for part in line.split("\n"))


def _ended(lines: Iterable[str]) -> Iterator[str]:
    return (f"{line}\n" for line in lines)
