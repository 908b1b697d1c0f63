"""What encloses a failure and can be run whole: the program from its start, or the test as its runner runs it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot
from dap_ai.agent.report.source_edits import SourceEdit, shorten
from dap_ai.agent.source.source_file import is_user_path
from dap_ai.agent.source.statements import nodes_in
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck
from dap_ai.debuggees.python.analysis.record.narrowing import narrowed
from dap_ai.debuggees.python.analysis.syntax.nodes import parsed

_FOLDERS = ("test", "tests")
TEST_FILE = "<the test once more>"
"""Of the lines below: no file of the user's, so a trace leaves them out."""
_TEST_AGAIN = """
import contextlib, sys
def _dap_ai_begins():
    pass
def _dap_ai_ends():
    pass
_item = _case = None
for _frame in sys._current_frames().values():
    while _frame is not None and _item is None:
        _file = _frame.f_code.co_filename.replace("\\\\", "/")
        if _frame.f_code.co_name == "call_and_report" and _file.endswith("_pytest/runner.py"):
            _item = _frame.f_locals["item"]
        elif _frame.f_code.co_name == "run" and _file.endswith("unittest/case.py") and _case is None:
            _case = _frame.f_locals["self"]
        _frame = _frame.f_back
_own = [getattr(_item, _name, None) for _name in ("instance", "_testcase")]
if _case is not None and not any([_each is _case for _each in _own]):
    _item = None
if "asyncio" in sys.modules:
    sys.modules["asyncio"]._set_running_loop(None)
for _down in (getattr(_case, "_callTearDown", None), getattr(_case, "doCleanups", None)):
    try:
        if _down is not None:
            _down()
    except BaseException:
        pass
if "unittest.case" in sys.modules:
    sys.modules["unittest.case"]._Outcome.testPartExecutor = lambda *_, **__: contextlib.nullcontext()
if _item is not None:
    _state = _item.session._setupstate
    try:
        _state.teardown_exact(None)
    except BaseException:
        pass
    _numbers = getattr(getattr(_item.config, "_tmp_path_factory", None), "_next_number", {})
    _name = "".join([c if c.isalnum() else "_" for c in _item.name])[:30].lower()
    _numbers[_name] = max(0, _numbers.get(_name, 0) - 1)
    _item._initrequest()
    vars(_item).pop("_excinfo", None)
    if hasattr(_item, "_addexcinfo"):
        def _addexcinfo(raised, ends=_dap_ai_ends, add=type(_item)._addexcinfo.__get__(_item)):
            ends()
            add(raised)
        _item._addexcinfo = _addexcinfo
    _dap_ai_begins()
    _state.setup(_item)
    _item.runtest()
    for _kept in getattr(_item, "_excinfo", None) or ():
        raise _kept.value
    _key = getattr(sys.modules.get("_pytest.tmpdir"), "tmppath_result_key", None)
    if _key is not None:
        _item.stash[_key] = {}
    _state.teardown_exact(None)
elif _case is not None:
    _test = type(_case)(_case._testMethodName)
    _dap_ai_begins()
    _test.run()
else:
    raise LookupError("no test runner that is known runs this test")
"""
"""In a copy: what has been set up is torn down, then the runner's own steps once more, fixtures included.

The test fails where it has failed, before the cleanup of its test case. What a copy may not take down, as a folder of a
whole session, stays. `tmp_path` gets its name again. The first two functions mark what a trace is of (tracing.py)."""


def enclosing(case: StopSnapshot) -> list[FailureCheck]:
    """The widest checks: the whole test, and the whole program; none where the failure is in neither.

    A program that runs tests (`manage.py test`) may not be run again in itself, where the test can.
    """
    return [check for check in (whole_test(case), _program(case)) if check]


def test_of(case: StopSnapshot) -> StackFrame | None:
    """The frame of the test that failed, or of what it sets up; None: it is no test.

    What makes its tests (from a table, from files) may call their functions as it likes.
    """
    users = [frame for frame in reversed(case.frames) if frame.user]
    named = next((frame for frame in users if _name(frame).startswith("test")), None)
    made = next((frame for frame in users[:1] if frame.name != "<module>" and _is_of_tests(case, frame.path)), None)
    return named or made


def own_folders(case: StopSnapshot) -> list[str]:
    """Where the program's own statements may read again what they have read: the folder of what was started.

    Never a home folder, or what holds one: there lies more than a program's data.
    """
    argv = case.inspection.argv
    if not argv:
        return []
    started = Path(case.inspection.cwd or ".", argv[0]).resolve()
    folder = started.parent if started.is_file() else started
    if not is_user_path(str(started)):
        folder = Path(case.inspection.cwd or ".").resolve()
    return [] if Path.home().is_relative_to(folder) or len(folder.parts) < 3 else [str(folder)]


def changes_a_check(case: StopSnapshot, edits: Sequence[SourceEdit]) -> str:
    """Why edits prove nothing: they change the test that fails, or what is asserted; empty if they do not."""
    test = test_of(case)
    for path, source in {edit.source.path: edit.source for edit in edits}.items():
        if test and (path == test.path or _is_of_tests(case, path)):
            return "the edit changes the test itself"
        old, new = narrowed(source, edits)
        if "assert" in old and _asserted(old) - _asserted(new):
            return "the edit changes what is asserted"
    return ""


def is_of_test(case: StopSnapshot, path: str, function: str) -> bool:
    """Whether a function of a file is a test's, where a test has failed."""
    return test_of(case) is not None and (_is_of_tests(case, path) or function.startswith("test"))


def _is_of_tests(case: StopSnapshot, path: str) -> bool:
    """By its name, or that of its folder below the one that was started in."""
    name, folder = Path(path).name, Path(path).parent
    if folder.name in _FOLDERS and folder != Path(case.inspection.cwd):
        return True
    return name.startswith("test_") or name.endswith("_test.py") or name in ("conftest.py", "tests.py")


def _asserted(text: str) -> Counter[str]:
    return Counter(ast.dump(node.test) for node in nodes_in(parsed(text)) if isinstance(node, ast.Assert))


def _program(case: StopSnapshot) -> FailureCheck | None:
    """The main module from its start, where one of the frames runs it."""
    frame = next((f for f in reversed(case.frames) if f.user and f.name == "<module>"), None)
    source = case.sources.read(frame.path) if frame else None
    argv = case.inspection.argv
    if frame is None or source is None or not argv:
        return None
    main = Path(case.inspection.cwd or ".", argv[0])
    if Path(frame.path) != main and Path(frame.path).resolve() != main.resolve():
        return None
    words = f"the whole program `{shorten(frame.path, case.inspection.cwd)}`"
    return FailureCheck(case.places[0], source, 1, len(source.lines), words, fresh=True, whole=True)


def _name(frame: StackFrame) -> str:
    """The function's own name, without its class."""
    return frame.name.rpartition(".")[2]


def whole_test(case: StopSnapshot) -> FailureCheck | None:
    """The test that failed, as its runner runs it; None: it is no test, or its source is not known."""
    frame = test_of(case)
    place = case.places[0] if case.places else None
    if frame is None or place is None or place.source is None:
        return None
    words = f"the whole test `{shorten(frame.path, case.inspection.cwd)}::{_name(frame)}`, with what it sets up,"
    return FailureCheck(place, place.source, 1, 1, words, text=_TEST_AGAIN, file=TEST_FILE, whole=True)
