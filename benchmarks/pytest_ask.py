"""What `pytest --ask` costs: a passing suite without the plugin, with it, and asked; and each failing test.

    python benchmarks/pytest_ask.py [ROUNDS]

The runs of a round follow each other, so that whatever else the machine does meets all of them. Told is the processor
time of the quickest runs, for it grows least with the load; of failing tests the seconds that each was held up.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PASSING = """
import pytest

@pytest.mark.parametrize("n", range(3000))
def test_n(n):
    assert sum(range(n)) == n * (n - 1) // 2
"""
FAILING = """
import pytest

def mean(xs):
    return sum(xs) / (len(xs) - 1)

@pytest.mark.parametrize("n", range(2, 22))
def test_n(n):
    xs = [n] * n
    assert mean(xs) == n
"""
WAYS = {"no plugin": ["-p", "no:dap-ai"], "installed": [], "--ask": ["--ask"]}


def processor_s(folder: Path, options: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "passing.py", *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def held_up_s(folder: Path) -> list[float]:
    options = ["--ask=full", "--ask-json", "found.json"]  # full: each of them is answered
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "failing.py", *options]
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    lines = (folder / "found.json").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["seconds"] for line in lines]


def main() -> None:
    rounds = int(sys.argv[1]) if sys.argv[1:] else 7
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "passing.py").write_text(PASSING, encoding="utf-8")
        (folder / "failing.py").write_text(FAILING, encoding="utf-8")
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way, options in WAYS.items():
                seconds[way].append(processor_s(folder, options))
        base = min(seconds["no plugin"])
        for way, found in seconds.items():
            print(f"{way:>10}: {min(found):.3f} s of a processor, {100 * (min(found) / base - 1):+.1f} %")
        first, *rest = held_up_s(folder)
        print(f"a failing test: {statistics.median(rest):.2f} s (the longest {max(rest):.2f}); the first {first:.2f} s")


if __name__ == "__main__":
    main()
