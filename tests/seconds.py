"""Seconds of work by folder of tests: printed after each whole run; `--write-seconds` puts them into CONTRIBUTING.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent
_PLACE = re.compile(r"(<!-- seconds: [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)
_LEAST_S = 60.0
"""A run of less is no whole one."""


def folder_of(node_id: str) -> str:
    """`tests/unit/agent` of a test in or below it; of others the first two folders."""
    parts = node_id.partition("::")[0].split("/")[:-1]
    return "/".join(parts[: 3 if parts[1:2] == ["unit"] else 2]) or "."


def table(seconds: Counter[str], tests: Counter[str]) -> str:
    """A Markdown table, the longest folder first."""
    rows = [f"| `{name}` | {tests[name]:,} | {spent:,.0f} |" for name, spent in seconds.most_common()]
    total = f"| all | {sum(tests.values()):,} | {sum(seconds.values()):,.0f} |"
    return "\n".join(["| folder | tests | seconds |", "|---|---:|---:|", *rows, total])


class Seconds:
    """Counts set-up, call and tear-down of each test, in whichever worker it ran."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = folder_of(report.nodeid)
        self.seconds[folder] += report.duration  # type: ignore[assignment]  a Counter takes fractions, too
        self.tests[folder] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if sum(self.seconds.values()) < _LEAST_S:
            return
        told = table(self.seconds, self.tests)
        terminalreporter.write_line(told)
        if config.getoption("--write-seconds"):
            file = _ROOT / "CONTRIBUTING.md"
            text = file.read_text("utf-8")
            file.write_text(_PLACE.sub(lambda found: f"{found[1]}{told}\n{found[2]}", text), "utf-8")
