"""Answers which values changed since the last stop that the user asked about."""

from __future__ import annotations

from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut, show, variables
from dap_ai.agent.report.source_edits import shorten
from dap_ai.system.texts import code

_VALUE, _MAX_ROWS = 60, 12
_NO_OTHER = (
    "What changed since the last stop is not known: only stops that were asked about are remembered, and this is the "
    "first. Ask again after the next step."
)


@dataclass
class StopValues:
    """The values of variables at a stop, as text, by (function, name)."""

    epoch: int
    spot: str
    values: dict[tuple[str, str], str]


def kept(case: StopSnapshot) -> StopValues | None:
    """Return a stop's values, to compare them at a later stop; None if no frame has source."""
    place = case.focus
    if place is None:
        return None
    values = {
        (each.frame.name, v.name): show(v.value, 400)
        for each in case.callers
        if each.facts
        for v in variables(each.facts)
        if v.value.kind not in ("function", "class", "module")
    }
    return StopValues(
        case.stop.epoch, code(f"{shorten(place.frame.path, case.inspection.cwd)}:{place.frame.line}"), values
    )


def changed(earlier: StopValues | None, now: StopValues) -> str:
    """Return a paragraph on the changed values. `earlier`: None if the user asked about no earlier stop."""
    if earlier is None:
        return _NO_OTHER
    functions = {function for function, _ in now.values}
    rows = [
        _row(name, function, earlier.values.get((function, name)), text)
        for (function, name), text in now.values.items()
        if earlier.values.get((function, name)) != text
    ]
    gone = [f"- {code(n)} is gone" for (f, n) in earlier.values if f in functions and (f, n) not in now.values]
    told = [*rows, *gone]
    moved = (
        f"Since the stop at {earlier.spot}" if earlier.spot != now.spot else f"Since the stop before, at {now.spot} too"
    )
    if not told:
        return f"{moved}, no value of these frames has changed."
    more = [f"- ... {len(told) - _MAX_ROWS} more"] if len(told) > _MAX_ROWS else []
    return "\n".join([f"{moved}:", "", *told[:_MAX_ROWS], *more])


def _row(name: str, function: str, before: str | None, text: str) -> str:
    inside = f" in {code(function)}" if function != "<module>" else ""
    if before is None:
        return f"- {code(name)}{inside} is new: {code(cut(text, _VALUE))}"
    return f"- {code(name)}{inside}: {code(cut(before, _VALUE))} -> {code(cut(text, _VALUE))}"
