"""Stops the debuggee at errors that end a test, before the test's cleanup or else when the test runner reports them.

This source text runs in the debuggee as part of dead_ends.py. It uses only the standard library, on Python 3.8 and
newer. The hooks watch a test runner's modules once these are loaded, whoever starts the runner.
"""

from __future__ import annotations

from pathlib import Path

CLEANUPS = (Path(__file__).parents[1] / "hosts" / "cleanup_hooks.py").read_text("utf-8")
"""The first part of the text: hooks that run before a test's cleanup."""

TESTS = r"""
held = set()  # ids of exceptions that were looked at before the cleanup of the test that is going on

def wrapped_in(exc):
    # What is wrong with a module is the cause of its not being collected; what a doctest has raised is told by it.
    name = type(exc).__name__
    if name == "CollectError" and exc.__cause__ is not None:
        return exc.__cause__
    return exc.exc_info[1] if name == "UnexpectedException" else exc

def look_before_cleanup(exc):
    # Whoever reports it later has taken down by then what the test had set up: it is not stopped at again.
    if getpid() == pid and id(exc) not in held:
        held.add(id(exc))
        look_at(exc)

def was_held(exc):
    # Its id may be another's once its report is done.
    known = id(exc) in held
    held.discard(id(exc))
    return known

def of_unittest_cases(case):
    of_unittest(case, look_before_cleanup, begins=held.clear)

def of_decorated_tests(mock):
    of_patches(mock, look_before_cleanup)

def of_failed_tests(runner):
    # It is asked of each report whether a debugger may want to look at it, while the test's runner stands there.
    asks, calls = getattr(runner, "check_interactive_exception", None), getattr(runner, "call_and_report", None)
    if asks is None or calls is None:
        return

    def check_interactive_exception(call, report):
        wants = asks(call, report)
        if wants and not was_held(call.excinfo.value) and getattr(report, "outcome", "") == "failed":
            look_at(wrapped_in(call.excinfo.value))
        return wants

    def call_and_watch(item, when, *arguments, **options):
        if when != "call":
            return calls(item, when, *arguments, **options)
        held.clear()
        undo = of_item(item, look_before_cleanup)
        try:
            return calls(item, when, *arguments, **options)
        finally:
            undo()

    runner.check_interactive_exception, runner.call_and_report = check_interactive_exception, call_and_watch

def of_failures_of_trial(reporter):
    # Twisted's own runner catches what a test raises, and keeps it in a Failure, up to 24.3 apart from its traceback.
    TestResult = reporter.TestResult

    def telling_of(report):
        def call(self, test, failed):
            exc, tb = failed[1:] if isinstance(failed, tuple) else (failed.value, failed.getTracebackObject())
            if isinstance(exc, BaseException) and getpid() == pid and not was_held(exc):
                before = traceback_of(exc)
                exc.__traceback__ = before or tb
                look_at(exc)
                exc.__traceback__ = before
            return report(self, test, failed)

        return call

    TestResult.addError, TestResult.addFailure = telling_of(TestResult.addError), telling_of(TestResult.addFailure)

def watch_tests():
    when_imported({
        "unittest.case": of_unittest_cases, "unittest.mock": of_decorated_tests, "mock.mock": of_decorated_tests,
        "_pytest.runner": of_failed_tests, "twisted.trial.reporter": of_failures_of_trial,
    })
"""
"""Source text that watches test runners.

The text needs `look_at`, `traceback_of`, `getpid`, `pid`, and `when_imported` of imports.py.
"""
