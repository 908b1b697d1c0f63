"""Checks the facts of offline answers against a second run, under a recorder that shares no code with dap_ai.

    python benchmarks/facts.py SEED [--count N] [--kind KIND] [--module NAME]... [--program FILE]... [--own [WORD]]
                               [--dap-ai NAME=COMMAND]... [--json FILE]

Mutants are made as in claims.py, by a new seed; `--program` takes programs of yours that fail; `--own` adds those of
`_what_ran.py`, with cleanups of every kind, as programs and under unittest, pytest and trial (WORD: only those whose
name contains it). `_recorder.py` records a run of its own (`sys.settrace`). Checked are: that each suspect, step and
place of the value path ran before the failure was raised; and each sentence of a form in `_claim_forms.py`: the error
and its frame, "`name` is `x`", what calls were given, returned and raised, "ran N times", "became", evidence, the value
path. A sentence that says "may" or "if it ran" does not claim that it happened. What could not be checked (cut, no
literal, no form, different in another recorded run) is counted, with the reason. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from _claim_forms import AFTER, NEVER, Claim, Truth, checked, expressions, settled
from _dap import DAP_AI, machine, show
from _truth import Fault, events_of
from _what_ran import MODULE, programs
from claims import KINDS, faults

RECORDER = Path(__file__).parent / "_recorder.py"
TIMEOUT_S = 180
OF_LINES = ("suspect", "step", "place")
RUNNERS = {
    "program": (f"{MODULE}.py", [f"{MODULE}.py"]),
    "unittest": (MODULE, ["-m", "unittest", MODULE]),
    "pytest": (f"{MODULE}.py", ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"{MODULE}.py"]),
    "trial": (MODULE, ["-m", "twisted.trial", MODULE]),
}
"""By name: the recorder's TEST, and the arguments of `dap-ai ask`."""


def recorded(folder: Path, test: str, runner: str = "", wanted: Sequence[str] = ()) -> Truth | None:
    """A second run, in which expressions are evaluated at the failure; None if it does not end."""
    command = [sys.executable, str(RECORDER), str(folder), test, runner, *wanted]
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
    if told["children"]:  # where one of them has failed, the answer is about what was not recorded
        return None
    return Truth(
        folder,
        {(file, line): counts for file, line, *counts in told["ran"]},
        {(file, line) for file, line in told["lines"]},
        {(file, line) for file, line in told["before"]},
        {name: set(found) for name, found in told["results"].items()},
        {(file, line, name): set(found) for file, line, name, found in told["values"]},
        {name: set(found) for name, found in told["errors"].items()},
        {(function, name): set(found) for function, name, found in told["given"]},
        {expression: set(found) for expression, found in told["at"].items() if found},
        (told["failure"][0], told["failure"][1]),
        [(file, line, name) for file, line, name in told["frames"]],
    )


def given(files: list[Path], folder: Path) -> Iterator[Fault]:
    """Programs of one's own, each in a folder of its own."""
    for file in files:
        own = folder / file.stem
        own.mkdir(parents=True)
        shutil.copy(file, own / file.name)
        yield Fault(file.stem, "given", own, file.name, (1,), file.name)


def ours(word: str, folder: Path) -> Iterator[Fault]:
    """The programs of `_what_ran.py`; their kind is their runner."""
    for number, (name, runner, text) in enumerate(programs()):
        if word in name:
            own = folder / str(number)
            own.mkdir(parents=True)
            (own / f"{MODULE}.py").write_text(text, encoding="utf-8")
            yield Fault(name, runner, own, f"{MODULE}.py", (1,), RUNNERS[runner][0])


def truth_of(fault: Fault, ended: dict[str, Any]) -> Truth | None:
    """What the recorder saw of a fault; None: its run did not end."""
    kind = fault.kind if fault.test == RUNNERS.get(fault.kind, ("",))[0] else ""
    return recorded(fault.folder, fault.test, kind, expressions(ended))


def asked(command: str, fault: Fault) -> dict[str, Any] | None:
    """The first `askEnded` event; None if there is none."""
    options = ["--json", "--provider", "offline", "--then", "quit", "--python", sys.executable]
    what = [fault.test] if fault.test.endswith(".py") else ["-m", "unittest", fault.test]
    words = [command, "ask", *options, *(RUNNERS[fault.kind][1] if fault.kind in RUNNERS else what)]
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
            for name, command in commands.items():
                ended = asked(command, fault)
                told = found[name].hold(fault, truth_of(fault, ended) if ended else None, ended)
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
    """The claims of one command's answers, and which of them are false."""

    claims: list[Claim] = field(default_factory=list[Claim])
    missing: Counter[str] = field(default_factory=Counter[str])
    differ: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def hold(self, fault: Fault, truth: Truth | None, ended: dict[str, Any] | None) -> str:
        """Compares an answer with the truth; returns a line for it, and one for each difference."""
        if truth is None or ended is None:
            missing = "no answer" if ended is None else "no second run, or one with other processes"
            self.missing[missing] += 1
            return missing
        claims = list(checked(ended, truth))
        if any(each.holds is False for each in claims) and (other := truth_of(fault, ended)):
            claims = settled(claims, list(checked(ended, other)))
        self.claims += claims
        false = [{"fault": fault.name, "kind": c.kind, "claim": c.text} for c in claims if c.holds is False]
        self.differ += false
        rows = (f"      {each['kind']}: {each['claim']}" for each in false)
        return "\n".join([f"{sum(c.holds is not None for c in claims):>4} claims, {len(false)} differ", *rows])

    def show(self, name: str) -> None:
        """Prints how many claims of each form were checked, how many were not, and why."""
        kinds = dict.fromkeys(each.kind for each in self.claims if each.kind != "unparsed")
        show(f"{name}: lines that answers name", ("", "in all", NEVER, AFTER), [_row(k, self.claims) for k in OF_LINES])
        rows = [_sums(kind, [each for each in self.claims if each.kind == kind]) for kind in kinds]
        show(f"{name}: claims", ("", "checked", "differ", "not checked", "why not"), rows)
        for form, count in Counter(each.why for each in self.claims if each.kind == "unparsed").most_common():
            print(f"unparsed, {count}: {form[:160]}")
        held = sum(each.holds is not None for each in self.claims)
        print(
            f"\n{held} claims checked, {len(self.differ)} differ; {dict(self.missing) or 'every failure was answered'}"
        )


def _sums(kind: str, claims: Sequence[Claim]) -> tuple[str, ...]:
    holds = Counter(each.holds for each in claims)
    why = Counter(each.why for each in claims if each.holds is None)
    told = "; ".join(f"{reason} {count}" for reason, count in why.most_common())
    return kind, str(holds[True] + holds[False]), str(holds[False]), str(holds[None]), told


def _row(kind: str, claims: Sequence[Claim]) -> tuple[str, ...]:
    texts = [each.text for each in claims if each.kind == kind and each.holds is not None]
    return f"{kind}s", str(len(texts)), *(str(sum(text.endswith(how) for text in texts)) for how in (NEVER, AFTER))


def _wanted(options: argparse.Namespace, folder: Path) -> Iterator[Fault]:
    yield from given(options.program, folder / "given")
    if options.own is not None:
        yield from ours(options.own, folder / "own")
    mutants = (fault for _, fault in faults(options, folder / "mutants")) if options.count else iter(())
    yield from islice(mutants, options.count)


if __name__ == "__main__":
    main()
