"""A run as a document of one line an event, and each event as a document of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dap_ai.protocol.wire.visible import visible
from dap_ai.runs.model import Event, Run

RUN_FILE = "run.md"
_TITLE_CHARS = 160
HEAD_LINES = 2
"""Lines of `run.md` above the first event."""


def title(event: Event) -> str:
    """An event in a line: `12 call bash: pytest -q`."""
    what = {
        "call": event.tool or "call",
        "result": f"result {event.status}" + (f", exit code {event.exit_code}" if event.exit_code is not None else ""),
    }.get(event.kind, event.kind)
    words = _line(event.text or event.reasoning or _arguments(event))
    number = f"{event.step} " if event.step else ""
    return f"{number}{what}: {words}" if words else f"{number}{what}"


def run_document(run: Run) -> str:
    """`run.md`: two lines about the run, then one for each event."""
    verdict = f"{run.outcome.verdict} {run.outcome.words}".strip()
    head = [f"# {_line(run.task) or 'run'}", f"{run.format}, {run.steps} steps, {verdict}"]
    agents = len(run.agents) > 1
    return "\n".join([*head, *(_row(event, named=agents) for event in run.events), ""])


def line_of(index: int) -> int:
    """The line of `run.md`, 1-based, at which an event stands."""
    return index + HEAD_LINES + 1


def index_of(line: int) -> int:
    """The event that stands at a line, or the nearest one below."""
    return max(0, line - HEAD_LINES - 1)


def document_name(event: Event) -> str:
    """`012-call-bash.md`."""
    tool = "".join(c if c.isalnum() or c in "-_" else "_" for c in event.tool)[:40]
    return f"{event.index:03d}-{event.kind}{f'-{tool}' if tool else ''}.md"


def document(event: Event) -> str:
    """All that an event says."""
    parts = [f"# {visible(title(event))}"]
    if event.reasoning:
        parts += ["## Reasoning", visible(event.reasoning)]
    if event.text:
        parts += ["## Text" if event.reasoning or event.arguments else "", visible(event.text)]
    if event.arguments:
        parts += ["## Arguments", visible(json.dumps(dict(event.arguments), indent=2, ensure_ascii=False, default=str))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(event: Event, *, named: bool) -> str:
    indent = "  " if event.kind in ("call", "result", "change") else ""
    who = f"{event.agent}: " if named else ""
    return f"{indent}{who}{title(event)}"


def _arguments(event: Event) -> str:
    pairs: Sequence[str] = [f"{name}={value}" for name, value in (event.arguments or {}).items()]
    return ", ".join(pairs)


def _line(text: str) -> str:
    flat = " ".join(visible(text[: _TITLE_CHARS * 8]).split())
    return flat if len(flat) <= _TITLE_CHARS else f"{flat[:_TITLE_CHARS]}…"
