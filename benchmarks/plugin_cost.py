"""What `pytest --ask` costs a test suite that passes, and what the plugin costs where nobody asks.

    python benchmarks/plugin_cost.py [PROJECT]... [--rounds N] [--keep DIR] [--json FILE]

The suite of a published project (see failing_tests.py) runs in turns: without dap_ai, with dap_ai installed, and with
`--ask`. The environments differ in nothing else. `its dependencies` is dap_ai installed, its own plugin blocked: some
packages that dap_ai needs bring plugins of their own (anyio), which pytest loads. `none` is one test that does nothing:
pytest's start alone. `plain again` is plain pytest once more: what differs there is noise. Told are the quickest run,
the median, and the ratio of both to plain pytest, of the seconds that pass and of the processor's, which depend less on
what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _dap import machine, show
from _projects import CACHE, PROJECTS, LeftOut, Suite, laid_out, say, sides

NONE = "none"
SIDES = ("plain", "plain again", "its dependencies", "installed", "--ask")
OPTIONS = {"its dependencies": ["-p", "no:dap-ai"], "--ask": ["--ask"]}


def timed(suite: Suite, folder: Path, side: str) -> tuple[float, float]:
    """The seconds of one run, those that pass and the processor's. RuntimeError if the tests do not pass."""
    python = suite.sides.plain if side.startswith("plain") else suite.sides.dap_ai
    command = [str(python), "-m", "pytest", *OPTIONS.get(side, []), *suite.arguments()]
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=suite.env(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the tests do not pass: {side}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime


def suite_of(name: str, cache: Path, folder: Path) -> tuple[Path, Suite]:
    """A project's source and how its tests are run. LeftOut if it cannot be used."""
    if name == NONE:
        (folder / "test_none.py").write_text("def test_none():\n    pass\n", encoding="utf-8")
        return folder, Suite(sides(cache, NONE, ()), ("test_none.py",))
    project = next(each for each in PROJECTS if each.name == name)
    source, known = laid_out(project, cache)
    return source, Suite(known, project.tests, project.path, project.leave_out)


def figures(suite: Suite, folder: Path, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Both seconds of each run, by side; the sides take turns, each round begins with another."""
    found: dict[str, list[tuple[float, float]]] = {side: [] for side in SIDES}
    for side in SIDES:
        timed(suite, folder, side)
    for number in range(rounds):
        for place in range(len(SIDES)):
            side = SIDES[(number + place) % len(SIDES)]
            found[side].append(timed(suite, folder, side))
    return found


def report(name: str, found: dict[str, list[tuple[float, float]]]) -> None:
    """A line a side."""
    rows: list[list[object]] = []
    for side, runs in found.items():
        row: list[object] = [side]
        for kind in (0, 1):
            for of in (min, statistics.median):
                own, plain = of(run[kind] for run in runs), of(run[kind] for run in found["plain"])
                row += [f"{own:.3f}", f"{own / plain:.3f}"]
        rows.append(row)
    heads = [f"{kind} {of}" for kind in ("passed", "processor") for of in ("quickest", "median")]
    show(f"{name}: seconds, and how many times plain pytest's", ["", *(h for e in heads for h in (e, "times"))], rows)


def main() -> None:
    """Measures each suite, and prints a table of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [NONE, *(each.name for each in PROJECTS)]
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=f"of {', '.join(names)}")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each side (default: 10)")
    parser.add_argument("--keep", type=Path, default=CACHE, help=f"the cache (default: {CACHE})")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    if unknown := set(options.projects) - set(names):
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for name in options.projects or (NONE, "sqlparse", "marshmallow"):
        with tempfile.TemporaryDirectory() as folder:
            try:
                source, suite = suite_of(name, options.keep.resolve(), Path(folder))
            except LeftOut as error:
                say(f"LEFT OUT: {name}: {error}")
                continue
            found[name] = figures(suite, source, options.rounds)
            report(name, found[name])
    if not found:
        sys.exit("no suite could be run")
    print(f"\n{machine()}, load {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "runs": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
