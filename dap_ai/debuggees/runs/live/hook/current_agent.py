"""Which agent this thread or task works for: its name, its parent, the call that it is within."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import os
from typing import Any

from . import gate_messages

_MAIN = "main"
_WITHIN: Any = contextvars.ContextVar("dap_ai_agent", default=None)
"""(name, parent) of the agent; None: nobody's."""
CALL = contextvars.ContextVar("dap_ai_call", default="")
"""The id of the call that runs."""
_STATE = {"pid": 0, "root": None}
_KNOWN: set[Any] = set()


def hello(kinds: Any = ("call", "result")) -> Any:
    """An agent of a framework that is followed begins to run: such events are announced from now on."""
    if _STATE["pid"] != os.getpid():
        _STATE["pid"] = os.getpid()
        gate_messages.announce({"kind": "hello", "announces": list(kinds), "pid": os.getpid()})


def current() -> Any:
    """The names of the agent and of its parent; "": the main one, or not known."""
    return _WITHIN.get() or ("", "")


@contextlib.contextmanager
def agent(name: Any) -> Any:
    """Works for the agent of that name. The first one of a process is the main one."""
    before: Any = _WITHIN.get()
    try:
        _enter(name if isinstance(name, str) else "", before[0] if before else "")
    except Exception as error:
        gate_messages.failed("telling of an agent", error)
    try:
        yield
    finally:
        _WITHIN.set(before)


def _enter(name: Any, within: Any) -> Any:
    hello()
    if _STATE["root"] is None:
        _STATE["root"] = name
    if name == _STATE["root"] and not within:
        _WITHIN.set(("", ""))
    elif name and name != within:
        _WITHIN.set((name, within or _MAIN))
        _new(name, within or _MAIN)


def _new(name: Any, parent: Any) -> Any:
    if (name, parent) not in _KNOWN:
        _KNOWN.add((name, parent))
        gate_messages.announce({"kind": "agent", "agent": name, "parent": parent, "call_id": CALL.get()})


def of_agent(name_of: Any) -> Any:
    """What wraps a function, sync or async, that is an agent's run or turn; `name_of(args, kwargs)` names the agent."""

    def wrap(original: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            with agent(_name(name_of, args, kwargs)):
                return original(*args, **kwargs)

        async def run_async(*args: Any, **kwargs: Any) -> Any:
            with agent(_name(name_of, args, kwargs)):
                return await original(*args, **kwargs)

        return run_async if inspect.iscoroutinefunction(inspect.unwrap(original)) else run

    return wrap


def unnamed(args: Any, kwargs: Any) -> Any:
    """Of frameworks whose agents have no names."""
    return ""


def _name(name_of: Any, args: Any, kwargs: Any) -> Any:
    try:
        return name_of(args, kwargs)
    except Exception as error:
        gate_messages.failed("reading an agent's name", error)
        return ""
