from __future__ import annotations

from collections import Counter

import pytest

from tests.seconds import folder_of, table


@pytest.mark.parametrize(
    ("node_id", "folder"),
    [
        ("tests/unit/agent/native/test_a.py::test_b[c/d]", "tests/unit/agent"),
        ("tests/unit/test_seconds.py::test_a", "tests/unit"),
        ("tests/e2e/editors/test_emacs.py::test_a", "tests/e2e"),
    ],
)
def test_a_test_counts_for_its_folder(node_id: str, folder: str):
    assert folder_of(node_id) == folder


def test_the_longest_folder_stands_first():
    lines = table(Counter({"tests/a": 1.2, "tests/b": 2000.4}), Counter({"tests/a": 3, "tests/b": 1})).splitlines()
    assert lines[2:] == ["| `tests/b` | 1 | 2,000 |", "| `tests/a` | 3 | 1 |", "| all | 4 | 2,002 |"]
