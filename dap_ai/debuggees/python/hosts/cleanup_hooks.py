"""Calls a function when an exception ends a test, before the test's set-up is taken down.

unittest catches the exception in `_Outcome.testPartExecutor`, and `mock.patch` as a test's decorator undoes its patches
on the way there. Both are context managers; the wrappers of this module see the exception first. A wrapper does not
swallow the exception or add to its traceback. pytest's own test functions need only the `mock.patch` wrapper, because
their fixtures outlive the report.

This module imports only the standard library at run time, because dead_ends.py sends its source to debuggees.
"""

from __future__ import annotations

import functools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    Ended = Callable[[BaseException], object]
    """A callback for the exception that ends a test, unless the test is skipped or expected to fail.

    It must not raise.
    """
    Undo = Callable[[], None]

_loaded = sys.modules
"""`sys.modules` itself.

In a copy that reruns a test, code that asks `sys` for its modules would count as part of the test.
"""
_MOCKS = ("unittest.mock", "mock.mock")
_NO_FAILURES = ("Skipped", "XFailed", "Exit")


def of_unittest(case: Any, ended: Ended, *, begins: Undo | None = None, result: Any = None) -> Undo:
    """Calls `ended` for exceptions in any part of a test that `unittest.case` runs.

    `begins` is called before a test's first part. `result` restricts the calls to tests that report to this object, and
    to each test's first failure and its subtests.
    """
    outcomes: Any = case._Outcome  # noqa: SLF001
    plain: Any = outcomes.testPartExecutor

    @functools.wraps(plain)
    def testPartExecutor(self: Any, test: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N802  unittest's name
        if begins is not None and "dap_ai_began" not in self.__dict__:
            self.dap_ai_began = True
            begins()
        inner = plain(self, test, *arguments, **options)
        is_first = self.success or isinstance(test, case._SubTest)  # noqa: SLF001
        if result is not None and (self.result is not result or not is_first):
            return inner
        return _Around(inner, lambda error: ended(error) if _fails(case, self, error) else None)

    outcomes.testPartExecutor = testPartExecutor
    return functools.partial(setattr, outcomes, "testPartExecutor", plain)


def of_patches(mock: Any, ended: Ended, functions: tuple[Any, ...] = ()) -> Undo:
    """Calls `ended` for exceptions in tests that `mock.patch` decorates.

    These are a test case's running method, and each of `functions`.
    """
    patches: Any = mock._patch  # noqa: SLF001
    plain: Any = patches.decoration_helper

    @functools.wraps(plain)
    def decoration_helper(self: Any, patched: Any, args: Any, *more: Any) -> Any:
        inner = plain(self, patched, args, *more)
        if not any([patched is each for each in functions]) and not _is_test(patched, args):  # noqa: C419  saves a frame
            return inner
        return _Around(inner, lambda error: ended(error) if not _passes(error) else None)

    patches.decoration_helper = decoration_helper
    return functools.partial(setattr, patches, "decoration_helper", plain)


def of_item(item: Any, ended: Ended) -> Undo:
    """Calls `ended` for exceptions in the call of a pytest item. Ignores test modules that have not been imported."""
    if is_expected_to_fail(item):
        return _nothing
    undone: list[Undo] = []
    case = _loaded.get("unittest.case")
    if case is not None:
        undone.append(of_unittest(case, ended, result=item))
    function = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
    undone.extend(of_patches(_loaded[name], ended, (function,)) for name in _MOCKS if name in _loaded)
    if hasattr(item, "_addexcinfo"):
        undone.append(_of_results(item, ended))

    def undo() -> None:
        for each in reversed(undone):
            each()

    return undo


def is_expected_to_fail(result: Any) -> bool:
    """Whether a test reports to a pytest item that is marked as expected to fail."""
    marks: Any = getattr(result, "iter_markers", None)
    return marks is not None and any(marks("xfail")) and not result.config.getoption("runxfail", False)


def _of_results(item: Any, ended: Ended) -> Undo:
    """Calls `ended` for a runner that reports a failure before its cleanup, such as Twisted's trial."""
    plain = item._addexcinfo  # noqa: SLF001

    def _addexcinfo(raised: Any) -> None:
        plain(raised)
        error: BaseException = item._excinfo[-1].value  # noqa: SLF001
        before = error.__traceback__
        if len(item._excinfo) == 1 and not _passes(error):  # noqa: SLF001  no other is reported
            error.__traceback__ = before or item._excinfo[-1].tb  # noqa: SLF001  trial keeps them apart
            ended(error)
            error.__traceback__ = before

    item._addexcinfo = _addexcinfo  # noqa: SLF001
    return functools.partial(delattr, item, "_addexcinfo")


def _fails(case: Any, outcome: Any, error: BaseException) -> bool:
    no_failures = (KeyboardInterrupt, case.SkipTest, case._ShouldStop)  # noqa: SLF001
    if outcome.expecting_failure or issubclass(type(error), no_failures):
        return False
    return not _passes(error) and not is_expected_to_fail(outcome.result)


def _passes(error: BaseException) -> bool:
    """Whether pytest or unittest raises this exception to end a test that has not failed."""
    kinds = [getattr(_loaded.get("_pytest.outcomes"), name, None) for name in _NO_FAILURES]
    kinds.append(getattr(_loaded.get("unittest.case"), "SkipTest", None))
    return issubclass(type(error), (KeyboardInterrupt, *(kind for kind in kinds if isinstance(kind, type))))


def _is_test(patched: Any, args: Any) -> bool:
    """Whether a decorated function is the test method that its first argument, a test case, runs."""
    first: Any = args[0] if args else None
    name = getattr(first, "_testMethodName", None)
    return type(name) is str and getattr(first.__class__, name, None) is patched


def _nothing() -> None:
    pass


class _Around:
    """Wraps a context manager and passes the exception that leaves it to `told`."""

    __slots__ = ("_inner", "_told")

    def __init__(self, inner: Any, told: Ended) -> None:
        self._inner = inner
        self._told = told

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> Any:
        if error is not None:
            self._told(error)
        return self._inner.__exit__(kind, error, tb)
