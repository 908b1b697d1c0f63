"""The sentences by which an offline answer claims something about a run, each checked against a second run.

A sentence that matches no form, or that cannot be checked, is reported with the reason: none is passed over.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from _truth import statement

NEVER, AFTER, STOPPED = "never ran", "ran only after the raise", "the value at the stop"
CUT, NO_LITERAL, UNREAD, OTHERS, ELSEWHERE = (
    "the text is cut",
    "no literal",
    "not to be evaluated without a call",
    "of a file of others",
    "the second run has no such name or call",
)
"""Why a claim could not be checked."""
IF_IT_RAN, NOT_KNOWN = ", if it ran", "whether it ran is not known"
"""How a suspect's reason and a place's note end where the answer does not claim that the line ran."""
PURE = ("abs", "len", "max", "min", "sum")
"""Functions that the recorder may call."""
TIMES = {"once": 1, "twice": 2}
PLACE = r"`([\w./+-]+\.py):(\d+)`"
CODE = r"`([^`]*)`"


class Claim(NamedTuple):
    """A claim of an answer; `holds` is None where it cannot be checked, and `why` says why."""

    kind: str
    text: str
    holds: bool | None
    why: str = ""
    seen: frozenset[str] = frozenset()
    """The values that it was compared with."""


@dataclass
class Truth:
    """What the recorder saw: the value of each expression at the failure, of each name after each line."""

    folder: Path
    ran: dict[tuple[str, int], list[int]]
    """How often in all, and how often but for imports, which a run again has behind it."""
    lines: set[tuple[str, int]]
    before: set[tuple[str, int]]
    """The lines that ran before the failure was raised."""
    results: dict[str, set[str]]
    values: dict[tuple[str, int, str], set[str]]
    errors: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    given: dict[tuple[str, str], set[str]] = field(default_factory=dict[tuple[str, str], set[str]])
    at: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    failure: tuple[str, str] = ("", "")
    frames: list[tuple[str, int, str]] = field(default_factory=list[tuple[str, int, str]])

    def path(self, name: str) -> str:
        """The path of a file that an answer names."""
        return str((self.folder / name).resolve())

    def has(self, name: str) -> bool:
        """Whether the recorder records a file."""
        return self.path(name).startswith(f"{self.folder}/")

    def fault_of(self, name: str, line: int) -> str:
        """Why an answer must not name a statement; "" if it ran before the failure."""
        lines = {(self.path(name), each) for each in self.around(name, line)}
        return "" if lines & self.before else AFTER if lines & self.lines else NEVER

    def around(self, name: str, line: int) -> range:
        """The lines of the statement."""
        return statement(Path(self.path(name)), line, 10_000)

    def had(self, name: str, line: int, variable: str) -> set[str]:
        """The values of a name after any line of the statement."""
        file = self.path(name)
        return {text for each in self.around(name, line) for text in self.values.get((file, each, variable), ())}


def is_whole(text: str) -> bool:
    """Whether a text is a whole literal, as `repr` writes it."""
    try:
        return repr(ast.literal_eval(text)) == text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def is_pure(text: str) -> bool:
    """Whether an expression may be evaluated in the second run: it calls nothing of the program."""
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError):
        return False
    calls = [each.func for each in nodes if isinstance(each, ast.Call)]
    others = (ast.NamedExpr, ast.Await, ast.Yield, ast.comprehension, ast.Lambda)
    return all(isinstance(f, ast.Name) and f.id in PURE for f in calls) and not any(
        isinstance(n, others) for n in nodes
    )


def expressions(ended: dict[str, Any]) -> list[str]:
    """The expressions whose values at the failure an answer claims."""
    found = [match[1] for match in AT_FAILURE.finditer(prose(ended["answer"]))]
    found += [match[1] for form in (ZERO, LENGTH) for match in form.finditer(ended["answer"])]
    found += [each["expression"] for part in ("evidence", "path") for each in ended.get(part, [])]
    return [each for each in dict.fromkeys(found) if is_pure(each)]


def prose(answer: str) -> str:
    """The answer without its blocks of code."""
    return re.sub(r"^```.*?^```", "", answer, flags=re.DOTALL | re.MULTILINE)


def compared(kind: str, what: str, text: str, known: set[str] | None) -> Claim:
    """A claimed value, compared with the values seen; `known` is None where none is known."""
    claim = f"{what} {text}"
    if not known:
        return Claim(kind, claim, None, ELSEWHERE)
    if text in known:
        return Claim(kind, claim, True)
    if is_whole(text) and "<secret:" not in text and not any(each.startswith("<") for each in known):
        return Claim(kind, claim, False, seen=frozenset(known))
    return Claim(kind, claim, None, CUT if "..." in text or " more" in text else NO_LITERAL)


def at_failure(kind: str, expression: str, text: str, truth: Truth) -> Claim:
    """The claim that an expression had a value when the program failed."""
    if "..." in expression:
        return Claim(kind, f"{expression} {text}", None, CUT)
    if not is_pure(expression):
        called = re.fullmatch(r"(?:[\w.]+\.)?(\w+)\(.*\)", expression)
        if not called:
            return Claim(kind, f"{expression} {text}", None, UNREAD)
        return compared(kind, f"{expression} =", text, truth.results.get(called[1]))
    return compared(kind, f"{expression} =", text, truth.at.get(expression))


def line_of(kind: str, file: str, line: int, truth: Truth) -> Claim:
    """The claim that a line ran before the failure."""
    if not truth.has(file):
        return Claim(kind, f"{file}:{line}", None, OTHERS)
    wrong = truth.fault_of(file, line)
    return Claim(kind, f"{file}:{line} {wrong}".rstrip(), not wrong)


def _count(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    file, line, times = match[1], int(match[2]), match[3]
    claim = f"{file}:{line} ran {times}"
    if truth.has(file):
        seen = truth.ran.get((truth.path(file), truth.around(file, line).start), [0])
        holds = (TIMES.get(times) or int(times.split()[0].replace(",", ""))) in seen
        yield Claim("count", f"{claim}, seen {' or '.join(map(str, seen))}", holds)
    else:
        yield Claim("count", claim, None, OTHERS)
    for text in re.findall(CODE, match[5] or ""):
        yield compared("value", f"{file}:{line} {match[4]} became", text, truth.had(file, line, match[4]))


def _call(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    name, verb, text = match[1].rpartition(".")[2], match[3], match[4]
    for parameter, value in _arguments(match[2]):
        yield compared("argument", f"{match[1]} was given {parameter}", value, truth.given.get((name, parameter)))
    if verb == "raised":
        known = {_plain(each) for each in truth.errors.get(name, ())}
        holds = None if not known or "..." in text else _plain(text) in known
        yield Claim(
            "raised", f"{match[1]} raised {text}", holds, "" if holds is not None else CUT if known else ELSEWHERE
        )
    else:
        yield compared("result", f"{match[1]} returned", text, truth.results.get(name))


def _plain(error: str) -> str:
    """An error's text, however its blanks and its classes are written."""
    return re.sub(r"<class '([^']+)'>", r"<class \1>", " ".join(error.split())).rstrip(": ")


