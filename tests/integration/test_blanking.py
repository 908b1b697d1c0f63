"""Secrets overwritten in place, on each Python: in a process of the test's own, since whoever does it must end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_walker_pythons import VERSIONS, interpreter

PROGRAM = Path(__file__).parent.parent / "debuggees" / "blanked.py"
FOLDER = Path(__file__).parents[2] / "dap_ai" / "backends" / "debugpy"
NOT_IN_PLACE = ("by its key", "equal", "words")


@pytest.fixture(scope="module", params=VERSIONS)
def left(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> dict[str, Any]:
    python = interpreter(request.param, python_versions)
    run = subprocess.run(
        [python, "-B", str(PROGRAM), str(FOLDER)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_every_kind_of_string_is_overwritten(left: dict[str, Any]) -> None:
    texts = {key: text for key, text in left.items() if key not in NOT_IN_PLACE}

    assert {key: text for key, text in texts.items() if "***" not in text or any(c.isdigit() for c in text)} == {}


def test_lengths_and_what_stands_around_stay(left: dict[str, Any]) -> None:
    assert left["plain"] == "*" * 11
    assert left["url"] == "postgres://bob:***********@db/x"
    assert left["nested"] == "***********/x"
    assert left["buffer"] == "<*************>"


def test_equal_secrets_stay_equal_and_find_what_they_are_a_key_of(left: dict[str, Any]) -> None:
    assert left["equal"] and left["by its key"] == [1, 1]


def test_other_words_stay(left: dict[str, Any]) -> None:
    assert left["words"] == ["harmless", "key", "token"]
