"""`try_fix` on real debugpy: right fixes, wrong ones, and those that cannot be told apart here."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from dap_ai.agent.tools.base import ToolResult
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT
from tests.integration.trying import change, tried

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a program, dedented."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text).lstrip())
        return path

    return write


def outcome(result: ToolResult) -> str:
    return result.data["outcome"]


@pytest.fixture
def bill(write: Write) -> Path:
    return write(
        "bill.py",
        """
        RATE = 0.5


        def total(prices):
            amount = 0
            for price in prices:
                amount = price
            return amount


        def main():
            prices = [1, 2, 3]
            amount = total(prices)
            assert amount == 6, "the bill"


        main()
        """,
    )


async def test_the_right_fix_is_verified(bill: Path):
    [result] = await tried(bill, change(bill, "amount = price", "amount += price"))
    assert outcome(result) == "verified", result.text
    assert result.fixes[0].verified and "+        amount += price" in result.fixes[0].diff


async def test_a_wrong_fix_is_not_verified_and_its_value_is_told(bill: Path):
    [result] = await tried(bill, change(bill, "amount = price", "amount = price + 1"))
    assert outcome(result) == "not verified", result.text
    assert "`amount` is `4`" in result.text


async def test_an_edit_of_the_failing_assertion_is_refused(bill: Path):
    [result] = await tried(bill, change(bill, "assert amount", "assert True"))
    assert outcome(result) == CANNOT
    assert "the failing check itself" in result.text


async def test_an_edit_that_does_not_parse_cannot_be_verified(bill: Path):
    [result] = await tried(bill, change(bill, "amount = price", "amount = = price"))
    assert outcome(result) == CANNOT, result.text


async def test_a_fix_that_loops_for_ever_ends_at_its_deadline(bill: Path):
    [result] = await tried(bill, change(bill, "amount = price", "while True: pass", deadline_s=1.0))
    assert outcome(result) == "not verified", result.text
    assert "not finished after 1 s" in result.text


async def test_several_fixes_are_tried_one_after_another_in_one_stop(bill: Path):
    wrong, right = change(bill, "amount = price", "pass"), change(bill, "amount = price", "amount += price")
    assert [outcome(result) for result in await tried(bill, wrong, right, wrong)] == [
        "not verified", "verified", "not verified",
    ]  # fmt: skip


async def test_what_passes_a_check_of_the_askers_own_is_not_called_verified(bill: Path):
    fix = change(bill, "amount = price", "amount += price", check="total([4, 5]) == 9")
    [result] = await tried(bill, fix, lines=(13,))
    assert outcome(result) == "passes", result.text


async def test_a_check_that_passes_already_verifies_nothing(bill: Path):
    fix = change(bill, "amount = price", "amount += price", check="total([9]) == 9")
    [result] = await tried(bill, fix, lines=(13,))
    assert outcome(result) == CANNOT
    assert "passes already" in result.text


async def test_a_constant_of_the_module_is_changed_in_the_whole_program_run_afresh(write: Write):
    program = write("rate.py", "RATES = [0.5, 2]\nRATE = max(RATES)\nhalf = 4 * RATE\nassert half == 2\n")
    [result] = await tried(program, change(program, "RATE = max", "RATE = min(RATES)"))
    assert outcome(result) == "verified", result.text


MOVED_ON = """
class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("not enough money")
        self.balance -= amount
        return amount - 1


def main(account):
    assert account.withdraw(50) == 50


