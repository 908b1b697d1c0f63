"""Fits `analysis/ranking/weights.py` to programs whose mistake is known.

Each program fails and is asked about once; what was in view and what was tried is kept, and ranked again with other
weights. So which small changes were tried, and in which order, stays as it was.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from _corpus import Line, Program, materialised
from _dap import show

from dap_ai.debuggees.python.analysis.contrast.failure_record import FailureRecord
from dap_ai.debuggees.python.analysis.experiments.proving import prove
from dap_ai.debuggees.python.analysis.ranking import rank_update
from dap_ai.debuggees.python.analysis.ranking.rank_update import widest_record
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, ranked
from dap_ai.debuggees.python.analysis.ranking.reranking import rerank
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS, Weights

TIMEOUT_S = 120
WEIGHED = Path(__file__).with_name("_weighed.py")
TOPS = (1, 3, 5)
STEPS = (0.5, 0.8, 1.25, 2.0)
"""A weight is tried at these multiples of what it is, what is at most 1 at most at that."""
LEVELS = ("sure", "likely", "fair", "possible", "faint", "unseen")
"""The only weights that rules read, which are what takes time."""
EXPONENTS = ("of_kind", "of_line")
LEAST = 1e-6

Case = tuple[str, Path, list[Line]]
"""A program's set, what was kept of it, and its right lines."""


def keep(program: Program, folder: Path, notes: Path) -> Path | None:
    """What a ranking of it comes from; None where nothing ran again."""
    file = notes / program.name
    options = ["ask", "--json", "--provider", "offline", "--then", "quit", "--python", sys.executable]
    command = [sys.executable, str(WEIGHED), str(file), *options, str(folder / program.main)]
    subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, cwd=folder)
    return file if file.is_file() else None


class Ranker:
    """Ranks with any weights, in processes of its own."""

    def __init__(self, found: Sequence[Case], pools: Sequence[ProcessPoolExecutor]) -> None:
        self.found = found
        self._pools = pools
        self._known: dict[tuple[float, ...], list[int]] = {}

    def ranks(self, tried: Sequence[Weights]) -> list[list[int]]:
        """By weights, by case: the rank of the first right line, 1-based; 0 if it is not among the suspects."""
        new = [each for each in dict.fromkeys(map(_values, tried)) if each not in self._known]
        begun = [
            pool.submit(_ranks, self.found[number :: len(self._pools)], new) for number, pool in enumerate(self._pools)
        ]
        parts = [each.result() for each in begun]
        for at, values in enumerate(new):
            row = [0] * len(self.found)
            for number, part in enumerate(parts):
                row[number :: len(self._pools)] = part[at]
            self._known[values] = row
        return [self._known[_values(each)] for each in tried]


def _values(weights: Weights) -> tuple[float, ...]:
    return tuple(asdict(weights).values())


def _ranks(found: Sequence[Case], tried: Sequence[tuple[float, ...]]) -> list[list[int]]:
    """In a process: for each of the weights, the rank in each case."""
    sys.setrecursionlimit(100_000)
    rows: list[list[int]] = [[] for _ in tried]
    for _, file, right in found:
        view, trials = pickle.loads(file.read_bytes())  # noqa: S301  our own
        seen = widest_record(trials.controls, view.case, view.diagnosis)
        rank_update.widest_record = partial(_given, seen)  # the weights change nothing of it
        by_rules: dict[tuple[float, ...], StopAnalysis] = {}
        sentences, advice = list(view.diagnosis.sentences), list(view.diagnosis.advice)
        for row, values in zip(rows, tried, strict=True):
            view.diagnosis.sentences[:], view.diagnosis.advice[:] = sentences, advice
            vars(WEIGHTS).update(zip(vars(WEIGHTS), values, strict=True))
            sure = tuple(getattr(WEIGHTS, name) for name in LEVELS)
            if sure not in by_rules:
                by_rules[sure] = ranked(view)
            findings = [replace(each) for each in by_rules[sure].findings]  # they are told more, and surer, by runs
            analysis = replace(by_rules[sure], findings=findings)
            analysis.rank()
            rank_update.update_ranking(analysis, trials.controls, trials.neighbours)
            prove(analysis, trials)
            rerank(analysis, trials)
            order = [(Path(each.file).name, each.line) for each in analysis.suspects]
            row.append(next((place for place, line in enumerate(order, 1) if line in right), 0))
    return rows


