"""What ends a test is heard of before the test's cleanup, and only if it is a failure; the run notices nothing."""

from __future__ import annotations

import contextlib
import io
import re
import unittest
from types import SimpleNamespace
from unittest import case, mock

import pytest

from dap_ai.debuggees.python.hosts import cleanup_hooks

CLOCK = SimpleNamespace(now=10)


class Rows(unittest.TestCase):
    """Not collected: `run` makes instances."""

    __test__ = False

    def setUp(self):
        self.rows = [1, 2, 3]
        self.addCleanup(self.rows.append, "cleaned")

    def tearDown(self):
        self.rows.clear()

    def fails(self):
        assert len(self.rows) == 4

    def passes(self):
        assert len(self.rows) == 3

    def is_skipped(self):
        self.skipTest("not now")

    @unittest.expectedFailure
    def is_expected(self):
        self.fails()

    def fails_in_a_part(self):
        for count in (3, 5):
            with self.subTest(count=count):
                assert len(self.rows) == count

    @mock.patch.object(CLOCK, "now", 3)
    def fails_under_a_patch(self):
        assert CLOCK.now == 4

    @mock.patch.object(CLOCK, "now", 3)
    def passes_by_what_a_patched_function_raises(self):
        @mock.patch.object(CLOCK, "now", 4)
        def ends():
            raise KeyError

        with pytest.raises(KeyError):
            ends()


class Awaited(unittest.IsolatedAsyncioTestCase):
    __test__ = False

    async def asyncSetUp(self):
        self.rows = [1, 2, 3]

    async def asyncTearDown(self):
        self.rows.clear()

    async def fails(self):
        assert len(self.rows) == 4


def run(kind, name, states=None):
    """What unittest prints; with `states`, watched."""
    test, undone = kind(name), []
    if states is not None:
        undone = [
            cleanup_hooks.of_unittest(case, lambda _: states.append((list(test.rows), CLOCK.now))),
            cleanup_hooks.of_patches(mock, lambda _: states.append((list(test.rows), CLOCK.now))),
        ]
    try:
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream):
            unittest.TextTestRunner(stream, verbosity=2).run(test)
    finally:
        for undo in undone:
            undo()
    return re.sub(r"in [\d.]+s", "", stream.getvalue())


@pytest.mark.parametrize(
    ("kind", "name", "states"),
    [
        (Rows, "fails", [([1, 2, 3], 10)]),
        (Awaited, "fails", [([1, 2, 3], 10)]),
        (Rows, "fails_in_a_part", [([1, 2, 3], 10)]),
        (Rows, "fails_under_a_patch", [([1, 2, 3], 3), ([1, 2, 3], 10)]),
        (Rows, "passes_by_what_a_patched_function_raises", []),
        (Rows, "passes", []),
        (Rows, "is_skipped", []),
        (Rows, "is_expected", []),
    ],
)
def test_a_failure_is_told_before_the_cleanup_and_the_run_is_as_ever(kind, name, states):
    told = []
    executor, helper = case._Outcome.testPartExecutor, mock._patch.decoration_helper
    assert run(kind, name, told) == run(kind, name)
    assert told == states
    assert (case._Outcome.testPartExecutor, mock._patch.decoration_helper) == (executor, helper)


def test_a_new_test_is_told_of_before_its_first_part():
    begun = []
    undo = cleanup_hooks.of_unittest(
        case, lambda error: begun.append(type(error).__name__), begins=lambda: begun.append("begins")
    )
    try:
        unittest.TestSuite([Rows("passes"), Rows("fails")]).run(unittest.TestResult())
    finally:
        undo()
    assert begun == ["begins", "begins", "AssertionError"]


class Item:
    """As pytest's: what a test case reports to."""

    obj = staticmethod(lambda: None)

    def __init__(self, *, is_marked):
        self._marked = is_marked
        self.config = SimpleNamespace(getoption=lambda _name, _default: False)

    def iter_markers(self, _name):
        return iter(["xfail"] if self._marked else [])


@pytest.mark.parametrize(("is_marked", "told"), [(False, ["AssertionError"]), (True, [])])
def test_only_what_an_item_reports_is_told_and_nothing_if_it_is_marked(is_marked, told):
    result, other, heard = unittest.TestResult(), unittest.TestResult(), []
    item = Item(is_marked=is_marked)
    result.iter_markers, result.config, result.obj = item.iter_markers, item.config, None
    undo = cleanup_hooks.of_item(result, lambda error: heard.append(type(error).__name__))
    try:
        Rows("fails").run(other)
        Rows("fails").run(result)
    finally:
        undo()
    assert heard == told
