"""Reads provider settings that the parent process writes to our stdin (`dap-ai serve --until-eof`).

One JSON object per line: `{"answerer": {"DAP_AI_PROVIDER": "openai", "OPENAI_API_KEY": "...", "DAP_AI_MODEL": null}}`.
No other process can use this channel. A key appears in no session message, no log, and no environment that a debug
adapter or a program would inherit, so no line is ever shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping

import msgspec

from dap_ai.settings.configuration import ConfigError

VARIABLES = frozenset({"DAP_AI_PROVIDER", "DAP_AI_MODEL", "DAP_AI_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"})
"""Names of the variables that choose the provider; other variables cannot be changed this way."""
TAKEN = "from now on: "
"""Prefix of the line on stderr that names the new provider."""
REFUSED = "who answers was not changed: "
_MAX_LINE_BYTES = 65_536


class _HolderMessage(msgspec.Struct, forbid_unknown_fields=True):
    answerer: dict[str, str | None]


def hear(answer_by: Callable[[Mapping[str, str | None]], str], tell: Callable[[str], None], line: bytes) -> None:
    """Switch to the provider that a line from stdin names, and report the result through `tell`, never the line.

    `answer_by` switches the provider.
    """
    if not line.strip():
        return
    try:
        said = msgspec.json.decode(line, type=_HolderMessage)
    except msgspec.MsgspecError:
        tell(f"{REFUSED}a line on stdin cannot be read")
        return
    if not said.answerer.keys() <= VARIABLES:
        tell(f"{REFUSED}a line on stdin names what cannot be changed")
        return
    try:
        tell(TAKEN + answer_by(said.answerer))
    except ConfigError as error:
        tell(f"{REFUSED}{error}")


def follow(loop: asyncio.AbstractEventLoop, heard: Callable[[bytes], None], ended: Callable[[], object]) -> None:
    """Read stdin to its end in the current thread.

    `heard` is called with each line, then `ended`; both are called in the loop. Lines longer than the maximum are
    truncated.
    """
    rest = b""
    with contextlib.suppress(OSError, RuntimeError):  # stdin is closed from the start, or the loop is closed
        while piece := os.read(0, 4096):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(heard, line[:_MAX_LINE_BYTES])  # a truncated line does not decode
            rest = rest[:_MAX_LINE_BYTES]
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(ended)
