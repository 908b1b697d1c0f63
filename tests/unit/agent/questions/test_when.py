"""What questions about the past ask: which expression, under which condition."""

from __future__ import annotations

import pytest

from dap_ai.agent.questions.history_questions import as_called, parse_history_question


@pytest.mark.parametrize(
    ("question", "expression", "when"),
    [
        ("when did total become negative?", "total", "total < 0"),
        ("When was self.balance first negative?", "self.balance", "self.balance < 0"),
        ("when did x change?", "x", ""),
        ("when was the value of x last changed?", "x", ""),
        ("at which line did x change", "x", ""),
        ("when did `total < 0` become true?", "total", "total < 0"),
        ("which line made total negative?", "total", "total < 0"),
        ("what set x to None?", "x", "x is None"),
        ("where did x become None?", "x", "x is None"),
        ("when did total exceed 100?", "total", "total > 100"),
        ("when did total drop below zero", "total", "total < 0"),
        ("when did x stop being None?", "x", "not (x is None)"),
        ("when did rows[0]['price'] become 0?", "rows[0]['price']", "rows[0]['price'] == 0"),
        ("when did name become 'bob'?", "name", "name == 'bob'"),
        ("when did rows become empty", "rows", "len(rows) == 0"),
        ("when did items contain {1: 2}?", "items", "{1: 2} in items"),
        ("when did x become a string?", "x", "isinstance(x, str)"),
        ("when did ratio become nan", "ratio", "ratio != ratio"),
        ("when did it become None?", "", " is None"),
    ],
)
def test_a_question_about_the_past_names_an_expression_and_a_condition(question: str, expression: str, when: str):
    asked = parse_history_question(question)

    assert asked is not None
    assert (asked.expression, asked.when(asked.expression)) == (expression, when)


@pytest.mark.parametrize(
    "question",
    [
        "where does x come from?",
        "where is x set",
        "what changed x?",
        "who set price?",
        "when did the program crash?",
        "when does it stop?",
        "when did x get here?",
        "what is x?",
        "why is x None?",
        "when",
    ],
)
def test_other_questions_are_none_of_these(question: str):
    assert parse_history_question(question) is None


@pytest.mark.parametrize(
    ("text", "expression", "when"),
    [
        ("total", "total", ""),
        ("total when total < n", "total", "total < n"),
        ("total < 0", "total", "total < 0"),
        ("row['a'] when row['a'] in {1, 2}", "row['a']", "row['a'] in {1, 2}"),
    ],
)
def test_the_command_takes_an_expression_and_a_condition(text: str, expression: str, when: str):
    asked = as_called(text)

    assert (asked.expression, asked.when(asked.expression)) == (expression, when)
