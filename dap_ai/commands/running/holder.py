"""What the program that holds our stdin says: who answers from now on. See `dap-ai serve --until-eof`.

One JSON object a line: `{"answerer": {"DAP_AI_PROVIDER": "openai", "OPENAI_API_KEY": "...", "DAP_AI_MODEL": null}}`.
This way nobody else can take, and a key stands in no message of a session, in no log and in no environment that a
debug adapter or a program would inherit. So no line is ever shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping

import msgspec

from dap_ai.settings.configuration import ConfigError

VARIABLES = frozenset({"DAP_AI_PROVIDER", "DAP_AI_MODEL", "DAP_AI_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"})
"""Those that say who answers: nothing else can be changed this way."""
TAKEN = "from now on: "
"""How the line on stderr begins that says who answers then."""
REFUSED = "who answers was not changed: "
_MAX_LINE_BYTES = 65_536


class _HolderMessage(msgspec.Struct, forbid_unknown_fields=True):
    answerer: dict[str, str | None]


def hear(answer_by: Callable[[Mapping[str, str | None]], str], tell: Callable[[str], None], line: bytes) -> None:
    """Applies the settings in a line through Recipe.answer_by; reports the result on stderr, never the line."""
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
    """Reads stdin to its end, in a thread of its own; both are called in the loop. Too long a line is cut off."""
    rest = b""
    with contextlib.suppress(OSError, RuntimeError):  # closed from the start; the loop is closed: all is over
        while piece := os.read(0, 4096):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(heard, line[:_MAX_LINE_BYTES])  # what was cut off cannot be read
            rest = rest[:_MAX_LINE_BYTES]
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(ended)
