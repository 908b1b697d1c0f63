"""What an answer about a failing test claims, held against what is true: the patch, the test run again, what executed.

The truth is found without dap_ai. Shared by claims.py and failing_tests.py.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

Place = tuple[str, int]
"""A file, relative to the folder of the failing test, and a line of it, 1-based."""
TOPS = (1, 3, 5)
MOST_LINES = 8
"""Of a statement that counts as one place."""
MANY = 10_000
WITHIN = re.compile(r"`([\w./+-]+\.\w+):(\d+)`")
STEP = re.compile(r"^\d+\. `([\w./+-]+):(\d+)`", re.MULTILINE)
FIRM, ANY_CAUSE = "**Root cause.**", re.compile(r"\*\*(?:Root|Likely|Probable) cause\b")
NUMBERED = re.compile(r"^[\s>*|]*(\d+)[ |:](.*)$")


@dataclass(frozen=True)
class Fault:
    """A test that fails in a folder, and where the mistake is."""

    name: str
    kind: str
    folder: Path
    file: str
    """The file with the mistake, relative to the folder."""
    lines: tuple[int, ...]
    """The lines that the right answer names, 1-based."""
    test: str

    def is_line(self, place: Place) -> bool:
        """Whether a place is a line of the mistake, or in the statement that it is in."""
        if place[0] != self.file:
            return False
        around = {each for line in self.lines for each in statement(self.folder / self.file, line)}
        return place[1] in self.lines or place[1] in around

    def is_function(self, place: Place) -> bool:
        """Whether a place is in a function that has the mistake."""
        path = self.folder / self.file
        return place[0] == self.file and (function(path, place[1]) or statement(path, place[1])) in self.functions

    @property
    def functions(self) -> list[range]:
        """The lines of the functions that have the mistake; the statement where it is in none."""
        path = self.folder / self.file
        return [function(path, line) or statement(path, line) for line in self.lines]


@dataclass
class Answer:
    """What was said about a failure, from whichever command it came."""

    text: str
    suspects: list[Place] = field(default_factory=list[Place])
    fixes: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Each as a diff, and whether it is called verified."""
    cut: bool = False
    """There was none within the time."""


@dataclass
class Claims:
    """What became of the claims of one answer."""

    seconds: float
    """Of the whole command."""
    answer_s: float | None = None
    """From the stop to the end of the answer, where that was told."""
    answered: bool = False
    at: str = ""
    """Where the answer says that it failed."""
    at_failure: bool | None = None
    """Whether that is where the traceback has it; None where it says nothing."""
    line: int = 0
    """The rank of a right line among the suspects, 1-based; 0: it is not there."""
    function: int = 0
    """The rank of a line of the right function."""
    suspects: int = 0
    firm: bool | None = None
    """Whether the root cause that was told without "a guess" was right; None: none was."""
    verified: list[tuple[bool, bool]] = field(default_factory=list[tuple[bool, bool]])
    """For each fix called verified: whether the failing test passes with it, whether all tests do."""
    recommended: bool | None = None
    """Whether the failing test passes with the first fix; None: there is none."""
    never_ran: list[str] = field(default_factory=list[str])
    in_context: bool | None = None
    """Whether the first context shows a line of the right function; None: not asked."""
    words: int = 0
    """Before the root cause."""
    said: str = ""


