"""A run again reports none of the values that a line gave only after the exception was raised."""

from __future__ import annotations

import msgspec
import pytest

from dap_ai.debuggees.python.snapshots.editing.sources import UserFiles
from dap_ai.debuggees.python.snapshots.runs.tracing import Tracer
from dap_ai.protocol.contracts.snapshot_messages import RunTrace

BY_FINALLY = """
def fail(rows):
    try:
        rows.append(2)  # a call that changes what its caller holds
        1 / 0
    finally:
        rows.clear()

rows = [1]
fail(rows)
"""
BY_WITH = """
import contextlib

def fail():
    box = {"n": 1}
    with contextlib.ExitStack() as stack:
        stack.callback(box.clear)
        box["n"] = 2; 1 / 0

fail()
"""
BY_LOOP = """
def fail():
    n = 0
    for tried in range(3):
        try:
            n = step(n, tried)
        finally:
            n = n + 10

def step(n, tried):
    return n + 1 // (2 - tried)

fail()
"""


def values(program, line, name):
    """The values that the line gave to the name, in a traced run."""
    code = compile(program, __file__, "exec")
    tracer = Tracer(60.0, UserFiles())
    with pytest.raises(ZeroDivisionError) as raised:
        tracer.run(lambda: exec(code, {"__name__": "__main__"}), code, lambda: None)  # noqa: S102  the test's own
    tracer.settle(raised.value)
    trace = msgspec.convert(tracer.facts(), RunTrace)
    number = program.split("\n").index(line) + 1
    changes = [c for row in trace.lines if row.line == number for c in row.changes if c.name == name]
    return [(c.texts, c.count) for c in changes]


def test_a_callers_line_is_not_told_what_the_cleanup_of_its_call_has_left():
    assert values(BY_FINALLY, "fail(rows)", "rows") == []
    assert values(BY_FINALLY, "        rows.append(2)  # a call that changes what its caller holds", "rows") == [
        (["[1, 2]"], 1)
    ]
    assert values(BY_FINALLY, "        rows.clear()", "rows") == []


def test_a_line_is_told_what_it_did_before_it_raised_and_not_what_a_with_did_then():
    assert values(BY_WITH, '        box["n"] = 2; 1 / 0', "box") == [(["{'n': 2}"], 1)]


def test_a_line_that_ran_before_and_after_is_told_what_it_did_before():
    assert values(BY_LOOP, "            n = n + 10", "n") == [(["10", "21"], 2)]
