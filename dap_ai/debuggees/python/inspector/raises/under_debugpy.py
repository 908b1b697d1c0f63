"""Starts capturing values at raises in a debuggee of debugpy, before the program starts."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pydevd's own modules: Any.

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Dict, List

from dap_ai.system.user_code import is_user_path

from .beside import show_beside
from .raise_events import PAUSE_S, RaiseWatch

MAGIC = "dap_ai:"
_watches: Dict[int, RaiseWatch] = {}
"""Raise watches by process id; a forked process ends its parent's watch and starts a new one."""
_shown: List[int] = []
"""The id of the process in which pydevd was patched, if any; its forks inherit the patch."""


def watch(_: str) -> str:
    """Starts capturing values at raises; returns MAGIC on success, otherwise an empty string."""
    pid = os.getpid()
    if pid not in _watches:
        for other in _watches.values():
            other.end()
        _watches.clear()
        begun = RaiseWatch(is_user_path, _later)
        if not begun.begin():
            return ""
        if not _shown:
            _shown.append(pid)
            show_beside()
        _watches[pid] = begun
    return MAGIC


def _later(call: Callable[[], None]) -> None:
    """Calls a function after PAUSE_S in a thread of pydevd that neither the program nor its debugger lists."""
    threads: Any = sys.modules.get("_pydevd_bundle.pydevd_daemon_thread")
    debugger = sys.modules["pydevd"].get_global_debugger()  # type: ignore[attr-defined]
    if threads is not None and debugger is not None:
        threads.run_as_pydevd_daemon_thread(debugger, _wait_for, call)


def _wait_for(call: Callable[[], None]) -> None:
    time.sleep(PAUSE_S)
    call()
