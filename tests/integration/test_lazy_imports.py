"""A question about a program with lazy imports (Python 3.15) loads none of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import at_worst

PROGRAM = """\
import sys
lazy import wave
lazy from colorsys import rgb_to_hsv


def total(n):
    return n + 1


total(1)
print("loaded:", sorted({"wave", "colorsys"} & set(sys.modules)))
"""
QUESTIONS = ("wave", "rgb_to_hsv", "wave.open", "why is n 1?")


@pytest.fixture
def python(python_versions: dict[str, Path]) -> Path:
    if "3.15" not in python_versions:
        pytest.skip("no Python 3.15 here")
    return python_versions["3.15"]


def test_a_lazy_import_that_is_looked_at_stays_lazy(python: Path, tmp_path: Path):
    program = tmp_path / "shop.py"
    program.write_text(PROGRAM, encoding="utf-8")
    ask = [sys.executable, "-m", "dap_ai", "ask", "--chat", "--json", "--level", "observe", "--python", python]
    done = subprocess.run(
        [*ask, "-b", f"{program}:7", program],
        input="\n".join(QUESTIONS) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")},
        timeout=at_worst(60),
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    answers = [event["answer"] for event in events if event["event"] == "askEnded"]
    assert len(answers) == 1 + len(QUESTIONS), done.stderr
    assert all("lazy_import" in answer for answer in answers[1:3])
    assert "loaded: []" in "".join(event["output"] for event in events if event["event"] == "output")
