"""Starts Python child processes for dap_ai without importing modules from their current folder.

    python -E .../child_python.py [--path=FOLDERS] MODULE:FUNCTION [ARGUMENT...]

A folder may contain a `json.py`, and `python -m` or `-c` would import that file instead of Python's module. Here the
first entry of the import path is this file's folder, which is removed before anything else is imported. `-E` ignores
PYTHONPATH, because its relative entries refer to the current folder; FOLDERS contains its absolute entries. The
environment stays unchanged, because programs that the child starts inherit it.

Programs that call dap_ai load this file as well: it imports the standard library only, and runs on Python 3.8.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Dict, List, Mapping

_FILE = os.path.abspath(__file__)  # noqa: PTH100  the program may have no pathlib
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(_FILE)))  # noqa: PTH120
"""The folder that contains the package dap_ai."""
_PATH = "--path="


def command(function: str, *arguments: str) -> List[str]:  # noqa: UP006
    """Return a command line that calls `MODULE:FUNCTION` in a child process of this interpreter.

    The function finds `arguments` in `sys.argv`. The child has this process's site packages, user site, absolute
    PYTHONPATH entries and installation of dap_ai.
    """
    folders = [folder for folder in absolute(os.environ.get("PYTHONPATH", "")) if folder in sys.path]
    path = [_PATH + os.pathsep.join(folders)] if folders else []
    return [sys.executable, *_flags(), _FILE, *path, function, *arguments]


def environment(base: Mapping[str, str]) -> Dict[str, str]:  # noqa: UP006
    """Return a copy of `base`, for running another Python, that keeps only the absolute entries of PYTHONPATH."""
    if "PYTHONPATH" not in base:
        return dict(base)
    return {**base, "PYTHONPATH": os.pathsep.join(absolute(base["PYTHONPATH"]))}


def absolute(folders: str) -> List[str]:  # noqa: UP006
    """Return the absolute entries of a PATH-like list. Drops empty entries, which mean the current folder."""
    return [os.path.abspath(folder) for folder in folders.split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH100, PTH117


def detached() -> None:
    """Call the function that `argv[1]` names in a forked child, and exit the parent. POSIX only."""
    if os.fork():
        os._exit(0)
    _call(sys.argv[1:])


def _flags() -> List[str]:  # noqa: UP006
    """Return `-E`, and options with the effect of the environment variables that `-E` ignores."""
    flags = ["-E", "-X", f"utf8={sys.flags.utf8_mode}"]
    if sys.pycache_prefix is not None:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    if sys.flags.no_user_site:
        flags.append("-s")
    if sys.dont_write_bytecode:
        flags.append("-B")
    return flags


def _main() -> None:
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        del sys.path[0]  # the folder of this file
    words = sys.argv[1:]
    path = words.pop(0)[len(_PATH) :].split(os.pathsep) if words[0].startswith(_PATH) else []
    sys.path.insert(0, _ROOT)
    import_module("dap_ai")  # the dap_ai that started us, if several are installed
    sys.path[:1] = path
    if _ROOT not in sys.path:
        sys.path.append(_ROOT)  # for the packages installed beside dap_ai
    _call(words)


def _call(words: List[str]) -> None:  # noqa: UP006
    module, _, name = words[0].partition(":")
    sys.argv[:] = ["dap-ai", *words[1:]]
    function: Any = getattr(import_module(module), name)
    function()


if __name__ == "__main__":
    _main()
