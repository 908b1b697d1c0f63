"""Answers questions such as "what does the program wait for?" from the stack."""

from __future__ import annotations

import re
from collections.abc import Callable

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.system.texts import code

INTERRUPTED = "KeyboardInterrupt"
MAX_CODE = 80
_WAITS = re.compile(
    r"\s*(?:what|why|where|who|is|does)\b[^?]*\b(?:wait(?:s|ing)?|blocked|blocking)\b"
    r"(?:\s+(?:for|on|in|at|by|here|now))*[\s?!.]*",
    re.IGNORECASE,
)


def wants_wait(question: str) -> bool:
    """Whether a question asks what the program is waiting for."""
    return bool(_WAITS.fullmatch(question))


def waiting(
    case: StopSnapshot, in_code: Callable[[StopSnapshot, FramePlace, str], str] = lambda _case, _place, _here: ""
) -> str:
    """Describes what the program waits for, from the stack; empty if the focus frame has no source.

    `in_code` explains the wait by the current line, if the innermost frame is the user's. Its third argument names the
    place.
    """
    place, error = case.focus, case.exception
    if place is None or place.source is None:
        return ""
    line_text = cut(place.source.line(place.frame.line).strip(), MAX_CODE)
    here = f"{_spot(case, place)}: {code(line_text)}"
    if error is not None and error.type != INTERRUPTED:
        return f"It waits for nothing: it has failed with {code(error.type)} at {here}."
    top = case.frames[0]
    if not top.user:
        return f"It is in {code(top.name)}, reached from {here}."
    return in_code(case, place, here) or f"Nothing shows that it waits: it stands at {here}."


def _spot(case: StopSnapshot, place: FramePlace) -> str:
    return f"{code(f'{shorten(place.frame.path, case.inspection.cwd)}:{place.frame.line}')} in {code(place.frame.name)}"
