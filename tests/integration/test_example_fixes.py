"""Right and wrong fixes of examples, tried in snapshots of the real debuggee."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.integration.test_example_answers import EXAMPLES
from tests.integration.trying import change, tried

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]


class Known(NamedTuple):
    """A line, what is right there, and what is not."""

    line: str
    right: str
    wrong: str


KNOWN = {
    "weather": Known(
        'speeds[day["date"]]',
        'speeds[day["date"]] = day["wind"].get("speed", day["wind"].get("speed_max"))',
        'speeds[day["date"]] = day["wind"]["velocity"]',
    ),
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


@pytest.mark.parametrize("name", KNOWN)
async def test_a_right_fix_is_verified_and_a_wrong_one_is_not(name: str):
    program, known = EXAMPLES / f"{name}.py", KNOWN[name]
    fixes = [change(program, known.line, text) for text in (known.right, known.wrong)]
    results = await tried(program, *fixes)
    assert [result.data["outcome"] for result in results] == ["verified", "not verified"], [r.text for r in results]


async def test_what_fails_between_threads_is_not_said_to_be_verified():
    program = EXAMPLES / "tickets.py"
    [result] = await tried(program, change(program, "self.sold = sold + count", "self.sold += count"))
    assert result.data["outcome"] != "verified", result.text
