"""The offline answer about each example, from the real command to the real debugpy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLES = Path(__file__).parents[2] / "examples"
DIAGNOSES: dict[str, dict[str, Any]] = tomllib.loads((EXAMPLES / "diagnoses.toml").read_text(encoding="utf-8"))
FIRST = 3


@pytest.mark.parametrize("name", DIAGNOSES)
def test_an_answer_names_the_faulty_line_and_the_value_that_proves_it(
    name: str, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    program = EXAMPLES / f"{name}.py"
    done = run_dap_ai("ask", "--json", "--provider", "offline", "--python", sys.executable, program)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    ended = next(event for event in events if event["event"] == "askEnded")

    suspects = [suspect["line"] for suspect in ended["suspects"] if Path(suspect["file"]).name == program.name]
    assert set(DIAGNOSES[name]["lines"]).intersection(suspects[:FIRST]), ended["answer"]
    assert DIAGNOSES[name]["value"].strip("[]'") in ended["answer"]
