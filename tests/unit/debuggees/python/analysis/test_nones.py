"""A None on the failing line: which expression it is, and what is not to blame for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.failure.failures import diagnose
from dap_ai.debuggees.python.analysis.ranking.confirm_dynamically import confirm_dynamically
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from tests.unit.agent.harness import case_of, fail
from tests.unit.agent.witnesses import run_again

STOCK = """
class Stock:
    def report(self):
        return {"lamp": (3, 1), "desk": (2, None)}

    def total(self):
        return sum(taken for _, taken in self.report().values())

Stock().total()
"""
SALES = """
from datetime import date
sales = [{"day": date(2024, 3, 1)}, {"day": None}]
print(sorted(sales, key=lambda sale: sale["day"]))
"""


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (STOCK, "`taken`, which `sum` adds up, is `None` for one of `self.report().values()`."),
        (SALES, "`sale['day']`, which `sorted` compares, is `None` for one of `sales`."),
        ("numbers = [3, None]\nmax(numbers)\n", "`numbers` holds a `None`: `numbers[1]`."),
        (
            "def read():\n    return [3, None]\nmax(read())\n",
            "An item, which `max` compares, is `None` for one of `read()`.",
        ),
        ("def find():\n    pass\nfind().name\n", "`find()` returned `None`."),
    ],
)
def test_the_none_is_named_and_not_the_call_that_gave_what_holds_it(tmp_path: Path, program: str, told: str):
    program_file = tmp_path / "program.py"
    program_file.write_text(program)
    found = diagnose(case_of(fail(program_file)))
    assert found is not None
    assert found.sentences == [told]


DATES = """
def day(text):
    if text.isdigit():
        return int(text)
    return None

print(sorted([day(text) for text in ("3", "x", "1")]))
"""


def test_a_return_of_none_that_the_run_again_shows_is_the_first_suspect(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(DATES)
    analysis = analyse(case_of(fail(program)))
    assert analysis is not None
    confirm_dynamically(analysis, Trials([run_again(analysis.case)]))
    analysis.order()
    assert (analysis.suspects[0].line, analysis.suspects[0].reason) == (
        5,
        "`day(text='x')` returned `None` in the run again",
    )
