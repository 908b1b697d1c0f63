"""Fits the weights by which tests rank lines (`analysis/contrast/spectrum.py`) to failing tests of published projects.

    python benchmarks/weights.py SEED [--count N] [--only PROJECT]... [--keep DIR]

The failing tests are those of failing_tests.py. What is known of each line of one (in which tests it runs, how late,
what rules say of it) is noted once; then the weights are changed one at a time, as long as that puts right lines
further up: the mean of 1 / rank. Beside the weights as they are and as they fit best stands what they would be worth
elsewhere: fitted to the other projects, for each project.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _project_mutants
from _dap import machine, show
from _projects import CACHE, PROJECTS, ended, say
from _truth import TOPS, within
from failing_tests import MOST_FAILING, TIMEOUT_S, Found, turns

from dap_ai.debuggees.python.analysis.contrast.spectrum import WEIGHTS, Features

STEPS = (0.5, 0.8, 1.25, 2.0)
"""A weight is tried at these multiples of what it is."""
SPECTRA = Path(__file__).with_name("_spectra.py")
Weights = Mapping[str, float]


@dataclass(frozen=True)
class Line(Features):
    """A statement that ran in a failing test."""

    is_right: bool


@dataclass(frozen=True)
class Case:
    """A failing test of which a right line ran."""

    project: str
    lines: list[Line]

    def rank(self, weights: Weights) -> int:
        """Of the first right line, 1-based; lines alike count against it."""
        best = max(each.score(weights) for each in self.lines if each.is_right)
        return sum(each.score(weights) >= best for each in self.lines if not each.is_right) + 1


def cases(faults: Found, count: int) -> Iterator[Case]:
    """Of those that can be had, so many at most."""
    for fault, suite in faults:
        with tempfile.TemporaryDirectory() as name:
            notes = Path(name) / "spectra"
            options = ["ask", "--json", "--provider", "offline", "--exception", "userUnhandled", "--then", "quit"]
            program = ["--python", str(suite.sides.plain), "-m", "pytest", *suite.arguments(fault.test)]
            command = [sys.executable, str(SPECTRA), str(notes), *options, *program]
            ended(command, fault.folder, suite.env(fault.folder), TIMEOUT_S)
            rows: list[list[Any]] = json.loads(notes.read_text(encoding="utf-8")) if notes.is_file() else []
        lines = [Line(*row[2:7], is_right=fault.is_line(within(fault.folder, row[0], row[1]))) for row in rows]
        if any(each.is_right for each in lines):
            yield Case(fault.name.rpartition("-")[0], lines)
            count -= 1
        else:
            say(f"{fault.name}: left out, tests tell nothing of its line")
        if not count:
            return


def worth(found: Sequence[Case], weights: Weights) -> float:
    """The mean of 1 / rank."""
    return sum(1 / each.rank(weights) for each in found) / len(found)


def fitted(found: Sequence[Case]) -> dict[str, float]:
    """The weights that no change of a single one makes better."""
    weights, best = dict(WEIGHTS), worth(found, WEIGHTS)
    while True:
        tried = [weights | {name: value * step} for name, value in weights.items() for step in STEPS]
        better = max(tried, key=lambda each: worth(found, each))
        if worth(found, better) <= best + 1e-9:
            return {name: round(value, 3) for name, value in weights.items()}
        weights, best = better, worth(found, better)


def elsewhere(found: Sequence[Case]) -> list[int]:
    """Ranks with the weights fitted to the other projects."""
    ranks: list[int] = []
    for project in dict.fromkeys(each.project for each in found):
        weights = fitted([each for each in found if each.project != project])
        ranks += [each.rank(weights) for each in found if each.project == project]
    return ranks


def row(name: str, ranks: Sequence[int]) -> list[str]:
    """Of the table."""
    tops = [f"{sum(each <= top for each in ranks)}/{len(ranks)}" for top in TOPS]
    return [name, *tops, f"{sum(1 / each for each in ranks) / len(ranks):.3f}"]


def main() -> None:
    """Notes, fits, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=40, help="failing tests in all (default: 40)")
    parser.add_argument("--only", action="append", help="these projects, by name; repeatable")
    parser.add_argument("--keep", type=Path, default=CACHE, help=f"the cache (default: {CACHE})")
    options = parser.parse_args()
    chosen = [each for each in PROJECTS if not options.only or each.name in options.only]
    cache = options.keep.resolve()
    sources = [_project_mutants.faults(each, cache, options.seed, MOST_FAILING) for each in chosen]
    found = list(cases(turns(sources, lambda why: say(f"LEFT OUT: {why}")), options.count))
    if len({each.project for each in found}) < 2:
        sys.exit("failing tests of two projects at least are needed")
    best = fitted(found)
    rows = [
        row("as they are", [each.rank(WEIGHTS) for each in found]),
        row("fitted", [each.rank(best) for each in found]),
        row("fitted to the other projects", elsewhere(found)),
    ]
    show(
        f"{len(found)} failing tests", ["weights", *(f"line in the first {top}" for top in TOPS), "mean 1 / rank"], rows
    )
    show("weights", ["", *WEIGHTS], [["as they are", *WEIGHTS.values()], ["fitted", *best.values()]])
    print(f"\n{machine()}, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
