"""The tests beside the one that failed, run in a copy: which lines are right, and which fixes break others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dap_ai.agent.analyst.check import Check
from dap_ai.agent.analyst.enclosing import test_of
from dap_ai.agent.case.stack import Case
from dap_ai.protocol.contracts.snapshot import SnapshotResult, Trace

RUN_S, DEADLINE_S = 0.4, 1.5
"""Of a processor: after `RUN_S` no other test is begun."""
_FILE = "<the tests beside it>"
"""No file of the user's, so a trace leaves the lines below out."""
_TOLD = re.compile(r"tests ran ([0-9a-f]+) passed ([0-9a-f]+)")
_TESTS = """
import sys, time
_ends = time.process_time() + RUN_S
_ran = _passed = 0
_runs = []
for _frame in sys._current_frames().values():
    while _frame is not None and not _runs:
        _file = _frame.f_code.co_filename.replace("\\\\", "/")
        if _frame.f_code.co_name == "pytest_runtest_call" and _file.endswith("_pytest/runner.py"):
            _item = _frame.f_locals["item"]
            _state = _item.session._setupstate
            def _run(each):
                _state.teardown_exact(None)
                if hasattr(each, "_initrequest"):
                    each._initrequest()
                _state.setup(each)
                each.runtest()
                _state.teardown_exact(None)
            for _each in _item.parent.collect():
                if hasattr(_each, "runtest") and _each.nodeid != _item.nodeid:
                    _runs.append((_run, _each))
        elif _frame.f_code.co_name == "run" and _file.endswith("unittest/case.py"):
            import unittest
            _old = _frame.f_locals["self"]
            def _run(name):
                test = type(_old)(name)
                try:
                    test.setUp()
                    getattr(test, name)()
                    test.tearDown()
                finally:
                    test.doCleanups()
            for _each in unittest.defaultTestLoader.getTestCaseNames(type(_old)):
                if _each != _old._testMethodName:
                    _runs.append((_run, _each))
        _frame = _frame.f_back
for _at, (_run, _each) in enumerate(_runs[:60]):
    if time.process_time() > _ends:
        break
    _ran |= 1 << _at
    try:
        _run(_each)
        _passed |= 1 << _at
    except BaseException:
        pass
raise LookupError("tests ran %x passed %x" % (_ran, _passed))
"""


@dataclass(frozen=True)
class Neighbours:
    """Which tests ran, and which of them passed, as bits in their order; and what ran in them."""

    ran: int = 0
    passed: int = 0
    trace: Trace = field(default_factory=Trace)

    @property
    def count(self) -> int:
        """How many passed."""
        return self.passed.bit_count()

    def broken(self, after: Neighbours) -> int:
        """How many passed, and fail afterwards."""
        return (self.passed & after.ran & ~after.passed).bit_count()

    def runs(self, path: str, lines: range) -> bool:
        """Whether one of these lines ran in them."""
        return any(t.file == path and t.line in lines for t in self.trace.lines)


def neighbours_of(case: Case) -> Check | None:
    """The check that runs them; None where no test has failed."""
    place = case.places[0] if case.places else None
    if place is None or place.source is None or test_of(case) is None:
        return None
    text = _TESTS.replace("RUN_S", str(RUN_S))
    return Check(place, place.source, 1, 1, "the tests beside it", text=text, file=_FILE)


def told(result: SnapshotResult) -> Neighbours | None:
    """What a run of the check tells; None where it did not come to its end."""
    found = _TOLD.search(result.error)
    return Neighbours(int(found[1], 16), int(found[2], 16), result.trace or Trace()) if found else None
