"""The folder that tells a program being attached to what to do: written here, read by entry.py in that program."""

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
"""Compiled as if it stood in this file: debugpy shows nobody its frames."""


class Setup(NamedTuple):
    """Where to connect to."""

    debugpy: str
    """The package's folder."""
    address: tuple[str, int]
    access_token: str | None
    log_to: str | None = None


def make(process_id: int) -> str:
    """A new folder that only the user of this process, and root, may enter."""
    folder = tempfile.mkdtemp(prefix="dap-ai-attach-")
    _give(folder, process_id)
    return folder


def fill(folder: str, process_id: int) -> str:
    """What `sys.remote_exec` needs; the path of the script."""
    _write(Path(folder, entry.QUEUED), "", process_id)
    script = Path(folder, entry.SCRIPT)
    _write(script, _code("enter_when_ready", folder), process_id)
    return str(script)


def hand_over(folder: str, process_id: int, setup: Setup) -> None:
    """Tells the program that waits for it."""
    part = Path(folder, entry.SETUP + entry.PART)
    _write(part, json.dumps(setup._asdict()), process_id)
    part.replace(Path(folder, entry.SETUP))


def code_to_enter(folder: str, setup: Setup) -> str:
    """The same at once, for a thread in which gdb runs it: one expression without quotes and line ends."""
    return f"exec(bytes({list(_code('enter', setup._asdict(), folder).encode())}).decode(),{{}})"


def was_taken(folder: str) -> bool:
    """Whether the program has begun to do as it is told, and cannot be kept from it any more."""
    return not Path(folder, entry.QUEUED).exists()


def was_tried(folder: str) -> bool:
    """Whether the program has run what gdb gave it."""
    return Path(folder, entry.TAKEN).exists()


def withdraw(folder: str) -> bool:
    """Removes the script that the program is to run; False: it has begun to run it."""
    try:
        Path(folder, entry.QUEUED).unlink()
    except FileNotFoundError:
        return False
    return True


def failure(folder: str) -> str:
    """Why the program has not connected; empty: it has said nothing, so it has connected or still works on it."""
    try:
        return Path(folder, entry.FAILED).read_text(encoding="utf-8")
    except OSError:
        return ""


def remove(folder: str) -> None:
    """Removes the folder and all that is ours in it."""
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
    """Only root has to, and can."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        with contextlib.suppress(OSError):  # the process has ended
            user = os.stat(f"/proc/{process_id}")  # noqa: PTH116  as chown
            os.chown(path, user.st_uid, user.st_gid)
