"""Decodes JSON from any source: valid JSON fast, malformed or cut-off JSON as far as possible."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import msgspec

from dap_ai.debuggees.runs.json_spans import salvaged
from dap_ai.debuggees.runs.run_files import CannotRead, as_utf8, content
from dap_ai.debuggees.runs.run_model import Problem, Ref

_SURROGATE = re.compile("[\ud800-\udfff]")


def decoded(data: bytes) -> tuple[Any, str]:
    """Decode UTF-8 JSON and return (value, problem); the problem is an empty string for valid JSON.

    Decodes NaN, invalid UTF-8 and the like, and describes them in the problem. Raises CannotRead if the data isn't JSON
    at all or is nested too deeply.
    """
    try:
        return msgspec.json.decode(data), ""
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _leniently(data), f"is not quite JSON ({error}), and is read as far as possible"
    except RecursionError as error:
        raise CannotRead("its JSON is nested too deeply to be read") from error


def document(path: Path, name: str = "") -> tuple[Any, list[Problem]]:
    """Read a JSON file and return (value, problems); a file that was cut off is read up to the cut.

    `name` is the file's path relative to the run's root, for the problems' references. Raises CannotRead.
    """
    data, encoding = as_utf8(content(path))
    problems = [Problem(Ref(name), f"is in {encoding.upper()}")] if encoding != "utf-8" else []
    try:
        value, wrong = as_far_as_possible(data)
    except CannotRead as error:
        raise CannotRead(f"{path}: {error}") from error
    return value, [*problems, Problem(Ref(name), wrong)] if wrong else problems


def as_far_as_possible(data: bytes) -> tuple[Any, str]:
    """Decode like `decoded`, but read a truncated or broken document up to the damage. Raises CannotRead."""
    try:
        return decoded(data)
    except CannotRead:
        closed = salvaged(data)
        if closed is None or closed[0] == data:
            raise
    return decoded(closed[0])[0], f"is cut off or broken: {closed[1]} of its {len(data)} bytes could be read"


def _leniently(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("utf-8", "replace"), strict=False, parse_int=_number)
    except (ValueError, RecursionError) as error:
        raise CannotRead(f"it is no JSON: {error}") from error
    return _without_surrogates(value) if b"\\u" in data else value


def _number(digits: str) -> float | int:
    return int(digits) if len(digits) < 20 else float(digits)


def _without_surrogates(value: Any) -> Any:
    """Replace unpaired surrogates in place, because they cannot be written to a file or terminal; return the value."""
    holder: list[Any] = [value]
    waiting: list[Any] = [holder]
    while waiting:
        container = waiting.pop()
        for key in _keys(container):
            item: Any = container[key]
            if isinstance(item, str):
                container[key] = _SURROGATE.sub("\ufffd", item)
            elif isinstance(item, (dict, list)):
                waiting.append(item)
    return holder[0]


def _keys(container: Any) -> list[Any]:
    return list(cast("dict[str, Any]", container)) if isinstance(container, dict) else list(range(len(container)))
