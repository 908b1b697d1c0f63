"""Where a run went wrong, against the labels of one careful reader, beside trivial rules.

    python benchmarks/onset.py TRAJECTORIES [--failed] [--faults] [--runs] [--json FILE]

TRAJECTORIES holds the runs and `labels.jsonl`. The rules of the onset were written with these runs in view: the table
says what the rules can do, not what they will do elsewhere. Leave one format out is the other bound: for each format
only those rules that also find an onset, within one step, in a labelled run of another format. With --faults a rule is
kept, too, that finds in another format a fault that a script has put there (runs_faults.py). With --failed the failing
runs are given as known to have failed. A trivial rule names a block of every run: its first step is its answer, its F1
that of the block.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from runs_faults import answers, bases, near

from dap_ai.debuggees.runs.analysis.analyse import analyse, story_of
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset.onset_search import RULES as RULES_OF_ONSET
from dap_ai.debuggees.runs.analysis.onset.onset_search import find_onset, name_of
from dap_ai.debuggees.runs.analysis.onset_model import Onset
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Run, steps_of


class Labelled(NamedTuple):
    """One run with its label, what is found in it, and the seconds that it took to read and to analyse it."""

    label: Mapping[str, Any]
    run: Run
    analysis: RunAnalysis
    seconds: float
    failed: bool
    """Given as known to have failed."""

    @property
    def onset(self) -> Onset | None:
        """What is said of it."""
        return self.analysis.finding.onset


def labelled(folder: Path, *, failed: bool) -> list[Labelled]:
    """The labelled runs. Raises SystemExit where the steps are not those that were labelled."""
    found: list[Labelled] = []
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        known = failed and label["onset"] is not None
        start = time.perf_counter()
        run = open_run(_root(folder / label["run"]))
        analysis = analyse(run, failed=known)
        seconds = time.perf_counter() - start
        if run.steps != label["steps"]:
            raise SystemExit(f"{label['run']}: has {run.steps} steps, not the {label['steps']} that were labelled")
        if analyse(run, failed=known) != analysis:
            raise SystemExit(f"{label['run']}: a second analysis says something else")
        found.append(Labelled(label, run, analysis, seconds, known))
    return found


def _root(path: Path) -> Path:
    """The folder of a trial of Terminal-Bench, which has the task, in the place of its cast."""
    return path.parents[1] if path.name == "agent.cast" else path


# -- trivial rules -------------------------------------------------------------------------------------------------


class Guess(NamedTuple):
    """An answer's candidates, likeliest first, and its block."""

    ranked: Sequence[int]
    block: frozenset[int]


def ours(one: Labelled) -> Guess | None:
    onset = one.onset
    if onset is None:
        return None
    ranked = [onset.step, *(alternative.step for alternative in onset.alternatives)]
    return Guess(ranked, frozenset(range(onset.first, onset.last + 1)))


def _block(steps: Sequence[int]) -> Guess | None:
    return Guess(steps[:3], frozenset(steps)) if steps else None


def _numbers(one: Labelled) -> list[int]:
    return [step.number for step in steps_of(one.run)]


def _errors(one: Labelled) -> list[int]:
    """Steps whose result is an error, or whose call was refused."""
    refused = {effect.step for effect in one.analysis.effects if effect.refused}
    bad = {s.number for s in steps_of(one.run) if s.result and (s.result.status == "error" or s.result.exit_code)}
    return sorted(refused | bad)


