"""Where a new recording goes, for a command."""

from __future__ import annotations

from pathlib import Path

import click
from platformdirs import user_state_path

from dap_ai.backends.agents.live.folders import new_folder


def recording_folder(out: Path | None, program: str) -> Path:
    """The folder, which is there and empty: `out`, or one in the user's data directory. Raises UsageError."""
    try:
        return new_folder(out, program)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error


def history_file() -> Path:
    """Where the lines of `dap-ai debug` are kept for the next session."""
    return user_state_path("dap-ai") / "debug-history"
