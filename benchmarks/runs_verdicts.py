"""How often an onset is said of runs that went well, and of runs that failed, whose verdicts are known from elsewhere.

    python benchmarks/runs_verdicts.py VERDICTS [--json FILE]

VERDICTS has one JSON object a line: `{"run": PATH, "solved": true}`, the path relative to that file. What a run records
of its own verdict is taken away first, so that only its text speaks. Steps are not judged: no label is needed, and any
public collection with results will do.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.opening import CannotRead, open_run
from dap_ai.debuggees.runs.run_model import Outcome


class Row(NamedTuple):
    """One run. `rule` is "" where nothing is said; `format` where it cannot be read."""

    format: str
    solved: bool
    rule: str
    seconds: float
    """To analyse it."""


def rows(verdicts: Path) -> Iterator[Row]:
    """Each run with what is said of it."""
    for line in verdicts.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        try:
            run = open_run(verdicts.parent / said["run"])
        except CannotRead:
            yield Row("", said["solved"], "", 0)
            continue
        blind = msgspec.structs.replace(run, outcome=Outcome())
        start = time.process_time()
        onset = analyse(blind).finding.onset
        yield Row(run.format, said["solved"], onset.rule if onset else "", time.process_time() - start)


def results(found: list[Row]) -> dict[str, Any]:
    """By format and by rule: how many of those that were solved, and of those that failed."""
    read = [row for row in found if row.format]
    formats = {
        name: {
            "solved": sum(row.solved for row in read if row.format == name),
            "quiet": sum(row.solved and not row.rule for row in read if row.format == name),
            "failed": sum(not row.solved for row in read if row.format == name),
            "said": sum(not row.solved and bool(row.rule) for row in read if row.format == name),
        }
        for name in sorted({row.format for row in read})
    }
    solved = Counter(row.rule for row in read if row.rule and row.solved)
    failed = Counter(row.rule for row in read if row.rule and not row.solved)
    rules = {rule: {"solved": solved[rule], "failed": failed[rule]} for rule in sorted({*solved, *failed})}
    seconds = sorted(row.seconds for row in read)
    return {
        "unreadable": len(found) - len(read),
        "formats": formats,
        "rules": rules,
        "cpu_s": {"median": seconds[len(seconds) // 2], "longest": seconds[-1]} if seconds else {},
    }


def show(result: dict[str, Any]) -> None:
    """Two tables."""
    for name, row in result["formats"].items():
        quiet, said = f"quiet on {row['quiet']} of {row['solved']} solved", f"said of {row['said']} of {row['failed']}"
        print(f"{name:22} {quiet}; {said} failed")
    for rule, row in result["rules"].items():
        share = row["failed"] / (row["failed"] + row["solved"])
        print(f"  {rule:20} said of {row['failed']:4} failed and {row['solved']:4} solved runs: {100 * share:.0f} %")
    spent = ", ".join(f"{name} {value:.3f} s" for name, value in result["cpu_s"].items())
    print(f"{result['unreadable']} cannot be read; processor time of one: {spent}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--json", type=Path, help="write the numbers there")
    arguments = parser.parse_args()
    result = results(list(rows(arguments.verdicts)))
    show(result)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)))


if __name__ == "__main__":
    main()
