"""Finds programs that dap_ai starts for itself (git, gdb, a compiler): never one that lies in the current folder.

A command that the user names is looked up as the user's shell would, by `shutil.which`.
"""

from __future__ import annotations

import os
import shutil
import sys

from dap_ai.system.child_python import absolute


def locate(name: str, path: str | None = None) -> str | None:
    """The absolute path of a program that is found by its name on PATH, or on `path`; None: there is none.

    Relative and empty entries are passed over, and so is the current folder, in which Windows looks first. A `name`
    that holds a folder is taken as it is.
    """
    if os.path.dirname(name):  # noqa: PTH120  Path("./x") drops the dot
        return shutil.which(name)
    endings = (*os.environ.get("PATHEXT", "").split(os.pathsep), "") if sys.platform == "win32" else ("",)
    for folder in absolute(_path() if path is None else path):
        for ending in endings:
            if found := shutil.which(os.path.join(folder, name + ending)):  # noqa: PTH118  as `which` gives it
                return found
    return None


def search_path() -> str:
    """The folder of this interpreter, because the system's programs may be too old, then PATH's absolute entries."""
    return os.pathsep.join([os.path.dirname(sys.executable), *absolute(_path())])  # noqa: PTH120


def _path() -> str:
    return os.environ.get("PATH", os.defpath)
