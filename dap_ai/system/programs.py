"""Finds programs that dap_ai starts for itself (git, gdb, a compiler), never in the current folder.

A command that the user names is looked up by `shutil.which` instead, as the user's shell would.
"""

from __future__ import annotations

import os
import shutil
import sys

from dap_ai.system.child_python import absolute


def locate(name: str, path: str | None = None) -> str | None:
    """Return the absolute path of a program found by name on PATH, or on `path`; None if there is none.

    Skips relative and empty entries, and the current folder, where Windows looks first. A `name` that contains a folder
    is not looked up on PATH.
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
    """Return PATH's absolute entries, after this interpreter's folder because the system's programs may be too old."""
    return os.pathsep.join([os.path.dirname(sys.executable), *absolute(_path())])  # noqa: PTH120


def _path() -> str:
    return os.environ.get("PATH", os.defpath)
