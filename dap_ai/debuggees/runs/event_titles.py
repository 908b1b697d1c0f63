"""An event of a run in a line, by rule: what it is, and the first of its words that say something."""

from __future__ import annotations

import re

from dap_ai.debuggees.runs.gist import unwrapped
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import cut

_TITLE_CHARS = 160
_LOOKED_AT = _TITLE_CHARS * 8
_RULE = re.compile(r"([-=_*~#])\1{4,}")
"""What separates in a terminal, and says nothing in a title."""


def title(event: Event) -> str:
    """An event in a line: `12 call bash: pytest -q`."""
    what = {
        "call": event.tool or "call",
        "result": "result" + ("" if event.status == "unknown" else f" {event.status}") + _exit(event),
    }.get(event.kind, event.kind)
    said = words(event)
    number = f"{event.step} " if event.step else ""
    return f"{number}{what}: {said}" if said else f"{number}{what}{_place(event)}"


def words(event: Event) -> str:
    """What it says on one line, cut: the text without its wrapping, the reasoning, or the arguments; "" if nothing."""
    said = event.beginning(_LOOKED_AT)
    return line((unwrapped(said) if event.kind == "result" else said) or _arguments(event))


def line(text: str, chars: int = _TITLE_CHARS) -> str:
    """A text on one line, cut."""
    return cut(" ".join(_RULE.sub(" ", visible(text[: chars * 8])).split()), chars, "…")


def _place(event: Event) -> str:
    """Where an event without words stands, if nothing else tells one from the next: a note of the settings, say."""
    return f" at {line(event.ref.pointer or event.ref.path)}" if event.kind in ("task", "note") else ""


def _exit(event: Event) -> str:
    return f", exit code {event.exit_code}" if event.exit_code is not None else ""


def _arguments(event: Event) -> str:
    pairs = [f"{name}={str(value)[:_LOOKED_AT]}" for name, value in (event.arguments or {}).items()]
    return ", ".join(pairs)[:_LOOKED_AT]
