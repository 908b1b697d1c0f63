"""Parses messages of programs that end themselves: panics, assertions, C++'s terminate, the C library's aborts."""

from __future__ import annotations

import re

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.debuggees.native.source.program_report import MAX_LINE, bounded, located, near, own, shown

_PANIC = re.compile(
    r"thread '?(?P<thread>[^'\n]{0,200}?)'?(?: \(\d+\))? panicked at "
    r"(?:(?P<file>[^\n']+?):(?P<line>\d{1,9}):\d{1,9}:\n(?P<message>[^\n]*)"
    r"|'(?P<old>.*?)', (?P<old_file>[^\n']+?):(?P<old_line>\d{1,9})(?::\d{1,9})?$)",
    re.MULTILINE | re.DOTALL,
)
_PANIC_END = re.compile(r"^(?:note: |stack backtrace:|thread '|fatal runtime error|\s*$)")
_OPERAND = re.compile(r"^\s*(?:left|right): ")
_BACKTRACE = re.compile(r"^\s+(\d+):\s+(?:0x[0-9a-f]+ - )?(\S.*)$")
_AT = re.compile(r"^\s+at (\S.*)$")
_MAX_MESSAGE_LINES = 6
_MAX_BACKTRACE_LINES = 300
_MAX_OLD_LINES = 20
_MAX_OLD_CHARS = 4_000

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\n:\"']+?)"
_LINE = r"(?P<line>\d{1,9})"
_ASSERTS = [
    re.compile(pattern)
    for pattern in (
        # glibc, libstdc++
        rf"(?:^|(?<=[\s:])){_FILE}:{_LINE}: (?P<function>.*): Assertion [`'](?P<said>.*)' failed",
        # macOS, BSD
        rf"Assertion failed: \((?P<said>.*)\), function (?P<function>.*?), file {_FILE}, line {_LINE}",
        # Windows
        rf"Assertion failed: (?P<said>.*), file {_FILE}, line {_LINE}",
        # musl
        r"Assertion failed: (?P<said>.*) \((?P<file>[^\n:]+): (?P<function>.*): (?P<line>\d{1,9})\)",
        # bionic, newlib
        rf"(?:^|(?<=[\s:])){_FILE}:{_LINE}: (?P<function>.*): assertion \"(?P<said>.*)\" failed",
        r"assertion \"(?P<said>.*)\" failed: file \"(?P<file>[^\n\"]*)\", line (?P<line>\d{1,9})",
        # libc++
        rf"(?:^|(?<=\s)){_FILE}:{_LINE}: (?:libc\+\+ \w+ )?assertion (?P<said>.*?) failed: (?P<more>.*)",
        # GLib
        rf"ERROR:{_FILE}:{_LINE}:(?P<function>[^\n:]*): assertion failed:? \(?(?P<said>.*?)\)?$",
        # glog, abseil, Chromium
        r"F\d{4} [\d:.]+ +\d+ (?P<file>[^\n:]+):(?P<line>\d{1,9})\] (?:\S+ )?Check failed: (?P<said>.*)",
        r":FATAL:(?P<file>[^\n:(]+)\((?P<line>\d{1,9})\)\] Check failed: (?P<said>.*)",
        # Qt
        r"ASSERT(?: failure in .*)?: \"(?P<said>.*)\" ?,?(?: in)? file (?P<file>[^\n,]+), line (?P<line>\d+)",
    )
]
_DEBUG_MODE = re.compile(rf"{_FILE}:{_LINE}:$")
_TERMINATE = re.compile(
    r"terminate called after throwing an instance of '(?P<type>.*)'"
    r"|terminate called (?P<without>without an active exception|recursively)"
    r"|libc\+\+abi(?:\.dylib)?: terminating (?:due to|with) (?:unexpected|uncaught)(?: foreign)? exception"
    r"(?: of type (?P<type2>.*?)(?:: (?P<what>.*))?)?$"
)
_WHAT = re.compile(r"\s*what\(\):\s+(.*)")
_LIBC = re.compile(
    r"(?:\*\*\* Error in `[^'\n]*': )?(?P<said>double free or corruption.*"
    r"|(?:free|malloc|realloc|calloc|munmap_chunk|mremap_chunk|malloc_consolidate|unlink_chunk|sysmalloc)\(\): .*"
    r"|corrupted (?:size vs\. prev_size|double-linked list).*|invalid fastbin entry.*|Fatal glibc error: .*"
    r"|\*\*\* (?:stack smashing|buffer overflow|%n in writable segments?) detected \*\*\*.*)"
)
_LIBC_KINDS = {
    "double free": "double free",
    "stack smashing": "stack smashing",
    "buffer overflow": "buffer overflow",
    "invalid pointer": "invalid free",
    "invalid size": "invalid free",
}


