from align import changes, common_table, distance, patched
from reports import coins, diff, hunks, moved, similarity, suggestion, summary

OLD = """\
import os
import sys

def area(width, height):
    return width * height

print(area(2, 3))
# the end"""

NEW = """\
import sys

def area(width, height):
    size = width * height
    return size

print(area(2, 3))
import os
# the end"""


def test_distance():
    assert distance("kitten", "sitting") == 3
    assert distance("", "abc") == 3
    assert distance("flaw", "lawn") == 2
    assert similarity("abcd", "abed") == 0.75
    assert similarity("", "") == 1.0


def test_changes():
    assert common_table("abcbdab", "bdcaba")[-1][-1] == 4
    steps = changes("abcd", "acxd")
    assert steps == [(" ", "a"), ("-", "b"), (" ", "c"), ("+", "x"), (" ", "d")]
    old, new = OLD.splitlines(), NEW.splitlines()
    assert patched(old, changes(old, new)) == new
    assert patched(new, changes(new, old)) == old
    assert changes("", "ab") == [("+", "a"), ("+", "b")]


def test_reports():
    lines = diff(OLD, NEW)
    assert len(lines) == 11
    assert lines[0] == "- import os"
    assert summary(lines) == "3 added, 2 removed"
    groups = hunks(lines)
    assert [len(group) for group in groups] == [2, 8]
    assert len(hunks(lines, around=0)) == 3
    assert hunks(diff(OLD, OLD)) == []
    assert moved(OLD, NEW) == ["import os"]


def test_suggestions():
    known = ["commit", "checkout", "cherry-pick", "comment"]
    assert suggestion("comit", known) == "commit"
    assert suggestion("Chekout", known) == "checkout"
    assert suggestion("commint", known) == "commit"
    assert suggestion("push", known) is None


def test_coins():
    assert coins(63, [1, 5, 10, 21, 25]) == 3
    assert coins(0, [7]) == 0
    assert coins(11, [4, 6]) is None
    assert coins(16, [6, 4]) == 3


if __name__ == "__main__":
    for test in [test_distance, test_changes, test_reports, test_suggestions, test_coins]:
        test()
    print("5 tests passed")
