"""A failure of which no frame of the user's code is left: what is known is the test, and what was raised.

Twisted's trial keeps an exception apart from its traceback, and reports some that were never raised in a frame.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator
from typing import Any

_NATIVE = re.compile(
    r"NOTE: Incompatible Exception Representation, displaying natively:\s+(?:([\w.]+): )?(.*)", re.DOTALL
)
"""pytest's own error in the place of one that it cannot show; the type and the message of that one stand in it."""
_MAX_CHARS = 160
_NO_FRAME = "More is not known: no frame of your code is left in its traceback."


@contextlib.contextmanager
def traced(excinfo: Any) -> Generator[BaseException]:
    """The exception of pytest's ExceptionInfo, meanwhile with the traceback that pytest knows of it."""
    exc: BaseException = excinfo.value
    if exc.__traceback__ is not None:
        yield exc
        return
    exc.__traceback__ = excinfo.tb
    try:
        yield exc
    finally:
        exc.__traceback__ = None


def frameless(exception: dict[str, str], report: Any, root: str) -> dict[str, Any]:
    """Fields of a finding, as `findings.where` and `findings.told` give them, and `text`."""
    kind, message = _raised(exception)
    path, line, name = report.location
    begins = {"file": os.path.join(root, path), "line": (line or 0) + 1, "function": name}  # noqa: PTH118
    first = message.partition("\n")[0]
    words = (f"{kind}: {first}" if first else kind)[:_MAX_CHARS]
    text = f"`{words}` in `{name}`, which begins at `{path}:{begins['line']}`.\n{_NO_FRAME}"
    return {
        "exception": {"type": kind, "message": message},
        "stopped": begins,
        "frames": [],
        "suspects": [],
        "claims": {"root_cause": "none", "verified": False, "recommended": False, "guess": False},
        "diff": "",
        "answer": text,
        "text": text,
        "complete": True,
    }


def _raised(exception: dict[str, str]) -> tuple[str, str]:
    """The type and message; of an error that pytest cannot show, its own."""
    found = _NATIVE.match(exception["message"])
    if found is None:
        return exception["type"], exception["message"]
    return (found[1] or exception["type"]).rpartition(".")[2], found[2].strip()
