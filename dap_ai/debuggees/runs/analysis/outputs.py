"""What a runner printed: counts, the summary, the first line of a failure. By the expressions of checks.toml.

Reads at most MAX_CHARS of a text, its beginning and its end: summaries stand there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from dap_ai.debuggees.runs.analysis.tables import lists

MAX_CHARS = 60_000
_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,20}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)")
_MAX_LINE = 2_000


class Output(msgspec.Struct):
    """What was read. `ok` None: the text does not say."""

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
    """One form of output, compiled."""

    name: str
    sure: re.Pattern[str]
    numbers: Mapping[str, re.Pattern[str]]
    counted: Mapping[str, re.Pattern[str]]
    ok: re.Pattern[str] | None
    bad: re.Pattern[str] | None
    error: re.Pattern[str] | None
    last: re.Pattern[str] | None
    sums: bool


@cache
def _runners() -> Sequence[Runner]:
    return [_compiled(table) for table in lists("checks")["runners"]]


def _compiled(table: Mapping[str, Any]) -> Runner:
    made = {key: re.compile(text, re.IGNORECASE | re.MULTILINE) for key, text in table.items() if isinstance(text, str)}
    return Runner(
        name=table["name"],
        sure=made["sure"],
        numbers={key: made[key] for key in ("passed", "failed", "errors", "skipped", "total") if key in made},
        counted={key: made[f"lines_{key}"] for key in ("passed", "failed", "errors") if f"lines_{key}" in made},
        ok=made.get("ok"),
        bad=made.get("bad"),
        error=made.get("error"),
        last=made.get("last"),
        sums=bool(table.get("sum")),
    )


@cache
def _any(key: str) -> Sequence[re.Pattern[str]]:
    return [re.compile(text, re.IGNORECASE if key != "errors" else 0) for text in lists("checks")[key]]


def clean(text: str) -> list[tuple[int, str]]:
    """The lines to be read, each with its number in `text` (1-based), without terminal escapes."""
    numbered = enumerate(text.split("\n"), 1)
    if len(text) > MAX_CHARS:
        lines = list(numbered)
        kept, size, tail = list[tuple[int, str]](), 0, list[tuple[int, str]]()
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


def read_output(text: str, runner: str) -> Output:
    """What `text`, printed by the checker `runner` ("" for any other program), says."""
    lines = clean(text)
    joined = "\n".join(line for _, line in lines)
    for known in sorted(_runners(), key=lambda one: one.name != runner):
        if known.sure.search(joined):
            return _by(known, joined, lines)
    output = Output()
    output.error, output.error_line = first_error(lines, _any("errors"))
    return output


def _by(runner: Runner, joined: str, lines: Sequence[tuple[int, str]]) -> Output:
    """The counts of a runner that surely printed."""
    output = Output(runner.name)
    counts = {key: _number(runner, pattern, joined) for key, pattern in runner.numbers.items()}
    counts.update({key: len(pattern.findall(joined)) for key, pattern in runner.counted.items()})
    if runner.last and (rows := runner.last.findall(joined)):
        total, failed, errors, skipped = (int(value) for value in rows[-1])
        counts = {"failed": failed, "errors": errors, "skipped": skipped, "total": total}
    total = counts.pop("total", None)
    if total is not None:
        counts["failed"] = counts.get("failed") or 0
        lost = counts["failed"] + (counts.get("errors") or 0) + (counts.get("skipped") or 0)
        counts["passed"] = max(total - lost, 0)
    for key, value in counts.items():
        setattr(output, key, value)
    found = list(runner.sure.finditer(joined))
    output.summary = found[-1][0].strip()[:200]
    wrong = bool((output.failed or 0) + (output.errors or 0)) or (
        runner.bad is not None and runner.bad.search(joined) is not None
    )
    right = bool(output.passed) or (runner.ok is not None and runner.ok.search(joined) is not None)
    output.ok = False if wrong else True if right else None
    if output.passed is not None or output.ok is not None:
        output.failed = output.failed if output.failed is not None or output.passed is None else 0
    if wrong:
        patterns = [runner.error] if runner.error else []
        output.error, output.error_line = first_error(lines, patterns)
        if not output.error:
            output.error, output.error_line = first_error(lines, _any("errors"))
    return output


def _number(runner: Runner, pattern: re.Pattern[str], joined: str) -> int | None:
    """The last number that `pattern` finds, or the sum of all."""
    found = [int(value[:12]) for value in pattern.findall(joined) if value.isdigit()]
    return None if not found else sum(found) if runner.sums else found[-1]


def first_error(lines: Sequence[tuple[int, str]], patterns: Sequence[re.Pattern[str]]) -> tuple[str, int | None]:
    """The first line that any of `patterns` finds; of a traceback its last line, which says what happened."""
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
    """The last line that one of the expressions of `key` finds, or ""."""
    for _, line in reversed(lines):
        if line.strip() and any(pattern.search(line) for pattern in _any(key)):
            return line.strip()[:200]
    return ""
