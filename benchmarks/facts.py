"""Whether the facts of offline answers are true: held against a second run under a recorder that shares no code.

    python benchmarks/facts.py SEED [--count N] [--kind KIND] [--module NAME]... [--program FILE]... [--own [WORD]]
                               [--dap-ai NAME=COMMAND]... [--json FILE]

Mutants are those of claims.py, by a seed of today; `--program` takes programs of yours that fail; `--own` adds those of
`_what_ran.py`, with cleanups of every kind, as programs and under unittest, pytest and trial (WORD: in whose name it
is). Held against what `_recorder.py` saw in a run of its own (`sys.settrace`): that each suspect, step and place of the
value path ran, and before the failure was raised; "ran N times", "`f(...)` returned `x`", "`name` became `x`", and the
values of names on the path and in the evidence. What "may" have happened, "if it ran", is no claim that it did. Texts
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
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from _dap import DAP_AI, machine, show
from _truth import Fault, events_of, statement
from _what_ran import MODULE, programs
from claims import KINDS, ask, faults

RECORDER = Path(__file__).parent / "_recorder.py"
TIMEOUT_S = 180
TIMES = {"once": 1, "twice": 2}
RAN = re.compile(r"`([\w./+-]+\.py):(\d+)` (?:in `[^`]+` )?ran (once|twice|[\d,]+ times)")
STEP = re.compile(r"^\d+\. `([\w./+-]+\.py):(\d+)`(?! (?:in `[^`]+`|at module level) may )", re.MULTILINE)
IF_IT_RAN, NOT_KNOWN = ", if it ran", "whether it ran is not known"
"""How a suspect's reason and a place's note end that claim nothing of it."""
NEVER, AFTER = "never ran", "ran only after the raise"
OF_LINES = ("suspect", "step", "place")
RUNNERS = {
    "program": (f"{MODULE}.py", [f"{MODULE}.py"]),
    "unittest": (MODULE, ["-m", "unittest", MODULE]),
    "pytest": (f"{MODULE}.py", ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"{MODULE}.py"]),
    "trial": (MODULE, ["-m", "twisted.trial", MODULE]),
}
"""By name: what the recorder is told to run, and what `dap-ai ask` is."""
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
    before: set[tuple[str, int]]
    """Those that ran before the failure was raised."""
    results: dict[str, set[str]]
    values: dict[tuple[str, int, str], set[str]]

    def path(self, name: str) -> str:
        """The file that an answer names."""
        return str((self.folder / name).resolve())

    def fault_of(self, name: str, line: int) -> str:
        """What is wrong with naming a statement; "" if it ran in time, or is in a file of others: not known."""
        file = self.path(name)
        if not file.startswith(f"{self.folder}/"):
            return ""
        lines = {(file, each) for each in statement(Path(file), line, 10_000)}
        return "" if lines & self.before else AFTER if lines & self.lines else NEVER

    def had(self, name: str, line: int, variable: str) -> set[str]:
        """The values of a name after any line of the statement."""
        file = self.path(name)
        around = statement(Path(file), line, 10_000)
        return {text for each in around for text in self.values.get((file, each, variable), ())}


def recorded(folder: Path, test: str, *runner: str) -> Truth | None:
    """A second run; None if it does not end."""
    command = [sys.executable, str(RECORDER), str(folder), test, *runner]
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
        {(file, line) for file, line in told["before"]},
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
        if not each["reason"].endswith(IF_IT_RAN):
            yield _line("suspect", each["file"], int(each["line"]), truth)
    for file, line in STEP.findall(answer):
        yield _line("step", file, int(line), truth)
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
        if each.get("file") and each.get("line") and not each.get("note", "").endswith(NOT_KNOWN):
            yield _line("place", each["file"], int(each["line"]), truth)
            yield from _path_value(each, truth)
    for each in ended.get("evidence", []):
        if each["expression"].isidentifier() and is_whole(each["value"]) and (had := _near(each, truth)):
            yield "evidence", f"{each['expression']} = {each['value']}", each["value"] in had


def _line(kind: str, file: str, line: int, truth: Truth) -> tuple[str, str, bool]:
    wrong = truth.fault_of(file, line)
    return kind, f"{file}:{line} {wrong}".rstrip(), not wrong


def _near(each: dict[str, Any], truth: Truth) -> set[str]:
    return truth.had(each["file"], int(each["line"]), each["expression"])


def _path_value(each: dict[str, Any], truth: Truth) -> Iterator[tuple[str, str, bool]]:
    if each["expression"].isidentifier() and (had := _near(each, truth)):
        for text in filter(is_whole, each["value"].split(" -> ")):
            yield "path value", f"{each['file']}:{each['line']} {each['expression']} = {text}", text in had


def given(files: list[Path], folder: Path) -> Iterator[Fault]:
    """Programs of one's own, each in a folder of its own."""
    for file in files:
        own = folder / file.stem
        own.mkdir(parents=True)
        shutil.copy(file, own / file.name)
        yield Fault(file.stem, "given", own, file.name, (1,), file.name)


