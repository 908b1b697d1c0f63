"""Replaces system functions that a rerun calls but a copy may not, by harmless versions.

1. An event loop of asyncio waits at a selector of the kernel and wakes itself by a pair of sockets. In a copy it waits
   by `select` alone, and serves every event that needs no socket.
2. A signal handler is only recorded: nobody sends signals to a copy.
3. The current folder is only recorded: a copy opens only files of libraries, by absolute paths.
4. Files below the temporary folder are kept in memory (private_folder.py).

For an expression that a user enters, these calls are refused as usual.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import os
import sys
from typing import Any

from .private_folder import keep_private

_HOW = ("_make_self_pipe", "_close_self_pipe", "_write_to_self")


def stand_in() -> None:
    """Installs the harmless versions in a copy, before statements run there."""
    _folders()
    keep_private()
    _signals(sys.modules.get("signal"))
    _loops(sys.modules.get("asyncio.selector_events"), sys.modules.get("selectors"))


def _folders() -> None:
    os_module: Any = sys.modules["os"]
    plain = os_module.getcwd
    here = [""]

    def chdir(path: Any) -> None:
        here[0] = os.path.normpath(os.path.join(here[0] or plain(), os.fspath(path)))

    os_module.chdir = chdir
    os_module.getcwd = lambda: here[0] or plain()


def _signals(module: Any) -> None:
    if module is None:
        return
    handlers: dict[Any, Any] = {}
    known = module.getsignal

    def handler_of(number: Any) -> Any:
        return handlers[number] if number in handlers else known(number)

    def signal(number: Any, handler: Any) -> Any:
        before = handler_of(number)
        handlers[number] = handler
        return before

    def set_wakeup_fd(_fd: Any, **_options: Any) -> int:
        return -1

    module.signal, module.getsignal, module.set_wakeup_fd = signal, handler_of, set_wakeup_fd


def _loops(events: Any, selectors: Any) -> None:
    kind = getattr(events, "BaseSelectorEventLoop", None)
    if kind is None or selectors is None or not all([hasattr(kind, name) for name in _HOW]):  # noqa: C419  saves a frame
        return
    selectors.DefaultSelector = selectors.SelectSelector

    def nothing(_loop: Any) -> None:
        """Does nothing, because there is no pair of sockets."""

    for name in _HOW:
        setattr(kind, name, nothing)
    _waiting_alone(getattr(selectors, "EpollSelector", None), selectors)


def _waiting_alone(kind: Any, selectors: Any) -> None:
    """Makes existing loops wait by `select` alone, so that time passes but no event arrives."""
    if kind is None:
        return

    def select(_selector: Any, timeout: Any = None) -> list[Any]:
        sys.modules["select"].select([], [], [], timeout if timeout is None else max(timeout, 0))
        return []

    kind.select = select
    for name in ("register", "unregister", "modify"):
        setattr(kind, name, getattr(selectors._BaseSelectorImpl, name))
