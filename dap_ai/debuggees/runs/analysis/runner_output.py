"""Parses output of test runners, linters and builds: counts, summary, first error. The patterns are in checks.toml.

Reads at most MAX_CHARS of a text, from its beginning and its end, because summaries are there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from dap_ai.debuggees.runs.analysis.rule_tables import lists

MAX_CHARS = 60_000
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)")
_MAX_LINE = 2_000
_NUMBERS = ("passed", "failed", "errors", "skipped", "total")


class RunnerOutput(msgspec.Struct):
    """Parsed output of a runner. `ok` is None if the output does not show whether the check passed."""

    runner: str = ""
    ok: bool | None = None
    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None
    summary: str = ""
    error: str = ""
    error_line: int | None = None


class Runner(msgspec.Struct):
    """Output format of one runner, with compiled patterns."""

    name: str
    patterns: Mapping[str, re.Pattern[str]]
    """Patterns by their names in checks.toml: `sure`, `passed`, `bad`, ..."""
    sums: bool

    def finds(self, key: str, text: str) -> bool:
        """Return whether the runner has a pattern named `key` that matches the text."""
        pattern = self.patterns.get(key)
        return pattern is not None and pattern.search(text) is not None


@cache
def _runners() -> Sequence[Runner]:
    return [_compiled(**table) for table in lists("checks")["runners"]]


def _compiled(name: str, *, sum: bool = False, **texts: str) -> Runner:  # noqa: A002  a key of checks.toml
    return Runner(name, {key: re.compile(text, re.IGNORECASE | re.MULTILINE) for key, text in texts.items()}, sum)


@cache
def _any(key: str) -> Sequence[re.Pattern[str]]:
    return [re.compile(text, re.IGNORECASE if key != "errors" else 0) for text in lists("checks")[key]]


def clean(text: str) -> list[tuple[int, str]]:
    """Return the lines to parse, each with its 1-based number in `text`, without terminal escapes."""
    numbered = enumerate(text.split("\n"), 1)
    if len(text) > MAX_CHARS:
        lines = list(numbered)
        kept, tail = list[tuple[int, str]](), list[tuple[int, str]]()
        for source, into, most in ((lines, kept, MAX_CHARS // 3), (reversed(lines), tail, 2 * MAX_CHARS // 3)):
            size = 0
            for number, line in source:
                size += min(len(line), _MAX_LINE) + 1
                if size > most:
                    break
                into.append((number, line))
        seen = {number for number, _ in kept}
        numbered = iter([*kept, *(one for one in reversed(tail) if one[0] not in seen)])
    return [(number, _ESCAPES.sub("", line[:_MAX_LINE]).rstrip("\r")) for number, line in numbered]


def read_output(text: str, runner: str) -> RunnerOutput:
    """Parse `text`, the output of the checker `runner`. `runner` is empty for any other program."""
    lines = clean(text)
    joined = "\n".join(line for _, line in lines)
    for known in sorted(_runners(), key=lambda one: one.name != runner):
        if known.finds("sure", joined):
            return _by(known, joined, lines)
    output = RunnerOutput()
    output.error, output.error_line = first_error(lines, _any("errors"))
    return output


def _by(runner: Runner, joined: str, lines: Sequence[tuple[int, str]]) -> RunnerOutput:
    """Parse the output of a known runner."""
    output = RunnerOutput(runner.name)
    patterns = runner.patterns
    counts: dict[str, int | None] = {key: _number(runner, patterns[key], joined) for key in _NUMBERS if key in patterns}
    counts |= {key: len(patterns[f"lines_{key}"].findall(joined)) for key in _NUMBERS if f"lines_{key}" in patterns}
    if "last" in patterns and (rows := patterns["last"].findall(joined)):
        counts = dict(zip(("total", "failed", "errors", "skipped"), map(int, rows[-1]), strict=True))
    total = counts.pop("total", None)
    if total is not None:
        counts["failed"] = counts.get("failed") or 0
        lost = counts["failed"] + (counts.get("errors") or 0) + (counts.get("skipped") or 0)
        counts["passed"] = max(total - lost, 0)
    for key, value in counts.items():
        setattr(output, key, value)
    output.summary = list(patterns["sure"].finditer(joined))[-1][0].strip()[:200]
    wrong = bool(output.failed or output.errors) or runner.finds("bad", joined)
    right = bool(output.passed) or runner.finds("ok", joined)
    output.ok = False if wrong else True if right else None
    if output.failed is None and output.passed is not None:
        output.failed = 0
    if wrong:
        output.error, output.error_line = first_error(lines, [patterns["error"]] if "error" in patterns else [])
        if not output.error:
            output.error, output.error_line = first_error(lines, _any("errors"))
    return output


def _number(runner: Runner, pattern: re.Pattern[str], joined: str) -> int | None:
    """Return the last number that `pattern` matches, or None.

    If the runner's counts add up, returns the sum of all numbers.
    """
    found = [int(value[:12]) for value in pattern.findall(joined) if value.isdigit()]
    return None if not found else sum(found) if runner.sums else found[-1]


def first_error(lines: Sequence[tuple[int, str]], patterns: Sequence[re.Pattern[str]]) -> tuple[str, int | None]:
    """Return the first line that matches any of `patterns`, and its number; an empty string and None if none matches.

    For a traceback, returns its last line, which has the exception.
    """
    for position, (number, line) in enumerate(lines):
        if any(pattern.search(line) for pattern in patterns):
            if "Traceback (most recent call last)" in line:
                return _end_of_traceback(lines[position + 1 : position + 400]) or (line.strip()[:200], number)
            return line.strip()[:200], number
    return "", None


def _end_of_traceback(lines: Sequence[tuple[int, str]]) -> tuple[str, int] | None:
    for number, line in lines:
        if line[:1].strip() and not line.startswith(("|", "+")):
            return line.strip()[:200], number
    return None


def says(lines: Sequence[tuple[int, str]], key: str) -> str:
    """Return the last line that matches a pattern of `key`; empty if no line matches."""
    for _, line in reversed(lines):
        if line.strip() and any(pattern.search(line) for pattern in _any(key)):
            return line.strip()[:200]
    return ""
