"""Which rules of the analyst help: each is left out in turn, on the programs in which it found something.

A rule can change the answer about a program only if it finds something there: no other program is asked again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _corpus import Line, Program, materialised
from _dap import show

TIMEOUT_S = 120
RULED = Path(__file__).with_name("_ruled.py")
NO_RANK = 99

RankOf = Callable[[Sequence[Line], Sequence[Line]], int]


@dataclass
class Asked:
    """One answer. `rank` of the first right line, 1-based; 0: it is not among the suspects."""

    program: Program
    rank: int
    suspects: list[Line]
    findings: dict[str, list[Line]] = field(default_factory=dict[str, list[Line]])
    """By the rule."""

    def may_matter(self, rule: str) -> bool:
        """Whether the rule found something at a right line, or at one that stands before it."""
        before = self.suspects[: self.rank - 1] if self.rank else self.suspects
        return not {*self.program.right, *before}.isdisjoint(self.findings.get(rule, ()))


def asked(program: Program, rank_of: RankOf, without: str = "-") -> Asked:
    """What is answered about a program without a rule."""
    with materialised(program.files) as folder, tempfile.TemporaryDirectory() as notes:
        file = Path(notes) / "findings"
        options = ["ask", "--json", "--provider", "offline", "--then", "quit", "--python", sys.executable]
        command = [sys.executable, str(RULED), str(file), without, *options, str(folder / program.main)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=folder, encoding="utf-8"
        )
        events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
        told = [one for event in events if event["event"] == "askEnded" for one in event["suspects"]]
        found: dict[str, list[Line]] = defaultdict(list)
        for rule, name, line in json.loads(file.read_text(encoding="utf-8")):
            found[rule].append((name, line))
    suspects = [(Path(one["file"]).name, int(one["line"])) for one in told]
    return Asked(program, rank_of(suspects, program.right), suspects, found)


def ablate(sets: dict[str, list[Program]], rank_of: RankOf, jobs: int) -> None:
    """One row a rule: what the answers lose, or gain, without it."""
    with ThreadPoolExecutor(jobs) as pool:
        begun = {name: [pool.submit(asked, one, rank_of) for one in each] for name, each in sets.items()}
        whole = {name: [one.result() for one in each] for name, each in begun.items()}
        rules = sorted({rule for each in whole.values() for one in each for rule in one.findings})
        rows: list[list[object]] = []
        for rule in rules:
            cells: list[str] = []
            fired, right, helped, misled = 0, 0, list[str](), list[str]()
            for answers in whole.values():
                fired += sum(rule in one.findings for one in answers)
                right += sum(not set(one.program.right).isdisjoint(one.findings.get(rule, ())) for one in answers)
                concerned = [one for one in answers if one.may_matter(rule)]
                again = [pool.submit(asked, one.program, rank_of, rule) for one in concerned]
                pairs = [(one, other.result()) for one, other in zip(concerned, again, strict=True)]
                helped += [one.program.name for one, other in pairs if _key(other.rank) > _key(one.rank)]
                misled += [one.program.name for one, other in pairs if _key(other.rank) < _key(one.rank)]
                cells.append(" ".join(f"{_change(pairs, top):+d}" for top in (1, 3)))
            rows.append([rule, fired, right, *cells, len(helped), len(misled)])
            print(f"{rule}: helped {', '.join(helped) or '-'}; misled {', '.join(misled) or '-'}", flush=True)
    head = ["without", "found in", "at a right line", *(f"{name}: top 1, 3" for name in sets), "helped", "misled"]
    show("The answers without one rule, beside those with all", head, rows)


def _key(rank: int) -> int:
    return rank or NO_RANK


def _change(pairs: Sequence[tuple[Asked, Asked]], top: int) -> int:
    return sum((0 < other.rank <= top) - (0 < one.rank <= top) for one, other in pairs)
