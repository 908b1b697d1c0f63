"""Writes the code of cells to files, because the answering process reads source from files.

ipykernel names its cells' files, and writes them itself for its debugger. In a terminal, IPython's names of cells are
not file names, so this module names the cells' files once the extension is loaded. All files are readable by the user
alone and are removed after the answer.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import linecache
import os
import stat
import tempfile
from collections.abc import Iterable
from typing import Any


class CellFiles:
    """The files of one shell's cells. Call `close` at the end; it is also called at Python's exit."""

    def __init__(self, shell: Any) -> None:
        self._compile = shell.compile
        self._written: dict[str, str] = {}
        self._folders: set[str] = set()
        self._named = False
        self._pid = os.getpid()
        if self._compile.get_code_name("", "", 0).startswith("<"):
            folder = os.path.join(tempfile.gettempdir(), f"ipython_{os.getpid()}")  # noqa: PTH118  no pathlib in a shell

            def named(_raw: str, code: str, number: int) -> str:
                return os.path.join(folder, _name(code, number))  # noqa: PTH118

            self._compile.get_code_name = named
            self._named = True
        atexit.register(self.close)

    def write(self, paths: Iterable[str]) -> None:
        """Writes files for the paths that belong to cells and do not exist yet; skips files that cannot be written."""
        for path in paths:
            if not path.startswith("<") and path not in self._written:
                with contextlib.suppress(OSError):
                    self._write(path, "".join(linecache.getlines(path)))

    def _write(self, path: str, text: str) -> None:
        folder = os.path.dirname(path)  # noqa: PTH120
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)  # noqa: PTH102
            self._folders.add(folder)
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
            raise PermissionError(f"{folder} is somebody else's")
        with contextlib.suppress(FileExistsError):  # ipykernel's debugger has already written it
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with open(number, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(text)
            self._written[path] = text

    def close(self) -> None:
        """Removes all files and restores IPython's own cell names. A second call has no effect."""
        atexit.unregister(self.close)
        if os.getpid() != self._pid:
            return  # in a forked child
        if self._named:
            self._named = False
            del self._compile.get_code_name
        self.remove()

    def remove(self) -> None:
        """Removes all files; the next question writes them again."""
        for path in self._written:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
        for folder in self._folders:
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # noqa: PTH106  not where ipykernel's debugger has files in it
        self._written, self._folders = {}, set()


def _name(code: str, number: int) -> str:
    digest = hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()[:12]
    return f"cell-{number}-{digest}.py"
