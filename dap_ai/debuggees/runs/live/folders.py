"""Where a new recording goes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from platformdirs import user_data_path

from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.store import started_in


def store() -> Path:
    """The folder of the user's own recordings; it need not be there."""
    return user_data_path("dap-ai") / "recordings"


def new_folder(out: Path | None, program: str) -> Path:
    """The folder, which is there and empty: `out`, or one in the user's data directory.

    Raises ValueError where something is in it, or it cannot be one.
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
