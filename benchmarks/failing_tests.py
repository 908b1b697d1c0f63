"""What is said about failing tests of published projects: `pytest --ask`, `dap-ai ask` and FauxPy beside plain pytest.

    python benchmarks/failing_tests.py SEED [--count N] [--only PROJECT]... [--history NAME=CLONE]...
                                       [--dap-ai NAME=COMMAND]... [--keep DIR] [--json FILE]

Failing tests are made in two ways. Mutants: into a release of a published project (its archive is fetched by pip) one
mistake is put by chance (SEED: take one of today, so that nothing was made for it), and 1 to 10 of its tests fail.
Fixes: from a clone of a project's history that you name, small bug fixes, the fix's tests on the source before it.

Each failing test is run, one after another: by plain pytest; by `pytest --ask` (and by `dap-ai ask -m pytest`, for each
`--dap-ai`, as it was before there was the plugin); by FauxPy with spectra (the test's whole file) and with the stack
trace. Every claim of an answer is held against the truth: where pytest's own traceback ends, which lines were changed,
which lines ran (coverage), and whether the failing test and all others pass with each fix. Sources, environments and
what became of each mutant are kept in `--keep` (default: the user's cache), so that a second run is quick.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import _history
import _project_mutants
from _dap import DAP_AI, machine, show
from _fauxpy import Ranking, rankings
from _project_mutants import executed
from _projects import CACHE, PROJECTS, LeftOut, Suite, ended, say
from _truth import TOPS, Answer, Claims, Fault, Place, answer_of, events_of, judge, of, shown, sums, told, within

TIMEOUT_S = 120
MOST_FAILING = 10
Found = Iterator[tuple[Fault, Suite]]


@dataclass
class Failure:
    """One failing test, and what each side makes of it."""

    name: str
    kind: str
    place: str
    test: str
    exception: str = ""
    plain_s: float = 0.0
    answers: dict[str, Claims] = field(default_factory=dict[str, Claims])
    rankings: list[Ranking] = field(default_factory=list[Ranking])


@dataclass
class Truth:
    """What is known of a failing test without dap_ai."""

    fault: Fault
    suite: Suite
    seconds: float
    exception: str
    frames: list[Place]
    """Of the traceback, in the project's folder, the innermost first."""
    executed: set[Place]

    def passes(self, folder: Path) -> tuple[bool, bool]:
        """Whether the failing test passes in a folder, and whether all do."""
        one = self.suite.failing(folder, self.fault.test)
        return one == [], one == [] and self.suite.failing(folder) == []


Side = Callable[[Truth, Path], Claims]
"""Asks about a failing test; the folder is for what it writes."""


def truth(fault: Fault, suite: Suite, folder: Path) -> Truth | None:
    """Runs the test by plain pytest, and with coverage; None if it does not fail by itself."""
    where = folder / "where.jsonl"
    where.unlink(missing_ok=True)
    os.environ["DAP_AI_WHERE"] = str(where)
    suite.pytest(fault.folder, "-p", "_pytest_where", *suite.arguments(fault.test))
    started = time.monotonic()
    done = suite.pytest(fault.folder, *suite.arguments(fault.test))
    seconds = time.monotonic() - started
    if done is None or done.returncode != 1 or not where.is_file():
        return None
    first = json.loads(where.read_text(encoding="utf-8").splitlines()[0])
    places = [within(fault.folder, name, line) for name, line in reversed(first["frames"])]
    inside = [each for each in places if not Path(each[0]).is_absolute()]
    lines = executed(suite, fault.folder, folder, fault.test)
    ran = {(name, line) for name, each in lines.items() for line in each}
    return Truth(fault, suite, seconds, first["exception"], inside, ran)


