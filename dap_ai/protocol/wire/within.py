"""Shortens a JSON object that is too large to decode whole: no answer needs a millionth variable.

A debug adapter may list any number of values, with or without paging. In an object above MAX_BYTES, lists keep the rows
within their first MAX_LIST_BYTES, strings keep their beginning, and other large values are dropped.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

MAX_BYTES = 4 << 20
"""Size in bytes up to which an object is decoded whole. It is above the size of any reply of an inspector."""
MAX_LIST_BYTES = 1 << 20
MAX_ROWS = 2000
_MAX_TEXT_BYTES = 4 << 20
_BLANK = re.compile(r"[\s,]*")
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_LONE_SURROGATE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""The same pattern as in envelope.py. Group 1 is a lone surrogate, which may be one half of a pair that was cut."""
_scan = json.JSONDecoder().raw_decode


def within(data: msgspec.Raw) -> bytes:
    """Return the JSON object, shortened if it is too large.

    Raises msgspec.DecodeError or RecursionError if the JSON is not an object.
    """
    if len(memoryview(data)) <= MAX_BYTES:
        return bytes(data)
    fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({name: _beginning(value) for name, value in fields.items()})


def _beginning(value: msgspec.Raw) -> Any:
    view = memoryview(value)
    if len(view) <= MAX_LIST_BYTES:
        return value
    match bytes(view[:1]):
        case b"[":
            return _rows(str(view[1:MAX_LIST_BYTES], "utf-8", "ignore"))
        case b'"':
            return _text(str(view[1:_MAX_TEXT_BYTES], "utf-8", "ignore"))
        case _:
            return None


def _rows(text: str) -> list[Any]:
    """Return the complete rows of a JSON list. `text` begins after the list's opening bracket."""
    text = _without_lone_surrogates(text)
    rows: list[Any] = []
    at = _end_of_blank(text, 0)
    try:
        while len(rows) < MAX_ROWS:
            row, at = _scan(text, at)
            rows.append(row)
            at = _end_of_blank(text, at)
    except (ValueError, RecursionError):  # the text ends here, or cannot be parsed further
        pass
    return rows


def _text(text: str) -> str:
    """Decode the content of a JSON string. The text may be cut off within an escape."""
    whole = _without_lone_surrogates(_HALF_ESCAPE.sub(r"\1", text))
    try:
        return json.loads(f'"{whole}"', strict=False)
    except ValueError:  # cut off before its first character
        return ""


def _without_lone_surrogates(text: str) -> str:
    return _LONE_SURROGATE.sub(lambda found: r"\ufffd" if found[1] else found[0], text)


def _end_of_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
