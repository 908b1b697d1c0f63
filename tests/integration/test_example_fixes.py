"""The fix that the offline answer proposes for each example, tried in snapshots of the real debuggee."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.integration.test_example_answers import DIAGNOSES, EXAMPLES
from tests.integration.trying import change, tried

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")


class Known(NamedTuple):
    """A line, what is right there, and what is not."""

    line: str
    right: str
    wrong: str


NOT_REPLAYED = {"tickets"}
"""It fails between threads, and a copy has one."""
NOT_SMALL = {
    "weather": Known(
        'speeds[day["date"]]',
        'speeds[day["date"]] = day["wind"].get("speed", day["wind"].get("speed_max"))',
        'speeds[day["date"]] = day["wind"]["velocity"]',
    ),
}
"""No small change is the fix: the data has another form than the program thinks."""
KNOWN = NOT_SMALL | {
    "discounts": Known(
        "rules[kind] =",
        "rules[kind] = lambda price, rate=rate: round(price * (1 - rate), 2)",
        "rules[kind] = lambda price: round(price * rate, 2)",
    ),
    "payroll": Known(
        'row["hours"] = int',
        'row["hours"] = int(row["hours"])\nrow["overtime"] = int(row["overtime"])',
        'row["hours"] = float(row["hours"])',
    ),
    "resampling": Known(
        "estimates.append", "estimates.append(statistic(resample))", "estimates.append(statistic(values) + 1)"
    ),
    "seating": Known(
        "return [[None]",
        "return [[None] * chairs for _ in range(tables)]",
        "return [[None] * tables] * chairs",
    ),
}


@pytest.mark.parametrize("name", sorted(set(DIAGNOSES) - NOT_REPLAYED - set(NOT_SMALL)))
def test_the_proposed_fix_is_verified_and_changes_a_faulty_line(
    name: str, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    program = EXAMPLES / f"{name}.py"
    done = run_dap_ai("ask", "--json", "--provider", "offline", "--python", sys.executable, program)
    ended = next(event for event in map(json.loads, done.stdout.splitlines()) if event["event"] == "askEnded")
    fixes = ended["fixes"]
    assert fixes and fixes[0]["verified"], ended["answer"]
    assert "Verified in a snapshot" in ended["answer"]


@pytest.mark.anyio
@pytest.mark.parametrize("name", KNOWN)
async def test_a_right_fix_is_verified_and_a_wrong_one_is_not(name: str):
    program, known = EXAMPLES / f"{name}.py", KNOWN[name]
    fixes = [change(program, known.line, text) for text in (known.right, known.wrong)]
    results = await tried(program, *fixes)
    assert [result.data["outcome"] for result in results] == ["verified", "not verified"], [r.text for r in results]


@pytest.mark.anyio
async def test_what_fails_between_threads_is_not_said_to_be_verified():
    program = EXAMPLES / "tickets.py"
    [result] = await tried(program, change(program, "self.sold = sold + count", "self.sold += count"))
    assert result.data["outcome"] != "verified", result.text
