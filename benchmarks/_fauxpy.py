"""The ranking of FauxPy (PyPI: fauxpy) for one failing test, by its quick families: spectrum and stack trace.

Elements of one score are a tie, and stand at the place where a reader who takes them in any order is expected to meet
the first right one. A function stands where its best statement stands.
"""

from __future__ import annotations

import csv
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from _projects import Suite
from _truth import Fault, Place, function, within

FAMILIES = {"sbfl": ("Tarantula", "Ochiai", "Dstar"), "st": ("ST",)}
TIMEOUT_S = 120
Scored = list[tuple[float, list[Place]]]
"""A score, and the places of the element that has it, the highest first."""


@dataclass
class Ranking:
    """Where a technique has the mistake; 0: nowhere."""

    technique: str
    line: float = 0.0
    function: float = 0.0
    seconds: float = 0.0
    elements: int = 0


@dataclass
class _Report:
    seconds: float
    scores: dict[str, Scored] = field(default_factory=dict[str, Scored])


def rankings(fault: Fault, suite: Suite, folder: Path) -> list[Ranking]:
    """What each technique makes of a failing test: spectra of its whole file, the trace of the test alone."""
    found: list[Ranking] = []
    for family, techniques in FAMILIES.items():
        report = _run(fault, suite, folder, family)
        for name in techniques:
            scored = report.scores.get(name, [])
            functions = _by_function(scored, fault)
            line, function = expected_rank(scored, fault.is_line), expected_rank(functions, fault.is_function)
            found.append(Ranking(name, line, function, report.seconds, len(scored)))
    return found


def expected_rank(scored: Scored, right: Callable[[Place], bool]) -> float:
    """Where the first right element is expected, from 1 on, where the order within a tie is by chance; 0: nowhere."""
    before = 0
    for _, tie in groupby(scored, key=lambda each: each[0]):
        elements = [places for _, places in tie]
        hits = sum(any(map(right, places)) for places in elements)
        if hits:
            return before + (len(elements) + 1) / (hits + 1)
        before += len(elements)
    return 0.0


def _by_function(scored: Scored, fault: Fault) -> Scored:
    """The functions in the order of their best element; what is in no known function stands for itself."""
    seen: set[tuple[str, object]] = set()
    found: Scored = []
    for score, places in scored:
        file, line = places[0]
        path = fault.folder / file
        key = (file, function(path, line) or line) if path.is_file() else (file, line)
        if key not in seen:
            seen.add(key)
            found.append((score, places))
    return found


def _run(fault: Fault, suite: Suite, folder: Path, family: str) -> _Report:
    """A run of one family in a folder of its own, where it leaves its reports."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (failing := folder / "failing").write_text(fault.test + "\n", encoding="utf-8")
    tests = fault.test if family == "st" else fault.test.partition("::")[0]
    source = fault.file.split("/")[: 2 if fault.file.startswith("src/") else 1]
    # subtests are reported one by one, which it does not survive
    options = ["-p", "no:subtests", "--src", "/".join(source), "--family", family, "--failing-file", str(failing)]
    for old in _reports(fault):
        shutil.rmtree(old)
    started = time.monotonic()
    suite.pytest(fault.folder, *options, *suite.arguments(tests), python=suite.sides.fauxpy, timeout_s=TIMEOUT_S)
    report = _Report(time.monotonic() - started)
    for file in (file for each in _reports(fault) for file in each.glob("Scores_*.csv")):
        with file.open(encoding="utf-8") as rows:
            report.scores[file.stem.removeprefix("Scores_")] = [
                (float(score), _places(entity, fault.folder)) for entity, score in list(csv.reader(rows))[1:]
            ]
    for old in _reports(fault):
        shutil.rmtree(old)
    return report


def _reports(fault: Fault) -> list[Path]:
    """The folders that it has left beside the case."""
    return list(fault.folder.parent.glob(f"FauxPyReport_{fault.folder.name}_*"))


def _places(entity: str, folder: Path) -> list[Place]:
    """`FILE::LINE` is a statement, `FILE::FUNCTION::FIRST::LAST` a function."""
    file, *rest = entity.split("::")
    first, last = int(rest[-2] if len(rest) > 1 else rest[0]), int(rest[-1])
    return [within(folder, file, line) for line in range(first, last + 1)]


__all__: Sequence[str] = ("Ranking", "expected_rank", "rankings")
