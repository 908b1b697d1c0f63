"""The beginning of a JSON object that is too large to be read: nobody needs the millionth variable of an answer.

A debug adapter may list whatever it likes, paged or not. What is above MAX_BYTES is not decoded: of each list the rows
within its first MAX_LIST_BYTES are kept, of each text its beginning, and of what else is large nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

MAX_BYTES = 4 << 20
"""Of an object that is read as it is. Larger than what the inspector of a backend brings."""
MAX_LIST_BYTES = 1 << 20
MAX_ROWS = 2000
_MAX_TEXT_BYTES = 4 << 20
_BLANK = re.compile(r"[\s,]*")
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_LONE_SURROGATE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""As in envelope.py: group 1 is one that stands alone, or alone since the text was cut."""
_scan = json.JSONDecoder().raw_decode


def within(data: msgspec.Raw) -> bytes:
    """The same object, or one that begins like it. Raises msgspec.DecodeError, RecursionError for what is no object."""
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
    """The whole ones among the rows of a list; `text` is what follows its bracket."""
    text = _without_lone_surrogates(text)
    rows: list[Any] = []
    at = _end_of_blank(text, 0)
    try:
        while len(rows) < MAX_ROWS:
            row, at = _scan(text, at)
            rows.append(row)
            at = _end_of_blank(text, at)
    except (ValueError, RecursionError):  # the text ends here, or is not to be read from here on
        pass
    return rows


def _text(text: str) -> str:
    """A JSON string without its quotes, which may be cut within an escape."""
    whole = _without_lone_surrogates(_HALF_ESCAPE.sub(r"\1", text))
    try:
        return json.loads(f'"{whole}"', strict=False)
    except ValueError:  # it has ended before
        return ""


def _without_lone_surrogates(text: str) -> str:
    return _LONE_SURROGATE.sub(lambda found: r"\ufffd" if found[1] else found[0], text)


def _end_of_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
