"""What checkers print, and what is read in it."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.runner_output import MAX_CHARS, read_output
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, analysed, called, run_of

OUTPUTS = {
    "pytest": (
        (
            "collected 4 items\n\ntests/test_a.py .F.E\n\nE   assert 1 == 2\n"
            "FAILED tests/test_a.py::test_b - assert 1 == 2\n==== 1 failed, 2 passed, 1 skipped, 1 error in 0.12s ===="
        ),
        (False, 2, 1, 1, "E   assert 1 == 2", 5),
    ),
    "pytest -q": ("...\n3 passed in 0.01s", (True, 3, 0, None, "", None)),
    "pytest, long": (
        "==== 7 failed, 1500 passed, 4 xpassed, 99 warnings in 23.75s (0:00:23) ====",
        (False, 1500, 7, None, "", None),
    ),
    "unittest": ("..\n-----\nRan 79 tests in 0.347s\n\nOK", (True, 79, 0, None, "", None)),
    "unittest, failed": (
        "FAIL: test_x (t.T)\nTraceback (most recent call last):\nAssertionError: 1 != 2\n\nRan 5 tests in 0.01s\n\nFAILED (failures=1, errors=1, skipped=1)",
        (False, 2, 1, 1, "FAIL: test_x (t.T)", 1),
    ),
    "go": (
        "--- FAIL: TestA (0.00s)\n    a_test.go:9: want 1\n--- PASS: TestB (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s",
        (False, 1, 1, None, "--- FAIL: TestA (0.00s)", 1),
    ),
    "go, ok": ("ok  \texample.com/a\t0.003s", (True, 0, 0, None, "", None)),
    "cargo": (
        (
            "test a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n"
            "error: test failed, to rerun pass `--lib`"
        ),
        (False, 1, 1, None, "test b ... FAILED", 2),
    ),
    "cargo, two crates": (
        "test result: ok. 3 passed; 0 failed; 1 ignored;\n\ntest result: ok. 2 passed; 0 failed; 0 ignored;",
        (True, 5, 0, None, "", None),
    ),
    "maven": (
        "[ERROR] VersionTest.testEquals:20 NullPointer\n[ERROR] Tests run: 10, Failures: 1, Errors: 2, Skipped: 3\n[INFO] BUILD FAILURE",
        (False, 4, 1, 2, "[ERROR] VersionTest.testEquals:20 NullPointer", 1),
    ),
    "gradle": (
        "FooTest > bar FAILED\n5 tests completed, 1 failed\n\nBUILD FAILED in 3s",
        (False, 4, 1, None, "FooTest > bar FAILED", 1),
    ),
    "jest": (
        "  ● adds numbers\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nTime: 1 s",
        (False, 2, 1, None, "● adds numbers", 1),
    ),
    "vitest": (
        " ✓ a.test.ts (2)\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)",
        (True, 2, 0, None, "", None),
    ),
    "mocha": ("  3 passing (12ms)\n  1 failing\n\n  1) adds:\n     AssertionError", (False, 3, 1, None, "1) adds:", 4)),
    "node": ("# tests 2\n# pass 1\n# fail 1", (False, 1, 1, None, "", None)),
    "ctest": (
        "1/2 Test #1: a ...***Failed\n\n50% tests passed, 1 tests failed out of 2",
        (False, 1, 1, None, "1/2 Test #1: a ...***Failed", 1),
    ),
    "tsc": (
        "src/a.ts(3,5): error TS2322: Type 'x'",
        (False, None, None, 1, "src/a.ts(3,5): error TS2322: Type 'x'", 1),
    ),
    "make": (
        "gcc -c a.c\na.c:3:1: error: expected ';'\nmake: *** [Makefile:2: a] Error 1",
        (False, None, None, None, "a.c:3:1: error: expected ';'", 2),
    ),
    "mypy": (
        "a.py:3: error: bad\nFound 2 errors in 1 file (checked 3 source files)",
        (False, None, None, 2, "a.py:3: error: bad", 1),
    ),
    "rspec": ("  1) adds\n\n3 examples, 1 failure, 1 pending", (False, 1, 1, None, "1) adds", 1)),
    "dotnet": ("Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3", (False, 2, 1, None, "", None)),
    "colours": ("\x1b[32m\x1b[1m2 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m", (True, 2, 0, None, "", None)),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_a_runner_prints_is_read(name):
    text, expected = OUTPUTS[name]
    output = read_output(text, "")
    assert (output.ok, output.passed, output.failed, output.errors, output.error, output.error_line) == expected


def test_the_end_of_a_large_output_is_read():
    text = "noise " * 4 + "\n" + "x\n" * MAX_CHARS + "3 passed in 0.01s"
    assert read_output(text, "pytest").passed == 3


def test_the_last_line_of_a_traceback_is_the_error():
    text = 'before\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nKeyError: 3\nafter'
    output = read_output(text, "")
    assert (output.error, output.error_line) == ("KeyError: 3", 5)


def one(*steps, **fields):
    [check] = analysed(*steps, **fields).checks
    return check


def test_a_failing_test_names_its_result_and_the_line_of_the_error():
    check = one(Did("pytest", FAILED, 1))
    assert (check.kind, check.runner, check.ok, check.exit_code) == ("test", "pytest", False, 1)
    assert (check.passed, check.failed) == (2, 1)
    assert (check.error, check.error_line) == ("E   assert 1 == 2", 1)
    assert check.ref is not None


def test_failures_count_though_a_pipe_hides_the_exit_code():
    assert one(Did("pytest | tail -3", FAILED, 0)).ok is False


def test_a_checker_that_is_not_there_has_no_outcome():
    check = one(Did("pytest", "bash: pytest: command not found", 127))
    assert (check.ran, check.ok) == (False, None)


def test_a_checker_that_is_not_there_is_seen_without_an_exit_code():
    check = one(Did("mvn test", "/bin/bash: line 3: mvn: command not found", None))
    assert (check.ran, check.ok) == (False, None)


def test_a_script_says_by_its_last_words_how_it_came_out():
    edit = Did("sed -i s/a/b/ core.py")
    assert one(edit, Did("python repro.py", "Attrs: {}\nSUCCESS: kept", None)).ok is True
    assert one(edit, Did("python repro.py", "Attrs: {}\nFAILURE: lost", None)).ok is False
    assert one(edit, Did("python repro.py", "Attrs: {}", None)).ok is None
    assert one(edit, Did("python repro.py", "Attrs: {}", 0)).ok is True


def test_an_exit_code_in_the_results_first_line_is_read():
    assert one(Did("pytest", f"Exit code 1\n{FAILED}", None)).exit_code == 1


def test_a_build_is_a_check_of_its_own_kind():
    check = one(Did("make", "make: *** [Makefile:192: build] Error 2", 2))
    assert (check.kind, check.ok) == ("build", False)


def test_reading_back_a_result_that_the_task_names_is_a_look():
    write = called("Write", "ok", file_path="/w/answer.json", content="[]")
    check = one(write, called("Read", "1 []", file_path="/w/answer.json"), task="Write answer.json")
    assert (check.kind, check.ok) == ("look", True)


def test_a_linter_is_no_test():
    assert one(Did("flake8 src", "src/a.py:1:1: F401 unused", 1)).kind == "lint"


def test_the_same_script_is_a_run_before_the_fix_and_a_check_after_it():
    make = Did("cat > repro.py <<'E'\nprint(1)\nE")
    run, edit = Did("python repro.py", "1"), Did("sed -i s/a/b/ src/core.py")
    kinds = [effect.kind for effect in analysed(make, run, edit, run).effects]
    assert kinds == ["change", "run", "change", "verify"]


def test_a_passing_test_is_ok():
    assert one(Did("pytest", PASSED)).ok is True


def test_a_check_is_named_by_its_program_where_its_output_names_none():
    assert one(Did("flake8 src", "src/a.py:1:1: F401 unused", 1)).runner == "flake8"


def test_words_that_say_both_decide_nothing_without_a_failing_exit_code():
    edit, words = Did("sed -i s/a/b/ core.py"), "FAILURE: lost\nSUCCESS: kept"
    assert [one(edit, Did("python repro.py", words, code)).ok for code in (None, 0, 1)] == [False, None, False]


def test_an_empty_result_that_is_read_back_is_not_in_order():
    write = called("Write", "ok", file_path="/w/answer.json", content="")
    check = one(write, called("Read", "", file_path="/w/answer.json"), task="Write answer.json")
    assert (check.kind, check.ok) == ("look", False)


def test_a_check_without_a_result_never_ran():
    run = run_of([Did("pytest")])
    run.events = [event for event in run.events if event.kind != "result"]
    [check] = analyse(run).checks
    assert (check.ran, check.ok, check.runner) == (False, None, "pytest")


def test_both_ends_of_a_large_output_keep_their_line_numbers():
    text = "E   assert 0\n" + "x\n" * MAX_CHARS + "FAILED a.py::b\n1 failed in 0.01s"
    output = read_output(text, "pytest")
    assert (output.error_line, output.failed, output.summary) == (1, 1, "1 failed in 0.01s")
