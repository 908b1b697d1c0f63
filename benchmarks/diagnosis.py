"""How often the offline analyst names the faulty line, on programs whose faulty line is known.

    python benchmarks/diagnosis.py [--set SET]... [--jobs N] [--json FILE] [--ablate | --fit] [PROGRAM...]

Runs `dap-ai ask` on each program and looks where the first right line stands among the suspects (top 1, 3, 5), how many
fixes are verified, whether the answer shows the value that proves the mistake, and whether the first context
(`--show-context`) quotes a right line while it shows at most a quarter of the program's lines. Beside it rankings that
need no analyst: all lines in random order (the expected value), the last executed lines first, the lines of the failing
function from the failing one upwards, and the lines of the stack from the innermost on.

Sets: all are validation sets now. Written and seeded were held out once, and have been measured many times since while
rules were made; the analyst was made with examples and corpus. What nobody has tuned to is `claims.py` with a seed of
today. Lines are counted without the blank ones.

`--ablate` leaves out one rule of the analyst at a time instead, and says what the answers lose or gain by it.

`--fit` changes one weight of `ranking/weights.py` at a time, as long as that puts right lines further up. It prints the
weights as they are, the weights that fit best, and how those would do on each set if they were fitted to the others.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from _ablation import ablate
from _corpus import SETS, Ended, Line, Program, failure, materialised, programs
from _dap import DAP_AI, machine, show
from _fitting import fit

TIMEOUT_S = 120
TOPS = (1, 3, 5)
MAX_SHARE = 0.25
QUOTED = re.compile(r"^[\s>*|]*(\d+)[ |:](.*)$")
CUT = ("…", "...")


@dataclass
class Figures:
    """What was measured of one program. Ranks are 1-based, 0: not among them."""

    analyst: int
    last_executed: int
    function: int
    stack: int
    random: list[float]
    """The chance of a random order to have a right line among the first of TOPS."""
    returned: bool
    """The function with the mistake had returned at the failure."""
    shown: bool
    """The first context quotes a right line."""
    share: float
    """Of the program's lines, in the first context."""
    fixes: int
    verified: int
    value: bool
    """The answer shows the proving value."""
    seconds: float
    """Of the answer."""

    @property
    def in_context(self) -> bool:
        """A right line is in a first context that is small enough."""
        return self.shown and self.share <= MAX_SHARE


def event_of(program: Path, name: str, *options: str) -> dict[str, Any]:
    """The first event of a name that `dap-ai ask` reports; empty if there was none."""
    command = [*DAP_AI, "ask", "--json", *options, "--provider", "offline", "--python", sys.executable, str(program)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=program.parent, encoding="utf-8"
    )
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    found = [event for event in events if event["event"] == name]
    return found[0] if found else {}


def rank_of(lines: Sequence[Line], right: Sequence[Line]) -> int:
    """Where the first right line stands, from 1 on; 0 if nowhere."""
    unique = list(dict.fromkeys(lines))
    return next((place for place, line in enumerate(unique, 1) if line in right), 0)


def chances(lines: int, right: int) -> list[float]:
    """Of a random order of the lines to have a right one among the first 1, 3 and 5."""
    return [1 - math.comb(lines - right, top) / math.comb(lines, top) for top in TOPS]


def quoted(context: str, program: Program) -> set[Line]:
    """The lines of the program that a context shows with number and text, whatever stands around them."""
    lines = program.lines()
    found: set[Line] = set()
    for match in filter(None, map(QUOTED.match, context.splitlines())):
        text = match[2].rstrip()
        for file in program.files:
            whole = lines.get((file, int(match[1])), "")
            cut = next((text.removesuffix(end) for end in CUT if text.endswith(end)), None)
            if whole and (whole.strip() == text.strip() or (cut and whole.strip().startswith(cut.strip()))):
                found.add((file, int(match[1])))
    return found


def upwards(ended: Ended) -> list[Line]:
    """The lines of the failing function from the failing one on."""
    file, line = ended.stack[0]
    return [(file, each) for each in range(line, ended.first_line - 1, -1)]


