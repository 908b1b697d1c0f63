"""Runs inside a process being attached to: connects it to debugpy's adapter.

It replaces debugpy's own `attach_pid_injected`, which prints into the program: a traceback when it fails, and from
Python 3.11 on four lines about frozen modules. This module prints nothing. It writes errors to a file of ours, and
`os.environ`, `sys.path` and the variables of `__main__` stay unchanged.

Gdb calls `enter`. `sys.remote_exec` makes the main thread call `enter_when_ready`, which returns at once: a thread
waits until debugpy's adapter writes its address. If dap_ai has ended or has used another method by then, the call only
removes its folder.

The folder, which dap_ai makes and only the program's user may enter:

    entry.py    this text, with a last line that calls `enter_when_ready`
    queued      renamed to `taken` by the program; the first to rename or remove it decides whether it enters
    setup.json  where to connect to, written by debugpy's adapter
    failed      why the program did not connect

Works on Python 3.8 and imports nothing of dap_ai.
"""

from __future__ import annotations

import os
import sys
from typing import Any

QUEUED, TAKEN, SETUP, FAILED, SCRIPT = "queued", "taken", "setup.json", "failed", "entry.py"
PART = ".part"
"""Suffix of a file that is being written."""
_TURNS, _TURN_S = 1500, 0.01
"""Number of sleeps while the thread waits for its setup, and the seconds of each sleep.

The thread counts sleeps instead of reading a clock, because the program may have replaced its clocks.
"""


def enter(setup: dict[str, Any], folder: str) -> bool:
    """Connect this process to the adapter that `setup` names; return whether it has connected.

    `setup` is the content of setup.json. Writes a file to `folder` that marks the attempt, and after a failure another
    file with the reason.
    """
    _write(os.path.join(folder, TAKEN), "")
    try:
        _connect(setup)
    except Exception as error:
        _write(os.path.join(folder, FAILED), "{}: {}".format(type(error).__name__, error))
        return False
    return True


def enter_when_ready(folder: str) -> None:
    """Start a thread that waits for the setup and then connects; the main thread calls this from the queued script."""
    try:
        os.rename(os.path.join(folder, QUEUED), os.path.join(folder, TAKEN))
    except OSError:
        remove(folder)
        return
    try:
        import threading

        thread: Any = threading.Thread(target=_wait_and_enter, args=(folder,), name="dap_ai.attach", daemon=True)
        thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True  # debugpy hides this thread
        thread.start()
    except Exception as error:
        _write(os.path.join(folder, FAILED), "{}: {}".format(type(error).__name__, error))


def remove(folder: str) -> None:
    """Remove the folder, and our files in it."""
    for name in (QUEUED, TAKEN, SETUP, SCRIPT, FAILED):
        for end in ("", PART):
            try:
                os.remove(os.path.join(folder, name + end))
            except OSError:
                pass
    try:
        os.rmdir(folder)
    except OSError:
        pass


def _wait_and_enter(folder: str) -> None:
    try:
        import json
        import time

        path = os.path.join(folder, SETUP)
        for _ in range(_TURNS):
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    setup = json.load(file)
                if enter(setup, folder):
                    remove(folder)
                return
            time.sleep(_TURN_S)
        remove(folder)  # dap_ai has ended
    except Exception as error:
        _write(os.path.join(folder, FAILED), "{}: {}".format(type(error).__name__, error))


def _connect(setup: dict[str, Any]) -> None:
    parts = os.path.join(setup["debugpy"], "_vendored", "pydevd", "pydevd_attach_to_process")
    environ = set(os.environ)
    if "threading" not in sys.modules:
        with _Path(parts):
            _module("attach_script").fix_main_thread_id()
    with _Path(os.path.dirname(setup["debugpy"])):
        with _module("debugpy._vendored").vendored("pydevd"):
            constants = _module("_pydevd_bundle.pydevd_constants")
        constants.DISABLE_FILE_VALIDATION = True  # it would print that modules are frozen
        debugpy = _module("debugpy")
        _module("debugpy.server")
        former = _module("pydevd").get_global_debugger()
    for name in set(os.environ) - environ:
        del os.environ[name]
    if former is not None:
        former.dispose_and_kill_all_pydevd_threads(wait=False)
    if setup["log_to"] is not None:
        debugpy.log_to(setup["log_to"])
    debugpy.connect(tuple(setup["address"]), access_token=setup["access_token"])


def _module(name: str) -> Any:
    from importlib import import_module

    return import_module(name)


class _Path:
    """A context manager that puts a folder first in `sys.path`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        sys.path.insert(0, self._folder)

    def __exit__(self, *error: object) -> None:
        if self._folder in sys.path:
            sys.path.remove(self._folder)


def _write(path: str, text: str) -> None:
    """Write a file atomically, ignoring errors."""
    try:
        with open(path + PART, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.rename(path + PART, path)
    except OSError:
        pass
