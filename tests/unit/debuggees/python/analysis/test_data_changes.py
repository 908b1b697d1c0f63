"""A fix that changes the data, or leaves some of it out, is not verified by a run that ends well."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

import pytest

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.record.data_changes import changes_data, shifted

PROGRAM = """\
LIMIT = 0
part = 9
count = 0
PRICES = {"milk": 3, "salt": 0}


def mean(xs, skipna=False, most=None):
    if most is None:
        most = []
    total = 1
    for x in xs:
        if x == 7:
            break
        total += x
    kept = [x for x in xs if x] if skipna else xs
    return total / len(kept)


def summed(frame):
    return frame["price"].sum(skipna=False)


def paired(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def kept(store, row, n):
    store.append(row)
    for index in range(n):
        store.append(index)
    return kept(store, row, n)


def main():
    rows = [4, 0, 2]
    print(mean(rows, 0), LIMIT)


count += 1
main()
"""


def edited(old: str, new: str, told_by: Callable[[Sequence[SourceEdit]], str] = changes_data) -> str:
    assert PROGRAM.count(old) == 1
    source, after = SourceFile("/p.py", PROGRAM), PROGRAM.replace(old, new).splitlines()
    edits = [
        SourceEdit(source, first + 1, last, after[begin:end])
        for kind, first, last, begin, end in difflib.SequenceMatcher(None, source.lines, after).get_opcodes()
        if kind != "equal"
    ]
    return told_by(edits)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("rows = [4, 0, 2]", "rows = [4, 1, 2]", "`0` becomes `1`"),
        ("rows = [4, 0, 2]", "rows = [4, 2]", "`0`"),
        ("mean(rows, 0)", "mean(rows, 1)", "`0` becomes `1`"),
        ('"salt": 0', '"salt": 1', "`0` becomes `1`"),
        ('"salt": 0}', '"salt": 0, "rye": 2}', "`'rye'`"),
        ("part = 9", "part = 5", "`9` becomes `5`"),
        ("skipna=False)\n\n\ndef paired", "skipna=True)\n\n\ndef paired", "`skipna=True`"),
        ("strict=True", "strict=False", "`strict=False`"),
        ('frame["price"].sum', 'frame["price"].dropna().sum', "`dropna()`"),
        ('frame["price"].sum', 'frame["price"].fillna(0).sum', "`fillna()`"),
        ("zip(a, b, strict=True)]", "zip(a, b, strict=True) if y is not None]", "`if y is not None`"),
        ("        total += x", "        if x is None:\n            continue\n        total += x", "`if x is None`"),
        ("        total += x", "        total += x or 0", "`x or 0`"),
        ("        total += x", "        total += 0 if x is None else x", "`0 if x is None else x`"),
        ("        total += x", "        x = 3\n        total += x", "`x = 3`"),
        ("    total = 1", "    skipna = True\n    total = 1", "`skipna = True`"),
        ("if skipna else xs", "if not skipna else xs", "data is left out"),
    ],
)
def test_a_change_of_the_data_is_named(old: str, new: str, told: str):
    assert told in edited(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    total = 1", "    total = 0"),
        ("count = 0", "count = 1"),
        ("LIMIT = 0", "LIMIT = 5"),
        ("total += x", "total -= x"),
        ("            break", "            continue"),
        ("if x == 7:", "if x >= 7:"),
        ("total / len(kept)", "total / (len(kept) - 1)"),
        ("x - y for", "y - x for"),
        ("        most = []", "        most = [1]"),
        ("    rows = [4, 0, 2]", "    rows = [4, 0, 2].copy()"),
        ('frame["price"].sum', 'frame["cost"].sum'),
        ("print(mean(rows, 0), LIMIT)", "print(mean(rows[::-1], 0), LIMIT)"),
    ],
)
def test_a_change_of_the_code_is_none_of_the_data(old: str, new: str):
    assert edited(old, new) == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("store.append(row)", "store.append(row + 1)", "`row + 1`"),
        ("store.append(row)", "store.append(row - 1)", "`row - 1`"),
        ("store.append(index)", "store.append(index + 1)", ""),
        ("range(n)", "range(n + 1)", ""),
        ("kept(store, row, n)\n\n", "kept(store, row, n - 1)\n\n", ""),
        ("total / len(kept)", "(total + 1) / len(kept)", ""),
    ],
)
def test_what_is_handed_on_one_more_or_less_than_it_came_is_told(old: str, new: str, told: str):
    found = edited(old, new, shifted)
    assert told in found and bool(told) == bool(found)
