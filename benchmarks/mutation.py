"""Mutation score of a pure room: how many small mistakes in it the room's own unit tests notice.

    python benchmarks/mutation.py ROOM [--seed SEED] [--count N] [--jobs J] [--tests PATH...] [--json FILE]

ROOM is a folder of dap_ai: `debuggees/runs/analysis`, `adapter/session`. A mutant is the room with one place changed: a
comparison, an operator, `and`/`or`, a `not`, a number, True/False, a branch's condition, a returned value, a slice's
bounds, an argument's place, or a statement removed. SEED and N draw the same ones as long as the source is the same.
Each is tried in memory (the checkout stays as it is) with the unit tests that run its line, to the first that fails: it
is killed. One that takes 5 s and 20 times as long as without it is killed, too. The tests are those of the folder in
tests/unit that mirrors the room, or of the nearest above it. Printed are killed and all mutants of each file, then each
survivor with the number of tests that run its line, then the score. Not mutated are docstrings, annotations,
decorators, logging, `__slots__` and f-strings. Needs Linux.

A survivor says that a test is missing, that the code isn't needed, or that the mutant means the same as the original
(`<` for `<=` where both sides are never equal): then leave it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from _dap import ROOT
from _mutant_runs import Recorder, Runs
from _mutants import Mutant, drawn, own_tests


def main() -> None:
    """Prints the score of a room."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", help="a folder or a file of dap_ai")
    parser.add_argument("--seed", default="1", help="which mutants are drawn (default: 1)")
    parser.add_argument("--count", type=int, default=80, help="how many, 0: one of each line (default: 80)")
    parser.add_argument("--jobs", type=int, default=1, help="forks at once (default: 1)")
    parser.add_argument("--tests", nargs="+", help="other tests than the room's own")
    parser.add_argument("--json", type=Path, help="write the result to this file, too")
    options = parser.parse_args()
    room = (ROOT / "dap_ai" / options.room.removeprefix("dap_ai/")).resolve()
    if not room.exists():
        parser.error(f"there is no dap_ai/{options.room}. Name a folder of dap_ai, as in 'debuggees/runs/analysis'.")
    files = sorted(room.rglob("*.py")) if room.is_dir() else [room]
    tests = options.tests or [str(own_tests(ROOT, room).relative_to(ROOT))]
    found = drawn(files, options.seed, options.count)
    runs = tried(files, found, tests, options.jobs)
    print(report(room, found, runs))
    where = f"seed {options.seed}, {runs.tests} tests of {' '.join(tests)}"
    print(f"dap_ai/{room.relative_to(ROOT / 'dap_ai')}: {score(runs)}, {where}")
    if options.json:
        options.json.write_text(json.dumps([row(runs, number) for number in runs.killed], indent=1), encoding="utf-8")


def row(runs: Runs, number: int) -> dict[str, Any]:
    """A mutant and what became of it."""
    mutant = runs.mutants[number]
    told = {name: getattr(mutant, name) for name in ("line", "kind", "before", "after")}
    tests = {"tests": runs.reached[number], "killed": runs.killed[number]}
    return {"file": str(mutant.file.relative_to(ROOT)), **told, **tests}


def tried(files: Sequence[Path], found: Sequence[Mutant], tests: Sequence[str], jobs: int) -> Runs:
    """Runs the tests on the original and on each mutant; exits if a test fails on the original."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    screen = os.fdopen(os.dup(2), "w")  # pytest captures the other

    def progress(text: str) -> None:
        screen.write(f"\r\x1b[K{text}" if screen.isatty() else f"{text}\n")
        screen.flush()

    with tempfile.TemporaryDirectory(prefix="mutation-", ignore_cleanup_errors=True) as folder:
        os.environ["DAP_AI_TRAJECTORIES"] = folder  # so that the score is the same where there are real runs
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{folder}/hypothesis"
        arguments = ["-q", "-x", "-p", "no:cacheprovider", "--timeout=0", "--hypothesis-seed=0"]
        recorder = Recorder(files)
        runs = Runs(files, "dap_ai", found, Path(folder), jobs, progress, recorder, arguments)
        recorder.start()
        status = pytest.main([*arguments, f"--basetemp={folder}/tests", *tests], [runs])
        progress("")
        if status != pytest.ExitCode.OK:
            sys.exit(f"the tests end with {status!r} without a mutant")
    return runs


def report(room: Path, found: Sequence[Mutant], runs: Runs) -> str:
    """Killed and all mutants of each file, then the survivors."""
    base = room if room.is_dir() else room.parent
    lines: list[str] = []
    for file in sorted({mutant.file for mutant in found}):
        here = [number for number, mutant in enumerate(found) if mutant.file == file]
        lines.append(f"{sum(runs.killed[number] for number in here):4}/{len(here):<4} {file.relative_to(base)}")
    lines.append("")
    for number, mutant in sorted(enumerate(found), key=lambda each: (each[1].file, each[1].line)):
        if not runs.killed[number]:
            tests = "no test runs it" if not runs.reached[number] else f"{runs.reached[number]} tests"
            change = f"{mutant.before}  ->  {mutant.after}" if mutant.after else f"removed: {mutant.before}"
            lines.append(f"{mutant.file.relative_to(ROOT)}:{mutant.line}: {mutant.kind} ({tests})\n    {change}")
    return "\n".join(lines)


def score(runs: Runs) -> str:
    """Formats a score: "30 of 40 killed (75 %)"."""
    killed, total = sum(runs.killed.values()), len(runs.killed)
    return f"{killed} of {total} killed ({100 * killed / max(total, 1):.0f} %)"


if __name__ == "__main__":
    main()
