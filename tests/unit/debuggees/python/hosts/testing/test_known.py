"""What is said of a failure that nobody had time for."""

from __future__ import annotations

from dap_ai.debuggees.python.hosts.testing.failure_hooks import NO_TIME, known

ROWS = [
    {"file": "/p/shop.py", "line": 4, "function": "total"},
    {"file": "/usr/lib/python3.12/functools.py", "line": 9, "function": "wrapped"},
    {"file": "/p/tests/test_shop.py", "line": 7, "function": "test_total"},
]


def of(message, rows=ROWS):
    found = {"exception": {"type": "AssertionError", "message": message}, "stopped": rows[0], "frames": rows}
    return known(found, NO_TIME, "/p")


def test_it_says_what_where_from_where_and_that_there_was_no_time():
    assert of("assert 3 == 2\n +  where 3 = total()")["answer"].splitlines() == [
        "`AssertionError: assert 3 == 2` at `shop.py:4`, in `total`.",
        "Called at `tests/test_shop.py:7`, in `test_total`.",
        NO_TIME,
    ]


def test_the_users_lines_are_the_suspects_and_nothing_is_claimed():
    told = of("")
    assert told["suspects"] == ["/p/shop.py:4", "/p/tests/test_shop.py:7"]
    assert told["claims"] == {"root_cause": "none", "verified": False, "recommended": False, "guess": False}
    assert not told["complete"]


def test_a_message_without_end_is_cut():
    assert len(of("x" * 5000)["answer"]) < 400
