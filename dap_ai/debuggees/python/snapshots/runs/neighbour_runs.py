"""Reruns the failed test and its neighbours, as their test runner does, in a copy whose stack has that runner.

Test number 0 is the failed test itself. The nearest tests of its class follow, then the other tests of its file. For
pytest, the selected tests come before the deselected ones (by node id, `-k`, `-m`, `--lf`), which the copy collects.
The order is the same in every copy of one stop.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import contextlib
import math
import sys
import time
from typing import Any, Callable, Generator, Iterator

from ...inspector.stored.statics import text_of
from ..editing.sources import UnavailableError, UserFiles
from .copy_effects import Effects
from .line_coverage import Covering

_MOST = 120
_MOST_OF_ONE = 6
"""Maximum number of parameter sets to run of one parametrized test."""
_MARKED = ("skip", "skipif", "xfail")
_SKIPS = ("Skipped", "SkipTest", "XFailed")
_ONE_S = 0.3
"""Seconds of processor time per test; the failed test may use the copy's whole time."""
_processor, _clock = time.process_time, time.monotonic


class Test:
    """A test to run. `run` raises the test's failure; `prepare` tears down fixtures of the previous test."""

    def __init__(self, name: str, run: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self.run = run
        self.prepare = prepare


class NeighbourRuns:
    """Runs the failed test and its neighbours, and records their outcomes."""

    key = "beside"
    """The key of the outcomes in a SnapshotResult."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        """`wanted`: a NeighbourQuery dict, with the time limits and the tests to run."""
        self._for_s, self._by_clock_s = wanted["for_s"], wanted["by_clock_s"]
        self._only = wanted.get("only")
        self._covering = Covering(UserFiles()) if wanted.get("lines") else None
        self._tests: list[list[Any]] = []
        self._whole = False

    def run(self, seen: Effects) -> None:
        """Runs tests until the time is over, without counting the failed test's time.

        Raises UnavailableError if no known test runner runs the failed test.
        """
        ends, ends_by_clock = _processor() + self._for_s, _clock() + self._by_clock_s
        if self._covering is not None:
            _note_until_failures(self._covering.fails_by)
        last = _MOST - 1 if self._only is None else max(self._only)
        for number, test in enumerate(_found()):
            if self._only is None or number in self._only:
                self._tests.append([number, test.name, self._outcome(test, seen)])
            if number == 0:
                ends = _processor() + self._for_s
            if number == last or _processor() > ends or _clock() > ends_by_clock:  # finding the next takes time, too
                return
        self._whole = True

    def _outcome(self, test: Test, seen: Effects) -> str:
        """Runs a test and returns "passed", "failed" or "skipped".

        A test that fails after it tried to reach outside the copy is "skipped", because the copy may be the cause.
        """
        before, outcome = seen.count, "passed"
        try:
            test.prepare()
            if self._covering is None:
                test.run()
            else:
                self._covering.run(test.run, _ONE_S if self._tests else math.inf)
        except BaseException as error:
            outcome = "skipped" if type(error).__name__ in _SKIPS or seen.count > before else "failed"
        return "skipped" if self._covering is not None and self._covering.is_late else outcome

    def facts(self) -> dict[str, Any]:
        """Returns the NeighbourOutcomes dict."""
        lines = [] if self._covering is None else self._covering.facts()
        return {"tests": self._tests, "lines": lines, "whole": self._whole}


def _found() -> Iterator[Test]:
    """Yields the tests of the test runner on the stack. Raises UnavailableError."""
    frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]  its documented name
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if frame.f_code.co_name == "call_and_report" and file.endswith("_pytest/runner.py"):
            return _of_pytest(frame.f_locals["item"])
        if frame.f_code.co_name == "run" and file.endswith("unittest/case.py"):
            return _of_unittest(frame.f_locals["self"])
        frame = frame.f_back
    raise UnavailableError("no test runner that is known runs this test")


def _note_until_failures(fails_by: Callable[[BaseException], None]) -> None:
    """Makes coverage end at a test case's failure, because its cleanup runs later and did not cause it."""
    asyncio: Any = sys.modules.get("asyncio")
    if asyncio is not None:
        asyncio._set_running_loop(None)  # the loop of the test that is stopped here
    case: Any = sys.modules.get("unittest.case")
    if case is None:
        return
    plain = case._Outcome.testPartExecutor

    @contextlib.contextmanager
    def noting(self: Any, *arguments: Any, **options: Any) -> Generator[None, None, None]:
        with plain(self, *arguments, **options):
            try:
                yield
            except BaseException as error:
                fails_by(error)
                raise

    case._Outcome.testPartExecutor = noting


# -- pytest ----------------------------------------------------------------------------------------------------------


def _of_pytest(item: Any) -> Iterator[Test]:
    _say_nothing_of_values()
    _link_to_no_folder()
    state = item.session._setupstate
    _take_down(state)

    def test(each: Any) -> Test:
        return Test(text_of(each.name), lambda: _run_item(state, each), lambda: _take_down_for(state, each))

    yield test(item)
    counts: dict[str, int] = {}
    for each in _beside(item):
        name = getattr(each, "originalname", None) or each.name
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= _MOST_OF_ONE and not any([any(each.iter_markers(mark)) for mark in _MARKED]):  # noqa: C419
            yield test(each)


def _take_down(state: Any) -> None:
    """Tears down all fixtures; ignores errors, because a copy may not remove folders, for example."""
    try:  # noqa: SIM105  the program may have replaced contextlib's
        state.teardown_exact(None)
    except BaseException:
        pass


def _say_nothing_of_values() -> None:
    """Keeps failed assertions from calling `__repr__` of the compared values, which the test itself does not call."""
    rewrite: Any = sys.modules.get("_pytest.assertion.rewrite")
    util: Any = sys.modules.get("_pytest.assertion.util")
    if rewrite is not None:
        rewrite._saferepr = _nothing
    if util is not None:
        util._reprcompare = None


def _link_to_no_folder() -> None:
    """Keeps pytest from creating links to `tmp_path` folders, which would count as side effects of a test."""
    for name in ("_pytest.pathlib", "_pytest.tmpdir"):
        module: Any = sys.modules.get(name)
        if hasattr(module, "_force_symlink"):
            module._force_symlink = _nothing


def _nothing(*_: Any, **__: Any) -> str:
    return ""


def _take_down_for(state: Any, item: Any) -> None:
    """Tears down fixtures that the next test does not use, as pytest does."""
    try:
        state.teardown_exact(item)
    except BaseException:  # from the previous test's fixtures
        state.teardown_exact(None)


def _run_item(state: Any, item: Any) -> None:
    vars(item).pop("_excinfo", None)
    if hasattr(item, "_initrequest"):
        item._initrequest()
    key = getattr(sys.modules.get("_pytest.tmpdir"), "tmppath_result_key", None)
    if key is not None:
        item.stash[key] = {}
    state.setup(item)
    item.runtest()
    for kept in getattr(item, "_excinfo", None) or ():
        raise kept.value


def _beside(item: Any) -> Iterator[Any]:
    """Yields the other tests of the item's file: the selected tests first; collects the other tests only if needed."""
    module = next((node for node in reversed(item.listchain()) if type(node).__name__ == "Module"), item.parent)
    known = [each for each in item.session.items if module in each.listchain()]
    for each in _nearest(known, item):
        yield each
    ids = {each.nodeid for each in known}
    left_out = [each for each in _nearest(list(_below(module)), item) if each.nodeid not in ids]
    if left_out:
        _take_down(item.session._setupstate)  # the collection created new fixtures for module and class set-up
    for each in left_out:
        yield each


def _nearest(items: list[Any], item: Any) -> list[Any]:
    """Returns the other tests of the item's class, then those of the rest of the file, nearest first."""
    at = next((n for n, each in enumerate(items) if each.nodeid == item.nodeid), 0)
    own = item.parent.nodeid
    order = sorted(range(len(items)), key=lambda n: (items[n].parent.nodeid != own, abs(n - at)))
    return [items[n] for n in order if items[n].nodeid != item.nodeid]


def _below(collector: Any) -> Iterator[Any]:
    """Yields the test items of a collector, at any depth."""
    for each in collector.collect():
        if hasattr(each, "runtest"):
            yield each
        else:
            for inner in _below(each):
                yield inner


# -- unittest --------------------------------------------------------------------------------------------------------


def _of_unittest(case: Any) -> Iterator[Test]:
    unittest: Any = sys.modules["unittest"]
    for name in ("unittest.case", "unittest.util"):
        own: Any = sys.modules.get(name)
        if own is not None:
            own.safe_repr = _nothing  # see _say_nothing_of_values
    kind = type(case)
    yield Test(case._testMethodName, lambda: _run_case(kind, case._testMethodName, unittest, None))
    names = unittest.defaultTestLoader.getTestCaseNames(kind)
    at = names.index(case._testMethodName) if case._testMethodName in names else 0
    for name in sorted(names, key=lambda each: abs(names.index(each) - at)):
        if name != case._testMethodName:
            yield Test(name, lambda name=name: _run_case(kind, name, unittest, None))
    module = sys.modules.get(kind.__module__)
    for other in list(vars(module).values()) if module is not None else ():
        if type(other) is type and issubclass(other, unittest.TestCase) and other.__module__ == kind.__module__:
            for name in unittest.defaultTestLoader.getTestCaseNames(other) if other is not kind else ():
                yield Test(name, lambda other=other, name=name: _run_case(other, name, unittest, unittest.TestSuite))


def _run_case(kind: Any, name: str, unittest: Any, suite: Any) -> None:
    """Runs a test case. `suite`: a class of suites that also sets up the test class; None if it is set up."""
    result, case = unittest.TestResult(), kind(name)
    (case if suite is None else suite([case]))(result)
    if result.skipped or result.expectedFailures:
        raise unittest.SkipTest
    if not result.wasSuccessful():
        raise AssertionError
