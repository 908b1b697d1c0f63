"""Programs in which a value goes wrong far from the failure: the true cause is told with its datum, or "not known"."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.report.wording import CAUSE, GUESS, UNKNOWN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
CORPUS = Path(__file__).parents[1] / "corpus" / "born_far"
PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads(CORPUS.with_suffix(".toml").read_text(encoding="utf-8"))
NAMED = re.compile(r"`([\w.]+):(\d+)`")
FOLLOWED = ["best_month", "best_month_inline", "headers", "stock", "unit_prices", "worker_limits"]
"""Whose values are followed to where they were born: nan, a text that is cut, a key unlike the others, inf, None."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_told_as_the_cause_is_right_or_none_is_told(
    name: str, tmp_path: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    folder = shutil.copytree(CORPUS / name, tmp_path / name)
    done = run_dap_ai("ask", "--json", "--provider", "offline", "--then", "quit", "main.py", cwd=folder)
    ended = next(each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "askEnded")
    answer, known = ended["answer"], PROGRAMS[name]
    told = next((answer.partition(head)[2] for head in (CAUSE, GUESS) if head in answer), "")
    assert bool(told) != (UNKNOWN in answer)
    right = {(file, line) for file, line in known["lines"]}
    if told:
        place = NAMED.search(told)
        assert place and (place[1], int(place[2])) in right, answer
    for fix in ended["fixes"]:
        assert Path(fix["file"]).name in {file for file, _ in right}, answer
    if name in FOLLOWED:
        assert told, answer
        assert known["value"].strip("'") in answer.partition("**What happened.**")[0]
        assert known["datum"] in answer, answer
