"""Builds the widest checks of a failure: the program from its start, and the failed test via its runner."""

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
from dap_ai.system.texts import code

_FOLDERS = ("test", "tests")
TEST_FILE = "<the test once more>"
"""File name of the code that reruns a test. It is not a user file, so traces omit that code."""
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
"""Code that reruns a test in a copy: tears down the test's set-up, then repeats the runner's own steps, including
fixtures. The test fails where it failed before, and its test case's cleanup does not run first. What a copy cannot tear
down, such as a session's folder, stays. `tmp_path` gets the same name again. The first two functions mark the traced
part (tracing.py)."""


def enclosing(case: StopSnapshot) -> list[FailureCheck]:
    """Return the checks that run the whole test and the whole program; empty if neither can be rerun.

    A program that runs tests, such as `manage.py test`, may fail to rerun although its test can be rerun.
    """
    return [check for check in (whole_test(case), _program(case)) if check]


def test_of(case: StopSnapshot) -> StackFrame | None:
    """Return the frame of the failed test or of its set-up; None if no test is on the stack.

    In a test file, test functions may have any name, since a table or files may generate them.
    """
    users = [frame for frame in reversed(case.frames) if frame.user]
    named = next((frame for frame in users if _name(frame).startswith("test")), None)
    made = next((frame for frame in users[:1] if frame.name != "<module>" and _is_of_tests(case, frame.path)), None)
    return named or made


def own_folders(case: StopSnapshot) -> list[str]:
    """Return the folder that reruns may read: the started file's folder, or the working directory for a test runner.

    Empty if the folder is the home folder, a parent of it, or near the root: it then holds more than a program's data.
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
    """Return a clause if the edits change the failing test or an asserted condition, else an empty string."""
    test = test_of(case)
    for path, source in {edit.source.path: edit.source for edit in edits}.items():
        if test and (path == test.path or _is_of_tests(case, path)):
            return "the edit changes the test itself"
        old, new = narrowed(source, edits)
        if "assert" in old and _asserted(old) - _asserted(new):
            return "the edit changes what is asserted"
    return ""


def is_of_test(case: StopSnapshot, path: str, function: str) -> bool:
    """Whether a test is on the stack and the function of this file is test code."""
    return test_of(case) is not None and (_is_of_tests(case, path) or function.startswith("test"))


def _is_of_tests(case: StopSnapshot, path: str) -> bool:
    """Whether the file is test code, judging by its name or by the name of its folder."""
    name, folder = Path(path).name, Path(path).parent
    if folder.name in _FOLDERS and folder != Path(case.inspection.cwd):
        return True
    return name.startswith("test_") or name.endswith("_test.py") or name in ("conftest.py", "tests.py")


def _asserted(text: str) -> Counter[str]:
    return Counter(ast.dump(node.test) for node in nodes_in(parsed(text)) if isinstance(node, ast.Assert))


def _program(case: StopSnapshot) -> FailureCheck | None:
    """Return the check that runs the main module from its start; None if no frame runs the main module."""
    frame = next((f for f in reversed(case.frames) if f.user and f.name == "<module>"), None)
    source = case.sources.read(frame.path) if frame else None
    argv = case.inspection.argv
    if frame is None or source is None or not argv:
        return None
    main = Path(case.inspection.cwd or ".", argv[0])
    if Path(frame.path) != main and Path(frame.path).resolve() != main.resolve():
        return None
    words = f"the whole program {code(shorten(frame.path, case.inspection.cwd))}"
    return FailureCheck(case.places[0], source, 1, len(source.lines), words, fresh=True, whole=True)


def _name(frame: StackFrame) -> str:
    """Return the function's own name, without its class."""
    return frame.name.rpartition(".")[2]


def whole_test(case: StopSnapshot) -> FailureCheck | None:
    """Return the check that runs the failed test via its runner; None if no test is on the stack or has source."""
    frame = test_of(case)
    place = case.places[0] if case.places else None
    if frame is None or place is None or place.source is None:
        return None
    words = (
        f"the whole test {code(f'{shorten(frame.path, case.inspection.cwd)}::{_name(frame)}')}, with what it sets up,"
    )
    return FailureCheck(place, place.source, 1, 1, words, text=_TEST_AGAIN, file=TEST_FILE, whole=True)
