"""Hostile and harmless expressions under each way of evaluating them, on each Python there is.

    python benchmarks/safety.py [--json FILE] [--ways allow-list,snapshot] [VERSION...]

Runs the corpus of tests/safety in a real session. A side effect is any difference in the program's own account of its
state; an answer is right when it is described as the value that the program itself computes. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show

sys.path.insert(0, str(ROOT))
from tests.safety.harmless import HARMLESS
from tests.safety.harness import AllowList, Finding, Snapshot, run_corpus
from tests.safety.hostile import HOSTILE

VERSIONS = [f"3.{minor}" for minor in range(8, 16)]
WAYS = {"snapshot": Snapshot, "allow-list": AllowList}
COLUMNS = ["Python", "way", "corpus", "cases", "side effects", "leaks", "answered", "right", "refused", "threads ms"]


def interpreter(version: str) -> Path | None:
    """A Python of that version: one that dev.py prepared, this one, one of pyenv, one on PATH."""
    if version == "{}.{}".format(*sys.version_info):
        return Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    prepared = ROOT / ".venvs" / f"py{version}" / "bin" / "python"
    found = [path for path in [prepared, *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))] if path.exists()]
    on_path = shutil.which(f"python{version}")
    return found[0] if found else Path(on_path) if on_path else None


def summary(findings: list[Finding]) -> dict[str, Any]:
    """The figures of one run, and what stands behind those that should be 0."""
    refused = [finding for finding in findings if finding.fact.error == "refused"]
    return {
        "cases": len(findings),
        "side_effects": {finding.case.name: finding.changed for finding in findings if finding.changed},
        "leaks": [finding.case.name for finding in findings if finding.leaked],
        "answered": sum(finding.answered for finding in findings),
        "right": sum(finding.right for finding in findings),
        "wrong": [finding.case.name for finding in findings if finding.answered and finding.real and not finding.right],
        "refused": {finding.case.name: finding.fact.text for finding in refused},
        "slowest_threads_ms": round(1000 * max((finding.threads_s for finding in findings), default=0), 1),
    }


def row(version: str, way: str, corpus: str, figures: dict[str, Any]) -> list[object]:
    """A line of the table."""
    right = figures["right"] if corpus == "harmless" else "-"
    effects, leaks, refused = len(figures["side_effects"]), len(figures["leaks"]), len(figures["refused"])
    return [
        version, way, corpus, figures["cases"], effects, leaks, figures["answered"], right, refused,
        figures["slowest_threads_ms"],
    ]  # fmt: skip


def show_refusals(way: str, figures: dict[str, Any]) -> None:
    """The harmless expressions that were refused, and how often each rule refused a hostile one."""
    print(f"\n{way}: {len(figures['harmless']['refused'])} harmless ones refused")
    for name, text in figures["harmless"]["refused"].items():
        print(f"  {name}\n      {text}")
    words = 5 if way == "allow-list" else 99  # its advice is the end of the text; a snapshot's reason is short
    rules = collections.Counter(" ".join(text.split()[-words:]) for text in figures["hostile"]["refused"].values())
    title = f"{way}: hostile ones without an answer or an error of their own, by the reason"
    show(title, ["ends in", "times"], [[*pair] for pair in rules.most_common(12)])


def main() -> None:
    """Prints the table, then the refusals on the last Python."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION", help="3.8 to 3.15 (default: all)")
    parser.add_argument("--ways", default="snapshot,allow-list", help="snapshot, allow-list or both")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    ways = options.ways.split(",")
    figures: dict[str, Any] = {"machine": machine(), "missing": []}
    rows: list[list[object]] = []
    last: dict[str, dict[str, Any]] = {}
    for version in options.versions:
        python = interpreter(version)
        if python is None:
            figures["missing"].append(version)
            continue
        for way in ways:
            try:
                made = {
                    corpus: summary(asyncio.run(run_corpus(WAYS[way](), groups, python)))
                    for corpus, groups in (("hostile", HOSTILE), ("harmless", HARMLESS))
                }
            except AssertionError as failure:  # this Python has no debugpy that runs in it
                figures["missing"].append(f"{version}: {str(failure)[:200]}")
                break
            figures.setdefault(version, {})[way] = made
            rows += [row(version, way, corpus, part) for corpus, part in made.items()]
            last[way] = made
    show("side effects and answers", COLUMNS, rows)
    for missing in figures["missing"]:
        print(f"  not run: {missing}")
    for way, made in last.items():
        show_refusals(way, made)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
