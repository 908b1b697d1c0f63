"""Secrets overwritten in place, on each Python: in a process of the test's own, since whoever does it must end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_inspector_pythons import VERSIONS, interpreter
from tests.patience import patient

PROGRAM = Path(__file__).parent.parent / "debuggees" / "blanked.py"
FOLDER = Path(__file__).parents[2] / "dap_ai" / "debuggees"
SECRET = "xK9-zq73bRt"
NOT_IN_PLACE = ("by its key", "equal", "words", "kernel's block")


@pytest.fixture(scope="module", params=VERSIONS)
def left(request: pytest.FixtureRequest, python_versions: dict[str, Path]) -> dict[str, Any]:
    python = interpreter(request.param, python_versions)
    command = [python, "-B", str(PROGRAM), str(FOLDER), SECRET]
    environment = {**os.environ, "BLANKED_BY_PARENT": SECRET}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patient(60), check=False)
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


def test_the_kernel_s_copy_of_environment_and_arguments_is_overwritten(left: dict[str, Any]) -> None:
    assert "BLANKED_BY_PARENT=***********" in left["kernel's block"]
    assert SECRET not in left["kernel's block"]


def test_what_arrays_and_tables_hold_is_told_and_overwritten() -> None:
    program = PROGRAM.with_name("blanked_arrays.py")
    run = subprocess.run(
        [sys.executable, "-B", str(program), str(FOLDER)],
        capture_output=True,
        text=True,
        timeout=patient(60),
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found, hidden = json.loads(run.stdout), "*" * len(SECRET)
    assert found["told"] == ["api_keys", "locked_tokens", "password", "passwords", "raw_keys", "series_tokens"]
    assert found["left"] == [hidden, "other", *[hidden] * 6, "bob"]


def test_other_words_stay(left: dict[str, Any]) -> None:
    assert left["words"] == ["harmless", "key", "token"]