TRIVIAL: Mapping[str, Callable[[Labelled], Guess | None]] = {
    "first": lambda one: Guess(_numbers(one)[:3], frozenset(_numbers(one)[:1])),
    "last": lambda one: Guess(_numbers(one)[::-1][:3], frozenset(_numbers(one)[-1:])),
    "last quarter": lambda one: _block(_numbers(one)[-max(len(_numbers(one)) // 4, 1) :]),
    "all": lambda one: _block(_numbers(one)),
    "all errors": lambda one: _block(_errors(one)),
}


def elsewhere(
    runs: Sequence[Labelled], supported: Mapping[str, set[str]] | None = None
) -> Callable[[Labelled], Guess | None]:
    """Ours, with those rules only that are right in a run of another format.

    `supported`: the formats in which a rule finds what a script has put there.
    """
    right = {rule: set(formats) for rule, formats in (supported or {}).items()}
    for one in runs:
        if one.label["onset"] is not None and one.onset and abs(one.onset.step - one.label["onset"]) <= 1:
            right.setdefault(one.onset.rule, set()).add(one.label["format"])

    def answer(one: Labelled) -> Guess | None:
        kept = [rule for rule in RULES_OF_ONSET if right.get(name_of(rule), set()) - {one.label["format"]}]
        story = story_of(one.run)
        finding = find_onset(story, one.analysis.patterns, failed=one.failed, rules=kept)
        return ours(one._replace(analysis=msgspec.structs.replace(one.analysis, finding=finding)))

    return answer


def with_faults(folder: Path) -> dict[str, set[str]]:
    """For each rule the formats, named as the labels name them, in whose runs it finds a fault that a script made."""
    names = {base.run.format: label_of(folder, base.name) for base in bases(folder)}
    right: dict[str, set[str]] = {}
    for one in answers(folder, "2026-11-23", 1):
        if one.onset is not None and near(one):
            right.setdefault(one.onset.rule, set()).add(names[one.made.format])
    return right


def label_of(folder: Path, run: str) -> str:
    """The format of a labelled run, as its label calls it."""
    labels = map(json.loads, (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines())
    return next(label["format"] for label in labels if label["run"] == run)


# -- measuring -----------------------------------------------------------------------------------------------------


def measured(runs: Sequence[Labelled], rule: Callable[[Labelled], Guess | None]) -> dict[str, float]:
    """Sums over the runs with an onset: exact, within one step, among three, within one or defended, F1."""
    sums: dict[str, float] = dict.fromkeys(("runs", "said", "exact", "within_one", "top_3", "defended", "f1"), 0.0)
    for one in runs:
        want, guess = one.label["onset"], rule(one)
        sums["runs"] += 1
        if guess is None:
            continue
        top = guess.ranked[0]
        sums["said"] += 1
        sums["exact"] += top == want
        sums["within_one"] += abs(top - want) <= 1
        sums["top_3"] += want in guess.ranked[:3]
        sums["defended"] += abs(top - want) <= 1 or top in one.label["other_onsets"]
        sums["f1"] += f1(guess.block, frozenset(one.label["incorrect"]))
    return sums


def at_random(runs: Sequence[Labelled]) -> dict[str, float]:
    """What a step drawn evenly is expected to score."""
    sums: dict[str, float] = dict.fromkeys(("runs", "said", "exact", "within_one", "top_3", "defended", "f1"), 0.0)
    for one in runs:
        numbers, want, wrong = _numbers(one), one.label["onset"], frozenset(one.label["incorrect"])
        near = sum(abs(number - want) <= 1 for number in numbers)
        others = sum(n in one.label["other_onsets"] and abs(n - want) > 1 for n in numbers)
        sums["runs"] += 1
        sums["said"] += 1
        sums["exact"] += 1 / len(numbers)
        sums["within_one"] += near / len(numbers)
        sums["top_3"] += min(3, len(numbers)) / len(numbers)
        sums["defended"] += (near + others) / len(numbers)
        sums["f1"] += sum(f1(frozenset({number}), wrong) for number in numbers) / len(numbers)
    return sums


def f1(block: frozenset[int], wrong: frozenset[int]) -> float:
    """Of the block against the steps that are labelled wrong."""
    return 2 * len(block & wrong) / (len(block) + len(wrong)) if block or wrong else 1.0


def levels(runs: Sequence[Labelled]) -> dict[str, dict[str, float]]:
    """Of what is said, by its confidence: how often, how sure on average, and how often within one step."""
    found: dict[str, dict[str, float]] = {}
    for name, least, most in (("below 0.5", 0, 0.5), ("0.5 to 0.7", 0.5, 0.7), ("0.7 and more", 0.7, 2)):
        said = [(one, one.onset) for one in runs if one.onset and least <= one.onset.confidence < most]
        right = sum(one.label["onset"] is not None and abs(o.step - one.label["onset"]) <= 1 for one, o in said)
        mean = sum(o.confidence for _, o in said) / len(said) if said else 0
        found[name] = {"said": len(said), "mean": mean, "right": right}
    return found


def results(runs: Sequence[Labelled], supported: Mapping[str, set[str]] | None = None) -> dict[str, Any]:
    """All numbers. `supported`: see `elsewhere`."""
    failing = [one for one in runs if one.label["onset"] is not None]
    parts = {"all failing": failing}
    parts |= {f"self-evident: {how}": [one for one in failing if one.label["self_evident"] == how] for how in _HOW}
    left_out = {"ours, leave one format out": elsewhere(runs)}
    if supported is not None:
        left_out["the same, faults too"] = elsewhere(runs, supported)
    rules = {"ours": ours, **left_out, **TRIVIAL}
    tables = {
        name: {"random": at_random(part), **{rule: measured(part, answer) for rule, answer in rules.items()}}
        for name, part in parts.items()
    }
    formats = sorted({one.label["format"] for one in failing})
    quiet = [one for one in runs if one.label["onset"] is None]
    solved = [one for one in quiet if one.label["solved"]]
    return {
        "tables": tables,
        "formats": {f: measured([one for one in failing if one.label["format"] == f], ours) for f in formats},
        "solved": {"runs": len(solved), "quiet": sum(one.onset is None for one in solved)},
        "solved_without_record": {
            "runs": sum(one.run.outcome.verdict != "solved" for one in solved),
            "quiet": sum(one.onset is None and one.run.outcome.verdict != "solved" for one in solved),
        },
        "without_onset": {"runs": len(quiet), "quiet": sum(one.onset is None for one in quiet)},
        "confidence": levels(runs),
        "seconds": {"all": sum(one.seconds for one in runs), "longest": max(one.seconds for one in runs)},
    }


_HOW = ("yes", "partly", "no")

# -- showing -------------------------------------------------------------------------------------------------------


def show(result: Mapping[str, Any]) -> None:
    """A table a part."""
    for name, table in result["tables"].items():
        columns = ("said", "exact", "within_one", "defended", "top_3", "f1")
        print(f"{name} ({table['ours']['runs']:.0f} runs)".ljust(32) + "".join(f"{c:>12}" for c in columns))
        for rule, row in table.items():
            print(f"  {rule:30}" + "".join(f"{row[c]:12.2f}" for c in columns))
        print()
    for name, row in result["formats"].items():
        print(f"  {name:22}{row['within_one']:.0f} of {row['runs']:.0f} within one step, {row['exact']:.0f} exact")
    for name in ("solved", "solved_without_record", "without_onset"):
        print(f"quiet, {name.replace('_', ' ')}: {result[name]['quiet']} of {result[name]['runs']}")
    for name, row in result["confidence"].items():
        print(f"confidence {name}: {row['said']} said, mean {row['mean']:.2f}, {row['right']} within one step")
    print(f"{result['seconds']['all']:.2f} s for all, {result['seconds']['longest']:.2f} s for the longest; no tokens")


def show_runs(runs: Sequence[Labelled]) -> None:
    """Each run: label and answer."""
    for one in runs:
        onset = one.onset
        said = f"{onset.step} {onset.type} ({onset.confidence:.2f})" if onset else one.analysis.finding.why
        label = f"{one.label['onset']} {one.label['other_onsets']} {one.label['self_evident']}"
        print(f"{one.label['run'][:60]:60} labelled {label:30} said {said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", type=Path)
    parser.add_argument("--failed", action="store_true", help="the failing runs are known to have failed")
    parser.add_argument("--faults", action="store_true", help="faults that a script made speak for rules, too")
    parser.add_argument("--runs", action="store_true", help="label and answer of each run")
    parser.add_argument("--json", type=Path, help="write the numbers there")
    arguments = parser.parse_args()
    runs = labelled(arguments.trajectories, failed=arguments.failed)
    result = results(runs, with_faults(arguments.trajectories) if arguments.faults else None)
    show(result)
    if arguments.runs:
        show_runs(runs)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)))


if __name__ == "__main__":
    main()