def by_command(command: Sequence[str], known: Truth, folder: Path) -> Claims:
    """What `dap-ai ask -m pytest` says of a failing test."""
    del folder
    fault, suite = known.fault, known.suite
    ask = [*command, "ask", "--json", "--provider", "offline", "--exception", "userUnhandled", "--then", "quit"]
    program = ["--python", str(suite.sides.plain), "-m", "pytest", *suite.arguments(fault.test)]
    started = time.monotonic()
    done = ended([*ask, *program], fault.folder, suite.env(fault.folder), TIMEOUT_S)
    seconds = time.monotonic() - started
    answer = answer_of(events_of(done.stdout), fault.folder) if done else None
    found = judge(answer or Answer(""), fault, known.executed, known.passes, known.frames)
    found.seconds = seconds
    if answer:
        look = ended([*ask, "--show-context", *program], fault.folder, suite.env(fault.folder), TIMEOUT_S)
        contexts = [e["context"] for e in events_of(look.stdout) if e["event"] == "context"] if look else []
        found.in_context = shown("\n".join(contexts), fault)
    return found


def by_plugin(known: Truth, folder: Path) -> Claims:
    """What `pytest --ask` says of a failing test, and how long the run takes as its user has it."""
    fault, suite = known.fault, known.suite
    (report := folder / "answers.jsonl").unlink(missing_ok=True)
    python = suite.sides.dap_ai
    started = time.monotonic()
    plain = suite.pytest(fault.folder, "--ask", *suite.arguments(fault.test), python=python, timeout_s=TIMEOUT_S)
    seconds = time.monotonic() - started
    options = ["--ask", f"--ask-json={report}"]
    suite.pytest(fault.folder, *options, *suite.arguments(fault.test), python=python, timeout_s=TIMEOUT_S)
    rows = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()] if report.is_file() else []
    told_of = next((each for each in rows if each.get("answer")), rows[0] if rows else {})
    found = judge(_plugin_answer(told_of, fault), fault, known.executed, known.passes, known.frames)
    found.seconds = seconds
    found.in_context = shown(told_of.get("context", ""), fault)
    if stopped := told_of.get("stopped"):
        place = within(fault.folder, stopped["file"], int(stopped["line"]))
        found.at = f"{place[0]}:{place[1]} {told_of['exception']['type']}"
        right = known.exception == told_of["exception"]["type"].rpartition(".")[2]
        found.at_failure = right and place == (known.frames or [place])[0]
    found.said = _section(plain.stdout) if plain else ""
    return found


def _plugin_answer(row: Mapping[str, Any], fault: Fault) -> Answer:
    places = [each.rpartition(":") for each in row.get("suspects", [])]
    suspects = [within(fault.folder, file, int(line)) for file, _, line in places]
    fixes = [(row["diff"], bool(row["claims"]["verified"]))] if row.get("diff") else []
    return Answer(row.get("answer", ""), list(dict.fromkeys(suspects)), fixes)