def ours(word: str, folder: Path) -> Iterator[Fault]:
    """Those of `_what_ran.py`; their kind is their runner."""
    for number, (name, runner, text) in enumerate(programs()):
        if word in name:
            own = folder / str(number)
            own.mkdir(parents=True)
            (own / f"{MODULE}.py").write_text(text, encoding="utf-8")
            yield Fault(name, runner, own, f"{MODULE}.py", (1,), RUNNERS[runner][0])


def truth_of(fault: Fault) -> Truth | None:
    """What the recorder saw of it."""
    return recorded(fault.folder, fault.test, *([fault.kind] if fault.kind in RUNNERS else []))


def asked(command: str, fault: Fault) -> dict[str, Any] | None:
    """How the first answer ended; None if there is none."""
    if fault.kind not in RUNNERS:
        return next((each for each in ask(command, fault).events if each["event"] == "askEnded"), None)
    options = ["--json", "--provider", "offline", "--then", "quit", "--python", sys.executable]
    words = [command, "ask", *options, *RUNNERS[fault.kind][1]]
    done = subprocess.run(
        words, cwd=fault.folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return next((each for each in events_of(done.stdout) if each["event"] == "askEnded"), None)


def main() -> None:
    """Prints a line for each failure, what differs, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=60, help="mutants (default: 60)")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--module", action="append", default=[])
    parser.add_argument("--program", action="append", type=Path, default=[], help="a program that fails; repeatable")
    parser.add_argument("--own", nargs="?", const="", metavar="WORD", help="also the programs of _what_ran.py")
    parser.add_argument("--dap-ai", metavar="NAME=COMMAND", action="append", default=[], help="of another commit")
    parser.add_argument("--keep", type=Path, help="leave the programs in this folder, to be looked at")
    parser.add_argument("--json", type=Path, help="write the claims that differ")
    options = parser.parse_args()
    commands = {**dict(each.split("=", 1) for each in options.dap_ai), "this": DAP_AI[0]}
    found = {name: Found() for name in commands}
    with tempfile.TemporaryDirectory() as temporary:
        for number, fault in enumerate(_wanted(options, (options.keep or Path(temporary)).resolve()), 1):
            truth = truth_of(fault)
            for name, command in commands.items():
                told = found[name].hold(fault, truth, asked(command, fault) if truth else None)
                print(f"{number:>3} {fault.name:<28} {name:<8} {told}", flush=True)
    if options.json:
        differ = {name: each.differ for name, each in found.items()}
        options.json.write_text(json.dumps(differ, indent=1), encoding="utf-8")
    for name, each in found.items():
        each.show(name)
    print(machine())
    sys.exit(1 if found["this"].differ else 0)


@dataclass
class Found:
    """What one command's answers claim."""

    sums: Counter[str] = field(default_factory=Counter[str])
    differ: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def hold(self, fault: Fault, truth: Truth | None, ended: dict[str, Any] | None) -> str:
        """Holds an answer against the truth, and tells what differs."""
        if truth is None or ended is None:
            missing = "no second run" if truth is None else "no answer"
            self.sums[missing] += 1
            return missing
        claims = list(checked(ended, truth))
        self.sums.update(kind for kind, _, _ in claims)
        false = [{"fault": fault.name, "kind": kind, "claim": text} for kind, text, holds in claims if not holds]
        self.differ += false
        rows = (f"      {each['kind']}: {each['claim']}" for each in false)
        return "\n".join([f"{len(claims):>4} claims, {len(false)} differ", *rows])

    def show(self, name: str) -> None:
        """The sums."""
        rows = [_row(kind, self.sums, self.differ) for kind in OF_LINES]
        show(f"{name}: lines that answers name", ("", "in all", NEVER, AFTER), rows)
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.sums.most_common())
        print(f"\n{sum(self.sums.values())} claims ({kinds}), {len(self.differ)} differ")


def _row(kind: str, sums: Counter[str], differ: list[dict[str, str]]) -> tuple[str, ...]:
    claims = [each["claim"] for each in differ if each["kind"] == kind]
    return f"{kind}s", str(sums[kind]), *(str(sum(each.endswith(how) for each in claims)) for how in (NEVER, AFTER))


def _wanted(options: argparse.Namespace, folder: Path) -> Iterator[Fault]:
    yield from given(options.program, folder / "given")
    if options.own is not None:
        yield from ours(options.own, folder / "own")
    mutants = (fault for _, fault in faults(options, folder / "mutants")) if options.count else iter(())
    yield from islice(mutants, options.count)


if __name__ == "__main__":
    main()
