"""What `configuration` and `doctor` share: the settings of this place, and a table that reads well without colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dap_ai.commands.display.command_output import say
from dap_ai.protocol.wire.visible import visible
from dap_ai.settings import configuration

_MIN_LAST_CHARACTERS = 24


def resolve(flags: Mapping[str, Any]) -> configuration.Resolved:
    """The settings in force here, without those of the launch arguments. Raises UsageError."""
    try:
        resolved = configuration.load(Path.cwd(), flags, os.environ)
        _check_patterns(resolved)
    except configuration.ConfigError as error:
        raise click.UsageError(str(error)) from error
    return resolved


def _check_patterns(resolved: configuration.Resolved) -> None:
    """Raises ConfigError: what a pattern was to mask must not go out because it is misspelt."""
    if not resolved.settings.mask:
        return
    from dap_ai.agent.masking.mask import Masker, PatternError  # noqa: PLC0415  30 ms, spared above

    try:
        Masker(resolved.settings.mask)
    except PatternError as error:
        raise configuration.ConfigError(f"{resolved.sources['mask']}: {error}.") from error


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need; on a terminal the last one is folded to its width."""
    for line in table([head, *rows], shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
        say(line)


def table(rows: Sequence[Sequence[str]], columns: int | None) -> list[str]:
    """The lines of a table; `columns` is how many characters a line may have, None: any number."""
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in list(zip(*rows, strict=True))[:-1]]
    indent = sum(widths) + 2 * len(widths)
    lines: list[str] = []
    for row in rows:
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
        room = max((columns or 0) - indent, _MIN_LAST_CHARACTERS)
        folded = (_folded(row[-1], room) if columns else [row[-1]]) or [""]
        lines += [(start + folded[0]).rstrip(), *(" " * indent + more for more in folded[1:])]
    return lines


def _folded(text: str, room: int) -> list[str]:
    """Its lines; what lost the letter that it belongs to, which is on the line before, is shown as an escape."""
    return [visible(line) for line in textwrap.wrap(text, room)]