main(Account(80))
"""


async def test_where_the_state_has_moved_on_nothing_can_be_verified(write: Write):
    program = write("moved_on.py", MOVED_ON)
    fix = change(program, "return amount - 1", "return amount", check="account.withdraw(50) == 50")
    [result] = await tried(program, fix)
    assert outcome(result) == CANNOT, result.text
    assert "not enough money" in result.text


async def test_where_another_module_keeps_the_state_even_the_whole_program_verifies_nothing(write: Write):
    bank = write("bank.py", MOVED_ON.partition("def main")[0] + "account = Account(80)\n")
    program = write("teller.py", "from bank import account\n\nassert account.withdraw(50) == 50\n")
    [result] = await tried(program, change(bank, "return amount - 1", "return amount"))
    assert outcome(result) == CANNOT, result.text


KINDS = {
    "closure": (
        """
        def make(step):
            def add(x):
                return x - step
            return add


        add = make(2)


        def main():
            assert add(1) == 3


        main()
        """,
        ("return x - step", "return x + step", "return x * step"),
    ),
    "method": (
        """
        class Counter:
            def __init__(self):
                self.count = 0

            def up(self, by):
                return self.count - by


        counter = Counter()


        def main():
            assert counter.up(2) == 2


        main()
        """,
        ("return self.count - by", "return self.count + by", "return by - 1"),
    ),
    "decorated function": (
        """
        import functools


        def shown(function):
            @functools.wraps(function)
            def inner(*values):
                return function(*values)
            return inner


        @shown
        def area(a, b):
            return a + b


        def main():
            assert area(3, 4) == 12


        main()
        """,
        ("return a + b", "return a * b", "return a - b"),
    ),
    "default argument": (
        """
        def scaled(x, factor=2):
            return x * factor


        def main():
            assert scaled(3) == 9


        main()
        """,
        ("def scaled", "def scaled(x, factor=3):", "def scaled(x, factor=4):"),
    ),
}


@pytest.mark.parametrize("name", KINDS)
async def test_an_edit_reaches_every_kind_of_function(name: str, write: Write):
    text, (old, right, wrong) = KINDS[name]
    program = write("kinds.py", text)
    results = await tried(program, change(program, old, right), change(program, old, wrong))
    assert [outcome(result) for result in results] == ["verified", "not verified"], [r.text for r in results]


async def test_an_edit_reaches_another_module(write: Write):
    module = write("prices.py", "def price(name):\n    return len(name) - 1\n")
    program = write("shop.py", "from prices import price\n\n\ndef main():\n    assert price('tea') == 3\n\n\nmain()\n")
    [result] = await tried(program, change(module, "return len", "return len(name)"))
    assert outcome(result) == "verified", result.text


@pytest.fixture
def shop(write: Write) -> Path:
    """A program whose mistake stands outside of functions, in a module that others have taken it from."""
    write("settings.py", 'LIMIT = 3\nRATES = {"a": 1}\n')
    write("prices.py", "from settings import LIMIT, RATES\n\n\ndef price(name):\n    return RATES[name] * LIMIT\n")
    return write(
        "shop.py",
        """
        import prices


        def main():
            found = prices.price("a")
            assert found == 4, "the price"


        main()
        """,
    )


async def test_an_edit_outside_of_functions_is_tried_by_a_new_start_of_the_program(shop: Path):
    settings = shop.with_name("settings.py")
    right, wrong, broken, of_main = await tried(
        shop,
        change(settings, "LIMIT = 3", "LIMIT = 4"),
        change(settings, "LIMIT = 3", "LIMIT = 5"),
        change(settings, "LIMIT = 3", "LIMIT = (3"),
        change(shop, "import prices", "import prices\nprices.LIMIT = 4"),
    )

    assert outcome(right) == "verified", right.text
    assert "the whole program `shop.py`" in right.text
    assert outcome(wrong) == "not verified"
    assert "`found` is `5`" in wrong.text
    assert outcome(broken) == CANNOT
    assert "does not compile" in broken.text
    assert outcome(of_main) == "verified", of_main.text
    assert settings.read_text() == 'LIMIT = 3\nRATES = {"a": 1}\n'


async def test_a_module_that_fails_while_it_is_imported_can_be_fixed(write: Write):
    rates = write("rates.py", 'TEXT = "1,5"\nRATE = float(TEXT)\n')
    main = write("main.py", "import rates\n\nprint(rates.RATE)\n")
    at_line, before = await tried(
        main,
        change(rates, "float(TEXT)", 'RATE = float(TEXT.replace(",", "."))'),
        change(rates, "1,5", 'TEXT = "1.5"'),
    )

    assert outcome(at_line) == "verified", at_line.text
    assert outcome(before) == "verified", before.text
