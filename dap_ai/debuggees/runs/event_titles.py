"""One-line titles of a run's events: the kind of event and the first meaningful part of its text."""

from __future__ import annotations

import re

from dap_ai.debuggees.runs.gist import unwrapped
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import cut

_TITLE_CHARS = 160
_LOOKED_AT = _TITLE_CHARS * 8
_RULE = re.compile(r"([-=_*~#])\1{4,}")
"""Matches separator lines of terminal output, which titles leave out."""


def title(event: Event) -> str:
    """Return a one-line title of an event: `12 call bash: pytest -q`."""
    what = {
        "call": event.tool or "call",
        "result": "result" + ("" if event.status == "unknown" else f" {event.status}") + _exit(event),
    }.get(event.kind, event.kind)
    said = words(event)
    number = f"{event.step} " if event.step else ""
    return f"{number}{what}: {said}" if said else f"{number}{what}{_place(event)}"


def words(event: Event) -> str:
    """Return an event's text, reasoning or arguments as one line, cut to title length.

    Uses the first of the three that exists; returns an empty string for an event without any.
    """
    said = event.beginning(_LOOKED_AT)
    return line((unwrapped(said) if event.kind == "result" else said) or _arguments(event))


def line(text: str, chars: int = _TITLE_CHARS) -> str:
    """Return a text as one line of at most `chars` characters, with an ellipsis if cut."""
    return cut(" ".join(_RULE.sub(" ", visible(text[: chars * 8])).split()), chars, "…")


def _place(event: Event) -> str:
    """Return the location of a task or note that has no text; an empty string for other events."""
    return f" at {line(event.ref.pointer or event.ref.path)}" if event.kind in ("task", "note") else ""


def _exit(event: Event) -> str:
    return f", exit code {event.exit_code}" if event.exit_code is not None else ""


def _arguments(event: Event) -> str:
    pairs = [f"{name}={str(value)[:_LOOKED_AT]}" for name, value in (event.arguments or {}).items()]
    return ", ".join(pairs)[:_LOOKED_AT]
