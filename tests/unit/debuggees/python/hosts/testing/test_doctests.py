"""A doctest that failed by its output fails as an assertion in a file of its own, without running again."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from dap_ai.debuggees.python.hosts.testing.doctests import asserted, renamed


def failure(text, names=None):
    test = doctest.DocTestParser().get_doctest(text, names or {}, "lists", "/src/lists.py", 0)
    try:
        doctest.DebugRunner(verbose=False).run(test, clear_globs=False)
    except doctest.DocTestFailure as error:
        return error
    pytest.fail("it passes")


def told(exc):
    with asserted(exc) as failed:
        tb = failed.exc.__traceback__
        text = Path(failed.alias).read_text(encoding="utf-8")
        return failed, tb.tb_lineno, text.splitlines()[tb.tb_lineno - 1], tb.tb_frame


def test_it_stands_at_the_line_of_its_example_among_its_names():
    failed, line, text, frame = told(failure("\n\n>>> n = 3\n>>> n + 1\n5\n"))
    assert (line, text) == (4, "assert n + 1 == 5")
    assert frame.f_globals["n"] == 3
    assert failed.path == "/src/lists.py"
    assert not Path(failed.alias).exists()


def test_what_is_no_literal_is_compared_as_it_is_shown():
    assert told(failure(">>> object\nthing\n"))[2] == "assert repr(object) == 'thing'"


def test_the_example_does_not_run_again():
    ran = []
    told(failure(">>> ran.append(1) or 3\n4\n", {"ran": ran}))
    assert ran == [1]


@pytest.mark.parametrize("text", [">>> print(1)\n2\n", ">>> 3\n", ">>> for n in [1]: n\n2\n"])
def test_what_cannot_be_an_assertion_is_left_out(text):
    with pytest.raises(ValueError, match="nothing to stop at"), asserted(failure(text)):
        pass


def test_another_exception_is_what_it_is():
    error = KeyError("x")
    with asserted(error) as failed:
        assert failed.exc is error


def test_paths_are_renamed_wherever_they_stand():
    assert renamed({"a": ["x/y:3", 1], "b": {"c": "x"}}, "x", "z") == {"a": ["z/y:3", 1], "b": {"c": "z"}}
