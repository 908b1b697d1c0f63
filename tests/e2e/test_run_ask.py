"""`dap-ai ask --run`: a recorded run is asked about in a terminal, by the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import patient

SAMPLE = Path(__file__).parent.parent / "unit/debuggees/runs/samples/mini-swe-agent/v1.traj.json"


def ask(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}
    return subprocess.run(
        [sys.executable, "-m", "dap_ai", "ask", *arguments],
        cwd=cwd,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=patient(60.0),
    )


def test_it_says_where_the_run_went_wrong_and_cites_it(tmp_path: Path):
    done = ask("--run", str(SAMPLE), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrong at step 3" in done.stdout.splitlines()[0]
    assert "- step 3: `" in done.stdout
    assert "were not found again" not in done.stdout


def test_a_question_about_a_step_is_answered_with_it(tmp_path: Path):
    done = ask("--run", str(SAMPLE), "-q", "what did step 1 do?", cwd=tmp_path)
    assert done.stdout.startswith("Step 1 of ")
    assert "[it called bash]" in done.stdout


def test_a_program_reads_the_answer_as_json(tmp_path: Path):
    done = ask("--run", str(SAMPLE), "--json", cwd=tmp_path)
    (ended,) = [row for row in map(json.loads, done.stdout.splitlines()) if row["event"] == "askEnded"]
    assert "step 3" in ended["answer"]


@pytest.mark.parametrize(
    ("more", "words"), [(["x.py"], "do not name a PROGRAM"), (["--pid", "1"], "cannot be combined")], ids=str
)
def test_what_says_nothing_of_a_run_is_refused(tmp_path: Path, more: list[str], words: str):
    done = ask("--run", str(SAMPLE), *more, cwd=tmp_path)
    assert (done.returncode, words in done.stderr) == (2, True)


def test_what_no_reader_knows_is_refused_with_what_was_looked_for(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("no run")
    done = ask("--run", "notes.txt", cwd=tmp_path)
    assert (done.returncode, "--run" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


def test_of_a_run_that_records_success_no_onset_is_named(tmp_path: Path):
    solved = {
        "dap_ai_run": 1,
        "run": {"root": "", "format": "made", "outcome": {"verdict": "solved", "words": "reward 1"}},
    }
    events = [{"kind": "response", "index": 0, "ref": {}, "step": 1, "text": "done"}]
    solved["run"]["events"] = events
    (tmp_path / "run.json").write_text(json.dumps(solved))
    done = ask("--run", "run.json", cwd=tmp_path)
    assert done.stdout.startswith("Nothing is said of where it went wrong: the run records that it was solved"), done
