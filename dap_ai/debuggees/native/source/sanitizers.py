"""Parses reports of Address-, Leak-, Memory- and ThreadSanitizer and UBSan, from gcc and clang. Does no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from dap_ai.agent.case.crash_report import Report, Stack, Tool
from dap_ai.debuggees.native.source import program_report
from dap_ai.debuggees.native.source.program_report import MAX_LINE, bounded, frame_of, near
from dap_ai.protocol.contracts.inspection import ThreadFrame

_MAX_STACKS = 12
_MAX_FACTS = 8
_MAX_LINES = 1_500
_NAMES = "(Address|HWAddress|Leak|Memory|Thread|UndefinedBehavior)Sanitizer"
_HEAD = re.compile(rf"(?:==\d+==)?\s*(?:ERROR|WARNING): {_NAMES}: (.*)$")
_SUMMARY = re.compile(rf"SUMMARY: {_NAMES}: (.*)$")
_END = re.compile(r"==\d+==ABORTING|^={18}$|Shadow byte(?:s around| legend)|ThreadSanitizer: reported \d+ warn")
_DROPPED = re.compile(
    r"^(?:=>)?\s*0x[0-9a-f]+:(?:\s|\[)|Shadow byte|^={10,}$|^\s+\^\s*$|additional info\.|DEADLYSIGNAL"
    r"|^HINT: this may be|\(longjmp and C\+\+|Hint: use TSAN_OPTIONS|This frame has \d+ object|HINT: if you don't care"
    r"|note: pointer points"
)
_PID = re.compile(r"^==\d+==\s*")
_NOISE = re.compile(r" at pc 0x.*$| \(pc 0x[^)]*\)| \(pid=\d+\)| \[0x[0-9a-f]+, ?0x[0-9a-f]+\)|tid=\d+, ")
_ACCESS = re.compile(r"\b(READ|WRITE|[Rr]ead|[Ww]rite)(?: of size (\d+))?")
_CAUSED = re.compile(r"caused by a (READ|WRITE) memory access")
_ADDRESS = re.compile(r"(?:address|on|at|:) (0x[0-9a-fA-F]{1,16})\b")
_VARIABLE = re.compile(r"\[\d+, \d+\) ('.*?'.*?) <== (.*)$")
_TITLE = re.compile(
    r"^(?:(?:READ|WRITE) of size|\s*(?:(?:Previous|Atomic) )?(?:atomic )?(?:[Rr]ead|[Ww]rite) of size"
    r"|\s*(?:freed|previously freed|previously allocated|allocated) by|(?:Direct|Indirect) leak of"
    r"|\s*Mutex M\d+ |\s*(?:Thread T\d+|Location is heap)|Address 0x\S+ is located in stack|Thread T\d+"
    r"|\s*Uninitialized value was|\s*Memory was marked|\s*As if synchronized|\s*Destroy|\s*Unlock|\s*Lock)"
)
_FACT = re.compile(
    r"is located (?!in stack)|<== |The signal is caused|Hint: address|Hint: pc|leaked in"
    r"|Location is (?:global|stack|file)|Cycle in lock order|Uninitialized value was stored|is a wild pointer"
    r"|dereference of a high value"
)
_RUNTIME_ERROR = re.compile(r"(?:^|(?<=\s))((?:[A-Za-z]:[\\/])?[^\s:'\"`]+):(\d{1,9}):(\d{1,9}): runtime error: (.+)$")
_UB_KINDS = [
    (re.compile(pattern), kind)
    for pattern, kind in {
        r"^signed integer overflow|^negation of .*cannot be represented": "signed-integer-overflow",
        r"^unsigned integer overflow": "unsigned-integer-overflow",
        r"^division by zero": "integer-divide-by-zero",
        r"^division of .*by -1": "signed-integer-overflow",
        r"^shift exponent": "invalid-shift-exponent",
        r"^left shift": "invalid-shift-base",
        r"^index .*out of bounds": "out-of-bounds-index",
        r"null pointer (?:passed|returned)": "invalid-null-argument",
        r"null pointer": "null-pointer-use",
        r"pointer index expression|applying .*offset": "pointer-overflow",
        r"misaligned address": "misaligned-pointer-use",
        r"insufficient space": "insufficient-object-size",
        r"not a valid value for type '(?:_Bool|bool)'": "invalid-bool-load",
        r"not a valid value": "invalid-enum-load",
        r"end of a value-returning function": "missing-return",
        r"unreachable": "unreachable-call",
        r"variable length array bound": "non-positive-vla-bound",
        r"outside the range of representable": "float-cast-overflow",
        r"does not point to an object of type": "dynamic-type-mismatch",
        r"through pointer to incorrect function type": "function-type-mismatch",
        r"implicit conversion": "implicit-conversion",
        r"passing zero to": "invalid-builtin-use",
        r"assumption .*(?:alignment|violated)": "alignment-assumption",
    }.items()
]


@dataclass
class _Body:
    """Reads the lines of a sanitizer report between its first line and its end."""

    head: str
    stacks: list[Stack] = field(default_factory=list[Stack])
    facts: list[str] = field(default_factory=list[str])
    rows: list[str] = field(default_factory=list[str])
    _title: str = ""
    _frames: list[ThreadFrame] = field(default_factory=list[ThreadFrame])

    def take(self, line: str) -> None:
        """Read one line of the report, from a stack or other text."""
        numbered = frame_of(line)
        if numbered and (numbered[0] > 0 or not self._frames):
            self._frames.append(numbered[1])
            return
        self.close()
        if numbered:
            self._frames.append(numbered[1])
            return
        line = _NOISE.sub("", _PID.sub("", line[:MAX_LINE])).rstrip()
        if not line.strip() or _DROPPED.search(line):
            return
        self.rows.append(line.strip())
        if _TITLE.match(line):
            self._title = _title(line)
        if _FACT.search(line) and len(self.facts) < _MAX_FACTS:
            self.facts.append(_fact(line))

    def close(self) -> None:
        """Finish the stack whose lines are being read."""
        if self._frames and (frames := program_report.own(self._frames)) and len(self.stacks) < _MAX_STACKS:
            self.stacks.append(Stack(self._title or self.head, frames, program_report.inside(self._frames)))
            self.rows += [f"  {row}" for row in program_report.shown(frames)]
        self._frames, self._title = [], ""


def sanitizer_reports(text: str) -> list[tuple[int, Report]]:
    """Return all sanitizer reports in a program's output, each with the 0-based number of its first line.

    The output must be plain text, see program_report.plain.
    """
    lines = text.split("\n")
    return sorted([*_headed(lines), *_runtime_errors(lines)], key=lambda pair: pair[0])


def undefined_kind(message: str) -> str:
    """Return UBSan's name for the kind of error in a `runtime error:` message."""
    return next((kind for pattern, kind in _UB_KINDS if pattern.search(message)), "undefined-behavior")


