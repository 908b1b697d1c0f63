"""A name stands for what the program has under it: the wrapper that a decorator made, and not what is written there."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.analysis.questions.question_answers import answered
from dap_ai.debuggees.python.analysis.questions.question_parser import parse_question
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import TraceRecord
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

SHAPES = """\
import functools


def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        f(*args)
    return wrapper


def passed(f):
    def inner(*args):
        return f(*args)
    return inner


class Counted:
    def __init__(self, f):
        self.f = f

    def __call__(self, *args):
        self.f(*args)


@logged
def area(w, h):
    return w * h


@logged
def volume(n):
    return n


@passed
def half(n):
    if n > 10:
        return n / 2


@Counted
def third(n):
    return n / 3


def quarter(n):
    return n / 4


quarter = logged(quarter)


class Shape:
    @logged
    def side(self):
        return 3

    @property
    def name(self):
        return "square"


def apply(f, n):
    return [f(n)]


def plain(n):
    return n


size = plain
length = size(1)
made = [area(3, 4), volume(2), half(4), third(9), quarter(8), Shape().side(), Shape().name, apply(plain, 7)]
a = area(5, 6)
1 / 0
"""


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> RerunToStop:
    program = tmp_path_factory.mktemp("shapes") / "shapes.py"
    program.write_text(SHAPES)
    case = case_of(fail(program))
    control = run_again(case, with_steps=True)
    assert control.trace.history is not None
    return RerunToStop(case, TraceRecord(control.trace.history, case.sources), control)


def told(again: RerunToStop, question: str) -> str:
    wanted = parse_question(question)
    assert wanted is not None
    answer = answered(wanted, again.case, again)
    return "\n".join(answer.parts) if answer else ""


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "why does area return None?",
            [
                "`area` is `wrapper` (`shapes.py:6`), by the decorator `@logged`.",
                "wrapper(args=(3, 4))` returned `None`",
                "In it, `area(w=5, h=6)` returned `30`.",
                "came to its end without a `return` after `shapes.py:7`",
            ],
        ),
        ("what did volume return?", ["wrapper(args=(2,))` returned `None`", "`volume(n=2)` returned `2`"]),
        ("why did half return None?", ["`half` is `inner`", "`half(n=4)` came to its end", "`if n > 10` did not hold"]),
        ("why did third return None?", ["`third` is `__call__`", "`@Counted`", "`third(n=9)` returned `3.0`"]),
        ("why did quarter return None?", ["not the function at `shapes.py:46`", "`quarter(n=8)` returned `2.0`"]),
        ("why did side return None?", ["`side` is `wrapper`", "returned `3`"]),
        ("why is a None?", ["`shapes.py:74` set `a` to `None`", "wrapper(args=(5, 6))` came to its end"]),
        ("why did area return 30?", ["No call of `area` returned `30`."]),
        ("how often was area called?", ["`area` is `wrapper`", "Of the function itself: `area` was called twice"]),
    ],
)
def test_what_a_decorated_function_returned_is_what_the_program_got(
    question: str, parts: list[str], again: RerunToStop
):
    text = told(again, question)
    assert [part for part in parts if part not in text] == [], text


@pytest.mark.parametrize("question", ["what did plain return?", "what did name return?", "what did apply return?"])
def test_a_function_without_a_wrapper_stands_for_itself(question: str, again: RerunToStop):
    text = told(again, question)
    assert " is `" not in text.partition("\n")[0]
    assert "returned `" in text


def test_the_calls_of_one_wrapper_are_told_apart_by_their_names(again: RerunToStop):
    assert "(3, 4)" not in told(again, "what did volume return?")
    assert "(2,)" not in told(again, "what did area return?")


def test_a_name_that_was_given_to_another_function_stands_for_that(again: RerunToStop):
    assert "`size` is `plain` (`shapes.py:67`). `plain(n=1)` returned `1`." in told(again, "what did size return?")
