"""Tracks the agent that the current thread or task works for: its name, its parent, the enclosing call."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import os
from typing import Any

from . import gate_messages

_MAIN = "main"
_WITHIN: Any = contextvars.ContextVar("dap_ai_agent", default=None)
"""(name, parent) of the current agent, or None if unknown."""
CALL = contextvars.ContextVar("dap_ai_call", default="")
"""Id of the running call."""
_STATE = {"pid": 0, "root": None}
_KNOWN: set[Any] = set()


def hello(kinds: Any = ("call", "result")) -> Any:
    """Announce once per process that an agent runs, and which kinds of events this process will announce."""
    if _STATE["pid"] != os.getpid():
        _STATE["pid"] = os.getpid()
        gate_messages.announce({"kind": "hello", "announces": list(kinds), "pid": os.getpid()})


def current() -> Any:
    """Return the names of the current agent and its parent; empty for the main agent or an unknown one."""
    return _WITHIN.get() or ("", "")


@contextlib.contextmanager
def agent(name: Any) -> Any:
    """Attribute the work in the `with` block to the agent of that name. A process's first agent is the main agent."""
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
    """Return a wrapper for a sync or async function that runs an agent; `name_of(args, kwargs)` names the agent."""

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
    """Return an empty string, for frameworks whose agents have no names."""
    return ""


def _name(name_of: Any, args: Any, kwargs: Any) -> Any:
    try:
        return name_of(args, kwargs)
    except Exception as error:
        gate_messages.failed("reading an agent's name", error)
        return ""
