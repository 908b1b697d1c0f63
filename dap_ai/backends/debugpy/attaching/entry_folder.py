"""Writes the folder with instructions for a program that debugpy attaches to; entry.py reads it in the program."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.backends.debugpy import debugpy_launcher
from dap_ai.backends.debugpy.attaching.injected import entry

_FRAME = os.path.abspath(debugpy_launcher.__file__)  # noqa: PTH100  as debugpy compares it
"""The file name for the compiled code; debugpy hides the frames of the file with this name."""


class Setup(NamedTuple):
    """Instructions that tell a program how to connect to debugpy's adapter."""

    debugpy: str
    """The folder of debugpy's package."""
    address: tuple[str, int]
    access_token: str | None
    log_to: str | None = None


def make(process_id: int) -> str:
    """Create a temporary folder that only root and the process's user may enter, and return its path."""
    folder = tempfile.mkdtemp(prefix="dap-ai-attach-")
    _give(folder, process_id)
    return folder


def fill(folder: str, process_id: int) -> str:
    """Write the files for `sys.remote_exec`; return the path of the script to queue."""
    _write(Path(folder, entry.QUEUED), "", process_id)
    script = Path(folder, entry.SCRIPT)
    _write(script, _code("enter_when_ready", folder), process_id)
    return str(script)


def hand_over(folder: str, process_id: int, setup: Setup) -> None:
    """Write the instructions for the waiting program to the folder, atomically."""
    part = Path(folder, entry.SETUP + entry.PART)
    _write(part, json.dumps(setup._asdict()), process_id)
    part.replace(Path(folder, entry.SETUP))


def code_to_enter(folder: str, setup: Setup) -> str:
    """Return an expression that connects the program at once when gdb runs it in one of its threads.

    The expression contains no quotes and no line breaks.
    """
    return f"exec(bytes({list(_code('enter', setup._asdict(), folder).encode())}).decode(),{{}})"


def was_taken(folder: str) -> bool:
    """Return whether the program has begun to run the queued script; if so, it is too late to withdraw the script."""
    return not Path(folder, entry.QUEUED).exists()


def was_tried(folder: str) -> bool:
    """Return whether the program has run the code that gdb passed to it."""
    return Path(folder, entry.TAKEN).exists()


def withdraw(folder: str) -> bool:
    """Withdraw the queued script; return False if the program has begun to run it."""
    try:
        Path(folder, entry.QUEUED).unlink()
    except FileNotFoundError:
        return False
    return True


def failure(folder: str) -> str:
    """Return why the program failed to connect; an empty string if it has connected or is still trying."""
    try:
        return Path(folder, entry.FAILED).read_text(encoding="utf-8")
    except OSError:
        return ""


def remove(folder: str) -> None:
    """Remove the folder and all of our files in it."""
    entry.remove(folder)


def _code(function: str, *arguments: Any) -> str:
    source = Path(entry.__file__).read_text(encoding="utf-8")
    call = f"namespace[{function!r}]({', '.join(map(repr, arguments))})"
    return f"namespace = {{}}\nexec(compile({source!r}, {_FRAME!r}, 'exec'), namespace)\n{call}\n"


def _write(path: Path, text: str, process_id: int) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    _give(str(path), process_id)


def _give(path: str, process_id: int) -> None:
    """Change the owner of a file to the user of the process, if we are root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        with contextlib.suppress(OSError):  # the process has ended
            user = os.stat(f"/proc/{process_id}")  # noqa: PTH116  as chown
            os.chown(path, user.st_uid, user.st_gid)