def _section(printed: str) -> str:
    """What the report of a failing test says under the plugin's heading."""
    found = re.search(r"^-+ why \(dap-ai\) -+\n(.*?)(?=^(?:-+ .* -+|=+ .* =+)$)", printed, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def measured(fault: Fault, suite: Suite, sides: Mapping[str, Side], folder: Path, *, peer: bool) -> Failure | None:
    """All sides on one failing test; None where it does not fail by itself."""
    known = truth(fault, suite, folder)
    if known is None:
        say(f"{fault.name}: left out, {fault.test} does not fail alone")
        return None
    found = Failure(
        fault.name, fault.kind, f"{fault.file}:{fault.lines[0]}", fault.test, known.exception, known.seconds
    )
    for name, side in sides.items():
        found.answers[name] = side(known, folder)
        print(f"{fault.name:<22} {fault.kind:<12} {name:<10} {told(found.answers[name])}", flush=True)
    found.rankings = rankings(fault, suite, folder / "fauxpy") if peer else []
    return found


def turns(sources: list[Found], leave_out: Callable[[str], None]) -> Found:
    """One of each source after another, until all have ended. A source that cannot be used is said, and dropped."""
    while sources:
        for source in list(sources):
            found = _next(source, leave_out)
            if found is None:
                sources.remove(source)
            else:
                yield found


def _next(source: Found, leave_out: Callable[[str], None]) -> tuple[Fault, Suite] | None:
    try:
        return next(source, None)
    except LeftOut as error:
        leave_out(str(error))
        return None


def tables(found: Sequence[Failure]) -> None:
    """The sums, side by side."""
    names = list(found[0].answers)
    rows = [sums([each.answers[name] for each in found]) for name in names]
    added = ["seconds added to plain pytest: median"]
    added += [f"{statistics.median(e.answers[n].seconds - e.plain_s for e in found):.1f}" for n in names]
    show(
        f"{len(found)} failing tests; plain pytest {statistics.median(e.plain_s for e in found):.1f} s (median)",
        ["", *names],
        [[what[0], *(side[n][1] for side in rows)] for n, what in enumerate(rows[0])] + [added],
    )
    by_name: dict[str, list[Ranking]] = {}
    for each in (ranking for failure in found for ranking in failure.rankings):
        by_name.setdefault(each.technique, []).append(each)
    lines = [
        [n, *_tops([e.answers[n].line for e in found]), *_tops([e.answers[n].function for e in found])] for n in names
    ]
    for name, each in by_name.items():
        ranked = of(ranking.elements > 0 for ranking in each)
        lines.append(
            [f"fauxpy {name} ({ranked} ranked)", *_tops([e.line for e in each]), *_tops([e.function for e in each])]
        )
    show("among the first", ["", *(f"line {t}" for t in TOPS), *(f"function {t}" for t in TOPS)], lines)


def _tops(ranks: Sequence[float]) -> list[str]:
    return [of(0 < each <= top for each in ranks) for top in TOPS]


def pairs(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"NAME=VALUE is wanted, not {text}")
    return name, value


def main() -> None:
    """Finds failing tests, asks about each, prints a line for each and the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("--count", type=int, default=40, help="failing tests in all (default: 40)")
    parser.add_argument("--only", action="append", help="these projects, by name; repeatable")
    parser.add_argument("--history", type=pairs, action="append", default=[], help="NAME=CLONE; repeatable")
    parser.add_argument("--dap-ai", type=pairs, action="append", default=[], help="NAME=COMMAND of another commit")
    parser.add_argument("--no-mutants", action="store_true", help="only fixes of --history")
    parser.add_argument("--without", choices=("ask", "plugin", "fauxpy"), action="append", default=[], help="a side")
    parser.add_argument("--keep", type=Path, default=CACHE, help=f"the cache (default: {CACHE})")
    parser.add_argument("--json", type=Path, help="write what was found of each failing test")
    options = parser.parse_args()
    if unknown := set(options.only or ()) - {each.name for each in PROJECTS}:
        parser.error(f"not known: {', '.join(sorted(unknown))}; there are {', '.join(each.name for each in PROJECTS)}")
    cache = options.keep.resolve()
    sources = [_history.faults(name, Path(clone).resolve(), cache, MOST_FAILING) for name, clone in options.history]
    if not options.no_mutants:
        chosen = [each for each in PROJECTS if not options.only or each.name in options.only]
        sources += [_project_mutants.faults(each, cache, options.seed, MOST_FAILING) for each in chosen]
    found: list[Failure] = []
    try:
        measure(turns(sources, lambda why: say(f"LEFT OUT: {why}")), options, found)
    except KeyboardInterrupt:
        say("interrupted: what was found until then")
    if not found:
        sys.exit("no failing test was found")
    tables(found)
    print(f"\n{machine()}, load {os.getloadavg()[0]:.1f}")


def measure(faults: Found, options: argparse.Namespace, found: list[Failure]) -> None:
    """Adds one failing test after another, until there are as many as are wanted."""
    sides, peer = _sides(options.dap_ai, options.without), "fauxpy" not in options.without
    for fault, suite in faults:
        with tempfile.TemporaryDirectory() as name:
            each = measured(fault, suite, sides, Path(name), peer=peer)
        found += [each] if each else []
        if options.json:
            figures = {"machine": machine(), "seed": options.seed, "found": [asdict(each) for each in found]}
            options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
        if len(found) >= options.count:
            break


def _sides(commands: Sequence[tuple[str, str]], without: Sequence[str]) -> dict[str, Side]:
    def of_command(command: str) -> Side:
        return lambda known, folder: by_command([command], known, folder)

    sides = {name: of_command(command) for name, command in commands}
    plugin = {"plugin": by_plugin} if find_spec("dap_ai.debuggees.python.hosts.testing") else {}
    sides |= {"ask": of_command(DAP_AI[0]), **plugin}
    return {name: side for name, side in sides.items() if name not in without}


if __name__ == "__main__":
    main()
