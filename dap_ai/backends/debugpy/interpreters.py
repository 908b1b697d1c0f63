"""Chooses the Python that runs the debuggee, and the copy of debugpy to use in it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from typing import NamedTuple

from dap_ai.backends.debugpy import environments
from dap_ai.system import child_python, programs
from dap_ai.system.load_limits import communicate

OURS_SUPPORTS = (3, 10)
"""The oldest Python version that the newest debugpy supports; an older Python needs its own debugpy."""
OLDEST = (3, 8)
_PROBE_TIMEOUT_S = 10.0
_PROBE = """
import sys
sys.path[:] = [path for path in sys.path if path]  # the folder we stand in is not the program's
import json
try:
    import importlib.util as u
    spec = u.find_spec("debugpy")
    where = list(spec.submodule_search_locations)[0] if spec else ""
except Exception:
    where = ""
try:
    pytest = u.find_spec("pytest") is not None
except Exception:
    pytest = False
print(json.dumps([list(sys.version_info[:3]), where, sys.implementation.name, pytest]))
"""


class PythonInterpreter(NamedTuple):
    """A Python interpreter with the facts that it reported about itself."""

    path: str
    version: tuple[int, int, int]
    debugpy: str
    """The folder of the debugpy installed in this interpreter; empty if debugpy is not installed."""
    implementation: str
    has_pytest: bool

    @property
    def version_text(self) -> str:
        """The version as text: `3.11.7`."""
        return ".".join(map(str, self.version))


class InterpreterError(Exception):
    """Raised if a Python cannot be used; the text gives the reason and a remedy."""


_known: dict[tuple[str, float], PythonInterpreter] = {}


def default_python(cwd: str) -> str:
    """Return the path of the interpreter for a program in the folder `cwd`.

    The first that exists: the active environment's, the project's, the first on PATH, ours.
    """
    found = itertools.chain(environments.active(), environments.of_project(cwd), environments.on_path())
    return next((each.python for each in found), sys.executable)


async def describe(python: str) -> PythonInterpreter:
    """Run an interpreter to get its version and debugpy; cached until the file changes. Raises InterpreterError."""
    found = programs.locate(python)
    if found is None:
        raise InterpreterError(f"There is no Python interpreter at '{python}'. Name another one with --python.")
    key = (found, os.stat(found).st_mtime)  # noqa: PTH116  a single stat call; a thread would cost more
    if key not in _known:
        _known[key] = await _probe(found)
    return _known[key]


async def _probe(python: str) -> PythonInterpreter:
    process = await asyncio.create_subprocess_exec(
        python,
        "-",  # so that a program other than Python does not quote our code in its error
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=child_python.environment(os.environ),
    )
    err = b""
    try:
        out, err = await communicate(process, _PROBE_TIMEOUT_S, _PROBE.encode())
        version, where, implementation, has_pytest = json.loads(out.decode().strip().splitlines()[-1])
        return PythonInterpreter(python, (version[0], version[1], version[2]), where, implementation, has_pytest)
    except asyncio.TimeoutError as error:
        raise InterpreterError(f"'{python}' did not answer within {_PROBE_TIMEOUT_S:.0f} s.") from error
    except (ValueError, IndexError) as error:
        detail = err.decode(errors="replace").strip().splitlines()
        raise InterpreterError(
            f"'{python}' is no working Python interpreter{': ' + detail[-1] if detail else ''}."
        ) from error


def debugpy_for(interpreter: PythonInterpreter, ours: str) -> str:
    """Return the folder of the debugpy that runs inside `interpreter`. Raises InterpreterError.

    `ours` is the path of our debugpy package, which is compiled for our own Python version and pure Python for others.
    So an interpreter of another version uses its own debugpy if it has one. It must have one if ours is too new for it.
    """
    version = interpreter.version
    if version[:2] == sys.version_info[:2]:
        return ours
    if interpreter.debugpy:
        return interpreter.debugpy
    if version < OLDEST:
        raise InterpreterError(
            f"{interpreter.path} is Python {interpreter.version_text}; programs can be debugged from Python 3.8 on."
        )
    if version < OURS_SUPPORTS:
        raise InterpreterError(
            f"{interpreter.path} is Python {interpreter.version_text}, which the installed debugpy is too new for. "
            f"Give it its own: {interpreter.path} -m pip install debugpy"
        )
    return ours
