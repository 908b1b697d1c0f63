"""Finds programs that dap_ai starts itself, such as git, gdb or a compiler, but never in the current folder.

`shutil.which` looks up a command that the user names, as the user's shell would.
"""

from __future__ import annotations

import os
import shutil
import sys

from dap_ai.system.child_python import absolute


def locate(name: str, path: str | None = None) -> str | None:
    """Return a program's absolute path, searching `path` (default: PATH). Return None if the program is not found.

    Skips relative and empty entries, and the current folder, where Windows looks first. If `name` contains a folder,
    PATH is not searched.
    """
    if os.path.dirname(name):  # noqa: PTH120  Path("./x") drops the dot
        return shutil.which(name)
    endings = (*os.environ.get("PATHEXT", "").split(os.pathsep), "") if sys.platform == "win32" else ("",)
    for folder in absolute(_path() if path is None else path):
        for ending in endings:
            if found := shutil.which(os.path.join(folder, name + ending)):  # noqa: PTH118  `which` takes a string
                return found
    return None


def search_path() -> str:
    """Return this interpreter's folder and PATH's absolute entries, as a PATH.

    The interpreter's folder is first, because the system's own programs may be too old.
    """
    return os.pathsep.join([os.path.dirname(sys.executable), *absolute(_path())])  # noqa: PTH120


def _path() -> str:
    return os.environ.get("PATH", os.defpath)
