"""Signal handlers for a run, which its event loop calls."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Generator


@contextlib.contextmanager
def heard(interrupt: Callable[[], None], end: Callable[[int], None], continued: Callable[[], None]) -> Generator[None]:
    """Handle signals in this context: SIGINT by `interrupt`, SIGTERM and SIGHUP by `end`, SIGCONT by `continued`.

    `end` gets the signal's number. After the context, the signals are ignored until the loop is closed: interrupting
    the clean-up would leave the program behind.
    """
    loop = asyncio.get_running_loop()
    calls: dict[int, Callable[[], None]] = {signal.SIGINT: interrupt}
    if number := getattr(signal, "SIGCONT", None):
        calls[number] = continued
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            calls[number] = lambda number=number: end(number)
    with contextlib.suppress(NotImplementedError):  # Windows
        for number, call in calls.items():
            loop.add_signal_handler(number, call)
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError):
            for number in calls:
                loop.add_signal_handler(number, lambda: None)
