"""Temporary folder for a session's documents, deleted when the session ends or, after a kill, by a later session."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_PREFIX = "dap-ai-run-"
LOCK = ".lock"
_YOUNG_S = 60.0
"""Seconds during which a recently changed folder is kept, because its session may not have locked the folder yet."""


class Folder:
    """Temporary folder that is locked while its process lives, so that folders of killed processes are recognized."""

    def __init__(self) -> None:
        _clear()
        self._path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = (self._path / LOCK).open("wb")
        _locked(self._lock.fileno())

    @property
    def writer(self) -> Callable[[str, str], str]:
        """Function that writes a read-only document to the folder and returns the document's path."""

        def write(name: str, text: str) -> str:
            file = self._path / name
            file.unlink(missing_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace")
            file.chmod(0o400)
            return str(file)

        return write

    def editable(self, name: str, text: str) -> str:
        """Write a document that the user may edit; return its path."""
        path = self.writer(name, text)
        Path(path).chmod(0o600)
        return path

    def end(self) -> None:
        """Delete the folder. Further calls have no effect."""
        self._lock.close()
        shutil.rmtree(self._path, ignore_errors=True)


def _clear() -> None:
    """Delete the folders of this user's sessions that were killed."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            with suppress(OSError):
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Return whether a folder's process has ended. Raises OSError if the folder has no lock."""
    if folder.is_symlink() or time.time() - folder.stat().st_mtime < _YOUNG_S:
        return False
    with (folder / LOCK).open("r+b") as lock:
        return _locked(lock.fileno())


def _locked(descriptor: int) -> bool:
    """Try to lock the file; return whether that succeeded. False on a system without such locks."""
    try:
        import fcntl  # noqa: PLC0415  not on Windows
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
