"""Text helpers that the exports share: single lines, durations, locations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.debuggees.runs.run_model import Ref, RunStep
from dap_ai.system.texts import cut

_MAX_LOOKED_AT = 4_000
_SUBJECTS = ("path", "file_path", "filePath", "notebook_path", "filename", "pattern", "query", "url")
"""Names of arguments that identify what a tool acts on."""
_SHORT = 40


def first_line(text: str, width: int) -> str:
    """Return the text on one line, shortened to `width` characters."""
    return cut(" ".join(text[:_MAX_LOOKED_AT].split()), width, "…")


def length_of_time(seconds: float | None) -> str:
    """Return a duration as text, e.g. `0.4 s`, `3:05 min` or `2:07 h`; empty if the duration is unknown."""
    if seconds is None or not 0 <= seconds < 1e9:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


def place(ref: Ref) -> str:
    """Return the location of an event as text, e.g. `agent/trajectory.json:12-14 /steps/3`.

    For a run in one file, the text has no file name.
    """
    lines = f":{steps_range(*ref.lines)}" if ref.lines else ""
    return " ".join(part for part in (ref.path + lines, ref.pointer) if part)


def steps_range(first: int, last: int) -> str:
    """Return a range as text: `3` or `3-5`."""
    return str(first) if first == last else f"{first}-{last}"


def what(step: RunStep) -> str:
    """Return what a step did: the text of the step's call, or else of its message."""
    if step.call is None:
        said = step.response or step.result or next(iter(step.others), None)
        return (said.text or said.reasoning) if said is not None else ""
    text = step.call.text or _call_text(step.call.arguments or {})
    return f"{step.call.tool}: {text}" if step.call.tool else text


def _call_text(arguments: Mapping[str, Any]) -> str:
    """Return a non-shell call as text.

    If arguments name a command and a subject, only these are returned, else all arguments.
    """
    done = arguments.get("command")
    subjects = [value for name in _SUBJECTS if isinstance(value := arguments.get(name), str) and value]
    if subjects:
        return " ".join([done, *subjects] if isinstance(done, str) and len(done) <= _SHORT else subjects)
    return " ".join(f"{name}={value}" for name, value in arguments.items())
