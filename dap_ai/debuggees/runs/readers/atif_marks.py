"""The `extra` fields that `dap-ai run export --to atif` adds to ATIF, so that reading back keeps the run's steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from dap_ai.debuggees.runs.readers.json_shapes import at, table, whole
from dap_ai.debuggees.runs.run_model import Outcome, Ref, Verdict

MARK = "dap_ai"
"""Key of dap_ai's data in `extra`: an object in a document; in a step or call, an object with `step` and sometimes
`text`."""


def is_ours(value: Any) -> bool:
    """Return whether dap_ai exported the document."""
    return bool(table(at(value, "extra", MARK)))


def step_number(item: Any) -> int:
    """Return the run's step number recorded for an ATIF step or call; 0 if there is none."""
    number = whole(at(item, "extra", MARK, "step"))
    return number if number is not None and number > 0 else 0


def call_text(call: Mapping[str, Any], otherwise: str) -> str:
    """Return the text recorded for a call, or `otherwise` if there is none."""
    text = at(call, "extra", MARK, "text")
    return text if isinstance(text, str) else otherwise


def outcome(value: Any) -> Outcome:
    """Return the run's outcome recorded in a document; ATIF has no field of its own for it."""
    found = at(value, "extra", MARK, "outcome")
    verdict, words = at(found, "verdict"), at(found, "words")
    if verdict not in get_args(Verdict):
        return Outcome()
    return Outcome(verdict, words if isinstance(words, str) else "", Ref(pointer=f"/extra/{MARK}/outcome"))
