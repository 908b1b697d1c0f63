"""Folders for new recordings."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from platformdirs import user_data_path

from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.store import started_in


def store() -> Path:
    """Return the default folder of the user's recordings, which may not exist."""
    return user_data_path("dap-ai") / "recordings"


def new_folder(out: Path | None, program: str) -> Path:
    """Create and return an empty folder for a recording: `out`, or a new one in the user's data directory.

    Raises ValueError if the folder is not empty or cannot be created.
    """
    if out is None:
        name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in Path(program).name)
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H.%M.%S")
        top = store()
        out, number = top / f"{stamp}-{name}", 1
        while out.exists():
            out, number = top / f"{stamp}-{name}-{number + 1}", number + 1
    try:
        if started_in(out):
            raise ValueError(f"{out}: is not empty: a recording wants a folder of its own")
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, CannotRead) as error:
        raise ValueError(f"{out}: cannot be the folder of a recording: {error}") from error
    return out.resolve()
