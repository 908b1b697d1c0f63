"""Where a run went wrong, in runs into which a script has put a fault whose step is therefore known.

    python benchmarks/runs_faults.py TRAJECTORIES [--seed N] [--copies 3] [--runs] [--json FILE]

TRAJECTORIES holds recorded runs and `labels.jsonl`. Each run that went well, and each failing one up to its labelled
onset, is cut at a drawn step; a fault follows in the words of that format's
tools, or its twin, which looks alike and goes well. No verdict is recorded. Faults and rules have one author: a kind
that is found says that the rule works in that format, not how often agents do such things.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
from _fault_kinds import FAULTS, Fault
from _fault_kit import DIALECTS, Did, Kit, going_on, patch_of

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset_model import Onset
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Outcome, Run

_FILES = ["src/core.py", "src/load.py", "lib/reader.py", "src/records.py"]


class Made(NamedTuple):
    """A run with a fault, or its twin without one (`onset` None)."""

    kind: str
    format: str
    base: str
    run: Run
    onset: int | None
    wrong: frozenset[int]


class Base(NamedTuple):
    """A recorded run, and how many of its steps are fine."""

    name: str
    run: Run
    fine: int
    analysis: RunAnalysis

    @property
    def fresh(self) -> int:
        """The steps before the first that changes anything."""
        changing = (e.step for e in self.analysis.effects if e.kind in {"change", "install"} or e.noop)
        return min(next(changing, self.fine + 1) - 1, self.fine)

    def edited(self, steps: int) -> list[str]:
        """The files of the work that were changed up to a step."""
        done = (e for e in self.analysis.effects if e.step <= steps and not e.refused and not e.noop)
        writes = (write for effect in done for write in effect.writes if write.role == "work" and write.how != "log")
        return list(dict.fromkeys(write.path for write in writes))


class Answer(NamedTuple):
    """What is said of it, and the seconds that took."""

    made: Made
    onset: Onset | None
    seconds: float


def bases(folder: Path) -> Iterator[Base]:
    """Recorded runs, and how many of their steps are fine."""
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        place = folder / label["run"]
        run = open_run(place.parents[1] if place.name == "agent.cast" else place)
        if run.format not in DIALECTS or run.steps < 3:
            continue
        fine = (label["onset"] or run.steps) - 1
        analysis = analyse(run)
        if fine >= 1:
            yield Base(label["run"], run, fine, analysis)


def made(base: Base, fault: tuple[str, Fault], seed: str, *, bad: bool) -> Made:
    """The run up to a drawn step, and then the fault or its twin. The same for the same seed."""
    name, run = base.name, base.run
    random = Random(f"{seed} {name} {fault[0]}")  # noqa: S311  no secret
    kept = random.randint(1, max(base.fresh if fault[1].fresh else base.fine, 1))
    kit = _kit(random, run, patch_of(base.edited(kept)))
    added: Sequence[Did] = fault[1].kind(kit, bad)
    task = f"{run.task}\nWrite the result to {kit.result} (a program: {kit.result.replace('.txt', '.py')})."
    outcome = Outcome("limit", "exit_cost") if fault[1].outcome and bad else Outcome()
    whole = going_on(run, kept, added, task=task, outcome=outcome, ends=fault[1].ends and bad)
    marks = {number: did.mark for number, did in enumerate(added, kept + 1) if did.mark}
    onset = next((number for number, mark in marks.items() if mark == "onset"), None)
    return Made(fault[0], run.format, name, whole, onset, frozenset(marks))


def _kit(random: Random, run: Run, before: str) -> Kit:
    root = run.workspace.rstrip("/") or "/app"
    work, other = (f"{root}/{each}" for each in random.sample(_FILES, 2))
    result = f"{root}/{random.choice(['answer', 'result', 'report'])}_{random.randrange(9)}.txt"
    return Kit(random, DIALECTS[run.format], root, work, other, f"{root}/tests/test_core.py", result, before)


def answers(folder: Path, seed: str, copies: int, *, failed: bool = False) -> list[Answer]:
    """Every base with every fault and its twin. Raises SystemExit where a second analysis says something else."""
    found: list[Answer] = []
    for base in bases(folder):
        for fault in FAULTS.items():
            for copy in range(copies):
                for bad in (True, False):
                    one = made(base, fault, f"{seed} {copy}", bad=bad)
                    start = time.perf_counter()
                    onset = analyse(one.run, failed=failed and bad).finding.onset
                    seconds = time.perf_counter() - start
                    if analyse(one.run, failed=failed and bad).finding.onset != onset:
                        raise SystemExit(f"{base.name}, {fault[0]}: a second analysis says something else")
                    found.append(Answer(one, onset, seconds))
    return found


# -- measuring -----------------------------------------------------------------------------------------------------


def row(answered: Sequence[Answer]) -> dict[str, float]:
    """Of faults: said, exact, within one step, F1 of the block; of twins: quiet."""
    bad = [one for one in answered if one.made.onset is not None]
    twins = [one for one in answered if one.made.onset is None]
    said = [one for one in bad if one.onset is not None]
    return {
        "faults": len(bad),
        "said": len(said),
        "exact": sum(one.onset is not None and one.onset.step == one.made.onset for one in said),
        "within_one": sum(near(one) for one in bad),
        "f1": sum(_f1(one) for one in said),
        "twins": len(twins),
        "quiet": sum(one.onset is None for one in twins),
    }


def near(one: Answer) -> bool:
    """Whether the step that is said is at most one away."""
    return one.onset is not None and one.made.onset is not None and abs(one.onset.step - one.made.onset) <= 1


def _f1(one: Answer) -> float:
    if one.onset is None:
        return 0.0
    block = frozenset(range(one.onset.first, one.onset.last + 1))
    return 2 * len(block & one.made.wrong) / (len(block) + len(one.made.wrong))


def results(answered: Sequence[Answer]) -> dict[str, Any]:
    """By kind, by format, by rule, by confidence, and all."""
    by_kind = {kind: row([one for one in answered if one.made.kind == kind]) for kind in FAULTS}
    formats = sorted({one.made.format for one in answered})
    by_format = {name: row([one for one in answered if one.made.format == name]) for name in formats}
    said = [one for one in answered if one.onset is not None]
    rules = sorted({one.onset.rule for one in said if one.onset})
    by_rule = {rule: _right([one for one in said if one.onset and one.onset.rule == rule]) for rule in rules}
    levels = sorted({one.onset.confidence for one in said if one.onset})
    by_level = {
        f"{level:.2f}": _right([one for one in said if one.onset and one.onset.confidence == level]) for level in levels
    }
    return {
        "kinds": by_kind,
        "formats": by_format,
        "rules": by_rule,
        "confidence": by_level,
        "all": row(answered),
        "longest_s": max(one.seconds for one in answered),
    }


def _right(said: Sequence[Answer]) -> dict[str, float]:
    """Of what is said, of faults and twins: how many are right."""
    right = sum(near(one) for one in said)
    return {"said": len(said), "right": right, "share": round(right / len(said), 3)}


# -- showing -------------------------------------------------------------------------------------------------------


def show(result: Mapping[str, Any]) -> None:
    """Tables."""
    for part in ("kinds", "formats"):
        print(f"{part:28}{'faults':>8}{'said':>8}{'exact':>8}{'near':>8}{'F1':>8}{'twins':>8}{'quiet':>8}")
        for name, one in [*result[part].items(), ("all", result["all"])]:
            share = one["f1"] / one["faults"] if one["faults"] else 0
            print(
                f"  {name:26}{one['faults']:8}{one['said']:8}{one['exact']:8}{one['within_one']:8}{share:8.2f}"
                f"{one['twins']:8}{one['quiet']:8}"
            )
        print()
    for part in ("rules", "confidence"):
        print(f"{part:28}{'said':>8}{'right':>8}{'share':>8}")
        for name, one in result[part].items():
            print(f"  {name:26}{one['said']:8}{one['right']:8}{one['share']:8.2f}")
        print()
    print(f"{result['longest_s']:.2f} s for the longest")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", type=Path)
    parser.add_argument("--seed", default="2026-11-23", help="draws steps, wordings and files")
    parser.add_argument("--copies", type=int, default=3, help="runs of each kind from each base")
    parser.add_argument("--failed", action="store_true", help="the runs with a fault are known to have failed")
    parser.add_argument("--runs", action="store_true", help="each that is not found, and each twin that is not quiet")
    parser.add_argument("--json", type=Path, help="write the numbers there")
    arguments = parser.parse_args()
    answered = answers(arguments.trajectories, arguments.seed, arguments.copies, failed=arguments.failed)
    result = results(answered)
    show(result)
    for one in answered if arguments.runs else ():
        if (one.made.onset is None) == (one.onset is not None) or (one.made.onset and not near(one)):
            said = f"{one.onset.step} {one.onset.rule}: {one.onset.text}" if one.onset else "nothing"
            print(f"{one.made.kind}, {one.made.base[:50]}, at {one.made.onset}: said {said}")
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)))


if __name__ == "__main__":
    main()
