"""What benchmarks/mutation.py draws, and how a mutant takes the place of the code that is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from _mutant_runs import KILLED, SURVIVED, Recorder, forked, imports, living, swapped
from _mutants import Mutant, changes, drawn, mutant, own_tests

from tests.patience import at_worst

SOURCE = '''\
"""A shop."""

from functools import cache

LIMITS = (3, 5)


class Cart:
    """Prices."""

    __slots__ = ("prices",) * 1

    @property
    def total(self, most: int = 9) -> "int | Literal[7]":
        """Their sum, up to 12."""
        logging.debug("%d prices", 4)
        result = sum(price for price in self.prices if not price < 0)
        return min(result, most)


@cache
def rate(country: str) -> int:
    return 20


def is_free(total: int) -> bool:
    return (
        total == 0
    )
'''


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


@pytest.fixture
def every(shop: Path) -> list[Mutant]:
    """All mutants of the shop."""
    return [made for change in changes(SOURCE) if (made := mutant(shop, change))]


def found(every: list[Mutant], line: int) -> set[tuple[str, str]]:
    return {(each.kind, each.after) for each in every if each.line == line}


def test_a_number_outside_of_functions_is_changed(every: list[Mutant]):
    assert ("constant", "LIMITS = (4, 5)") in found(every, 5)
    assert {each.function for each in every if each.line == 5} == {None}


def test_what_nobody_could_notice_is_no_mutant(every: list[Mutant]):
    changed = {each.line for each in every}
    assert changed == {5, 14, 17, 18, 23, 28}
    assert found(every, 14) == {
        ("constant", 'def total(self, most: int = 10) -> "int | Literal[7]":'),
        ("constant", 'def total(self, most: int = 8) -> "int | Literal[7]":'),
    }


def test_a_filter_is_negated_and_loses_its_not(every: list[Mutant]):
    filters = {after.split(" if ")[1] for kind, after in found(every, 17) if kind == "negation"}
    assert filters == {"not (not price < 0))", "bool(price < 0))"}


def test_a_removed_statement_leaves_no_text(every: list[Mutant]):
    assert ("statement", "") in found(every, 17)


def test_a_mutant_knows_its_statement_and_its_outermost_function(every: list[Mutant]):
    (equal,) = (each for each in every if each.kind == "comparison" and each.line == 28)
    assert equal.lines == {27, 28, 29}
    assert equal.function == ("is_free", 26)
    assert {each.function for each in every if each.line == 17} == {("total", 13)}
    assert {each.function for each in every if each.line == 23} == {None}  # what it returned before is kept


def test_a_seed_draws_the_same_mutants_again_and_one_of_a_line(shop: Path):
    first = drawn([shop], "1", 4)
    assert first == drawn([shop], "1", 4)
    assert len({each.line for each in first}) == 4
    assert first != drawn([shop], "2", 4)


def test_without_a_count_each_line_has_one(shop: Path):
    assert {each.line for each in drawn([shop], "1", 0)} == {5, 14, 17, 18, 23, 28}


def test_a_rooms_own_tests_are_its_mirror_or_the_nearest_above(tmp_path: Path):
    (tmp_path / "tests/unit/agent").mkdir(parents=True)
    (tmp_path / "dap_ai/agent/masking").mkdir(parents=True)
    assert own_tests(tmp_path, tmp_path / "dap_ai/agent/masking") == tmp_path / "tests/unit/agent"
    assert own_tests(tmp_path, tmp_path / "dap_ai/agent") == tmp_path / "tests/unit/agent"


def test_a_mutant_takes_the_place_of_a_function_that_others_hold(shop: Path, every: list[Mutant]):
    space: dict[str, Any] = {"__name__": "shop"}
    exec(compile(SOURCE, str(shop), "exec"), space)  # noqa: S102  the text above
    held = space["is_free"]
    (unequal,) = (each for each in every if each.kind == "comparison" and each.line == 28)
    assert held(0)
    assert swapped(unequal, living({str(shop)}))
    assert not held(0)


def test_a_mutant_takes_the_place_of_a_function_that_a_decorator_has_made(tmp_path: Path):
    file, source = (
        tmp_path / "rules.py",
        "def most(rate):\n    def rule(n):\n        return n < rate\n    return rule\n",
    )
    file.write_text(source, encoding="utf-8")
    space: dict[str, Any] = {"__name__": "rules"}
    exec(compile(source, str(file), "exec"), space)  # noqa: S102  the text above
    rule = space["most"](3)
    each = (made for change in changes(source) if (made := mutant(file, change)))
    assert not rule(3)
    assert swapped(next(one for one in each if "<=" in one.after), living({str(file)}))
    assert rule(3)


@pytest.mark.parametrize(
    ("source", "does"),
    [
        ("from shop.prices import total\n", True),
        ("from shop import prices\n", True),
        ("from shop import (\n    carts,\n    prices,\n)\n", True),
        ("from shop import carts\n\nprices = 3\n", False),
    ],
)
def test_a_file_imports_a_module_in_any_form_of_import(tmp_path: Path, source: str, does: bool):
    (tmp_path / "test_prices.py").write_text(source, encoding="utf-8")
    assert imports(tmp_path / "test_prices.py", "prices") is does


def test_a_function_that_nobody_has_imported_cannot_be_swapped(every: list[Mutant]):
    assert not swapped(next(each for each in every if each.function), {})


def test_the_recorder_tells_the_lines_of_its_files_alone(shop: Path):
    space: dict[str, Any] = {"__name__": "shop"}
    exec(compile(SOURCE, str(shop), "exec"), space)  # noqa: S102  the text above
    other: dict[str, Any] = {"__name__": "other"}
    exec(compile(SOURCE, str(shop.with_name("other.py")), "exec"), other)  # noqa: S102  the text above
    recorder = Recorder([shop])
    before = sys.gettrace()
    try:
        recorder.start()
        space["is_free"](1)
        other["is_free"](1)
    finally:
        recorder.stop()
        sys.settrace(before)
    assert recorder.lines >= {(str(shop), 27)}
    assert {file for file, _ in recorder.lines} == {str(shop)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_mutant_of_a_table_is_killed_by_a_test_that_only_reads_the_table():
    table, test = "protocol/wire/errors.py", "tests/unit/protocol/test_errors.py"
    command = [sys.executable, "benchmarks/mutation.py", table, "--seed", "3", "--count", "1", "--tests", test]
    root, limit = Path(__file__).parents[2], at_worst(60.0)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=limit)
    assert "1 of 1 killed" in done.stdout, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_each_task_ends_in_a_process_of_its_own():
    kept: list[int] = []

    def killed() -> int:
        kept.append(1)
        return KILLED

    def broken() -> int:
        raise KeyboardInterrupt

    tasks = [("a", lambda: SURVIVED), ("b", killed), ("c", broken)]
    assert dict(forked(tasks, jobs=2)) == {"a": SURVIVED, "b": KILLED, "c": 3}
    assert not kept
