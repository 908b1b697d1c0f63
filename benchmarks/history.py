"""When did a value change, and to what? `history` over many changes, beside what is done by hand without it.

    python benchmarks/history.py [--changes 10000] [--runs 3] [--json FILE]

All run in turn, each in a new process, on the same program: five sixths of its changes make `level` negative.
  python      the program alone
  settrace    its lines traced by the shortest function that keeps each value of `level`, in the program itself
  pdb         a breakpoint with the condition `level < 0`: the first change, not the others
  copy        the same question in `dap-ai debug`'s copy: what the copy itself took, all changes noted
  dap-ai ask  from the command to its end: start, stop, question, copy, answer
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _dap import DAP_AI, machine, show

PROGRAM = """\
def work(n):
    level = 5 * n
    for step in range(n):
        level -= 6
    assert level > 0, level


work({changes})
"""
TRACED = """\
import runpy, sys

values = []


def trace(frame, event, argument):
    if frame.f_code.co_name != "work":
        return None
    value = frame.f_locals.get("level")
    if value is not None and (not values or values[-1][0] != value):
        values.append((value, frame.f_lineno))
    return trace


sys.settrace(trace)
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
except AssertionError:
    sys.settrace(None)
print(len(values), next(value for value, _ in values if value < 0))
"""
QUESTION = "when did level become negative?"
Times = dict[str, list[float]]


def timed(command: list[str]) -> tuple[float, str]:
    """Milliseconds of a command, and all that it has written."""
    began = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=600)
    return 1000 * (time.perf_counter() - began), done.stdout + done.stderr


def measure(program: Path, tracer: Path, changes: int, times: Times) -> None:
    """One round of all. Raises AssertionError where one has not found what it was to find."""
    first = f"-{6 - 5 * changes % 6}"
    ways = {
        "python": ([sys.executable, str(program)], "AssertionError"),
        "settrace": ([sys.executable, str(tracer), str(program)], f"{changes + 1} {first}\n"),
        "pdb": ([sys.executable, "-m", "pdb", "-c", f"b {program}:4, level < 0", "-c", "c", "-c", "p level",
                 "-c", "q", str(program)], first),
        "dap-ai ask": ([*DAP_AI, "ask", str(program), "-q", QUESTION], f"`level` became `{first}`"),
    }  # fmt: skip
    for name, (command, wanted) in ways.items():
        ms, text = timed(command)
        assert wanted in text, (name, text)
        times.setdefault(name, []).append(ms)
        if copy := re.search(r"snapshot .* afresh .*\((\d+) ms\)", text):
            assert f"of {changes + 1}." in text, text
            times.setdefault("copy", []).append(float(copy[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    times: Times = {}
    with tempfile.TemporaryDirectory() as folder:
        program, tracer = Path(folder, "levels.py"), Path(folder, "tracer.py")
        program.write_text(PROGRAM.format(changes=options.changes), encoding="utf-8")
        tracer.write_text(TRACED, encoding="utf-8")
        for _ in range(options.runs):
            measure(program, tracer, options.changes, times)
    rows = [[name, f"{statistics.median(ms):.0f}", f"{min(ms):.0f}"] for name, ms in times.items()]
    show(f"milliseconds over {options.changes:,} changes, of {options.runs} runs", ["", "median", "quickest"], rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "ms": times}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
