"""Where a new recording goes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click
from platformdirs import user_data_path, user_state_path

from dap_ai.runs.artefacts import CannotRead
from dap_ai.runs.store import started_in


def recording_folder(out: Path | None, program: str) -> Path:
    """The folder, which is there and empty: `out`, or one in the user's data directory.

    Raises UsageError where something is in it.
    """
    if out is None:
        name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in Path(program).name)
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H.%M.%S")
        top = user_data_path("dap-ai") / "recordings"
        out, number = top / f"{stamp}-{name}", 1
        while out.exists():
            out, number = top / f"{stamp}-{name}-{number + 1}", number + 1
    try:
        if started_in(out):
            raise click.UsageError(f"{out}: is not empty: a recording wants a folder of its own.")
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, CannotRead) as error:
        raise click.UsageError(f"{out}: cannot be the folder of a recording: {error}.") from error
    return out.resolve()


def history_file() -> Path:
    """Where the lines of `dap-ai debug` are kept for the next session."""
    return user_state_path("dap-ai") / "debug-history"
