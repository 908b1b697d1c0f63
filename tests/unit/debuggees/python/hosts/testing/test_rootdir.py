"""Which words are joined to the option before them."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.hosts.testing.plugin import TAKES
from dap_ai.debuggees.python.hosts.testing.rootdir import joined


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tests --ask-json out.json -x", "tests --ask-json=out.json -x"),
        ("--ask-json=out.json tests", "--ask-json=out.json tests"),
        ("--ask tests", "--ask tests"),
        ("--ask full tests", "--ask=full tests"),
        ("--ask-fix tests", "--ask-fix tests"),
        ("--ask-fix a.diff --ask-time 3 tests", "--ask-fix=a.diff --ask-time=3 tests"),
        ("--ask-json -x", "--ask-json -x"),
        ("--ask-json", "--ask-json"),
        ("-- --ask-json out.json", "-- --ask-json out.json"),
    ],
)
def test_a_value_is_and_a_path_is_not(given, expected):
    assert joined(given.split(), TAKES) == expected.split()
