"""What offline answers claim, and whether it is true, on mutants of real modules.

    python benchmarks/claims.py SEED [--count N] [--kind KIND] [--module NAME]... [--dap-ai NAME=COMMAND]...
                                [--context] [--keep DIR] [--json FILE]

A mistake is put by chance (SEED: take one of today, so that nothing was made for it) into a copy of a module that is
written in Python, and what fails by it is run under `dap-ai ask --provider offline`. Of kind `program`, that is a
program made of the examples in one docstring; the modules are of Python's library and, fetched by pip once, of
published packages. Of kind `unittest`, it is one of the library's own tests of the module. Another command
(`--dap-ai before=/path/to/dap-ai`, repeatable) is run on the same mutants, side by side.

Each claim is held against the truth, which is found without dap_ai:

- suspects: whether the changed line, or its function, is among the first 1, 3 and 5; steps of *Why* as well: they ran;
- "Root cause." without "(a guess)": the line is the changed one;
- a fix called verified: with it the failing test passes, in a process of its own; beside it, whether all tests do;
- the fix that is recommended: the failing test does not fail with it;
- where it failed: where the traceback ends.

Kind `unittest` needs an interpreter that has its own tests (the package `test`), which some distributions leave out.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from _dap import DAP_AI, ROOT, machine, show
from _modules import LIBRARY, MODULES, Subject, executed, exemplified, frames, mutants, passes, run, tested
from _projects import CACHE, PROJECTS, LeftOut, say, unpacked
from _truth import Answer, Claims, Fault, answer_of, events_of, judge, shown, sums, told

PACKAGES = {
    "boltons": ("iterutils", "strutils", "mathutils", "listutils", "setutils", "dictutils", "timeutils", "urlutils"),
    "more-itertools": ("more", "recipes"),
    "toolz": ("itertoolz", "dicttoolz", "functoolz", "recipes"),
}
KINDS = ("program", "unittest")
ASK_TIMEOUT_S = 120


def subjects(kinds: Sequence[str], modules: Sequence[str], chance: random.Random, folder: Path) -> Iterator[Subject]:
    """The modules that can be used, in an order by chance; the others are said."""
    sources = {name: LIBRARY / f"{name}.py" for name in MODULES}
    if "program" in kinds:
        sources |= _packages(modules)
    wanted = [(kind, name) for kind in kinds for name in sources if kind == "program" or name in MODULES]
    for kind, name in chance.sample(wanted, len(wanted)):
        if modules and name not in modules:
            continue
        shutil.rmtree(own := folder / kind / name, ignore_errors=True)
        own.mkdir(parents=True)
        found = tested(name, own) if kind == "unittest" else exemplified(sources[name], own)
        if isinstance(found, str):
            say(f"{kind} {name}: left out, {found}")
        else:
            yield found


def _packages(modules: Sequence[str]) -> dict[str, Path]:
    """The modules of published packages, by PACKAGE.MODULE."""
    found: dict[str, Path] = {}
    for project in PROJECTS:
        names = [f"{project.name}.{each}" for each in PACKAGES.get(project.name, ())]
        if not names or (modules and not set(names) & set(modules)):
            continue
        try:
            source = unpacked(project, CACHE)
        except LeftOut as error:
            say(f"LEFT OUT: {project.name}: {error}")
            continue
        inner = project.name.replace("-", "_")
        found |= {name: source / inner / f"{name.rpartition('.')[2]}.py" for name in names}
    return found


@dataclass
class Asked:
    """What a question printed: its events, the seconds of the whole command, and those from the stop to the answer."""

    events: list[dict[str, Any]]
    seconds: float
    answer_s: float | None = None


def ask(command: str, fault: Fault, *more: str) -> Asked:
    """One question. The command is killed if it does not end."""
    program = fault.test.endswith(".py")
    options = ["ask", "--json", "--provider", "offline", "--then", "quit", *more]
    what = [fault.test] if program else ["--exception", "userUnhandled", "-m", "unittest", fault.test]
    started = time.monotonic()
    with subprocess.Popen(
        [command, *options, *what], cwd=fault.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        late = threading.Timer(ASK_TIMEOUT_S, process.kill)
        late.start()
        timed = [(time.monotonic(), event) for line in process.stdout or () for event in events_of(line)]
        process.wait()
        late.cancel()
    at = {event["event"]: when for when, event in timed}
    answer_s = at["askEnded"] - at["stopped"] if {"askEnded", "stopped"} <= at.keys() else None
    return Asked([event for _, event in timed], time.monotonic() - started, answer_s)


def judged(subject: Subject, fault: Fault, commands: Mapping[str, str], *, context: bool) -> dict[str, Claims]:
    """Asks each command about one mutant, and holds each claim against the truth."""
    ran = executed(fault.folder, fault.test)
    failed_at = frames(fault.folder, run(fault.folder, fault.test)[2])
    found: dict[str, Claims] = {}
    for name, command in commands.items():
        asked = ask(command, fault)
        answer = answer_of(asked.events, fault.folder) or Answer("")
        found[name] = judge(answer, fault, ran, lambda folder: passes(subject, fault.test, folder), failed_at)
        found[name].seconds, found[name].answer_s = asked.seconds, asked.answer_s
        if context:
            texts = [e["context"] for e in ask(command, fault, "--show-context").events if e["event"] == "context"]
            found[name].in_context = shown("\n".join(texts), fault)
        print(f"{fault.name:<28} {fault.kind:<12} {name:<8} {told(found[name])}", flush=True)
    return found


def faults(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Subject, Fault]]:
    """A mutant of each module in turn, then the next of each, until there are no more."""
    fresh = subjects(options.kind or KINDS, options.module, random.Random(options.seed), folder)  # noqa: S311
    sources: list[tuple[Subject, Iterator[Fault]]] = []
    while True:
        if subject := next(fresh, None):
            chance = random.Random(f"{options.seed} {subject.name}")  # noqa: S311  no secret
            sources.insert(0, (subject, mutants(subject, chance, folder / "cases")))
        if not sources:
            return
        subject, source = sources.pop(0)
        if fault := next(source, None):
            sources.append((subject, source))
            yield subject, fault


def main() -> None:
    """Judges mutants of one module after another, and prints a line for each and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [*MODULES, *(f"{name}.{each}" for name, all_of in PACKAGES.items() for each in all_of)]
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=20, help="mutants in all (default: 20)")
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: both, by turns")
    parser.add_argument("--module", action="append", choices=known, default=[], help="only these; repeatable")
    parser.add_argument(
        "--dap-ai",
        metavar="NAME=COMMAND",
        action="append",
        default=[],
        help="of another commit (this=...: instead of this one)",
    )
    parser.add_argument("--context", action="store_true", help="also ask what a model would be shown first")
    parser.add_argument("--keep", type=Path, help="leave the mutants in this folder, to be looked at")
    parser.add_argument("--json", type=Path, help="write what was found of each mutant")
    options = parser.parse_args()
    named = dict(each.split("=", 1) for each in options.dap_ai)
    commands = {**named, "this": named.get("this", DAP_AI[0])}
    compileall.compile_dir(ROOT / "dap_ai", quiet=1)  # as it is where it was installed
    rows: list[dict[str, Any]] = []
    found: list[dict[str, Claims]] = []
    with tempfile.TemporaryDirectory() as name:
        cases = (options.keep or Path(name)).resolve()
        for subject, fault in faults(options, cases):
            found.append(judged(subject, fault, commands, context=options.context))
            place = {"name": fault.name, "kind": fault.kind, "line": fault.lines[0], "test": fault.test}
            rows.append({**place, "answers": {side: asdict(each) for side, each in found[-1].items()}})
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
            if len(found) == options.count:
                break
    if not found:
        sys.exit("no mutant was found")
    columns = [sums([each[side] for each in found]) for side in commands]
    table = [[what[0], *(column[number][1] for column in columns)] for number, what in enumerate(columns[0])]
    show(f"{len(found)} mutants", ["", *commands], table)
    print(f"\n{machine()}, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