def _arguments(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each argument, as written; what `...` stands for is left out."""
    parts = re.split(r"(?:^|, )(\w+)=", text)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _step(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    if not match[3]:
        yield line_of("step", match[1], int(match[2]), truth)


def _happened(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    kind, _, message = match[1].partition(": ")
    known_kind, known = truth.failure
    message, _, more = message.partition(" (and ")  # "(and 7 more lines)"
    rest = known.rstrip("\n").count("\n")
    holds = (
        kind.rpartition(".")[2] == known_kind
        and (" ".join(message.rstrip(". ").split()) in " ".join(known.split()) or "..." in message)
        and (not more or int(more.split()[0]) == rest)
    )
    yield Claim("error", f"{match[1]}; seen {known_kind}: {known[:80]}", holds, seen=frozenset({known}))
    yield _frame(match[2], int(match[3]), match[4], truth)


def _called_from(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    yield line_of("step", match[1], int(match[2]), truth)


def _frame(file: str, line: int, function: str, truth: Truth) -> Claim:
    if not truth.has(file):
        return Claim("frame", f"{file}:{line}", None, OTHERS)
    holds = any(
        truth.path(file) == f and n in truth.around(file, line) and function == name for f, n, name in truth.frames
    )
    return Claim("frame", f"failed at {file}:{line} in {function}", holds)


def _is(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    if match[3] and "after cleanup" in match[3]:
        yield Claim("value at the failure", match[0], None, "said of now")
    else:
        yield at_failure("value at the failure", match[1], match[2], truth)


def _zero(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    known = truth.at.get(match[1])
    known = known if known and not any(each.startswith("<") for each in known) else None
    holds = any(each.strip("-") in ("0", "0.0", "0j", "False") for each in known) if known else None
    yield Claim("value at the failure", f"{match[1]} is zero", holds, "" if known else ELSEWHERE)


def _length(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    known = truth.at.get(match[1], set())
    known = known if all(map(is_whole, known)) else set[str]()  # else another frame's may be the only one left
    lengths = {len(v) for each in known if hasattr(v := ast.literal_eval(each), "__len__")}
    holds = int(match[2].replace(",", "")) in lengths if lengths else None
    yield Claim("length", match[0], holds, "" if lengths else ELSEWHERE)


def _named(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    yield line_of("named", match[1], int(match[2]), truth)


def _item(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    file, lines = truth.path(match[2]), truth.around(match[2], int(match[3])) if truth.has(match[2]) else ()
    values = [found for (path, line, _), found in truth.values.items() if path == file and line in lines]
    yield compared("item", f"{match[2]}:{match[3]} for", match[1], set[str]().union(*values))


def _error(match: re.Match[str], truth: Truth) -> Iterator[Claim]:
    yield Claim("error", match[0], match[1].rpartition(".")[2] == truth.failure[0])


def _nothing(_match: re.Match[str], _truth: Truth) -> Iterator[Claim]:
    return iter(())


AT_FAILURE = re.compile(
    rf"{CODE} (?:is|was|is now|=) {CODE}( when it failed| now, after cleanup has run)?(?:, not {CODE})?(?: \({CODE}\))?"
)
LENGTH = re.compile(rf"{CODE} has ([\d,]+) items?")
ZERO = re.compile(rf"divisor {CODE} is zero")
COUNT = r" ran (once|twice|[\d,]+ times)"
WENT = r"(?:: `(\w+)` (?:became|went) ((?:, then | -> |, |\.\.\.|`[^`]*`)+))?"
NO_CLAIM = (
    r"^\*\*Recommendation\.\*\*.*?(?=^\*\*(?:What|Why|Run)|^\*No language|\Z)",
    r"(?:Other suspects|Most suspicious): .*$",
    r"^\*\*Run again\.\*\*.*$",
    r"^Cleanup has run since; .*$",
    r"^(?:Verified in|A small change at|No fix was tried|- note: ).*$",
    rf"the failing check passes with(?:out)? {CODE}(?: before {CODE}| here| added after line \d+)?",
    rf"^\*\*Root cause[^*]*\*\* {PLACE}:|a guess at the cause: {PLACE}",
    rf"\(where {CODE} first appears\)",
)
"""Text that claims nothing of the run: advice, what a changed copy did (see claims.py), suspects (checked as data)."""
FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str], Truth], Iterator[Claim]]]] = [
    *((re.compile(text, re.MULTILINE | (re.DOTALL if "Recomm" in text else 0)), _nothing) for text in NO_CLAIM),
    (re.compile(rf"\*\*What happened\.\*\* `([^`]*)` at {PLACE}, in {CODE}"), _happened),
    (re.compile(rf"{PLACE}{COUNT}{WENT}"), _count),
    (re.compile(rf"`([\w.<>]+)\(([^`]*)\)` (returned|raised) `([^`]*)`(?: \({PLACE}\))?"), _call),
    (re.compile(rf"called from {PLACE}"), _called_from),
    (re.compile(rf"^\d+\. {PLACE} (?:in `[^`]+`|at module level)( may)? .*?: `.*?`(?= \(`|$)", re.MULTILINE), _step),
    (ZERO, _zero),
    (LENGTH, _length),
    (AT_FAILURE, _is),
    (re.compile(r"^`([\w.]+)`(?=: |, raised| at | for )", re.MULTILINE), _error),
    (re.compile(rf"for {CODE} at {PLACE}"), _item),
    (re.compile(rf"at {PLACE}"), _named),
]
"""In this order: text that one form matches is hidden from those after it. Suspects are checked as data."""


def checked(ended: dict[str, Any], truth: Truth) -> Iterator[Claim]:
    """Each claim of an answer."""
    for each in ended.get("suspects", []):
        if not each["reason"].endswith(IF_IT_RAN):
            yield line_of("suspect", each["file"], int(each["line"]), truth)
    rest = prose(ended["answer"])
    for pattern, check in FORMS:
        for match in pattern.finditer(rest):
            yield from check(match, truth)
        rest = pattern.sub("\N{CHECK MARK}", rest)
    for sentence in re.split(r"\n+|(?<=[.;]) (?=[`A-Z*])", rest):
        if re.search(r"`[^`]*`", sentence):
            yield Claim("unparsed", sentence, None, re.sub(r"\d+", "9", re.sub(CODE, "·", sentence)))
    for each in ended.get("path", []):
        yield from _place(each, truth)
    for each in ended.get("evidence", []):
        yield at_failure("evidence", each["expression"], each["value"], truth)


def settled(claims: list[Claim], again: list[Claim]) -> list[Claim]:
    """The claims, without a verdict on values that differ between two recorded runs."""
    return [
        one._replace(holds=None, why="differs from run to run")
        if one.holds is False and one.seen != other.seen
        else one
        for one, other in zip(claims, again, strict=True)
    ]


def _place(each: dict[str, Any], truth: Truth) -> Iterator[Claim]:
    """A place of the value path, and its values: those of the name there, or of the expression at the failure."""
    if not each.get("file") or not each.get("line"):
        return
    if not each.get("note", "").endswith(NOT_KNOWN):
        yield line_of("place", each["file"], int(each["line"]), truth)
    name, line = each["expression"], int(each["line"])
    is_name = name.isidentifier() and truth.has(each["file"])
    known = truth.had(each["file"], line, name) if is_name else truth.at.get(name)
    if each["step"] == "passed" and is_name:  # the parameter that it is in the call
        known = (known or set[str]()).union(*(found for (_, own), found in truth.given.items() if own == name))
    for text in each["value"].split(" -> ") if each["value"] else ():
        if each["known"] == "stop":
            yield Claim("path value", f"{name} is {text} when it stopped", None, STOPPED)
            continue
        yield compared("path value", f"{each['file']}:{line} {name} =", text, known)
