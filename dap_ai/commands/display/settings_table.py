"""Loads the settings for the commands, and prints tables that are readable without colours."""

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
    """Return the settings for the current folder, from files, environment and command line. Raises UsageError."""
    try:
        resolved = configuration.load(Path.cwd(), flags, os.environ)
        _check_patterns(resolved)
    except configuration.ConfigError as error:
        raise click.UsageError(str(error)) from error
    return resolved


def _check_patterns(resolved: configuration.Resolved) -> None:
    """Raise ConfigError if a mask pattern is invalid, because its secrets would reach the model unmasked."""
    if not resolved.settings.mask:
        return
    from dap_ai.agent.masking.mask import Masker, PatternError  # noqa: PLC0415  30 ms, spared above

    try:
        Masker(resolved.settings.mask)
    except PatternError as error:
        raise configuration.ConfigError(f"{resolved.sources['mask']}: {error}.") from error


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table whose columns are as wide as needed; on a terminal, wrap the last column to fit."""
    for line in table([head, *rows], shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
        say(line)


def table(rows: Sequence[Sequence[str]], columns: int | None) -> list[str]:
    """Return the lines of a table, with the last column wrapped to fit into `columns` characters.

    None for `columns` means no limit.
    """
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
    """Wrap text to `room` characters per line.

    If the wrapping separates a combining character from its base, the character is escaped.
    """
    return [visible(line) for line in textwrap.wrap(text, room)]
