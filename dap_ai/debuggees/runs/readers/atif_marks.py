"""The `extra` fields that `dap-ai run export --to atif` adds to an ATIF document.

They make the steps of a run survive an export to ATIF and reading the file back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from dap_ai.debuggees.runs.readers.json_shapes import at, table, whole
from dap_ai.debuggees.runs.run_model import Outcome, Ref, Verdict

MARK = "dap_ai"
"""Key of dap_ai's data in `extra`. The value is an object. In a step or call, the object has `step` and sometimes
`text`."""


def is_ours(value: Any) -> bool:
    """Return whether dap_ai exported the document."""
    return bool(table(at(value, "extra", MARK)))


def step_number(item: Any) -> int:
    """Return the run's step number recorded for an ATIF step or call, or 0 if none is recorded."""
    number = whole(at(item, "extra", MARK, "step"))
    return number if number is not None and number > 0 else 0


def call_text(call: Mapping[str, Any], otherwise: str) -> str:
    """Return the text recorded for a call, or `otherwise` if no text is recorded."""
    text = at(call, "extra", MARK, "text")
    return text if isinstance(text, str) else otherwise


def outcome(value: Any) -> Outcome:
    """Return the run's outcome recorded in an ATIF document.

    ATIF itself has no field for the outcome.
    """
    found = at(value, "extra", MARK, "outcome")
    verdict, words = at(found, "verdict"), at(found, "words")
    if verdict not in get_args(Verdict):
        return Outcome()
    return Outcome(verdict, words if isinstance(words, str) else "", Ref(pointer=f"/extra/{MARK}/outcome"))
