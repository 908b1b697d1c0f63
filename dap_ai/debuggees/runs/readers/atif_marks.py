"""What `dap-ai run export --to atif` adds to the format, in `extra`: the run is read back with its own steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from dap_ai.debuggees.runs.readers.json_shapes import at, table, whole
from dap_ai.debuggees.runs.run_model import Outcome, Ref, Verdict

MARK = "dap_ai"
"""Of the document: an object, and of a step or a call: an object with `step` and, of a call, perhaps `text`."""


def is_ours(value: Any) -> bool:
    """Whether dap_ai exported the document."""
    return bool(table(at(value, "extra", MARK)))


def step_number(item: Any) -> int:
    """The number of the run's step that a call or a message is; 0 for none."""
    number = whole(at(item, "extra", MARK, "step"))
    return number if number is not None and number > 0 else 0


def call_text(call: Mapping[str, Any], otherwise: str) -> str:
    """A call's text."""
    text = at(call, "extra", MARK, "text")
    return text if isinstance(text, str) else otherwise


def outcome(value: Any) -> Outcome:
    """The run's, which the format has no field for."""
    found = at(value, "extra", MARK, "outcome")
    verdict, words = at(found, "verdict"), at(found, "words")
    if verdict not in get_args(Verdict):
        return Outcome()
    return Outcome(verdict, words if isinstance(words, str) else "", Ref(pointer=f"/extra/{MARK}/outcome"))