def judge(
    answer: Answer,
    fault: Fault,
    executed: set[Place],
    passes: Callable[[Path], tuple[bool, bool]],
    failed_at: Sequence[Place] = (),
) -> Claims:
    """Holds each claim against the truth.

    `executed` are the lines that run in the failing test; `passes` says of a folder whether the failing test passes
    there, and whether all do; `failed_at` are the traceback's frames in the folder, the innermost first.
    """
    found = Claims(0.0, answered=bool(answer.text.strip()), suspects=len(answer.suspects))
    found.said = next(iter(answer.text.strip().splitlines()), "")
    found.line = rank(answer.suspects, fault.is_line)
    found.function = rank(answer.suspects, fault.is_function)
    cause = ANY_CAUSE.search(answer.text)
    found.words = len(answer.text[: cause.start() if cause else None].split())
    if FIRM in answer.text and (
        named := first_place(fault.folder, answer.text.partition(FIRM)[2]) or answer.suspects[:1]
    ):
        found.firm = fault.is_line(named[0])
    steps = [within(fault.folder, name, int(line)) for name, line in STEP.findall(answer.text)]
    places = dict.fromkeys([*answer.suspects, *steps])
    found.never_ran = [f"{n}:{k}" for n, k in places if not did_run(fault.folder, (n, k), executed)]
    for number, (diff, verified) in enumerate(answer.fixes):
        result = with_fix(fault.folder, diff, passes)
        if verified:
            found.verified.append(result)
        if number == 0:
            found.recommended = result[0]
    happened = first_place(fault.folder, answer.text.partition("**What happened.**")[2])
    if happened:
        found.at = f"{happened[0][0]}:{happened[0][1]}"
        found.at_failure = bool(failed_at) and same_statement(fault.folder, happened[0], failed_at[0])
    return found


def rank(places: Sequence[Place], right: Callable[[Place], bool]) -> int:
    """Where the first right place stands, from 1 on; 0 if nowhere."""
    return next((number for number, place in enumerate(places, 1) if right(place)), 0)


def within(folder: Path, name: str, line: int) -> Place:
    """A place relative to the folder; as it is where it is somewhere else."""
    path = (folder / name).resolve()
    return (path.relative_to(folder.resolve()).as_posix() if path.is_relative_to(folder.resolve()) else name), line


def first_place(folder: Path, text: str) -> list[Place]:
    """The first file and line that a text names, in a list of at most one."""
    found = WITHIN.search(text)
    return [within(folder, found[1], int(found[2]))] if found else []


def shown(context: str, fault: Fault) -> bool:
    """Whether a first context quotes a line of the function with the mistake, with its number."""
    lines = (fault.folder / fault.file).read_text(encoding="utf-8").splitlines()
    wanted = {number: lines[number - 1].strip() for each in fault.functions for number in each if number <= len(lines)}
    quotes = [(int(match[1]), match[2].strip()) for match in map(NUMBERED.match, context.splitlines()) if match]
    return any(text and wanted.get(number) == text for number, text in quotes)


def tree_of(path: Path) -> ast.Module:
    """A file's syntax."""
    return _parsed(path.read_text(encoding="utf-8"))


@lru_cache(32)
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def statement(path: Path, line: int, most: int = MOST_LINES) -> range:
    """The lines of the smallest statement, or of a compound one's header, that has this line, unless it is long."""
    best = range(line, line + 1)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
            if node.lineno <= line <= end and end - node.lineno < most:
                best = range(node.lineno, end + 1)
    return best


def function(path: Path, line: int) -> range | None:
    """The lines of the innermost function around a line."""
    around = [each for each in _functions(path.read_text(encoding="utf-8")) if line in each]
    return min(around, key=len, default=None)


