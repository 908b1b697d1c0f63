"""The one way to start a Python process of our own: it imports nothing from the folder that it is started in.

    python -E .../child_python.py [--path=FOLDERS] MODULE:FUNCTION [ARGUMENT...]

A folder may hold a `json.py`, and `python -m` or `-c` would import that in place of Python's. Here the first entry of
the import path is this file's folder, which is dropped before anything is imported that is not loaded yet. `-E` keeps
relative entries of PYTHONPATH out, which mean the current folder too; its absolute ones are handed over. The
environment stays as it is, because programs that the child starts inherit it.

Also loaded in programs that dap_ai is called from: it imports the standard library alone, and runs on Python 3.8.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Dict, List, Mapping

_FILE = os.path.abspath(__file__)  # noqa: PTH100  no pathlib in a program that may not have it
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(_FILE)))  # noqa: PTH120
"""The folder that the package stands in."""
_PATH = "--path="


def command(function: str, *arguments: str) -> List[str]:  # noqa: UP006
    """The command line of a child of this interpreter that calls `MODULE:FUNCTION` with `sys.argv` set.

    The child has this process's site packages, user site, absolute entries of PYTHONPATH, and this very dap_ai.
    """
    folders = [folder for folder in absolute(os.environ.get("PYTHONPATH", "")) if folder in sys.path]
    path = [_PATH + os.pathsep.join(folders)] if folders else []
    return [sys.executable, *_flags(), _FILE, *path, function, *arguments]


def environment(base: Mapping[str, str]) -> Dict[str, str]:  # noqa: UP006
    """An environment for a foreign Python that is only asked something: PYTHONPATH without its relative entries."""
    if "PYTHONPATH" not in base:
        return dict(base)
    return {**base, "PYTHONPATH": os.pathsep.join(absolute(base["PYTHONPATH"]))}


def absolute(folders: str) -> List[str]:  # noqa: UP006
    """The absolute entries of such a list as PATH is; an empty entry means the current folder, and is none."""
    return [os.path.abspath(folder) for folder in folders.split(os.pathsep) if os.path.isabs(folder)]  # noqa: PTH100, PTH117


def detached() -> None:
    """Calls the function that `argv[1]` names, in a process that is nobody's child. POSIX."""
    if os.fork():
        os._exit(0)
    _call(sys.argv[1:])


def _flags() -> List[str]:  # noqa: UP006
    """With `-E`, and what the variables that it ignores have set here."""
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
    import_module("dap_ai")  # the one that started us, where several are installed
    sys.path[:1] = path
    if _ROOT not in sys.path:
        sys.path.append(_ROOT)  # for what is installed beside it
    _call(words)


def _call(words: List[str]) -> None:  # noqa: UP006
    module, _, name = words[0].partition(":")
    sys.argv[:] = ["dap-ai", *words[1:]]
    function: Any = getattr(import_module(module), name)
    function()


if __name__ == "__main__":
    _main()
