"""A run as a document of one line an event, and the line of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.protocol.wire.visible import visible
from dap_ai.runs.gist import name_of, unwrapped
from dap_ai.runs.model import Event, Run

RUN_FILE = "run.md"
_TITLE_CHARS = 160
_LOOKED_AT = _TITLE_CHARS * 8
_RULE = re.compile(r"([-=_*~#])\1{4,}")
"""What separates in a terminal, and says nothing in a title."""
HEAD_LINES = 2
"""Lines of `run.md` above the first event."""


def title(event: Event) -> str:
    """An event in a line: `12 call bash: pytest -q`."""
    what = {
        "call": event.tool or "call",
        "result": "result" + ("" if event.status == "unknown" else f" {event.status}") + _exit(event),
    }.get(event.kind, event.kind)
    said = event.beginning(_LOOKED_AT)
    words = line((unwrapped(said) if event.kind == "result" else said) or _arguments(event))
    number = f"{event.step} " if event.step else ""
    if not words:
        return f"{number}{what}{_place(event)}"
    return f"{number}{what}: {words}"


def run_document(run: Run, known: str = "", first: int = 0) -> str:
    """`run.md`: two lines about the run, then one for each event from `first` on.

    `known` says how much of the run is read, where it is not all.
    """
    verdict = f"{run.outcome.verdict} {run.outcome.words}".strip()
    about = f"{run.steps} steps in {known}" if known else f"{run.steps} steps, outcome: {verdict}"
    head = [f"# {line(name_of(run))}", line(f"{run.format}, {about}")]
    agents = len(run.agents) > 1
    return "\n".join([*head, *(_row(event, named=agents) for event in run.events[first:]), ""])


def line_of(index: int) -> int:
    """The line of `run.md`, 1-based, at which an event stands."""
    return index + HEAD_LINES + 1


def index_of(line_number: int) -> int:
    """The event that stands at a line, or the nearest one below."""
    return max(0, line_number - HEAD_LINES - 1)


def line(text: str, chars: int = _TITLE_CHARS) -> str:
    """A text on one line, cut."""
    flat = " ".join(_RULE.sub(" ", visible(text[: chars * 8])).split())
    return flat if len(flat) <= chars else f"{flat[:chars]}…"


def _row(event: Event, *, named: bool) -> str:
    indent = "  " if event.kind in ("call", "result", "change") else ""
    who = f"{line(event.agent, 40)}: " if named else ""
    return f"{indent}{who}{title(event)}"


def _place(event: Event) -> str:
    """Where an event without words stands, if nothing else tells one from the next: a note of the settings, say."""
    return f" at {line(event.ref.pointer or event.ref.path)}" if event.kind in ("task", "note") else ""


def _exit(event: Event) -> str:
    return f", exit code {event.exit_code}" if event.exit_code is not None else ""


def _arguments(event: Event) -> str:
    pairs: Sequence[str] = [f"{name}={str(value)[:_LOOKED_AT]}" for name, value in (event.arguments or {}).items()]
    return ", ".join(pairs)[:_LOOKED_AT]
