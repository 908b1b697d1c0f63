"""In which frame an object is followed, and what a recorded run tells of a literal: on a program that failed here."""

from __future__ import annotations

import ast

import pytest

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.python.analysis.questions.owners import outermost
from dap_ai.debuggees.python.analysis.questions.question_answers import answered
from dap_ai.debuggees.python.analysis.questions.question_parser import parse_question
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import TraceRecord
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

STORE = """
class Store:
    def __init__(self, stock):
        self.stock = stock

    def take(self, name):
        assert self.stock[name] > 0, name
        self.stock[name] -= 1


def halves(numbers):
    for n in numbers:
        yield n // 2


def first(numbers):
    try:
        return numbers[9]
    except IndexError:
        return None


def total(numbers):
    if len(numbers) > 5:
        return 0
    return sum(halves(numbers))


wanted = total([4, 6])
label = "47.11 m"
none = first([1])
left = Store({"pen": 1})
for name in ("pen", "pen"):
    left.take(name)
"""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> StopSnapshot:
    program = tmp_path_factory.mktemp("store") / "store.py"
    program.write_text(STORE)
    return case_of(fail(program))


@pytest.fixture(scope="module")
def again(case: StopSnapshot) -> RerunToStop:
    control = run_again(case, with_steps=True)
    assert control.trace.history is not None
    return RerunToStop(case, TraceRecord(control.trace.history, case.sources), control)


def test_an_object_is_followed_in_the_frame_that_passed_it(case: StopSnapshot):
    node, place = outermost(case, case.places[0], ast.parse("self.stock[name]", mode="eval").body)
    assert (ast.unparse(node), place.frame.name) == ("left.stock['pen']", "<module>")


def test_a_variable_of_its_own_is_followed_where_it_is(case: StopSnapshot):
    node, place = outermost(case, case.places[0], ast.parse("name", mode="eval").body)
    assert (ast.unparse(node), place.frame.name) == ("name", "take")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("why is none None?", ["`first(numbers=[1])` returned `None`", "`except IndexError`", "`return numbers[9]`"]),
        ("why did total return 5?", ["`return sum(halves(numbers))`", "yielded 2 times, at last"]),
        ("why is wanted 5?", ["`wanted` is `5`", "yielded 2 times, at last"]),
        ("why was line 25 not run?", ["`len(numbers) > 5`", "did not hold", "`[4, 6]`"]),
        ("where does 3 come from?", ["No value that was recorded"]),
        ("where does 47.11 come from?", ["`47.11` first appears", "when `label` became `'47.11 m'`"]),
        ("where does 7.11 come from?", ["No value that was recorded"]),
        ("what did pencil return?", []),
        ("where does 5 come from?", ["`wanted` is `5`"]),
        ("how often was take called?", ["`take` was called twice"]),
        ("why is name not pencil?", []),
    ],
)
def test_a_question_is_answered_from_the_record(
    question: str, parts: list[str], case: StopSnapshot, again: RerunToStop
):
    wanted = parse_question(question)
    assert wanted is not None
    told = answered(wanted, case, again)
    assert bool(told) == bool(parts)
    text = "\n".join(told.parts) if told else ""
    assert [part for part in parts if part not in text] == [], text
