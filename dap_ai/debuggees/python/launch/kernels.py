"""Pauses a Jupyter kernel at its last error, or finds where a debugger has stopped it.

The kernel belongs to the notebook. The code that pauses it leaves no trace there (no execution number, history or
names) and ends when this process does.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.backends.jupyter.kernel import CannotReachError, Kernel, NoReplyError, found

_BEGINS_S, _LOOKS_S, _HOLDS_S = 3.0, 5.0, 20.0
_BUSY = (
    "The kernel runs a cell, so its last error cannot be read now: interrupt the cell or wait. "
    "Where a debugger stops it in that cell, the stop can be asked about."
)
_NO_ERROR = "No cell of this kernel has failed so far, and no debugger has stopped it."
_HOST_PACKAGES = ("IPython", "ipykernel", "ipyflow", "pyccolo")
_PYTHON = Path(__file__).parents[1]
"""The folder of the package `dap_ai.debuggees.python`, which the kernel imports under a private name."""
_HOLD = """
import importlib, importlib.util, json, linecache, os, sys

NAME = "_dap_ai_held"


def alive():
    try:
        os.kill(asker, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def cells():
    known = list(getattr(get_ipython().compile, "_filename_map", {}).items())[-500:]
    return {path: "In [%d]" % number for path, number in known if os.path.isabs(path)}


def written(paths):
    made = []
    for path in paths:
        folder = os.path.dirname(path)
        lines = linecache.getlines(path)
        if lines and not os.path.exists(path):
            if not os.path.isdir(folder):
                os.mkdir(folder, 0o700)
                made.append(folder)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.writelines(lines)
            made.append(path)
    return made


def removed(made):
    for path in reversed(made):
        try:
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
        except OSError:
            pass


def hold():
    exc = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if exc is None or not alive():
        print(json.dumps({"address": ""}), flush=True)
        return
    init = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(NAME, init, submodule_search_locations=[folder])
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[NAME])
        holding = importlib.import_module(NAME + ".hosts.post_mortem.holding")
        modules = [sys.modules[name] for name in hosts if name in sys.modules]
        folders = tuple(os.path.dirname(module.__file__) + os.sep for module in modules)
        server = holding.failure(exc, lambda frame: not frame.f_code.co_filename.startswith(folders))
        listener = holding.Listener()
        named = cells()
        made = written(named)
        try:
            print(json.dumps({"address": listener.address, "cells": named}), flush=True)
            listener.serve(server, alive)
        finally:
            listener.close()
            removed(made)
    finally:
        for name in [name for name in sys.modules if name == NAME or name.startswith(NAME + ".")]:
            del sys.modules[name]


try:
    hold()
except BaseException as error:
    print(json.dumps({"error": "%s: %s" % (type(error).__name__, error)}), flush=True)
"""


class KernelStop(NamedTuple):
    """Where a kernel has stopped.

    `held`: the socket of a kernel paused at its last error; empty at a debugger's stop.
    """

    path: str
    held: str
    cells: Mapping[str, str]
    """The notebook's cell names, by the file name that tracebacks show."""

    def named(self, text: str) -> str:
        """Returns the text with cell names in place of cell files."""
        for path, cell in self.cells.items():
            text = text.replace(path, cell).replace(Path(path).name, cell)
        return text


class NoErrorError(CannotReachError):
    """The kernel of this connection file has neither failed nor stopped."""

    def __init__(self, path: str) -> None:
        super().__init__(_NO_ERROR)
        self.path = path


async def ask_at(wanted: str) -> KernelStop:
    """Finds the kernel and pauses it at its last error, unless a debugger stopped it.

    Raises CannotReachError, NoErrorError.
    """
    path = found(wanted)
    kernel = Kernel(path)
    said: asyncio.Queue[tuple[str, dict[str, Any], str]] = asyncio.Queue()
    try:
        await kernel.open(lambda kind, content, parent: said.put_nowait((kind, content, parent)))
        if await _is_stopped(kernel):
            return KernelStop(path, "", {})
        values = {"folder": str(_PYTHON), "asker": os.getpid(), "hosts": _HOST_PACKAGES}
        request = kernel.run(f"exec({_HOLD!r}, {{'get_ipython': get_ipython, '__name__': '_dap_ai', **{values!r}}})")
        answer = await _answer(said, request)
    finally:
        await kernel.close()
    if "error" in answer:
        raise CannotReachError(f"The kernel cannot be held at its last error: {answer['error']}")
    if not answer["address"]:
        raise NoErrorError(path)
    return KernelStop(path, answer["address"], answer["cells"])


async def _is_stopped(kernel: Kernel) -> bool:
    """Whether the kernel's debugger has a stopped thread."""
    try:
        info = await kernel.debug(1, "debugInfo", {}, _LOOKS_S)
    except NoReplyError:  # a kernel without a debugger
        return False
    body: dict[str, Any] = info.get("body") or {}
    return bool(body.get("stoppedThreads"))


async def _answer(said: asyncio.Queue[tuple[str, dict[str, Any], str]], request: str) -> dict[str, Any]:
    """Returns the JSON object that the pausing code prints first. Raises CannotReachError if the kernel is busy."""
    ends = time.monotonic() + _BEGINS_S
    while (left_s := ends - time.monotonic()) > 0:
        try:
            kind, content, parent = await asyncio.wait_for(said.get(), left_s)
        except asyncio.TimeoutError:
            break
        if parent != request:
            continue
        ends = max(ends, time.monotonic() + _HOLDS_S)  # the code has started
        if kind == "stream" and content["text"].lstrip().startswith("{"):
            return dict(json.loads(content["text"].splitlines()[0]))
    raise CannotReachError(_BUSY)