@lru_cache(32)
def _functions(text: str) -> list[range]:
    """The lines of each function, its decorators with it."""
    return [
        range(min([node.lineno, *(each.lineno for each in node.decorator_list)]), (node.end_lineno or 0) + 1)
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def same_statement(folder: Path, one: Place, other: Place) -> bool:
    """Whether two places are in one statement."""
    path = folder / one[0]
    return one == other or (one[0] == other[0] and path.suffix == ".py" and other[1] in statement(path, one[1]))


def did_run(folder: Path, place: Place, executed: set[Place]) -> bool:
    """Whether a statement ran; in a file that nothing is known of, what stands in no function. Other files: yes."""
    path = folder / place[0]
    if Path(place[0]).is_absolute() or not path.is_file() or path.suffix != ".py":
        return True
    if not any(name == place[0] for name, _ in executed):
        return function(path, place[1]) is None
    return any((place[0], each) in executed for each in statement(path, place[1], MANY))


def with_fix(folder: Path, diff: str, passes: Callable[[Path], tuple[bool, bool]]) -> tuple[bool, bool]:
    """What `passes` says of a copy of the folder with the fix. Twice no if the diff does not apply."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__", ".git"), symlinks=True)
        patch = subprocess.run(
            ["patch", "-p1", "-s", "-f"], cwd=copy, input=diff + "\n", text=True, capture_output=True, check=False
        )
        return passes(copy) if not patch.returncode else (False, False)


def events_of(text: str) -> Iterable[dict[str, Any]]:
    """The events of `dap-ai ask --json`."""
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def answer_of(events: Iterable[dict[str, Any]], folder: Path) -> Answer | None:
    """The answer of `dap-ai ask --json`; None if there is none."""
    ended = next((event for event in events if event["event"] == "askEnded"), None)
    if ended is None:
        return None
    suspects = [within(folder, each["file"], int(each["line"])) for each in ended.get("suspects", [])]
    fixes = [(each["diff"], bool(each["verified"])) for each in ended.get("fixes", [])]
    return Answer(ended["answer"], list(dict.fromkeys(suspects)), fixes)


def sums(found: Sequence[Claims]) -> list[tuple[str, str]]:
    """The sums of one command's answers: what, and how much of it."""
    true, whole = (sum(pair[n] for each in found for pair in each.verified) for n in (0, 1))
    verified = sum(len(each.verified) for each in found)
    answered = [each for each in found if each.answered]
    at = [each.at_failure for each in found if each.at_failure is not None]
    seconds = sorted(each.seconds for each in found) or [0.0]
    answer_s = sorted(each.answer_s for each in found if each.answer_s is not None)
    told_in = f"{statistics.median(answer_s):.2f}, {_ninetieth(answer_s):.2f}" if answer_s else "-"
    words = [each.words for each in answered] or [0]
    return [
        ("answered", of(each.answered for each in found)),
        ("stopped at the failure", f"{sum(at)}/{len(found)}"),
        ("right function in the first context", of(e.in_context for e in found if e.in_context is not None)),
        *((f"faulty line in the first {top}", of(0 < each.line <= top for each in found)) for top in TOPS),
        *((f"faulty function in the first {top}", of(0 < each.function <= top for each in found)) for top in TOPS),
        ("root cause told firmly: right", of(each.firm for each in found if each.firm is not None)),
        ("fixes called verified: test passes", f"{true}/{verified}"),
        ("fixes called verified: all tests pass", f"{whole}/{verified}"),
        ("first fix: test passes", of(each.recommended for each in found if each.recommended is not None)),
        ("suspects and steps that never ran", str(sum(len(each.never_ran) for each in found))),
        ("words before the root cause: median, most", f"{statistics.median(words):g}, {max(words)}"),
        ("seconds: median", f"{statistics.median(seconds):.1f}"),
        ("seconds: 90th percentile", f"{_ninetieth(seconds):.1f}"),
        ("seconds from the stop to the answer: median, 90th percentile", told_in),
    ]


def _ninetieth(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]


def of(flags: Iterable[bool | None]) -> str:
    """How many of how many."""
    each = list(flags)
    return f"{sum(map(bool, each))}/{len(each)}"


def told(found: Claims) -> str:
    """What became of the claims, on a line: what is wrong in capitals."""
    claims = [] if found.answered else ["NO ANSWER"]
    claims += [f"firm {'right' if found.firm else 'WRONG'}"] if found.firm is not None else []
    for one, every in found.verified:
        claims.append(f"verified {'true' if one else 'FALSE'}{', all tests pass' if every else ''}")
    claims += ["FIRST FIX FAILS"] if found.recommended is False else []
    claims += [f"NEVER RAN {' '.join(found.never_ran)}"] if found.never_ran else []
    claims += [f"STOPPED AT {found.at}"] if found.at_failure is False else []
    return f"line {found.line or '-'} function {found.function or '-'} {found.seconds:5.1f} s  {'; '.join(claims)}"
