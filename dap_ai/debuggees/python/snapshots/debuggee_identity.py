"""Makes a copy of the process report the debuggee's process and thread ids, and undoes changes by the fork."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _thread
import collections
import ctypes
import functools
import gc
import itertools
import posix
import struct
import sys
import threading
import types
from typing import Any

from ..inspector.stored.statics import names_of
from .isolation.syscalls import ANYTHING, Buffer, Step, python_step, store

_python: Any = ctypes.PyDLL(None)
_WORD = 8


class DebuggeeIdentity:
    """The debuggee's process and thread ids. Create it before the copy is made."""

    def __init__(self) -> None:
        self._answers = [(ask, ask()) for ask in (posix.getpid, posix.getppid, _thread.get_native_id)]
        self._originals = _replaced_by_debugpy()

    def keep(self) -> None:
        """Makes `os.getpid` and similar functions return the debuggee's ids in the copy, under every name.

        Restores the original `os.exec*`, because debugpy's versions would wait for a thread that the copy does not
        have. Refuses fork.
        """
        for module, name, original in self._originals:
            setattr(module, name, original)
        for ask, answer in self._answers:
            _become(ask, _gives_itself, answer)
        for fork in (posix.fork, posix.forkpty):
            _become(fork, _calls_itself, _refuse)


def _refuse() -> None:
    """Raises PermissionError in place of fork, whose hooks of the program could wait for a lost thread's lock."""
    sys.audit("os.fork")
    raise PermissionError(1, "a snapshot makes no process")


def _definition(function: Any) -> Buffer:
    """Returns a PyMethodDef for a C function: it calls `function(self, NULL)` with the `x` of `_become` as self."""
    no_arguments = 4  # METH_NOARGS
    buffer = Buffer(4 * _WORD + 8)
    name = buffer.put(b"kept\0", 4 * _WORD)
    buffer.put(struct.pack("=QQQQ", name, ctypes.cast(function, ctypes.c_void_p).value, no_arguments, 0))
    return buffer


_gives_itself = _definition(_python.PyNumber_Long)  # returns an int unchanged
_calls_itself = _definition(_python.PyObject_CallObject)


def _become(function: Any, definition: Buffer, x: Any) -> None:
    """Turns a builtin function without arguments into another function, in place; `x` must stay alive."""
    store(id(function) + object.__basicsize__, struct.pack("=QQ", definition.address, id(x)))


def after_fork(hooks_address: int) -> list[Step]:
    """Returns the steps that make the interpreter run with one thread, without tracing.

    The first step removes the interpreter's fork hooks, because they reseed `random`, forget threads, include code of
    the program and may wait for the lock of a thread that the copy does not have. With address 0 the step searches for
    the hooks, which takes a walk over all objects. debugpy's `sys.settrace` cannot be used here.
    """
    hooks: Any = ctypes.cast(hooks_address, ctypes.py_object).value if hooks_address else []
    return [
        *([("hooks", hooks.clear, None)] if hooks_address else _find_fork_hooks()),
        python_step("PyOS_AfterFork_Child"),
        python_step("PyEval_SetTrace", None, None),
        python_step("PyEval_SetProfile", None, None),
    ]


_found: list[Any] = []


def _find_fork_hooks() -> list[Step]:
    """Returns steps that find the list with `threading`'s fork hook and clear it; C code only."""
    known: Any = vars(threading).get("_after_fork")
    referrers: Any = itertools.islice(iter(functools.partial(gc.get_referrers, known), None), 1)
    lists = filter(list.__instancecheck__, itertools.chain.from_iterable(referrers))
    return [
        ("hooks", functools.partial(_found.extend, lists), None),
        ("hooks", functools.partial(collections.deque, map(list.clear, _found), 0), ANYTHING),
    ]


def found_fork_hooks() -> int:
    """Returns the address of the interpreter's fork hooks, after a copy has searched for them.

    The address stays the same for the life of the process. Raises RuntimeError.
    """
    if len(_found) != 1:
        raise RuntimeError("the interpreter's fork hooks were not found")
    return id(_found[0])


def keep_threads() -> None:
    """Makes the debuggee's other threads count as alive in the copy, which does not have them."""
    for thread in _other_threads():
        _keep_lock(thread)
        _keep_handle(thread)


def _other_threads() -> list[Any]:
    active: Any = vars(threading)["_active"]
    own = _thread.get_ident()
    return [thread for ident, thread in list(dict.items(active)) if ident != own]


def _keep_lock(thread: Any) -> None:
    """Makes a thread count as alive up to Python 3.12, by a held lock; the interpreter has released the old lock."""
    if vars(thread).get("_tstate_lock") is not None:
        lock = _thread.allocate_lock()
        lock.acquire()
        vars(thread)["_tstate_lock"] = lock


def _keep_handle(thread: Any) -> None:
    """Makes a thread count as alive from Python 3.13 on, by a new handle; the interpreter has ended the old handle."""
    make: Any = getattr(_thread, "_make_thread_handle", None)
    for name in ("_handle", "_os_thread_handle"):  # the second: from 3.15 on
        if make is not None and name in vars(thread):
            vars(thread)[name] = make(vars(thread)["_ident"])


def _replaced_by_debugpy() -> list[tuple[Any, str, Any]]:
    """Returns (module, name, original) of functions that debugpy replaced at its start."""
    for module in [sys.modules.get(name) for name in ("os", "_posixsubprocess", "subprocess")]:
        if type(module) is types.ModuleType and id(module) not in _looked_at:
            names = [(name, x) for name, x in names_of(vars(module)).items() if name.startswith("original_")]
            _looked_at[id(module)] = [(module, name[9:], x) for name, x in names]
    return [each for found in _looked_at.values() for each in found]


_looked_at: dict[int, list[tuple[Any, str, Any]]] = {}


def stop_monitoring() -> None:
    """Unregisters debuggers, profilers and coverage in the copy, so that the run does not call them."""
    frame_eval: Any = sys.modules.get("_pydevd_frame_eval.pydevd_frame_eval_main")
    if getattr(frame_eval, "stop_frame_eval", None) is not None:
        frame_eval.stop_frame_eval()
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is not None:
        events = [event for event in vars(monitoring.events).values() if type(event) is int and event > 0]
        for tool in range(6):
            for event in events:
                if not event & (event - 1):
                    monitoring.register_callback(tool, event, None)
