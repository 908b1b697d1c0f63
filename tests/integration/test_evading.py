"""A change with which what failed is only not done any more leads nobody, in snapshots of the real debuggee."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
SALES = """\
ROWS = [{"kind": "sale", "amount": "1.5"}, {"kind": "sale", "amount": ""}, {"kind": "sale", "amount": "4"}]


def total(rows, kind):
    return sum(float(row["amount"]) for row in rows if row["kind"] == kind)


print(total(ROWS[:1], "sale"))
print(total(ROWS, "sale"))
"""


def test_a_filter_that_lets_nothing_through_to_the_conversion_that_failed_is_not_recommended(
    tmp_path: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    program = tmp_path / "sales.py"
    program.write_text(SALES)
    done = run_dap_ai("ask", "--json", "--then", "quit", str(program), cwd=tmp_path)
    ended = next(each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "askEnded")
    assert ended["fixes"] == [], ended["answer"]
    assert "`float(row['amount'])`, which failed, does not run any more" in ended["answer"]
    assert (ended["suspects"][0]["line"], "passes with" in ended["suspects"][0]["reason"]) == (5, False)
