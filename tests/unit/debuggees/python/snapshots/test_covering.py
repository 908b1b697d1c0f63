"""Which lines run in pieces of work, and the end of one that takes too long."""

from __future__ import annotations

import contextlib
import inspect
import math

import pytest

from dap_ai.debuggees.python.snapshots.editing.sources import UserFiles
from dap_ai.debuggees.python.snapshots.runs.line_coverage import Covering, OutOfTime


def _caught():
    with contextlib.suppress(BaseException):  # as unittest does
        _endless()


def _short():
    return 1 + 1


def _endless():
    number = 0
    while True:
        number += 1


def _lines(covering, piece):
    return {line for _, tests, lines in covering.facts() for line in lines if int(tests, 16) >> piece & 1}


def test_what_takes_too_long_is_ended_and_what_comes_after_it_is_not():
    covering = Covering(UserFiles())
    with pytest.raises(OutOfTime):
        covering.run(_endless, 0.01)
    assert covering.is_late
    covering.run(_short, math.inf)
    assert not covering.is_late
    first = inspect.getsourcelines(_endless)[1]
    assert _lines(covering, 0) == {first + 1, first + 2, first + 3}
    assert _lines(covering, 1) == {inspect.getsourcelines(_short)[1] + 1}


def test_that_it_took_too_long_is_known_where_its_runner_has_caught_the_end():
    covering = Covering(UserFiles())
    covering.run(_caught, 0.01)
    assert covering.is_late


def _branching(number):
    if number > 2:
        return "many"
    return "few"


def test_a_line_that_runs_late_in_a_function_that_is_called_often_is_seen():
    covering = Covering(UserFiles())
    covering.run(lambda: [_branching(number) for number in range(4)], math.inf)
    covering.run(lambda: [_branching(number) for number in range(2)], math.inf)
    first = inspect.getsourcelines(_branching)[1]
    assert _lines(covering, 0) >= {first + 1, first + 2, first + 3}
    assert _lines(covering, 1) >= {first + 1, first + 3}
    assert first + 2 not in _lines(covering, 1)


def _cleaned(fails):
    try:
        return 1 / fails
    finally:
        _short()


@pytest.mark.parametrize("catches", [False, True])
def test_a_line_that_first_runs_after_the_final_exception_is_left_out(catches):
    covering = Covering(UserFiles())

    def work():
        try:
            _cleaned(0)
        except ZeroDivisionError as error:
            covering.fails_by(error)
            if not catches:
                raise

    with contextlib.nullcontext() if catches else pytest.raises(ZeroDivisionError):
        covering.run(work, math.inf)
    covering.run(lambda: _cleaned(1), math.inf)
    first, short = inspect.getsourcelines(_cleaned)[1], inspect.getsourcelines(_short)[1]
    assert {first + 1, first + 2} <= _lines(covering, 0)
    assert {first + 4, short + 1}.isdisjoint(_lines(covering, 0))
    assert {first + 4, short + 1} <= _lines(covering, 1)


def test_an_exception_in_a_function_all_of_whose_lines_have_run_is_seen_too():
    covering = Covering(UserFiles())

    def work():
        _cleaned(1)
        _divided(0)

    with pytest.raises(ZeroDivisionError):
        covering.run(work, math.inf)
    first = inspect.getsourcelines(_divided)[1]
    assert first + 2 in _lines(covering, 0)
    assert first + 4 not in _lines(covering, 0)


def _divided(by):
    try:
        return _cleaned(by)
    finally:
        _branching(by)
