"""Runs the tests beside the one that has failed, each as its runner does, in a copy that stands below that runner.

Number 0 is the failed one itself, then come the nearest in its class, then those of the rest of its file; of pytest's,
first those that this run has selected, then those that it has not (a node id, `-k`, `-m`, `--lf`), which the copy
collects. Their order is the same in every copy of one stop.
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
"""So many sets of parameters of one test are run."""
_MARKED = ("skip", "skipif", "xfail")
_SKIPS = ("Skipped", "SkipTest", "XFailed")
_ONE_S = 0.3
"""Of a processor: so long one of them may take. The failed one may take what the copy may."""
_processor, _clock = time.process_time, time.monotonic


class Test:
    """A test that can be run; `run` raises what it fails with, `prepare` takes down what is left of the one before."""

    def __init__(self, name: str, run: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self.run = run
        self.prepare = prepare


class NeighbourRuns:
    """What came of them."""

    key = "beside"
    """As that of a Watcher."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        """A Beside structure."""
        self._for_s, self._by_clock_s = wanted["for_s"], wanted["by_clock_s"]
        self._only = wanted.get("only")
        self._covering = Covering(UserFiles()) if wanted.get("lines") else None
        self._tests: list[list[Any]] = []
        self._whole = False

    def run(self, seen: Effects) -> None:
        """Runs them, until the time is over in which one may begin; the failed one does not count.

        Raises UnavailableError.
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
            if number == last or _processor() > ends or _clock() > ends_by_clock:  # to look for the next one costs, too
                return
        self._whole = True

    def _outcome(self, test: Test, seen: Effects) -> str:
        """One that has tried to reach outside of the copy may have failed by that: it says nothing."""
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
        """The Outcomes structure."""
        lines = [] if self._covering is None else self._covering.facts()
        return {"tests": self._tests, "lines": lines, "whole": self._whole}


def _found() -> Iterator[Test]:
    """Raises UnavailableError."""
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
    """A test case's cleanup runs after it has failed: none of its lines led to the failure."""
    asyncio: Any = sys.modules.get("asyncio")
    if asyncio is not None:
        asyncio._set_running_loop(None)  # the one of the test that stands here
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
    """All that is set up; a copy may not take down some of it: a folder of the whole session, say."""
    try:  # noqa: SIM105  the program may have replaced what contextlib has
        state.teardown_exact(None)
    except BaseException:
        pass


def _say_nothing_of_values() -> None:
    """A failed assertion calls the `__repr__` of what it compares: that is no part of a test."""
    rewrite: Any = sys.modules.get("_pytest.assertion.rewrite")
    util: Any = sys.modules.get("_pytest.assertion.util")
    if rewrite is not None:
        rewrite._saferepr = _nothing
    if util is not None:
        util._reprcompare = None


def _link_to_no_folder() -> None:
    """With each `tmp_path` pytest also makes a link to it, which a copy may not: no test has tried to reach outside."""
    for name in ("_pytest.pathlib", "_pytest.tmpdir"):
        module: Any = sys.modules.get(name)
        if hasattr(module, "_force_symlink"):
            module._force_symlink = _nothing


def _nothing(*_: Any, **__: Any) -> str:
    return ""


def _take_down_for(state: Any, item: Any) -> None:
    """What fixtures have set up for wider scopes stays for the next one, as under the runner."""
    try:
        state.teardown_exact(item)
    except BaseException:  # of the one before
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
    """The others of its file: those that this run has selected, then the rest, collected once they are wanted."""
    module = next((node for node in reversed(item.listchain()) if type(node).__name__ == "Module"), item.parent)
    known = [each for each in item.session.items if module in each.listchain()]
    for each in _nearest(known, item):
        yield each
    ids = {each.nodeid for each in known}
    left_out = [each for each in _nearest(list(_below(module)), item) if each.nodeid not in ids]
    if left_out:
        _take_down(item.session._setupstate)  # to collect has made new fixtures of what sets a module or class up
    for each in left_out:
        yield each


def _nearest(items: list[Any], item: Any) -> list[Any]:
    """Without itself: those of its class, then those of the rest of the file, the nearest first."""
    at = next((n for n, each in enumerate(items) if each.nodeid == item.nodeid), 0)
    own = item.parent.nodeid
    order = sorted(range(len(items)), key=lambda n: (items[n].parent.nodeid != own, abs(n - at)))
    return [items[n] for n in order if items[n].nodeid != item.nodeid]


def _below(collector: Any) -> Iterator[Any]:
    """The items of a collector."""
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
    """`suite`: makes one that sets the class up, too; None: that has been done."""
    result, case = unittest.TestResult(), kind(name)
    (case if suite is None else suite([case]))(result)
    if result.skipped or result.expectedFailures:
        raise unittest.SkipTest
    if not result.wasSuccessful():
        raise AssertionError
