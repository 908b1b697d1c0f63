"""DAP variables: a reference number for each expandable value, valid until the run moves.

The items of a long list are created page by page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.event_titles import line
from dap_ai.protocol.wire.visible import visible
from dap_ai.system import texts

Variable = dict[str, Any]
MAX_VALUE_CHARS = 20_000
_MOST_AT_ONCE = 2_000
_LONG_CHARS = 1_000
"""Length above which a text can be expanded, because editors show only its beginning. A text with several lines can
always be expanded."""
_NAME_CHARS = 200
_READ_ONLY = {"attributes": ["readOnly"]}


@dataclass(frozen=True)
class Rows:
    """An expandable value with named variables, then `count` indexed variables, each created on request."""

    named: Callable[[], Sequence[Variable]] = list
    count: int = 0
    item: Callable[[int], Variable] = lambda _: {}
    path: str | None = None
    """Expression of the value that the named variables belong to; empty if their names are expressions themselves; None
    if they cannot be evaluated."""
    watched: str | None = None
    """Prefix of the variables' names in data breakpoint ids: `file:`, `plan:`; None if the variables cannot be
    watched."""


class References:
    """Reference numbers of expandable values; numbers grow over the session, so that none is reused after a move."""

    def __init__(self) -> None:
        self._first = 1
        self._made: list[Rows] = []

    def add(self, rows: Rows) -> int:
        """Return a new reference number for a value."""
        self._made.append(rows)
        return self._first + len(self._made) - 1

    def clear(self) -> None:
        """Invalidate all references, because the run has moved."""
        self._first += len(self._made)
        self._made.clear()

    def rows(self, reference: int) -> Rows:
        """Return the value of a reference. Raises RequestError."""
        if not 0 <= reference - self._first < len(self._made):
            raise RequestError(f"there is no variablesReference {reference}: they end when the run moves")
        return self._made[reference - self._first]

    def variables(self, reference: int, wanted: str = "", start: int = 0, count: int = 0) -> list[Variable]:
        """Return the variables of a reference; `wanted` is "named", "indexed" or empty for both kinds.

        Raises RequestError.
        """
        rows = self.rows(reference)
        named = list(rows.named()) if wanted != "indexed" else []
        total = len(named) + (rows.count if wanted != "named" else 0)
        end = min(start + count if count else total, start + _MOST_AT_ONCE, total)
        shown = [named[n] if n < len(named) else rows.item(n - len(named)) for n in range(start, end)]
        if not count and end < total:
            more = f"{total - end:,} more: this client asks for all at once, and gets the first {_MOST_AT_ONCE:,}"
            shown.append({"name": "…", "value": more, "variablesReference": 0})
        return shown

    def scope(self, name: str, fields: Mapping[str, Any], *, told: bool = False, **more: Any) -> Variable:
        """Return a scope with these variables; with `told`, the variables' names are expressions."""
        rows = Rows(
            lambda: [self.variable(key, value, key if told else "") for key, value in fields.items()],
            path="" if told else None,
        )
        return {"name": name, "variablesReference": self.add(rows), "expensive": False, **more}

    def variable(self, name: str, value: Any, path: str = "") -> Variable:
        """Return one variable, expandable if it has parts. `path` is the variable's expression, or empty."""
        shown: Variable = {
            "name": line(name, _NAME_CHARS) or '""',
            "presentationHint": _READ_ONLY,
            "variablesReference": 0,
        }
        if path:
            shown["evaluateName"] = path
        if isinstance(value, Mapping):
            return shown | self._table(cast("Mapping[str, Any]", value), path)
        if isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            at = f"{path}[{{}}]" if path else ""
            rows = Rows(count=len(items), item=lambda n: self.variable(f"[{n}]", items[n], at.format(n)))
            more = {"variablesReference": self.add(rows), "indexedVariables": len(items)} if items else {}
            return shown | {"value": _brief(items) if items else "none", "type": "list"} | more
        if isinstance(value, str):
            return shown | self._text(value)
        return shown | {"value": json.dumps(value, default=str), "type": type(value).__name__}

    def _table(self, parts: Mapping[str, Any], path: str) -> Variable:
        def named() -> list[Variable]:
            return [self.variable(str(key), part, _member(path, str(key))) for key, part in parts.items()]

        more = (
            {"variablesReference": self.add(Rows(named, path=path or None)), "namedVariables": len(parts)}
            if parts
            else {}
        )
        return {"value": _brief(parts) if parts else "none", "type": "object"} | more

    def _text(self, value: str) -> Variable:
        text = visible(value)
        shown: Variable = {"value": cut(text), "type": "text"}
        if "\n" in text.rstrip("\n") or len(text) > _LONG_CHARS:
            lines = text.split("\n")
            rows = Rows(count=len(lines), item=lambda n: _line(n, lines[n]))
            shown |= {"variablesReference": self.add(rows), "indexedVariables": len(lines)}
        return shown


def cut(text: str) -> str:
    """Cut a value to the maximum length that an answer may have."""
    more = len(text) - MAX_VALUE_CHARS
    return text if more <= 0 else f"{text[:MAX_VALUE_CHARS]}… ({more:,} characters more: see the event's document)"


def _line(number: int, text: str) -> Variable:
    return {"name": str(number + 1), "value": cut(text), "variablesReference": 0, "presentationHint": _READ_ONLY}


def _brief(value: Any) -> str:
    """Format a list or object on one line."""
    text = visible(" ".join(json.dumps(value, ensure_ascii=False, default=str).split()))
    return texts.cut(text, 200, "…")


def _member(path: str, key: str) -> str:
    if not path:
        return ""
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{key!r}]"
