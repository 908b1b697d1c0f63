"""JSON by the C half of `json`, because the program may have replaced `json.loads` or `json.dumps`."""

from __future__ import annotations

import _json
from typing import Any


class _Rules:
    """The settings that the C scanner of `json` reads."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None  # the last: from Python 3.15
    parse_float, parse_int, parse_constant = float, int, float


def _unknown(x: Any) -> Any:
    raise TypeError("no JSON for a " + type(x).__name__)


_C: Any = _json
_scan: Any = _C.make_scanner(_Rules)
_encode: Any = _C.make_encoder(None, _unknown, _C.encode_basestring_ascii, None, ":", ",", False, False, True)


def loads(data: bytes) -> Any:
    """Decodes UTF-8 JSON without surrounding blanks. Raises ValueError."""
    text = data.decode("utf-8")
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        end = -1
        value = None
    if end != len(text):
        raise ValueError("no JSON")
    return value


def dumps(x: Any) -> bytes:
    """Encodes plain dicts, lists, strings and numbers as ASCII JSON without blanks."""
    return "".join(_encode(x, 0)).encode("ascii")
