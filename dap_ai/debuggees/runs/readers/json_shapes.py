"""Accessors for JSON values of unknown shape. For a value of the wrong type, they return a default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.run_model import Status, TokenUsage

_NOTHING: Mapping[str, Any] = {}


def decoded(data: bytes | str, otherwise: Any = None) -> Any:
    """Return the value of a JSON text, or `otherwise` if the text is invalid, nested too deeply or not UTF-8."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return otherwise


def table(value: Any) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty mapping."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING


def array(value: Any) -> Sequence[Any]:
    """Return the value if it is an array, else an empty tuple."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def at(value: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indices, or None if the path does not exist."""
    for part in path:
        if isinstance(value, dict):
            value = cast("Mapping[Any, Any]", value).get(part)
        elif isinstance(value, list) and isinstance(part, int) and -len(array(value)) <= part < len(array(value)):
            value = array(value)[part]
        else:
            return None
    return value


def text(value: Any) -> str:
    """Return a string, or the joined texts of a list of content parts (`{"type": "text", "text": ...}`).

    Returns an empty string for any other value.
    """
    if isinstance(value, str):
        return value
    if not value:
        return ""
    parts = (part if isinstance(part, str) else _part(part) for part in array(value))
    return "\n".join(part for part in parts if part)


def _part(part: Any) -> str:
    content = table(part)
    for key in ("text", "content", "thinking", "output"):
        if isinstance(content.get(key), str):
            return str(content[key])
    return ""


def thinking(source: Mapping[str, Any]) -> str:
    """Return the text of a message's `thinking_blocks`; empty if the message has none."""
    return "\n".join(filter(None, (text(at(block, "thinking")) for block in array(source.get("thinking_blocks")))))


def words(value: Any) -> str:
    """Return a value as text.

    Strings and content parts keep their text, None becomes an empty string, and other values become JSON.
    """
    if value is None or isinstance(value, str):
        return value or ""
    return text(value) or msgspec.json.encode(value).decode()


def whole(value: Any) -> int | None:
    """Return the value if it is an int, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first_whole(*values: Any) -> int | None:
    """Return the first of the values that is an int, or None if none is."""
    return next((found for found in map(whole, values) if found is not None), None)


def number(value: Any) -> float | None:
    """Return the value as a float if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) < 1e300 else None  # None for NaN too: its comparisons are False


def usage(value: Any, cost: Any = None) -> TokenUsage | None:
    """Return token usage and cost in OpenAI's or Anthropic's format, or None if nothing is recorded.

    The cost in US dollars is `cost`, or else the one recorded in `value`. Input tokens include cached tokens.
    """
    found = table(value)
    inputs = _first(found, "prompt_tokens", "input_tokens")
    cached = _first(found, "cache_read_input_tokens", "cached_tokens")
    if cached is None and (details := found.get("prompt_tokens_details") or found.get("input_tokens_details")):
        cached = _first(table(details), "cached_tokens")
    if "cache_read_input_tokens" in found and "prompt_tokens" not in found and inputs is not None:
        inputs += (cached or 0) + (whole(found.get("cache_creation_input_tokens")) or 0)  # excluded by Anthropic
    outputs = _first(found, "completion_tokens", "output_tokens")
    dollars = number(cost)
    dollars = number(found.get("cost")) if dollars is None else dollars
    if inputs is None and cached is None and outputs is None and dollars is None:
        return None
    return TokenUsage(inputs, cached, outputs, dollars)


def _first(found: Mapping[str, Any], *keys: str) -> int | None:
    for key in keys:
        if (value := whole(found.get(key))) is not None:
            return value
    return None


def total(numbers: Iterable[Any]) -> Any:
    """Return the sum of the numbers that are not None, or None if all are None."""
    known = [one for one in numbers if one is not None]
    return sum(known) if known else None


def status_of(exit_code: int | None, otherwise: Status = "unknown") -> Status:
    """Return a call's status by its exit code, or `otherwise` if the exit code is None."""
    return otherwise if exit_code is None else "ok" if exit_code == 0 else "error"


def arguments(value: Any) -> tuple[Mapping[str, Any] | None, bool]:
    """Return a call's arguments, given as an object or as JSON text, and whether they could be parsed."""
    if isinstance(value, dict):
        return cast("Mapping[str, Any]", value), True
    if not isinstance(value, str):
        return None, value is None
    found = decoded(value)
    return (cast("Mapping[str, Any]", found), True) if isinstance(found, dict) else (None, False)


def command(found: Mapping[str, Any] | None, raw: Any = None) -> str:
    """Return the text of a call: the command or code in its arguments.

    Without arguments, returns `raw` if it is a string. Otherwise, the text is empty.
    """
    for key in ("command", "cmd", "code", "keystrokes", "script"):
        value = (found or {}).get(key)
        if isinstance(value, str):
            return value
        parts = array(value)
        if parts and all(isinstance(part, str) for part in parts):
            return " ".join(parts)
    return raw if isinstance(raw, str) and found is None else ""
