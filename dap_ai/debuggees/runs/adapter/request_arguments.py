"""Typed access to a DAP request's arguments; an invalid argument raises RequestError with a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from dap_ai.system.texts import code

_MOST_ROWS = 10_000
_MOST = 2**53
_NONE: Mapping[str, Any] = {}


class RequestError(Exception):
    """A request failed; the message says why."""


class RequestArguments:
    """Arguments of a request, of any JSON type. All methods raise RequestError for values of the wrong type."""

    def __init__(self, value: Any, where: str = "arguments") -> None:
        self._where = where
        if value is not None and not isinstance(value, Mapping):
            raise RequestError(f"{where}: an object is wanted, not {_kind(value)}")
        self.fields = cast("Mapping[str, Any]", value) if value is not None else _NONE

    def has(self, name: str) -> bool:
        """Return whether an argument is set and not null."""
        return self.fields.get(name) is not None

    def number(self, name: str, default: int | None = None) -> int:
        """Return a non-negative integer. Raises RequestError if it is missing and there is no default."""
        value = self.fields.get(name, default)
        value = default if value is None else value
        if value is None:
            raise RequestError(f"{self._where}: {code(name)} is missing")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # noqa: PLR0124  NaN check
            raise RequestError(f"{self._where}: {code(name)} is to be a whole number, not {_kind(value)}")
        if not 0 <= value <= _MOST or value != int(value):
            raise RequestError(f"{self._where}: {code(name)} is to be a whole number from 0 on")
        return int(value)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string. Raises RequestError if it is missing and there is no default."""
        value = self.fields.get(name)
        value = default if value is None else value
        if not isinstance(value, str):
            wanted = "is missing" if value is None else f"is to be a text, not {_kind(value)}"
            raise RequestError(f"{self._where}: {code(name)} {wanted}")
        return value

    def within(self, name: str) -> RequestArguments:
        """Return an object argument; an empty object if missing."""
        return RequestArguments(self.fields.get(name), f"{self._where}.{name}")

    def rows(self, name: str) -> list[RequestArguments]:
        """Return a list of objects; an empty list if missing."""
        return [RequestArguments(row, f"{self._where}.{name}[{n}]") for n, row in enumerate(self._list(name))]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings; an empty list if missing."""
        found = self._list(name)
        if any(not isinstance(text, str) for text in found):
            raise RequestError(f"{self._where}: {code(name)} is to be a list of texts")
        return list(found)

    def _list(self, name: str) -> Sequence[Any]:
        value = self.fields.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise RequestError(f"{self._where}: {code(name)} is to be a list, not {_kind(value)}")
        found = cast("list[Any]", value)
        if len(found) > _MOST_ROWS:
            raise RequestError(f"{self._where}: {code(name)} has more than {_MOST_ROWS} entries")
        return found


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a truth value"
    names = ((str, "a text"), (list, "a list"), (dict, "an object"), ((int, float), "a number"))
    return next((name for kind, name in names if isinstance(value, kind)), "nothing")
