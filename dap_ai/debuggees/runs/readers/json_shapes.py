"""Values of anybody's JSON, taken for what they are meant to be: nothing here raises for a wrong type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.run_model import Status, TokenUsage

_NOTHING: Mapping[str, Any] = {}


def decoded(data: bytes | str, otherwise: Any = None) -> Any:
    """The value of a JSON text; `otherwise` where it is none, is nested too deeply, or is no UTF-8."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return otherwise


def table(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING


def array(value: Any) -> Sequence[Any]:
    """An array, or an empty one."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def at(value: Any, *path: str | int) -> Any:
    """What is at a path of keys and indices, or None."""
    for part in path:
        if isinstance(value, dict):
            value = cast("Mapping[Any, Any]", value).get(part)
        elif isinstance(value, list) and isinstance(part, int) and -len(array(value)) <= part < len(array(value)):
            value = array(value)[part]
        else:
            return None
    return value


def text(value: Any) -> str:
    """A text: of a string, of a list of content parts (`{"type": "text", "text": ...}`), of nothing else."""
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
    """What a model thought apart from its text, where it was kept."""
    return "\n".join(filter(None, (text(at(block, "thinking")) for block in array(source.get("thinking_blocks")))))


def words(value: Any) -> str:
    """A text, or JSON of what is none; "" of nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return text(value) or msgspec.json.encode(value).decode()


def whole(value: Any) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first_whole(*values: Any) -> int | None:
    """The first of them that is a whole number, or None."""
    return next((found for found in map(whole, values) if found is not None), None)


def number(value: Any) -> float | None:
    """A number that is one (no NaN, no infinity), or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) < 1e300 else None  # of NaN, too: it compares to nothing


def usage(value: Any, cost: Any = None) -> TokenUsage | None:
    """Tokens and dollars in the shapes of OpenAI (chat, responses) and Anthropic; None where there are none."""
    found = table(value)
    inputs = _first(found, "prompt_tokens", "input_tokens")
    cached = _first(found, "cache_read_input_tokens", "cached_tokens")
    if cached is None and (details := found.get("prompt_tokens_details") or found.get("input_tokens_details")):
        cached = _first(table(details), "cached_tokens")
    if "cache_read_input_tokens" in found and "prompt_tokens" not in found and inputs is not None:
        inputs += (cached or 0) + (whole(found.get("cache_creation_input_tokens")) or 0)  # apart, as Anthropic counts
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
    """Adds the known numbers; None if there are none."""
    known = [one for one in numbers if one is not None]
    return sum(known) if known else None


def status_of(exit_code: int | None, otherwise: Status = "unknown") -> Status:
    """How a call came out, by its exit code; `otherwise` where there is none."""
    return otherwise if exit_code is None else "ok" if exit_code == 0 else "error"


def arguments(value: Any) -> tuple[Mapping[str, Any] | None, bool]:
    """A call's arguments from an object or its JSON, and whether they could be read."""
    if isinstance(value, dict):
        return cast("Mapping[str, Any]", value), True
    if not isinstance(value, str):
        return None, value is None
    found = decoded(value)
    return (cast("Mapping[str, Any]", found), True) if isinstance(found, dict) else (None, False)


def command(found: Mapping[str, Any] | None, raw: Any = None) -> str:
    """A call's text: the command where the tool is a shell, else its only or its raw text."""
    for key in ("command", "cmd", "code", "keystrokes", "script"):
        value = (found or {}).get(key)
        if isinstance(value, str):
            return value
        parts = array(value)
        if parts and all(isinstance(part, str) for part in parts):
            return " ".join(parts)
    return raw if isinstance(raw, str) and found is None else ""
