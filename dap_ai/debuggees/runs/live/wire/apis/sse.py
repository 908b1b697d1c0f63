"""Parses a body of server-sent events, which may be cut off anywhere, and merges fragments of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table

_LINE = re.compile(rb"\r\n|\n|\r")


def objects(body: bytes) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON object of each event, in order; skips comments, `[DONE]` and other values."""
    data = list[bytes]()
    for line in (*_LINE.split(body.removeprefix(b"\xef\xbb\xbf")), b""):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            found = decoded(b"\n".join(data))
            data.clear()
            if isinstance(found, dict):
                yield cast("dict[str, Any]", found)


def merge(old: Any, new: Any) -> Any:
    """Merge two fragments of a value: concatenate strings and lists, merge objects by key, else return the newer."""
    if new is None:
        return old
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return [*array(old), *array(new)]
    if isinstance(old, dict) and isinstance(new, dict):
        both = {**table(old)}
        for key, value in table(new).items():
            both[key] = merge(both.get(key), value)
        return both
    return new
