"""What a question in plain words asks for."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.analysis.questions.question_parser import (
    Called,
    Compared,
    KindOnly,
    LineRun,
    Literally,
    Returned,
    Wanted,
    parse_question,
)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("why was line 12 not run?", LineRun(12)),
        ("why wasn't line 12 executed", LineRun(12)),
        ("why is line 12 never reached?", LineRun(12)),
        ("was line 12 run?", LineRun(12)),
        ("how often did line 12 run?", LineRun(12)),
        ("why did shop.py:12 not run?", LineRun(12, "shop.py")),
        ("why did find return None?", Returned("find", "None")),
        ("what did Account.withdraw return?", Returned("Account.withdraw")),
        ("what does totals() return?", Returned("totals")),
        ("what is the result of totals?", Returned("totals")),
        ("how often was fib called?", Called("fib")),
        ("was fib ever called?", Called("fib")),
        ("who calls search?", Called("search")),
        ("where does 7 come from?", Literally("7")),
        ("where is the nan from?", Literally("nan")),
        ("where does 'abc' come from?", Literally("'abc'")),
        ("why is there a None?", Literally("None")),
        ("why 5?", Literally("5")),
        ("why not 99?", Literally("99", missed=True)),
        ("why isn't it 99?", Literally("99", missed=True)),
        ("why is this so slow?", KindOnly("slow")),
        ("what takes so much time?", KindOnly("slow")),
        ("where is the time spent?", KindOnly("slow")),
        ("what changed since the last stop?", KindOnly("since")),
        ("what has changed?", KindOnly("since")),
        ("what happens next?", KindOnly("next")),
        ("what would happen if amount were 20?", KindOnly("suppose")),
    ],
)
def test_lines_functions_and_literals(question: str, wanted: Wanted):
    assert parse_question(question) == wanted


@pytest.mark.parametrize(
    ("question", "condition", "holds"),
    [
        ("why is a < b?", "a < b", True),
        ("is a < b?", "a < b", None),
        ("why is `total` negative?", "total < 0", True),
        ("why is the value of total 3?", "total == 3", True),
        ("why is total not 99?", "total == 99", False),
        ("why isn't total 99?", "total == 99", False),
        ("why is x None?", "x is None", True),
        ("why is user.name empty?", "len(user.name) == 0", True),
        ("why is total bigger than limit?", "total > limit", True),
        ("why is total still smaller than limit?", "total < limit", True),
        ("why does a equal b?", "a == b", True),
        ("why is a the same as b?", "a == b", True),
        ("why is names a list?", "isinstance(names, list)", True),
        ("why is items[0].price > 3?", "items[0].price > 3", True),
        ("why is name 'cid' and not 'bob'?", "name == 'cid'", True),
        ("what is the difference between a and b?", "a == b", None),
    ],
)
def test_comparisons_with_what_the_question_takes_for_granted(question: str, condition: str, holds: bool | None):
    wanted = parse_question(question)
    assert isinstance(wanted, Compared)
    assert (wanted.condition, wanted.holds) == (condition, holds)


def test_both_sides_of_a_comparison_are_known():
    wanted = parse_question("why is order.total less than limit?")
    assert isinstance(wanted, Compared)
    assert (wanted.subject, wanted.others) == ("order.total", ["limit"])


@pytest.mark.parametrize(
    "question",
    [
        "",
        "why?",
        "explain this error",
        "what is wrong here?",
        "what happened?",
        "why does the test fail?",
        "why did the assertion fail?",
        "how did I get here?",
        "what does f(3) return?",
        "where does total come from?",
        "make it faster please",
    ],
)
def test_what_others_answer_is_left_to_them(question: str):
    assert parse_question(question) is None
