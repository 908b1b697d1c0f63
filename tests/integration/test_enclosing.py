"""A failing test is run whole in a copy, as pytest or unittest runs it: only what passes then is called verified."""

from __future__ import annotations

import json
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT
from tests.integration.trying import change, tried

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, dedented."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text).lstrip())
        return path

    return write


@pytest.fixture
def shop(write: Write) -> Path:
    return write(
        "shop.py",
        """
        import functools
        import operator


        def total(prices, discount):
            return functools.reduce(operator.add, prices) + discount


        def label(amount):
            return f"{amount} EUR"
        """,
    )


@pytest.fixture
def pytest_file(write: Write) -> Path:
    return write(
        "test_shop.py",
        """
        import pytest
        import shop


        @pytest.fixture
        def prices():
            yield [3, 4]


        def test_the_total_has_its_discount(prices):
            prices.append(5)
            amount = shop.total(prices, 2)
            assert amount == 10
            assert shop.label(amount) == "10 EUR"
        """,
    )


@pytest.fixture
def unittest_file(write: Write) -> Path:
    return write(
        "test_shop.py",
        """
        import unittest
        import shop


        class ShopTest(unittest.TestCase):
            def setUp(self):
                self.prices = [3, 4]

            def test_total(self):
                self.prices.append(5)
                amount = shop.total(self.prices, 2)
                assert amount == 10
                assert shop.label(amount) == "10 EUR"
        """,
    )


async def verdict(test: Path, runner: str, *wanted: Any) -> list[tuple[str, str]]:
    """Outcome and check of each wanted fix, where the test has stopped at its failure."""
    arguments = ["-q", "-p", "no:cacheprovider", test.name] if runner == "pytest" else [test.stem]
    results = await tried(
        test, *wanted, module=runner, args=arguments, cwd=str(test.parent), filters=("userUnhandled",)
    )
    return [(result.data["outcome"], result.data["check"]) for result in results]


async def test_a_fix_with_which_the_whole_pytest_test_passes_is_verified(shop: Path, pytest_file: Path):
    right = change(shop, "+ discount", "return functools.reduce(operator.add, prices) - discount")
    [(outcome, check)] = await verdict(pytest_file, "pytest", right)
    assert (outcome, check) == (
        "verified",
        "the whole test `test_shop.py::test_the_total_has_its_discount`, with what it sets up,",
    )


async def test_a_fix_with_which_a_later_assertion_of_the_test_fails_is_not_verified(shop: Path, pytest_file: Path):
    wrong = change(shop, "+ discount", "return float(sum(prices) - discount)")
    [(outcome, _)] = await verdict(pytest_file, "pytest", wrong)
    assert outcome == "not verified"


async def test_what_a_copy_may_not_take_down_does_not_keep_a_test_from_being_run_again(
    shop: Path, pytest_file: Path, write: Write
):
    write(
        "conftest.py",
        """
        import shutil
        import tempfile
        import pytest


        @pytest.fixture(scope="session", autouse=True)
        def folder():
            made = tempfile.mkdtemp()
            yield made
            shutil.rmtree(made)
        """,
    )
    right = change(shop, "+ discount", "return functools.reduce(operator.add, prices) - discount")
    assert [outcome for outcome, _ in await verdict(pytest_file, "pytest", right)] == ["verified"]


async def test_an_edit_of_the_test_itself_is_refused(shop: Path, pytest_file: Path):
    edit = change(pytest_file, "prices.append(5)", "prices.append(1)")
    assert await verdict(pytest_file, "pytest", edit) == [(CANNOT, "")]


async def test_a_unittest_test_is_run_whole_too(shop: Path, unittest_file: Path):
    right = change(shop, "+ discount", "return functools.reduce(operator.add, prices) - discount")
    wrong = change(shop, "+ discount", "return float(sum(prices) - discount)")
    found = await verdict(unittest_file, "unittest", right, wrong)
    assert [outcome for outcome, _ in found] == ["verified", "not verified"]


def test_a_program_with_an_event_loop_and_another_directory_is_run_again_whole(
    write: Write, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    program = write(
        "poll.py",
        """
        import asyncio
        import os


        def mean(xs):
            return sum(xs) / (len(xs) - 1)


        async def main():
            await asyncio.sleep(0)
            assert mean([1, 2, 3]) == 2


        os.chdir("/")
        asyncio.run(main())
        """,
    )
    done = run_dap_ai("ask", "--json", program.name, cwd=program.parent)
    ended = next(each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "askEnded")
    assert [fix["verified"] for fix in ended["fixes"]] == [True], ended["answer"]


def test_what_the_whole_test_does_not_come_to_is_no_suspect_though_it_fails_with_another_number(
    write: Write, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    test = write(
        "test_draw.py",
        """
        import random
        import unittest


        def draw(limit):
            if limit > 100:
                chance = -1
            else:
                chance = random.random()
            return chance


        class DrawTest(unittest.TestCase):
            def test_draw(self):
                self.assertEqual(draw(3), 2)
        """,
    )
    stops = ("--exception", "userUnhandled", "--then", "quit")
    done = run_dap_ai("ask", "--json", *stops, "-m", "unittest", test.stem, cwd=test.parent)
    ended = next(each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "askEnded")
    lines = {suspect["line"] for suspect in ended["suspects"]}
    assert 9 in lines and 7 not in lines, ended["answer"]
    assert "test_draw.py:7" not in ended["answer"]
