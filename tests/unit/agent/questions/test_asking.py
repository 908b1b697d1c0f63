"""What people type, answered over a program that failed in this process."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dap_ai.agent.report.wording import HAPPENED, NOW, VALUES
from dap_ai.protocol.contracts.snapshot_messages import Followed, FollowedValue, RaisedException, SnapshotResult
from tests.unit.agent.harness import Stopped, ask, fail
from tests.unit.debuggees.python.answer.test_answers import halted_at

BILL = """
class Order:
    def __init__(self, prices):
        self.prices = prices


def summed(prices):
    \"\"\"The sum of prices.\"\"\"
    whole = 0
    for price in prices:
        whole += price
    return whole


def bill(orders):
    cost = 0
    for order in orders:
        cost = summed(order.prices)
    assert cost == 10, "the bill is too low"


def main():
    currency = "EUR"
    bill([Order([1, 2]), Order([3, 4])])


main()
"""
NOT_UNDERSTOOD = "ask for example"


@pytest.fixture
def shop(tmp_path: Path) -> Stopped:
    program = tmp_path / "shop.py"
    program.write_text(BILL)
    return fail(program)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "why",
        "explain this error",
        "what happened?",
        "how do I fix this",
        "what's wrong here",
        "why did the assertion fail",
        "what is the root cause",
        "why AssertionError?",
        "why is the bill too low",
        "why does bill fail",
        "why does the test fail?",
        "why is this None?",
        "what should I do next?",
        "how can I avoid this?",
        "Can you please tell me why my program crashed here?",
        "what's the problem with this code and how do I solve it?",
        "which line of shop.py is to blame",
        "debug this for me",
        "help me understand this exception",
        "why an assertion error in shop.py when I run it?",
        # What the product itself asks, or offers to ask
        "How can I fix it?",
        "How do I fix it?",
        "What should be changed, and why?",
        "Where does the wrong value come from?",
        "Where do these values come from?",
        "Which of my assumptions is wrong?",
        "Is anything here wrong?",
        "What happens next from here?",
        "Why did it stop here?",
        "Why did it happen?",
        "Why does it hang?",
    ],
)
def test_a_question_about_the_failure_is_understood(question: str, shop: Stopped):
    answer, _ = ask(shop, question)
    assert answer.text.startswith("`cost` is `7`, not `10` at `shop.py:19`")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("is this thread safe", "Not understood: `safe`."),
        ("make it faster please", "Not understood: `faster`."),
        ("why is the tax so high?", "Not understood: `tax`, `high`."),
        ("why is the error so large?", "Not understood: `large`. Understood: `error`, as a question about the stop."),
        ("which task failed?", "Not understood: `task`. Understood: `failed`, as a question about the stop."),
        (
            "does bill need cheese?",
            "Not understood: `cheese`. Understood: `bill`, as a question about the stop.",
        ),
        ("when did it fail?", "Not understood: `when`. Understood: `fail`, as a question about the stop."),
        ("how often did the assertion fail?", "Not understood: `often`."),
        ("what failed in line 18 of the pension fund?", "`shop.py:18`"),
    ],
)
def test_what_is_not_understood_is_said_before_the_answer_about_the_stop(question: str, first: str, shop: Stopped):
    text = ask(shop, question)[0].text
    assert text.startswith(first)
    assert text.index("Not understood: `") < text.index(NOT_UNDERSTOOD) < text.index(HAPPENED)


def test_a_name_that_is_also_a_word_about_failures_is_answered_as_a_name(tmp_path: Path):
    program = tmp_path / "mean.py"
    program.write_text("def main():\n    error = 450.5\n    line = 'x'\n    print(error / 0)\n\n\nmain()\n")
    stopped = fail(program)
    assert ask(stopped, "why is error so large?")[0].text.startswith(f"{NOW} `error` is `450.5` at ")
    assert ask(stopped, "where does line come from?")[0].text.startswith(f"{NOW} `line` is `'x'` at ")
    for question in ("why this error?", "explain the error", "why did this line fail?", "what is the error?"):
        assert NOW not in ask(stopped, question)[0].text


def test_three_questions_are_offered_and_all_of_them_are_answered(shop: Stopped):
    first = ask(shop, "is this thread safe")[0].text.partition("\n")[0]
    offered = first.partition("ask for example ")[2].partition(". Here")[0].split(", ")
    assert len(offered) == 3
    for question in offered:
        assert NOT_UNDERSTOOD not in ask(shop, question.strip("`"))[0].text


def test_a_name_that_no_frame_knows_is_named_with_the_function_that_sets_it(shop: Stopped):
    text = ask(shop, "why is whole wrong?")[0].text
    assert text.startswith("`whole` has no value in the frames of this stop (`summed` sets it, at `shop.py:9`).")


def test_a_name_that_is_nowhere_is_named(shop: Stopped):
    text = ask(shop, "how do I fix fluxCapacitor?")[0].text
    assert text.startswith("Nothing is called `fluxCapacitor` at this stop. Understood: `fix`, as a question about")


def test_a_name_of_a_caller_is_answered_in_its_frame(shop: Stopped):
    text = ask(shop, "what is currency?")[0].text
    assert text.startswith(f"{NOW} `currency` is `'EUR'` at `shop.py:24`, in `main`.")
    assert "`shop.py:23` in `main` sets `currency`" in text


@pytest.mark.parametrize(
    "question",
    ["where is cost set", "what changed cost", "why is cost wrong?", "where does cost come from?", "why is cost 7"],
)
def test_a_question_about_a_name_tells_what_set_it(question: str, shop: Stopped):
    text = ask(shop, question)[0].text
    assert text.startswith(f"{NOW} `cost` is `7` at ")
    assert "`shop.py:18` in `bill` sets `cost`" in text


def test_a_question_for_a_type_is_answered_with_it(shop: Stopped):
    assert "`cost` is `7`, of type `int`, at " in ask(shop, "what type is cost?")[0].text


@pytest.mark.parametrize("question", ["how did I get here", "show me the call stack", "who called this?"])
def test_the_way_here_is_told_from_the_outermost_call(question: str, shop: Stopped):
    text = ask(shop, question)[0].text
    rows = [text.index(row) for row in ("at module level: `main()`", "in `main`: `bill(", "in `bill`: `assert cost")]
    assert rows == sorted(rows)


def test_of_a_frame_its_values_are_told_and_what_is_wrong(shop: Stopped):
    text = ask(shop, "What is wrong in this frame (shop.py:20), and how did the program get here?")[0].text
    parts = ["**How it got here.**", VALUES, "`cost` = `7`", "**Root cause", HAPPENED]
    assert sorted(parts, key=text.index) == parts


def test_what_a_name_of_a_caller_holds_is_read_there(tmp_path: Path):
    program = tmp_path / "quote.py"
    program.write_text(
        "class Options:\n    customer = None\n\n    def __init__(self):\n        self.customer = '17'\n\n\n"
        "def fail():\n    return 1 / 0\n\n\ndef main():\n    options = Options()\n    fail()\n\n\nmain()\n"
    )
    text = ask(fail(program), "what type is options.customer?")[0].text
    assert text.startswith(f"{NOW} `options.customer` is `'17'`, of type `str`, at ")


def test_code_that_is_pointed_at_is_explained_and_not_that_of_the_frame(shop: Stopped):
    question = "What does this do here, with the values it has now (shop.py:10)?\n\n```\nwhole += price\n```"
    assert "def summed(prices)" in ask(shop, question)[0].text


def test_of_a_deep_stack_the_way_shows_both_ends_and_says_so(tmp_path: Path):
    program = tmp_path / "deep.py"
    program.write_text("def f(n):\n    return f(n - 1) if n else 1 / n\n\nf(60)\n")
    rows = ask(fail(program), "how did I get here")[0].text.split("\n- ")[1:]
    assert "at module level: `f(60)`" in rows[0]
    assert rows[2].startswith("... more calls in between")
    assert "(`n` = `0`)" in rows[-1]
    assert len(rows) == 13


@pytest.mark.parametrize("question", ["what does this function do?", "what does bill do?", "explain this function"])
def test_a_question_about_a_function_shows_it(question: str, shop: Stopped):
    text = ask(shop, question)[0].text
    assert text.startswith("`def bill(orders)` at `")
    assert "cost = summed(order.prices)" in text


def test_a_method_is_found_by_its_name_alone(shop: Stopped):
    assert "`def summed(prices)` at" in ask(shop, "what does `summed` do")[0].text


def test_a_line_that_is_asked_about_stands_in_the_answer_itself(shop: Stopped):
    answer, heard = ask(shop, "what is at line 9?")
    assert "> 9      whole = 0" in answer.text
    assert "".join(heard.text("answer").split()) == "".join(answer.text.split())


def in_a_copy(shop: Stopped, followed: Followed) -> None:
    raised = RaisedException("AssertionError", "the bill is too low", shop.program, 19)
    result = SnapshotResult("raised", error="AssertionError", raised=raised, followed=followed)
    shop.why_no_snapshot, shop.copy = "", lambda _query: result


COST = [
    FollowedValue("0", 1, line=16, function="bill"),
    FollowedValue("3", 2, line=18),
    FollowedValue("7", 3, line=18, entries=[8, 17, 2]),
]


@pytest.mark.parametrize("question", ["show me the last values of cost", "when did cost change?"])
def test_the_values_that_a_name_had_are_told_from_a_run_in_a_copy(question: str, shop: Stopped):
    in_a_copy(shop, Followed([msgspec.structs.replace(m, file=shop.program) for m in COST], count=3))
    text = ask(shop, question)[0].text
    assert "`cost` took 3 values before this stop" in text
    rows = [line.split() for line in text.splitlines() if "shop.py:18  cost = summed" in line]
    assert [row[:2] for row in rows] == [["2", "3"], ["3", "7"]]
    assert rows[1][-2:] == ["round", "2"]


def test_a_name_without_a_value_at_the_stop_has_no_history(shop: Stopped):
    in_a_copy(shop, Followed(COST, count=3))
    text = ask(shop, "when did whole change?")[0].text
    assert text.startswith("`whole` has no value in the frames of this stop (`summed` sets it, at `shop.py:9`).")


def test_a_run_again_that_ends_with_another_value_is_no_history(shop: Stopped):
    in_a_copy(shop, Followed([msgspec.structs.replace(COST[1], file=shop.program)], count=1))
    text = ask(shop, "when did cost change?")[0].text
    assert text.startswith("`cost` has no history here: the whole program `shop.py` does something else each time")
    assert "`shop.py:18` `cost = summed(order.prices)`: sets `cost`" in text


def test_what_it_stands_for_is_the_value_of_the_failing_line_of_which_the_condition_holds(shop: Stopped):
    in_a_copy(shop, Followed(COST, count=3))
    assert "`cost` took 3 values" not in ask(shop, "when did it become None?")[0].text
    assert "`cost > 5` never held: `cost` took 3 values" in ask(shop, "when did it exceed 5?")[0].text


def test_at_the_head_of_a_loop_the_write_of_its_last_round_comes_first(tmp_path: Path):
    text = "def f(prices):\n    total = 0\n    for price in prices:\n        total += price\n    return total\n\nf([1, 2])\n"
    answer, _ = ask(halted_at(tmp_path, text, line=3, hit=3), "what is total?")
    assert answer.text.startswith(f"{NOW} `total` is `3` at ")
    assert "1. `halted.py:4` in `f` sets `total`" in answer.text.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("question", ["why is price None?", "what is price", "who set price?"])
def test_a_part_of_the_failing_line_is_found_by_its_name_alone(question: str, tmp_path: Path):
    program = tmp_path / "part.py"
    program.write_text("def f(row):\n    return row['price'] * 1.5\n\nf({'price': None})\n")
    assert ask(fail(program), question)[0].text.startswith(f"{NOW} `row['price']` is `None` at ")


@pytest.mark.parametrize("question", ["list locals", "what are my variables?", "show me the arguments"])
def test_a_question_for_all_values_lists_them(question: str, shop: Stopped):
    text = ask(shop, question)[0].text
    assert text.startswith(f"{VALUES} `orders` = `[<Order prices=[1, 2]>")
    assert "`cost` = `7`" in text


def test_a_plea_for_help_tells_what_can_be_asked_and_no_more(shop: Stopped):
    text = ask(shop, "help")[0].text
    assert text.startswith("Without a language model, ask for example `where does cost come from?`")
    assert HAPPENED not in text
