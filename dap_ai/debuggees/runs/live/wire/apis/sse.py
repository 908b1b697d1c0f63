"""Server-sent events of a body that is complete, or cut off anywhere, and the fragments of one value put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table

_LINE = re.compile(rb"\r\n|\n|\r")


def objects(body: bytes) -> Iterator[Mapping[str, Any]]:
    """The JSON object of each event, in order; comments, `[DONE]` and what is no object are left out."""
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
    """What two fragments of one value make: texts and lists one after the other, objects by key, else the newer."""
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