def measure(program: Program) -> Figures:
    """What the rankings make of one program. RuntimeError if it does not fail, or nothing was answered."""
    ended = failure(program.files, program.main)
    with materialised(program.files) as folder:
        answer = event_of(folder / program.main, "askEnded")
        context = event_of(folder / program.main, "context", "--show-context")
    if ended is None or not answer or not context:
        raise RuntimeError(f"{program.name}: no failure, or no answer")
    suspects = [(Path(one["file"]).name, int(one["line"])) for one in answer["suspects"]]
    lines = program.lines()
    quotes = quoted(context["context"], program)
    file, _ = best = program.right[0]
    guilty = program.function_of(best)
    return Figures(
        analyst=rank_of(suspects, program.right),
        last_executed=rank_of(ended.executed, program.right),
        function=rank_of(upwards(ended), program.right),
        stack=rank_of(ended.stack, program.right),
        random=chances(len(lines), len(lines.keys() & set(program.right))),
        returned=bool(guilty) and not any(name == file and line in guilty for name, line in ended.stack),
        shown=not quotes.isdisjoint(program.right),
        share=len(quotes) / len(lines),
        fixes=len(answer["fixes"]),
        verified=sum(fix["verified"] for fix in answer["fixes"]),
        value=program.value != "" and program.value.strip("'") in answer["answer"],
        seconds=answer["usage"]["seconds"],
    )


def tops(ranks: Sequence[int]) -> list[str]:
    """How many are among the first 1, 3 and 5."""
    return [f"{sum(0 < rank <= top for rank in ranks)}/{len(ranks)}" for top in TOPS]


def report(name: str, found: dict[str, Figures], *, proving: bool) -> None:
    """One line a program, and the sums of a set."""
    rows = list(found.values())
    show(
        name,
        ["program", "analyst", "executed", "function", "stack", "returned", "shown", "share", "fixes", "verified", "s"],
        [
            [
                program,
                *(each or "-" for each in (row.analyst, row.last_executed, row.function, row.stack)),
                *("yes" if each else "no" for each in (row.returned, row.shown)),
                f"{row.share:.0%}",
                row.fixes,
                row.verified,
                f"{row.seconds:.2f}",
            ]
            for program, row in found.items()
        ],
    )
    returned = [row for row in rows if row.returned]
    expected = [f"{sum(row.random[index] for row in rows):.1f}/{len(rows)}" for index in range(len(TOPS))]
    show(
        f"{name}: a right line is among the first",
        ["", *map(str, TOPS)],
        [
            ["analyst", *tops([row.analyst for row in rows])],
            ["analyst, function returned", *tops([row.analyst for row in returned])],
            ["last executed", *tops([row.last_executed for row in rows])],
            ["failing function", *tops([row.function for row in rows])],
            ["stack", *tops([row.stack for row in rows])],
            ["random (expected)", *expected],
        ],
    )
    show(
        f"{name}: besides",
        ["", "value"],
        [
            [f"right line in a first context of at most {MAX_SHARE:.0%}", _of(row.in_context for row in rows)],
            ["right line in the first context, of any size", _of(row.shown for row in rows)],
            ["first context of at most that share", _of(row.share <= MAX_SHARE for row in rows)],
            ["share of the lines in the first context, median", f"{statistics.median(row.share for row in rows):.0%}"],
            ["programs with a verified fix", _of(row.verified > 0 for row in rows)],
            *([["proving value in the answer", _of(row.value for row in rows)]] if proving else []),
            ["seconds of an answer, median", f"{statistics.median(row.seconds for row in rows):.2f}"],
            ["seconds of an answer, longest", f"{max(row.seconds for row in rows):.2f}"],
        ],
    )


def _of(flags: Any) -> str:
    each = list(flags)
    return f"{sum(each)}/{len(each)}"


def main() -> None:
    """Measures the chosen programs, set by set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names of programs (default: all of the sets)")
    parser.add_argument("--set", dest="sets", choices=SETS, action="append", help="default: all")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once (default: 2)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    parser.add_argument("--ablate", action="store_true", help="leave out one rule at a time")
    parser.add_argument("--fit", action="store_true", help="fit the weights")
    options = parser.parse_args()
    if options.ablate or options.fit:
        wanted = {
            name: [each for each in programs(name) if each.name in (options.programs or [each.name])]
            for name in options.sets or SETS
        }
        if options.fit:
            fit(wanted, options.jobs)
        else:
            ablate(wanted, rank_of, options.jobs)
        return
    figures: dict[str, Any] = {"machine": machine()}
    for name in options.sets or SETS:
        chosen = [one for one in programs(name) if one.name in options.programs or not options.programs]
        if not chosen:
            continue
        with ThreadPoolExecutor(options.jobs) as pool:
            found = dict(zip([one.name for one in chosen], pool.map(measure, chosen), strict=True))
        report(name, found, proving=any(one.value for one in chosen))
        figures[name] = {program: {**asdict(row), "in_context": row.in_context} for program, row in found.items()}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
