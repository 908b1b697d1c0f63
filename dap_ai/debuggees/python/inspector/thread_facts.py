"""Describes the program's threads: their frames, and the blocking call that each waits in."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _thread as threads_in_c
import os
import sys
import threading
from typing import Any

from .path_texts import file_name, folder_of
from .stored.statics import names_of, stored, text_of
from .stored.values import VisitBudget

_MAX_FRAMES = 6
_MAX_THREADS = 64
_MAX_DEPTH = 3000
_WAITS: dict[tuple[str, str], str] = {
    ("threading.py", "acquire"): "Lock.acquire",
    ("threading.py", "__enter__"): "Lock.acquire",
    ("threading.py", "wait"): "Event.wait",
    ("threading.py", "wait_for"): "Condition.wait_for",
    ("threading.py", "join"): "Thread.join",
    ("threading.py", "_wait_for_tstate_lock"): "Thread.join",
    ("queue.py", "get"): "Queue.get",
    ("queue.py", "put"): "Queue.put",
    ("queue.py", "join"): "Queue.join",
    ("_base.py", "result"): "Future.result",
    ("_base.py", "wait"): "futures.wait",
    ("selectors.py", "select"): "select",
    ("socket.py", "accept"): "socket.accept",
    ("socket.py", "readinto"): "socket.recv",
    ("ssl.py", "read"): "socket.recv",
    ("subprocess.py", "wait"): "Popen.wait",
    ("subprocess.py", "communicate"): "Popen.communicate",
    ("connection.py", "recv"): "Connection.recv",
    ("connection.py", "poll"): "Connection.poll",
}
"""Blocking calls to report, by file and function of the standard library; of nested ones the outermost is reported."""

_LIBRARY = folder_of(os.__file__) or os.sep


current_frames: Any = sys._current_frames  # pyright: ignore[reportPrivateUsage]  its documented name


def live_frames() -> set[int]:
    """Returns the ids of all frames that are on a thread's stack."""
    alive: set[int] = set()
    stacks = list(current_frames().values())
    while stacks:
        frame: Any = stacks.pop()
        for _ in range(_MAX_DEPTH):
            if frame is None:
                break
            alive.add(id(frame))
            frame = frame.f_back
        frame = None  # one of them is this function's own frame: leave no reference cycle
    return alive


def thread_facts(budget: VisitBudget) -> list[dict[str, Any]]:
    """Returns ThreadFacts dicts, the current thread first, without the debugger's own threads."""
    current = threads_in_c.get_ident()
    tops = current_frames()
    active: Any = vars(threading).get("_active")
    threads = {key: x for key, x in list(dict.items(active)) if type(key) is int} if type(active) is dict else {}
    facts: list[dict[str, Any]] = []
    for ident in sorted(tops, key=lambda known: known != current)[:_MAX_THREADS]:
        fact = _thread(ident, tops.pop(ident), stored(threads[ident]) if ident in threads else {})
        if fact is not None:
            fact["current"] = ident == current
            facts.append(fact)
            budget.left -= 80 + 100 * len(fact["frames"])
    tops.clear()
    return facts


def _thread(ident: int, top: Any, parts: dict[str, Any]) -> dict[str, Any] | None:
    if parts.get("is_pydev_daemon_thread") is True or parts.get("pydev_do_not_trace") is True:
        return None
    frames: list[dict[str, Any]] = []
    waiting, frame, depth = "", top, 0
    while frame is not None and depth < _MAX_DEPTH:
        file = text_of(frame.f_code.co_filename)
        depth += 1
        if _is_debugger(frame, file):
            frame = frame.f_back
            continue
        name = text_of(frame.f_code.co_name)
        if file.startswith((_LIBRARY, "<frozen")) and "site-packages" not in file:
            if not frames:
                waiting = _WAITS.get((file_name(file), name), waiting)
        elif file != "<string>":  # how the launcher starts a program
            frames.append({"name": name, "file": file, "line": frame.f_lineno or frame.f_code.co_firstlineno})
            if len(frames) == _MAX_FRAMES:
                break
        frame = frame.f_back
    daemon = parts.get("_daemonic") is True
    name = text_of(parts.get("_name")) or "thread %d" % ident
    return {"name": name, "ident": ident, "daemon": daemon, "frames": frames, "waiting": waiting}


def _is_debugger(frame: Any, file: str) -> bool:
    names: Any = frame.f_globals
    module = text_of(names_of(names, 16).get("__name__")) if type(names) is dict else ""
    inside = module.partition(".")[0]
    return inside in _DEBUGGER or "_pydevd_" in module or _DEBUGPY in file


_DEBUGPY = os.sep + "debugpy" + os.sep
_DEBUGGER = (__name__.partition(".")[0], "pydevd", "_pydev_bundle", "_pydevd_bundle", "_pydevd_frame_eval", "debugpy")
