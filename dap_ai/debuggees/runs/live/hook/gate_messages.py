"""What the hook says to the gate, and what goes wrong with it. See gate/gate_contract.py for what is announced."""

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
"""Of a text that is not the agent's own JSON."""


def encoded(said: Any) -> Any:
    """An announcement as it is sent; what is no JSON is told by its text."""
    return json.dumps(said, default=_text, ensure_ascii=False).encode("utf-8", "replace")


def announce(said: Any) -> Any:
    """The verdict, `go` on nothing; waits while the agent is held. Never raises."""
    try:
        return _verdict(gate_connection.post(encoded(said))) if said else _GO
    except Exception as error:
        failed("announcing", error)
        return _GO


async def announce_async(said: Any) -> Any:
    """The same, so that only this task waits."""
    try:
        return _verdict(await gate_connection.post_async(encoded(said))) if said else _GO
    except Exception as error:
        failed("announcing", error)
        return _GO


def once(words: Any) -> Any:
    """A note, once in this process."""
    if words in _TOLD or len(_TOLD) > 50:
        return
    _TOLD.add(words)
    with contextlib.suppress(Exception):  # nobody is there who could be told
        gate_connection.post(encoded({"kind": "note", "text": "the hook in process %d: %s" % (os.getpid(), words)}))


def failed(doing: Any, error: Any) -> Any:
    """Something of ours went wrong; the agent does not notice."""
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
            except Exception:  # noqa: S112  the next way
                continue
    return str(value)[:_MOST_CHARS]
