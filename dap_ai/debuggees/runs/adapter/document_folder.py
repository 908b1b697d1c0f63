"""The temporary folder of a session's documents: it ends with the session, or at the next start of another."""

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
"""A folder that was written in since then may be about to be locked."""


class Folder:
    """Locked while its process lives, so that one that was killed is known by its folder."""

    def __init__(self) -> None:
        _clear()
        self._path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = (self._path / LOCK).open("wb")
        _locked(self._lock.fileno())

    @property
    def writer(self) -> Callable[[str, str], str]:
        """What writes documents into it; they are read-only."""

        def write(name: str, text: str) -> str:
            file = self._path / name
            file.unlink(missing_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace")
            file.chmod(0o400)
            return str(file)

        return write

    def editable(self, name: str, text: str) -> str:
        """Writes a document that its user may edit; its path."""
        path = self.writer(name, text)
        Path(path).chmod(0o600)
        return path

    def end(self) -> None:
        """Nothing of it is left. Again changes nothing."""
        self._lock.close()
        shutil.rmtree(self._path, ignore_errors=True)


def _clear() -> None:
    """Removes the folders of our user's sessions that were killed."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            with suppress(OSError):
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether its process is gone. Raises OSError where it is none of ours."""
    if folder.is_symlink() or time.time() - folder.stat().st_mtime < _YOUNG_S:
        return False
    with (folder / LOCK).open("r+b") as lock:
        return _locked(lock.fileno())


def _locked(descriptor: int) -> bool:
    """Whether the lock is ours now; where the system has no such locks, never."""
    try:
        import fcntl  # noqa: PLC0415  not on Windows
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
