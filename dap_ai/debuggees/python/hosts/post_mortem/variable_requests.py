"""Answers an editor's requests for scopes and variables; reading values runs no code of the program."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, Iterator, List, Tuple

from ...inspector.captures import moments_of
from ...inspector.earlier import MARK, changed
from ...inspector.scopes import has_own_names, shown_locals
from ...inspector.stored.statics import forget, is_dunder, names_of, short_name, stored, text_of, type_name
from ...inspector.stored.values import ValueDescriber, VisitBudget

_MAX_ROWS = 1000
_BUDGET_BYTES, _BUDGET_MS = 2_000_000, 2000
_UNFOLDED = ("none", "bool", "int", "float", "complex", "str", "bytes")

Row = Tuple[str, Any]


class VariableRequests:
    """Answers requests for scopes and variables; references are valid until the stop ends."""

    def __init__(self) -> None:
        self._known: Dict[int, Any] = {}
        self._of: Dict[int, int] = {}

    def scopes(self, frame: Any, exc: Any = None) -> List[Dict[str, Any]]:
        """Returns a frame's DAP scopes.

        A variable that has changed since `exc` was raised has a second row with its old value.
        """
        scopes = [("Locals", _with_earlier(frame, exc))]
        if has_own_names(frame):
            names = {name: x for name, x in names_of(frame.f_globals).items() if not is_dunder(name)}
            scopes.append(("Globals", names))
        return [
            {"name": name, "expensive": name == "Globals", "variablesReference": self._reference(_Names(names))}
            for name, names in scopes
        ]

    def variables(self, reference: Any, start: int, count: int) -> List[Dict[str, Any]]:
        """Returns a page of the variables behind a reference; `count` 0 means as many as allowed."""
        if reference not in self._known:
            return []
        describer = ValueDescriber({"max_text": 300}, VisitBudget(_BUDGET_BYTES, _BUDGET_MS))
        try:
            rows = islice(_parts(self._known[reference], describer), start, start + min(count or _MAX_ROWS, _MAX_ROWS))
            return [dict(self.shown(x, describer), name=name) for name, x in rows]
        finally:
            forget()

    def shown(self, x: Any, describer: Any = None) -> Dict[str, Any]:
        """Returns `value`, `type` and `variablesReference` of a variable."""
        describer = describer or ValueDescriber({"max_text": 300}, VisitBudget(_BUDGET_BYTES, _BUDGET_MS))
        kind = describer.kinds.of(x)
        has_parts = kind not in _UNFOLDED and next(_parts(x, describer), None) is not None
        reference = self._reference(x) if has_parts else 0
        return {"value": describer.text(x), "type": type_name(type(x)), "variablesReference": reference}

    def _reference(self, x: Any) -> int:
        known = self._of.get(id(x))
        if known is None:
            known = self._of[id(x)] = len(self._known) + 1
            self._known[known] = x  # kept, so that its id is not reused
        return known


def _with_earlier(frame: Any, exc: Any) -> Dict[str, Any]:
    names = shown_locals(frame)
    moment = next((moment for each, moment in moments_of(exc) if each is frame), None) if exc is not None else None
    earlier = changed(frame, moment) if moment is not None else {}
    rows: Dict[str, Any] = {}
    for name, x in names.items():
        rows[name] = x
        if name in earlier:
            rows[name + MARK] = earlier[name]
    return rows


class _Names:
    """The names of a scope, with their values."""

    def __init__(self, names: Dict[str, Any]) -> None:
        self.names = names


def _parts(x: Any, describer: Any) -> Iterator[Row]:
    """Yields names and values inside a value: a builtin container's items, or an object's stored attributes."""
    if type(x) is _Names:
        yield from x.names.items()
    elif type(x) in (list, tuple):
        for index, part in enumerate(list(x)):
            yield "[%d]" % index, part
    elif type(x) is dict:
        for key, part in list(dict.items(x)):
            yield "[%s]" % describer.text(key), part
    elif type(x) in (set, frozenset):
        for index, part in enumerate(list(x)):
            yield "{%d}" % index, part
    elif not issubclass(type(x), type) and short_name(type(x)) != "module":
        for name, part in stored(x).items():
            yield text_of(name), part