def _given(seen: FailureRecord | None, *_: object) -> FailureRecord | None:
    return seen


def fit(sets: Mapping[str, Sequence[Program]], jobs: int) -> None:
    """Keeps, fits, prints."""
    if sum(map(bool, sets.values())) < 2:
        sys.exit("--fit wants programs of two sets at least: what fits one is judged by the others")
    with contextlib.ExitStack() as stack:
        notes = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        programs = [(name, each) for name, chosen in sets.items() for each in chosen]
        folders = [stack.enter_context(materialised(each.files)) for _, each in programs]
        begun = [pool.submit(keep, each, folder, notes) for (_, each), folder in zip(programs, folders, strict=True)]
        files = [each.result() for each in begun]
        found = [(name, file, each.right) for (name, each), file in zip(programs, files, strict=True) if file]
        print(f"{len(found)} of {len(programs)} programs failed again in a copy: these are ranked", flush=True)
        ranker = Ranker(found, [stack.enter_context(ProcessPoolExecutor(1)) for _ in range(jobs)])
        everything = list(range(len(found)))
        best = fitted(ranker, everything)
        rows = [
            _row("as they are", ranker.ranks([WEIGHTS])[0]),
            _row("fitted", ranker.ranks([best])[0]),
            _row("fitted to the other sets", elsewhere(ranker)),
        ]
        idle = [name for name in vars(WEIGHTS) if not any(_matters(ranker, name))]
    show("The first right line", ["weights", *(f"in the first {top}" for top in TOPS), "mean 1 / rank"], rows)
    was, now = asdict(WEIGHTS), asdict(best)
    changed = [[name, was[name], round(now[name], 3)] for name in was if was[name] != now[name]]
    show("What fits better", ["weight", "as it is", "fitted"], changed or [["-", "", ""]])
    print(f"\nHalf or twice of these changed no rank: {', '.join(idle) or '-'}")


def fitted(ranker: Ranker, cases: Sequence[int]) -> Weights:
    """The weights that no change of a single one makes better for these cases."""
    weights = replace(WEIGHTS)
    best = _worth(ranker.ranks([weights])[0], cases)
    while True:
        tried = [each for name in asdict(weights) for each in _changed(weights, name)]
        worths = [_worth(ranks, cases) for ranks in ranker.ranks(tried)]
        if max(worths) <= best + LEAST:
            return weights
        best = max(worths)
        weights = tried[worths.index(best)]
        print(f"{len(cases)} programs: {best:.4f}", flush=True)


def elsewhere(ranker: Ranker) -> list[int]:
    """Ranks with the weights fitted to the other sets."""
    ranks = [0] * len(ranker.found)
    for name in dict.fromkeys(name for name, *_ in ranker.found):
        inside = [n for n, each in enumerate(ranker.found) if each[0] == name]
        weights = fitted(ranker, [n for n in range(len(ranks)) if n not in inside])
        now = ranker.ranks([weights])[0]
        for n in inside:
            ranks[n] = now[n]
    return ranks


def _changed(weights: Weights, name: str) -> Iterator[Weights]:
    value = getattr(weights, name)
    for step in STEPS:
        new = value * step if name in EXPONENTS else min(1.0, value * step)
        if new != value:
            yield replace(weights, **{name: new})


def _matters(ranker: Ranker, name: str) -> Iterator[bool]:
    now, *others = ranker.ranks([WEIGHTS, *_changed(WEIGHTS, name)])
    yield from (each != now for each in others)


def _worth(ranks: Sequence[int], cases: Sequence[int]) -> float:
    return sum(1 / ranks[n] for n in cases if ranks[n]) / len(cases)


def _row(name: str, ranks: Sequence[int]) -> list[str]:
    tops = [f"{sum(0 < each <= top for each in ranks)}/{len(ranks)}" for top in TOPS]
    return [name, *tops, f"{_worth(ranks, range(len(ranks))):.3f}"]
