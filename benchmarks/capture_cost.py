"""What capturing values at each raise costs without a debugger.

Of a program that raises a million times, and of one that never does.

    python benchmarks/capture_cost.py [--python PATH] [--json FILE]

Also how often the last exception was captured, behind others that were handled: in a program that fails once, and in
one that goes on and fails so twenty times in a row. It counts only if the values are those of this very exception.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS, TRIALS, IN_A_ROW = 5, 10, 20
PROGRAM = """
import sys, time, threading
sys.path.insert(0, {root!r})
from dap_ai.debuggees.python.inspector.raises.raise_events import PAUSE_S, RaiseWatch as Watch
from dap_ai.debuggees.python.inspector.stored import captures
from dap_ai.system.user_code import is_user_path

def later(call):
    threading.Timer(PAUSE_S, call).start()

def raising(times):
    for n in range(times):
        try:
            raise ValueError(n)
        except ValueError:
            pass

def plain(times):
    total = 0
    for n in range(times):
        total += n % 7
    return total

def last(times, data):
    raising(times)
    raise KeyError(data)

captures.watch = Watch(is_user_path, later)  # no variable of the program
if {on}:
    assert captures.watch.begin(), "no capture in this Python"
if {what!r} == "last":
    found = 0
    for n in range({in_a_row}):
        try:
            last({times}, [n])
        except KeyError as error:
            moments = captures.moments_of(error)
            found += bool(moments) and moments[0][1].names["data"] == [n]
    print(found)
else:
    began = time.process_time()
    {what}({times})
    print(time.process_time() - began)
captures.watch.end()
"""


def run(python: str, what: str, times: int, *, on: bool, in_a_row: int = 1) -> float:
    """Seconds of a processor, or of `last` how many of those in a row were captured."""
    text = PROGRAM.format(root=str(ROOT), on=on, what=what, times=times, in_a_row=in_a_row)
    file = ROOT / "benchmarks" / ".capture_cost_program.py"
    file.write_text(text, encoding="utf-8")
    try:
        return float(subprocess.run([python, str(file)], capture_output=True, check=True).stdout)
    finally:
        file.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--json")
    options = parser.parse_args()
    found: dict[str, float] = {}
    for what, times in (("raising", 1_000_000), ("plain", 10_000_000)):
        pairs = [[run(options.python, what, times, on=on) for on in (False, True)] for _ in range(ROUNDS)]
        off, on = (statistics.median(column) for column in zip(*pairs, strict=True))
        found[f"{what}, times as long"] = round(on / off, 3)
        print(f"{what:10} {off:.3f} s without, {on:.3f} s with: {on / off:.2f}x")
    for times in (0, 1000, 100_000):
        once = sum(run(options.python, "last", times, on=True) for _ in range(TRIALS)) / TRIALS
        row = run(options.python, "last", times, on=True, in_a_row=IN_A_ROW) / IN_A_ROW
        found[f"last of {times} captured"], found[f"last of {times} captured, in a row"] = once, row
        told = f"{100 * once:.0f} %, {IN_A_ROW} times in a row: {100 * row:.0f} %"
        print(f"last exception captured behind {times:>7,} handled ones: {told}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
