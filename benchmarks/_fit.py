"""The weights of the ranking, fitted to programs whose mistake is known; and what each weight and rule brings."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from _corpus import Line, Program, materialised

from dap_ai.agent.analyst.evidence.ranking import Features
from dap_ai.agent.analyst.evidence.weights import WEIGHTS

FEATURES = Path(__file__).with_name("_features.py")
TIMEOUT_S = 120
FOLDS, ROUNDS = 5, 2
STEPS = (0.5, 0.75, 1.35, 2.0)
OF_TRIALS = ("tried in vain", "fix passes", "fix proved")
"""What trying fixes weighs is not in the features."""

Row = tuple[Line, Features]
Sample = tuple[list[Row], list[Line]]
"""The lines of a program with what was known of them, and its right lines."""


def collected(programs: Sequence[Program], jobs: int) -> dict[str, Sample]:
    """What the ranking knew about each program; those that left no evidence are left out."""
    with ThreadPoolExecutor(jobs) as pool:
        found = zip(programs, pool.map(_features, programs), strict=True)
        return {program.name: (rows, program.right) for program, rows in found if rows}


def _features(program: Program) -> list[Row]:
    with materialised(program.files) as folder, tempfile.TemporaryDirectory() as name:
        out = Path(name) / "features.json"
        command = [sys.executable, str(FEATURES), str(out), "ask", "--provider", "offline", "--then", "quit"]
        subprocess.run(
            [*command, str(folder / program.main)],
            cwd=folder,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        rows: list[tuple[str, int, dict[str, Any]]] = json.loads(out.read_text("utf-8")) if out.exists() else []
    return [((file, line), msgspec.convert(known, Features)) for file, line, known in rows]


def quality(samples: Sequence[Sample], weights: Mapping[str, float]) -> float:
    """The mean of 1 / rank of the first right line; ties count as the worst of them."""
    return sum(1 / rank if (rank := _rank(*sample, weights)) else 0.0 for sample in samples) / max(1, len(samples))


def _rank(rows: Sequence[Row], right: Sequence[Line], weights: Mapping[str, float]) -> int:
    scores = {line: known.score(weights) for line, known in rows}
    best = max((scores[line] for line in right if line in scores), default=0.0)
    return sum(score >= best for line, score in scores.items() if line not in right) + 1 if best else 0


def fitted(samples: Sequence[Sample], start: Mapping[str, float]) -> dict[str, float]:
    """Weights that rank these samples best, one changed after the other."""
    weights = dict(start)
    for _ in range(ROUNDS):
        for name in [n for n in weights if n not in OF_TRIALS]:
            tried = [weights | {name: _bounded(name, weights[name] * step)} for step in STEPS]
            weights = max([weights, *tried], key=lambda each: quality(samples, each))
    return weights


def _bounded(name: str, value: float) -> float:
    return round(min(value, 0.98 if name == "distance" else 20.0), 3)


def fit(samples: Mapping[str, Sample], seed: str) -> dict[str, float]:
    """Prints how well fitted weights rank programs that they were not fitted to; gives the weights of all."""
    names = sorted(samples)
    random.Random(seed).shuffle(names)  # noqa: S311  no secret
    before, after = list[float](), list[float]()
    for fold in range(FOLDS):
        held = [samples[n] for n in names[fold::FOLDS]]
        rest = [samples[n] for n in names if n not in names[fold::FOLDS]]
        before.append(quality(held, WEIGHTS))
        after.append(quality(held, fitted(rest, WEIGHTS)))
    print(f"{len(names)} programs, mean of 1/rank in {FOLDS} folds that were held out:")
    print(f"  as they are {sum(before) / FOLDS:.3f}, fitted to the others {sum(after) / FOLDS:.3f}")
    weights = fitted(list(samples.values()), WEIGHTS)
    print("fitted to all:")
    for name, value in weights.items():
        print(f'    "{name}": {value:g},' + ("" if value == WEIGHTS[name] else f"  # was {WEIGHTS[name]:g}"))
    return weights


def ablate(samples: Mapping[str, Sample]) -> None:
    """Prints what each weight brings, and each rule: how often it speaks, is right, and helps."""
    rows = list(samples.values())
    whole = quality(rows, WEIGHTS)
    print(f"mean of 1/rank {whole:.3f}; without")
    for name in [n for n in WEIGHTS if n not in OF_TRIALS]:
        without = WEIGHTS | {name: 0.0 if name in ("rule", "oddity", "spectrum") else 1.0}
        print(f"  {name:<14} {quality(rows, without) - whole:+.4f}")
    print(f"\n{'rule':<34} said right helped harmed")
    for rule, (said, right, helped, harmed) in sorted(rules(samples).items(), key=lambda r: (r[1][2] - r[1][3], r[0])):
        print(f"{rule:<34} {said:>4} {right:>5} {helped:>6} {harmed:>6}")


def rules(samples: Mapping[str, Sample]) -> dict[str, tuple[int, int, int, int]]:
    """Of each rule: programs it says something about, is right about, and whose rank is better or worse by it."""
    said, right, helped, harmed = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for rows, lines in samples.values():
        own = {rule for _, known in rows for rule, _ in known.rules}
        said.update(own)
        right.update({rule for line, known in rows for rule, _ in known.rules if line in lines})
        now = _rank(rows, lines, WEIGHTS) or 99
        for rule in own:
            without = _rank(rows, lines, WEIGHTS | {rule: 0.0}) or 99
            helped[rule] += without > now
            harmed[rule] += without < now
    return {rule: (said[rule], right[rule], helped[rule], harmed[rule]) for rule in said}
