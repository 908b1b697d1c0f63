"""Where a new recording goes, for a command."""

from __future__ import annotations

from pathlib import Path

import click

from dap_ai.debuggees.runs.live.folders import new_folder


def recording_folder(out: Path | None, program: str) -> Path:
    """The folder, which is there and empty: `out`, or one in the user's data directory. Raises UsageError."""
    try:
        return new_folder(out, program)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