def ending_reports(text: str) -> list[tuple[int, Report]]:
    """Return all such reports in a program's output, each with the 0-based number of its first line.

    The output must be plain text, see program_report.plain.
    """
    lines = text.split("\n")
    found: list[tuple[int, Report]] = []
    for number, line in enumerate(lines):
        below = lines[number + 1 : number + 1 + _MAX_BACKTRACE_LINES] if line else []
        if "panicked at " in line:
            report = _panic(near(line, "panicked at "), below)
        elif keyword := next((word for word in ("ssertion", "ASSERT", "Check failed") if word in line), ""):
            report = _assertion(near(line, keyword))
        elif keyword := next((word for word in ("terminate called", "libc++abi") if word in line), ""):
            report = _terminate(near(line, keyword), below)
        elif below and below[0] == "In function:":
            report = _checked(near(line, ":"), below)
        else:
            report = _abort(line[-MAX_LINE:])
        found += [(number, report)] if report else []
    return found


def _panic(head: str, below: list[str]) -> Report | None:
    found = _PANIC.search("\n".join([head, *below[:_MAX_OLD_LINES]])[:_MAX_OLD_CHARS])
    if not found:
        return None
    if found["old"] is None:
        message, more = found["message"], _continued(below[1:])
        file, line = found["file"], int(found["line"])
    else:
        message, *more = found["old"].split("\n")
        file, line = found["old_file"], int(found["old_line"])
    thread = found["thread"]
    facts = [text.strip() for text in more if text.strip()][:_MAX_MESSAGE_LINES]
    stack = _backtrace(below)
    rows = [f"thread '{thread}' panicked at {file}:{line}: {message}", *facts]
    rows += [f"  {row}" for row in shown(stack.frames)] if stack else []
    facts += [f"in thread '{thread}'"] if thread not in ("main", "") else []
    stacks = [stack] if stack else []
    return Report("panic", "panic", message, file=file, line=line, stacks=stacks, facts=facts, text=bounded(rows))


def _continued(lines: list[str]) -> list[str]:
    """Return the further lines of a panic's message.

    Without a note after the message, only an assertion's operands count.
    """
    ends = next((n for n, line in enumerate(lines) if _PANIC_END.match(line)), len(lines))
    whole = ends < len(lines) and lines[ends].startswith(("note: ", "stack backtrace:"))
    return [line for line in lines[: min(ends, _MAX_MESSAGE_LINES)] if whole or _OPERAND.match(line)]


def _backtrace(lines: list[str]) -> Stack | None:
    start = next((n for n, line in enumerate(lines[:20]) if line.startswith("stack backtrace:")), None)
    if start is None:
        return None
    names: list[list[str]] = []
    for line in lines[start + 1 :]:
        if found := _BACKTRACE.match(line):
            names.append([found[2].strip(), ""])
        elif (found := _AT.match(line)) and names:
            names[-1][1] = found[1].strip()
        else:
            break
    frames = own(located(f"{name} {place}".strip()) for name, place in names)
    return Stack("backtrace", frames) if frames else None


def _assertion(line: str) -> Report | None:
    found = next((match for pattern in _ASSERTS if (match := pattern.search(line))), None)
    if not found:
        return None
    groups = found.groupdict()
    function = " ".join(str(groups.get("function") or "").split())
    facts = [f"in {function}"] if function else []
    facts += [str(groups["more"])] if groups.get("more") else []
    return _failed(groups["said"].strip(), groups["file"].strip().rsplit(": ", 1)[-1], int(groups["line"]), facts)


def _checked(line: str, below: list[str]) -> Report | None:
    """Parse a report of libstdc++'s debug mode, which checks the use of containers and iterators."""
    place = _DEBUG_MODE.search(line)
    said = next((text for text in below[:20] if text.startswith("Error: ")), "")
    return _failed(said.removeprefix("Error: "), place["file"], int(place["line"]), []) if place and said else None


def _failed(said: str, file: str, line: int, facts: list[str]) -> Report:
    text = bounded([f"{file}:{line}: assertion failed: {said}", *facts])
    return Report("assert", "assertion", said, file=file, line=line, facts=facts, text=text)


def _terminate(line: str, below: list[str]) -> Report | None:
    found = _TERMINATE.search(line)
    if not found:
        return None
    what = _WHAT.match(below[0][:MAX_LINE]) if below else None
    kind = (found["type"] or found["type2"] or found["without"] or "exception").strip()
    message = (found["what"] or (what[1] if what and found["type"] else "")).strip()
    if found["without"]:
        message = f"terminate called {found['without']}"
    return Report("terminate", kind, message, text=bounded([f"uncaught {kind}: {message}".rstrip(": ")]))


def _abort(line: str) -> Report | None:
    found = _LIBC.search(line)
    if not found:
        return None
    said = re.sub(r": 0x[0-9a-f]+ \*\*\*$", "", found["said"].strip())
    kind = next((kind for words, kind in _LIBC_KINDS.items() if words in said), "heap corruption")
    return Report("libc", kind, said, text=bounded([said]))
