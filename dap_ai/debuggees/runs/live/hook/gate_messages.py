"""Sends the hook's announcements to the gate, as JSON, and reports the hook's errors.

gate/gate_contract.py describes the format.
"""

# pyright: reportUnknownVariableType=false

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from . import gate_connection

_TOLD: set[str] = set()
_GO = {"do": "go"}
_MOST_CHARS = 1000000
"""Maximum characters of text in place of a value that isn't JSON."""


def encoded(said: Any) -> Any:
    """Encode an announcement as JSON; values that aren't JSON are replaced by their text."""
    return json.dumps(said, default=_text, ensure_ascii=False).encode("utf-8", "replace")


def announce(said: Any) -> Any:
    """Send an announcement and return the gate's verdict; waits while the agent is stopped. Never raises.

    The verdict is `go` for an empty announcement.
    """
    try:
        return _verdict(gate_connection.post(encoded(said))) if said else _GO
    except Exception as error:
        failed("announcing", error)
        return _GO


async def announce_async(said: Any) -> Any:
    """Send an announcement like `announce`, blocking only this task."""
    try:
        return _verdict(await gate_connection.post_async(encoded(said))) if said else _GO
    except Exception as error:
        failed("announcing", error)
        return _GO


def once(words: Any) -> Any:
    """Send a note, at most once per process."""
    if words in _TOLD or len(_TOLD) > 50:
        return
    _TOLD.add(words)
    with contextlib.suppress(Exception):  # nobody can receive it
        gate_connection.post(encoded({"kind": "note", "text": "the hook in process %d: %s" % (os.getpid(), words)}))


def failed(doing: Any, error: Any) -> Any:
    """Report an error of the hook without affecting the agent."""
    if not isinstance(error, OSError):
        once("%s failed: %s: %s" % (doing, type(error).__name__, error))


def _verdict(answer: Any) -> Any:
    found: Any = json.loads(answer) if answer else _GO
    return found if isinstance(found, dict) else _GO


def _text(value: Any) -> Any:
    for way in ("model_dump", "dict", "_asdict"):
        made = getattr(value, way, None)
        if callable(made):
            try:
                return made()
            except Exception:  # noqa: S112  try the next method
                continue
    return str(value)[:_MOST_CHARS]
