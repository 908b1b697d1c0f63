"""Whether the facts of offline answers are true: held against a second run under a recorder that shares no code.

    python benchmarks/facts.py SEED [--count N] [--kind KIND] [--module NAME]... [--program FILE]... [--json FILE]

Mutants are those of claims.py, by a seed of today; `--program` takes programs of yours that fail. Held against what
`_recorder.py` saw in a run of its own (`sys.settrace`): that each suspect, step and place of the value path ran, "ran N
times", "`f(...)` returned `x`", "`name` became `x`", and the values of names on the path and in the evidence. Texts
that are cut, and values that no literal writes, are not counted. Ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _dap import DAP_AI, machine
from _truth import Fault, statement
from claims import KINDS, ask, faults

RECORDER = Path(__file__).parent / "_recorder.py"
TIMEOUT_S = 180
TIMES = {"once": 1, "twice": 2}
RAN = re.compile(r"`([\w./+-]+\.py):(\d+)` (?:in `[^`]+` )?ran (once|twice|[\d,]+ times)")
STEP = re.compile(r"^\d+\. `([\w./+-]+\.py):(\d+)`", re.MULTILINE)
RETURNED = re.compile(r"`([\w.]+)\([^`]*\)` returned `([^`]*)`")
BECAME = re.compile(
    r"^- `([\w./+-]+\.py):(\d+)` ran [^:]*: `(\w+)` became (`[^`]*`(?:, (?:then )?`[^`]*`)*)", re.MULTILINE
)


@dataclass
class Truth:
    """What the recorder saw."""

    folder: Path
    ran: dict[tuple[str, int], int]
    lines: set[tuple[str, int]]
    results: dict[str, set[str]]
    values: dict[tuple[str, int, str], set[str]]

    def path(self, name: str) -> str:
        """The file that an answer names."""
        return str((self.folder / name).resolve())

    def did_run(self, name: str, line: int) -> bool:
        """Whether any line of a statement ran; of a file of others it is not known, and not doubted."""
        file = self.path(name)
        if not file.startswith(f"{self.folder}/"):
            return True
        return any((file, each) in self.lines for each in statement(Path(file), line, 10_000))

    def had(self, name: str, line: int, variable: str) -> set[str]:
        """The values of a name after any line of the statement."""
        file = self.path(name)
        around = statement(Path(file), line, 10_000)
        return {text for each in around for text in self.values.get((file, each, variable), ())}


def recorded(folder: Path, test: str) -> Truth | None:
    """A second run; None if it does not end."""
    command = [sys.executable, str(RECORDER), str(folder), test]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return None
    return Truth(
        folder,
        {(file, line): count for file, line, count in told["ran"]},
        {(file, line) for file, line in told["lines"]},
        {name: set(found) for name, found in told["results"].items()},
        {(file, line, name): set(found) for file, line, name, found in told["values"]},
    )


def is_whole(text: str) -> bool:
    """Whether a text is a literal as Python writes it, and not cut."""
    try:
        return repr(ast.literal_eval(text)) == text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def checked(ended: dict[str, Any], truth: Truth) -> Iterator[tuple[str, str, bool]]:
    """Each claim of an answer: its kind, its text, and whether it is true."""
    answer: str = ended["answer"]
    for each in ended.get("suspects", []):
        yield "suspect", f"{each['file']}:{each['line']}", truth.did_run(each["file"], int(each["line"]))
    for file, line in STEP.findall(answer):
        yield "step", f"{file}:{line}", truth.did_run(file, int(line))
    for file, line, times in RAN.findall(answer):
        count = TIMES.get(times) or int(times.split()[0].replace(",", ""))
        first = statement(Path(truth.path(file)), int(line), 10_000).start
        seen = truth.ran.get((truth.path(file), first), 0)
        yield "count", f"{file}:{line} ran {times}, seen {seen}", seen == count
    for function, text in RETURNED.findall(answer):
        known = truth.results.get(function.rpartition(".")[2])
        if known is not None and is_whole(text):
            yield "result", f"{function} returned {text}", text in known
    for file, line, name, texts in BECAME.findall(answer):
        for text in filter(is_whole, re.findall(r"`([^`]*)`", texts)):
            yield "value", f"{file}:{line} {name} became {text}", text in truth.had(file, int(line), name)
    for each in ended.get("path", []):
        if each.get("file") and each.get("line"):
            yield "place", f"{each['file']}:{each['line']}", truth.did_run(each["file"], int(each["line"]))
            yield from _path_value(each, truth)
    for each in ended.get("evidence", []):
        if each["expression"].isidentifier() and is_whole(each["value"]) and (had := _near(each, truth)):
            yield "evidence", f"{each['expression']} = {each['value']}", each["value"] in had


def _near(each: dict[str, Any], truth: Truth) -> set[str]:
    return truth.had(each["file"], int(each["line"]), each["expression"])


def _path_value(each: dict[str, Any], truth: Truth) -> Iterator[tuple[str, str, bool]]:
    if each["expression"].isidentifier() and (had := _near(each, truth)):
        for text in filter(is_whole, each["value"].split(" -> ")):
            yield "path value", f"{each['file']}:{each['line']} {each['expression']} = {text}", text in had


def programs(files: list[Path], folder: Path) -> Iterator[Fault]:
    """Programs of one's own, each in a folder of its own."""
    for file in files:
        own = folder / file.stem
        own.mkdir(parents=True)
        shutil.copy(file, own / file.name)
        yield Fault(file.stem, "own", own, file.name, (1,), file.name)


def main() -> None:
    """Prints a line for each failure, what differs, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=60, help="mutants (default: 60)")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--module", action="append", default=[])
    parser.add_argument("--program", action="append", type=Path, default=[], help="a program that fails; repeatable")
    parser.add_argument("--json", type=Path, help="write the claims that differ")
    options = parser.parse_args()
    sums: Counter[str] = Counter()
    differ: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        mutants = (fault for _, fault in faults(options, folder / "mutants")) if options.count else iter(())
        for number, fault in enumerate(
            (*programs(options.program, folder / "own"), *_first(mutants, options.count)), 1
        ):
            truth = recorded(fault.folder, fault.test)
            ended = next((e for e in ask(DAP_AI[0], fault).events if e["event"] == "askEnded"), None)
            if truth is None or ended is None:
                sums["no second run" if truth is None else "no answer"] += 1
                continue
            claims = list(checked(ended, truth))
            sums.update(kind for kind, _, _ in claims)
            false = [{"fault": fault.name, "kind": kind, "claim": text} for kind, text, holds in claims if not holds]
            differ += false
            print(f"{number:>3} {fault.name:<28} {len(claims):>4} claims, {len(false)} differ", flush=True)
            for each in false:
                print(f"      {each['kind']}: {each['claim']}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(differ, indent=1), encoding="utf-8")
    kinds = ", ".join(f"{n} {kind}" for kind, n in sums.most_common())
    print(f"\n{sum(sums.values())} claims ({kinds}), {len(differ)} differ")
    print(machine())
    sys.exit(1 if differ else 0)


def _first(faults: Iterator[Fault], count: int) -> Iterator[Fault]:
    for _, fault in zip(range(count), faults, strict=False):
        yield fault


if __name__ == "__main__":
    main()
