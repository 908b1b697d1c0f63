"""What is read of a response that is too large."""

from __future__ import annotations

import json
import time
from typing import Any

import msgspec
import pytest

from dap_ai.protocol.wire.within import MAX_BYTES, MAX_ROWS, within

FILL = "x" * MAX_BYTES


def read(body: dict[str, Any] | bytes) -> dict[str, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return json.loads(within(msgspec.Raw(data)))


def test_what_is_not_too_large_stays_byte_for_byte():
    data = b'{ "a" : [1,  2], "b":"\\u0041" }'
    assert within(msgspec.Raw(data)) == data


def test_of_a_list_the_first_rows_are_kept_and_small_fields_stay():
    rows = [{"name": f"v{n}", "value": '], {" }'} for n in range(150_000)]
    found = read({"total": 7, "rows": rows, "tail": "b"})
    assert (found["total"], found["tail"]) == (7, "b")
    assert found["rows"] == rows[:MAX_ROWS]


@pytest.mark.parametrize("value", ["é\\u00e9" * 600_000, "\\" * 2_200_000, "\U0001f600" * 400_000])
def test_of_a_text_the_beginning_is_kept(value: str):
    found = read({"value": value, "fill": FILL})["value"]
    assert len(found) > 300_000
    assert value.startswith(found.removesuffix("\ufffd"))


def test_a_row_that_is_too_large_ends_the_list():
    assert read({"rows": [1, {"value": FILL}, 2]})["rows"] == [1]


@pytest.mark.parametrize("row", [b"[" * 100_000, b"9" * 100_000, b"{" * 100_000, b"nul", b'"', b"\xff"])
def test_what_cannot_be_read_within_a_list_ends_it(row: bytes):
    body = b'{"rows":[1,2,' + row + b",3" * 10 + b"]"
    with_fill = body + b',"fill":"' + FILL.encode() + b'"}'
    try:
        found = read(with_fill)
    except (ValueError, RecursionError):
        return  # then it is told so
    assert found["rows"][:2] == [1, 2]


def test_a_million_rows_are_read_in_a_moment():
    body = b'{"rows":[' + b",".join([b'{"name":"v","value":"1234567890"}'] * 1_000_000) + b"]}"
    began = time.process_time()
    assert len(read(body)["rows"]) == MAX_ROWS
    assert time.process_time() - began < 5
