"""Which failures are the same."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.hosts.testing.failure_hooks import place_of


def found(kind, *lines):
    rows = [{"file": "/p/test_it.py", "line": line, "function": "f"} for line in lines]
    return {"exception": {"type": kind, "message": ""}, "stopped": rows[0], "frames": rows}


@pytest.mark.parametrize(
    ("kind", "is_same"), [("AssertionError", False), ("ZeroDivisionError", True)], ids=["check", "error"]
)
def test_a_check_in_a_helper_fails_for_each_test_by_itself_and_an_error_is_the_same_from_wherever(kind, is_same):
    helper, one, other = 3, 10, 20
    assert (place_of(found(kind, helper, one)) == place_of(found(kind, helper, other))) is is_same
    assert place_of(found(kind, helper, one)) == place_of(found(kind, helper, one))
