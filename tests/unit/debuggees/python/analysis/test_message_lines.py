"""A message of several lines is told with its lines."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.analysis.failure.exception_messages import as_written, first_line
from dap_ai.debuggees.python.tools.trace import _change
from dap_ai.protocol.contracts.snapshot_messages import ValueChanges


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("", ""),
        ("one", "one"),
        ("one\ntwo", "one (and 1 more line)"),
        ("one\n\n  three\n", "one (and 2 more lines)"),
    ],
)
def test_the_first_line_says_how_many_follow(message, first):
    assert first_line(message) == first


def test_one_line_is_no_block():
    assert as_written("one\n") == ""


def test_the_lines_of_a_block_are_those_of_the_message():
    assert as_written("one\n\n  three") == "    one\n\n      three"


def test_a_long_block_says_how_many_lines_are_missing():
    lines = as_written("\n".join(map(str, range(15)))).splitlines()
    assert lines[-2:] == ["    11", "    ... 3 more lines"]


@pytest.mark.parametrize(
    ("texts", "count", "told"),
    [
        (["None"], 4, "im: None (4 times)"),
        (["None", "1"], 4, "im: None ... 1 (4 values)"),
        (["None"], 1, "im: None"),
    ],
)
def test_no_value_of_a_line_is_empty(texts, count, told):
    assert _change(ValueChanges("im", texts, count)) == told
