"""Finds the Python of a user's project: in the active environment, in the project's environment, or on PATH."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dap_ai.system import programs

_POETRY_S = 20.0
_FOLDERS = (".venv", "venv")
_ROOT_FILES = (".git", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini")
"""Files whose presence marks a folder of a project; `.git` marks the project's root."""


class PythonCandidate(NamedTuple):
    """A Python that may be the project's; `reason` completes the sentence "This Python is ..."."""

    python: str
    reason: str


def active() -> Iterator[PythonCandidate]:
    """Yield the Python of the environment that the user has activated."""
    if found := _python_in(os.environ.get("VIRTUAL_ENV", "")):
        yield PythonCandidate(found, "the active virtual environment")
    prefix = os.environ.get("CONDA_PREFIX", "")
    if os.environ.get("CONDA_DEFAULT_ENV") != "base" and (found := _python_in(prefix)):
        yield PythonCandidate(found, "the active conda environment")


def of_project(cwd: str) -> Iterator[PythonCandidate]:
    """Yield the Pythons of environments inside the project's folders, made by venv, uv or poetry."""
    for folder in _project_folders(Path(cwd)):
        for name in filter(None, (os.environ.get("UV_PROJECT_ENVIRONMENT"), *_FOLDERS)):
            if found := _python_in(str(folder / name)):
                yield PythonCandidate(found, f"the project's {name}")


def of_poetry(cwd: str) -> Iterator[PythonCandidate]:
    """Yield the Python of an environment that poetry keeps outside the project.

    Running poetry takes a second.
    """
    poetry = programs.locate("poetry")
    if poetry is None or not any((folder / "poetry.lock").is_file() for folder in _project_folders(Path(cwd))):
        return
    try:
        done = subprocess.run(  # noqa: S603  the user's own
            [poetry, "env", "info", "--executable"],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_POETRY_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return
    python = done.stdout.strip()
    if done.returncode == 0 and Path(python).is_file():
        yield PythonCandidate(python, "the project's poetry environment")


def on_path(without: str = "") -> Iterator[PythonCandidate]:
    """Yield the Pythons that a shell finds on PATH outside the current folder, including pyenv's shims.

    `without`: a folder of PATH to skip.
    """
    for name in ("python3", "python"):
        if found := programs.locate(name, shell_path(without)):
            yield PythonCandidate(found, "the first on PATH")


def shell_path(without: str = "") -> str:
    """Return the variable PATH, without the folder `without` if it is not empty."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if not without or os.path.realpath(each) != without)


def own_folder() -> str:
    """Return the folder with the scripts of dap_ai's own virtual environment.

    Returns an empty string if dap_ai is not installed in a virtual environment.
    """
    return os.path.realpath(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else ""


def _python_in(environment: str) -> str:
    for relative in ("bin/python", "Scripts/python.exe", "python.exe"):
        if environment and (python := Path(environment) / relative).is_file():
            return str(python)
    return ""


def _project_folders(cwd: Path) -> Iterator[Path]:
    """Yield this folder and its parents up to the project's root, but no folder of another user."""
    yield cwd
    above = [cwd, *cwd.absolute().parents]
    marked = [n for n, folder in enumerate(above) if any((folder / name).exists() for name in _ROOT_FILES)]
    root = next((n for n in marked if (above[n] / ".git").exists()), marked[0] if marked else 0)
    for folder in above[1 : root + 1]:
        if hasattr(os, "getuid") and folder.stat().st_uid not in (os.getuid(), 0):
            return
        yield folder
