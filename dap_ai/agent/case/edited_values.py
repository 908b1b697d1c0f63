"""Values that the user or an answer has set in the debugger. No line of the program is the cause of such a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.protocol.contracts.question import ValueEdit
from dap_ai.system.texts import code

_MAX_TOLD = 4
_MAX_CHARS = 80
_MODULE = "<module>"
_ATTRIBUTE = re.compile(r"(?:\.|->)(\w+)$")
_QUALIFIER = re.compile(r"\.|::")
_ITEM = re.compile(r"\[[^\[\]]*\]$")


def settle(case: StopSnapshot) -> None:
    """Fills `case.edited` with a sentence about each value set in the debugger.

    A value set after the program failed cannot have caused the failure, so this removes it from the frames. Values
    captured when the exception was raised stay.
    """
    newest = list(reversed(case.stop.edits or ()))
    here = [edit for edit in newest if edit.epoch == case.stop.epoch]
    case.edited = [_sentence(case, edit, edit in here) for edit in newest[:_MAX_TOLD]]
    if len(newest) > _MAX_TOLD:
        case.edited.append(f"Earlier, {len(newest) - _MAX_TOLD} more values were set in the debugger.")
    if case.exception is not None:
        for place in case.places:
            for edit in here:
                _take_out(place, edit)


def edits_read(case: StopSnapshot, function: str, path: str, texts: Iterable[str]) -> list[ValueEdit]:
    """Returns the edits whose variables appear in these expressions or statements of a function.

    Compares names only.
    """
    read = list(texts)
    return [
        e
        for e in case.stop.edits or ()
        if _is_visible_in(e, function, path) and any(mentions(text, e) for text in read)
    ]


def mentions(text: str, edit: ValueEdit) -> bool:
    """Whether source text names the edited variable, or the container of the edited item."""
    name = edit.name.strip().lstrip("*")
    while (shorter := _ITEM.sub("", name)) != name:
        name = shorter
    attribute = _ATTRIBUTE.search(name)
    pattern = rf"(?:\.|->){attribute[1]}\b" if attribute else rf"(?<![\w.]){re.escape(name)}\b"
    return re.search(pattern, text) is not None


def _is_visible_in(edit: ValueEdit, function: str, path: str) -> bool:
    """Whether a function can access the edited variable. An edited attribute counts as accessible everywhere."""
    if _ATTRIBUTE.search(_ITEM.sub("", edit.name)) or not edit.function:
        return True
    is_here = edit.function == _MODULE or _last(edit.function) == _last(function)
    return is_here and edit.file in ("", path)


def _last(function: str) -> str:
    """Returns a function's unqualified name: `withdraw` for `Account.withdraw` and `bank::Account::withdraw(int)`."""
    return _QUALIFIER.split(function.partition("(")[0])[-1]


def _sentence(case: StopSnapshot, edit: ValueEdit, is_here: bool) -> str:
    who = "you" if edit.by_user else "an answer"
    value, before = cut(edit.value, _MAX_CHARS), cut(edit.before, _MAX_CHARS)
    spot = "at this stop" if is_here else _spot(edit)
    was = f"; it was {code(before)}" if before else ""
    if not value:
        was = f"; {code(edit.name)} was {code(before)}" if before else ""
        return f"{who.capitalize()} ran {code(cut(edit.typed, _MAX_CHARS))} {spot}{was}."
    if is_here and any(_holds(place, edit) for place in case.places):
        return f"{code(edit.name)} is {code(value)} because {who} set it {spot}{was}."
    return f"{who.capitalize()} set {code(edit.name)} to {code(value)} {spot}{was}."


def _spot(edit: ValueEdit) -> str:
    inside = f", in {code(edit.function)}" if edit.function and edit.function != _MODULE else ""
    return (
        f"at {code(f'{PurePath(edit.file).name}:{edit.line}')}{inside}"
        if edit.file and edit.line
        else f"before{inside}"
    )


def _holds(place: FramePlace, edit: ValueEdit) -> bool:
    """Whether the variable still has the edited value in this frame."""
    if (place.frame.name, place.frame.path, place.frame.line) != (edit.function, edit.file, edit.line):
        return False
    fact = place.present(edit.name)
    value = fact.value if fact else None
    return value is not None and edit.value in (value.text, value.now)


def _take_out(place: FramePlace, edit: ValueEdit) -> None:
    if not _is_visible_in(edit, place.frame.name, place.frame.path):
        return
    place.known = {
        text: fact
        for text, fact in place.known.items()
        if not mentions(text, edit) or "failed" in (fact.time, fact.value.time if fact.value else "")
    }
    if place.facts:
        for variables in (place.facts.arguments, place.facts.locals):
            variables[:] = [v for v in variables if v.value.time == "failed" or not mentions(v.name, edit)]