def _headed(lines: list[str]) -> Iterator[tuple[int, Report]]:
    """Yield reports that begin with a line such as `ERROR: AddressSanitizer: ...`.

    For a report whose beginning was cut off, its summary line is used.
    """
    start, head = 0, None
    for number, line in enumerate(lines):
        if "Sanitizer" in line and (found := _HEAD.search(line)):
            if head is not None:
                yield start, _report(head[1], head[2], lines[start + 1 : number])
            start, head = number, found
        elif "SUMMARY" in line and (found := _SUMMARY.search(line)):
            body = lines[start + (head is not None) : number]
            if head is not None:
                yield start, _report(head[1], head[2], body, found[2])
            elif found[1] != "UndefinedBehavior":
                yield number, _report(found[1], "", body, found[2])
            start, head = number + 1, None
        elif head is not None and (_END.search(line) or number - start > _MAX_LINES):
            yield start, _report(head[1], head[2], lines[start + 1 : number])
            start, head = number + 1, None
    if head is not None:
        yield start, _report(head[1], head[2], lines[start + 1 :])


def _report(name: str, head: str, lines: list[str], summary: str = "") -> Report:
    head = _NOISE.sub("", head).strip().rstrip(":")
    tool = cast("Tool", f"{name.removeprefix('HW')}Sanitizer")
    kind = _kind(head or summary)
    body = _Body(head or kind)
    for line in lines:
        body.take(line)
    body.close()
    said = "\n".join(_PID.sub("", line) for line in lines[:200])
    accessed = next((r for r in body.rows if re.match(r"(?:READ|WRITE|Read|Write) of size", r)), "")
    access, size = _access(accessed, said)
    if not accessed and not head:
        head = summary
    short = head.split(" on address ")[0]
    message = f"{short}: {accessed}" if head and accessed and name != "Thread" else (head or accessed)
    address = _address(head) if name != "Thread" else None
    address = _address(accessed) if address is None else address
    file, line = program_report.first_place(body.stacks)
    if not line and body.stacks == [] and summary:
        file, line = _summary_place(summary)
    facts = body.facts + ([summary] if "leaked in" in summary else [])
    text = bounded([f"{tool}: {head or kind}", *body.rows])
    return Report(tool, kind, message, address, access, size, file, line, body.stacks, facts, text)


