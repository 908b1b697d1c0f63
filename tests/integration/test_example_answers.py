"""The offline answer about each example, from the real command to the real debugpy."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import patient

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLES = Path(__file__).parents[2] / "examples"
DIAGNOSES: dict[str, dict[str, Any]] = tomllib.loads((EXAMPLES / "diagnoses.toml").read_text(encoding="utf-8"))
FIRST = 3


NOT_REPLAYED = {"tickets"}
"""It fails between threads, and a copy has one."""
NOT_SMALL = {"weather"}
"""No small change is the fix: the data has another form than the program thinks."""
AMBIGUOUS = {"invoices", "transfer"}
"""Different small changes let the whole program end well, and nothing else in it tells which one is meant."""


@pytest.fixture(scope="module")
def asked() -> Callable[..., dict[str, Any]]:
    """`asked("payroll")`: how the ask about that example ended; each is asked about once in each Python."""

    @functools.cache
    def ask(name: str, python: str, *options: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "dap_ai", "ask", "--json", "--provider", "offline", "--python", python]
        done = subprocess.run(
            [*command, *options, EXAMPLES / f"{name}.py"], stdin=subprocess.DEVNULL, capture_output=True, timeout=patient(60),
            check=False,
        )  # fmt: skip
        return next(event for event in map(json.loads, done.stdout.splitlines()) if event["event"] == "askEnded")

    return lambda name, python=sys.executable, *options: ask(name, str(python), *options)


@pytest.mark.parametrize("name", DIAGNOSES)
def test_an_answer_names_the_faulty_line_and_the_value_that_proves_it(
    name: str, asked: Callable[[str], dict[str, Any]]
):
    ended = asked(name)
    suspects = [suspect["line"] for suspect in ended["suspects"] if Path(suspect["file"]).name == f"{name}.py"]
    assert set(DIAGNOSES[name]["lines"]).intersection(suspects[:FIRST]), ended["answer"]
    assert DIAGNOSES[name]["value"].strip("[]'") in ended["answer"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
@pytest.mark.parametrize("name", sorted(set(DIAGNOSES) - NOT_REPLAYED - NOT_SMALL - AMBIGUOUS))
def test_the_proposed_fix_is_verified_and_changes_a_faulty_line(name: str, asked: Callable[..., dict[str, Any]]):
    """Asks again with `--thorough` if the usual second was too short to find a fix: this machine may be busy."""
    ended = asked(name)
    if not ended["fixes"]:
        ended = asked(name, sys.executable, "--thorough")
    assert ended["fixes"] and ended["fixes"][0]["verified"], ended["answer"]
    assert "Verified in a snapshot" in ended["answer"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
@pytest.mark.parametrize("name", sorted(AMBIGUOUS))
def test_a_fix_for_which_nothing_but_the_failing_check_speaks_is_not_shown(
    name: str, asked: Callable[[str], dict[str, Any]]
):
    ended = asked(name)
    assert not ended["fixes"]
    assert "```diff" not in ended["answer"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
def test_the_answer_is_the_same_whatever_python_the_program_runs(
    differing_python: Path, asked: Callable[..., dict[str, Any]]
):
    def text(ended: dict[str, Any]) -> str:
        counts = r"\d+ (small fixes were tried.*?); \d+ (passed)"  # as many as there was time for
        return re.sub(counts, r"n \1; n \2", ended["answer"])

    assert text(asked("moving_average", differing_python)) == text(asked("moving_average"))