def _kind(head: str) -> str:
    if "double-free" in head:
        return "double-free"
    if head.startswith("attempting free on address"):
        return "bad-free"
    if "detected memory leaks" in head or "leaked in" in head:
        return "memory leak"
    if "calloc parameters overflow" in head or "exceeds maximum supported size" in head:
        return "allocation-size-too-big"
    if found := re.match(
        r"(data race(?: on vptr.*?)?|lock-order-inversion|heap-use-after-free|thread leak|[\w-]+)", head
    ):
        known = re.match(r"(?:(?:destroy|double lock|unlock|read lock|signal-unsafe|race|invalid)\b.*?)(?= \(|$)", head)
        return known[0] if known else found[1]
    return head[:60] or "crash"


def _access(accessed: str, said: str) -> tuple[Literal["", "read", "write"], int]:
    found = _ACCESS.match(accessed) or _CAUSED.search(said)
    if not found:
        return "", 0
    size = found[2] if found.re is _ACCESS else None
    word = found[1].lower()
    return ("read" if word == "read" else "write"), int(size[:9]) if size else 0


def _address(text: str) -> int | None:
    found = _ADDRESS.search(text)
    return int(found[1], 16) if found else None


def _summary_place(summary: str) -> tuple[str, int]:
    found = re.match(r"\S+(?: \(.*?\))? (.*?):(\d{1,9})(?::\d+)? in ", summary)
    return (found[1], int(found[2])) if found else ("", 0)


def _title(line: str) -> str:
    text = re.sub(r" at 0x[0-9a-f]+\b| \(0x[0-9a-f]+\)", "", line.strip()).rstrip(":").removesuffix(" here")
    return text.removesuffix(" at").removesuffix(" from")


def _fact(line: str) -> str:
    if found := _VARIABLE.search(line):
        return f"{found[1]}: {found[2]}"
    return re.sub(r" \(\S+\+0x[0-9a-f]+\)| \(0x[0-9a-f]+\)(?= of size)", "", line).strip().rstrip(":")


def _runtime_errors(lines: Sequence[str]) -> Iterator[tuple[int, Report]]:
    """Yield UBSan's reports. Each is one line, followed by a stack if the program printed it."""
    for number, line in enumerate(lines):
        found = _RUNTIME_ERROR.search(near(line, ": runtime error: ")) if ": runtime error: " in line else None
        if not found:
            continue
        body = _Body("at")
        for below in lines[number + 1 : number + 300]:
            if frame_of(below) is None and (body.stacks or not _DROPPED.search(below)):
                break
            body.take(below)
        body.close()
        message = found[4].strip()
        told = re.search(r"address (0x[0-9a-fA-F]{1,16})\b", message)
        address, kind = int(told[1], 16) if told else None, undefined_kind(message)
        access = "read" if message.startswith("load of") else "write" if message.startswith("store to") else ""
        text = bounded([f"{found[1]}:{found[2]}: {message}", *body.rows])
        where, tool = (found[1], int(found[2]), body.stacks), "UndefinedBehaviorSanitizer"
        yield number, Report(tool, kind, message, address, access, 0, *where, text=text)
