"""Helpers for failure reports that a program prints: parsing of stack lines, limits, formatting. Does no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from dap_ai.agent.case.crash_report import Stack
from dap_ai.protocol.contracts.inspection import ThreadFrame
from dap_ai.system.texts import cut

MAX_TEXT = 4_000
MAX_STACK_FRAMES = 64
MAX_LINE = 1_000
"""Maximum number of characters searched on each side of a match, because the patterns take quadratic time."""
_MAX_DIGITS = 9
"""Maximum number of digits of a line number. A longer number cannot be a line number."""
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)")
_FRAME = re.compile(r"^\s*#(\d+)\s+(?:0x[0-9a-fA-F]+\s+)?(?:in\s+)?(.*)$")
_MODULE = re.compile(r"\s*\((?:BuildId: \w+|[^()]*\+0x[0-9a-fA-F]+)\)\s*$")
_LOCATED = re.compile(r"^(.*?)\s+((?:[A-Za-z]:[\\/]|\.{0,2}/).*?):(\d+)(?::\d+)?$|^(.*)\s+(\S+?):(\d+)(?::\d+)?$")
_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUNTIME_NAME = re.compile(
    r"__(?:interceptor_|asan|tsan|ubsan|msan|lsan|hwasan|sanitizer|libc_start|clone|rust)|___(?:interceptor|lldb_unnamed)"
    r"|_start$|start_thread|clone|(?:malloc|calloc|realloc|free|strdup|posix_memalign|aligned_alloc)$"
    r"|pthread_(?:create|mutex_lock)$|operator (?:new|delete)|_?rust_(?:begin_unwind|panic)"
    r"|<?(?:core|std|alloc)::|<null>|BaseThreadInitThunk|RtlUserThreadStart"
)
_RUNTIME_FILE = re.compile(
    r"libsanitizer[/\\]|compiler-rt[/\\]|sysdeps[/\\]|(?:^|[/\\])csu[/\\]|[/\\]nptl[/\\]|[/\\]rustc[/\\]"
    r"|[/\\]include[/\\]c\+\+[/\\]|^/usr/(?:lib|include|src)/|[/\\](?:rustlib|\.cargo[/\\]registry)[/\\]"
    r"|sanitizer_common_interceptors|^(?:asan|tsan|ubsan|msan|lsan)_\w+\.(?:cpp|cc|inc)$|libc-?start"
)


def plain(text: str) -> str:
    """Return terminal output as plain text: without colours, and with line feeds as line ends."""
    return _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def near(line: str, word: str) -> str:
    """Return the part of a long line around a word."""
    at = line.find(word)
    return line[max(0, at - MAX_LINE) : at + MAX_LINE]


def frame_of(line: str) -> tuple[int, ThreadFrame] | None:
    """Parse a sanitizer's stack line into frame number and frame. The frame's name is empty if the line has no name.

    Returns None if the line is not a stack line.
    """
    found = _FRAME.match(line[:MAX_LINE])
    if not found:
        return None
    rest = found[2].strip()
    while (shorter := _MODULE.sub("", rest)) != rest:
        rest = shorter
    return _number(found[1]), located(rest)


def located(text: str) -> ThreadFrame:
    """Parse the text of a frame, such as `total /src/heap.c:6:16`, into name, file and line."""
    found = _LOCATED.match(text)
    if not found:
        return ThreadFrame(_HASH.sub("", text.removesuffix(" <null>").strip()), "", 0)
    name, file, line = found.groups()[:3] if found[2] else found.groups()[3:]
    return ThreadFrame(_HASH.sub("", str(name).strip()), str(file), _number(str(line)))


def is_runtime(frame: ThreadFrame) -> bool:
    """Whether the frame belongs to a sanitizer, the C library or a language's own library."""
    return not frame.name or bool(_RUNTIME_NAME.match(frame.name) or _RUNTIME_FILE.search(frame.file))


def own(frames: Iterable[ThreadFrame]) -> list[ThreadFrame]:
    """Return the program's own frames, without those of runtimes.

    If there are none, return the first frame with a name.
    """
    known = [f for f in frames if f.name]
    kept = [f for f in known if not is_runtime(f)]
    return (kept or known[:1])[:MAX_STACK_FRAMES]


def inside(frames: Sequence[ThreadFrame]) -> list[str]:
    """Return the names of the runtime functions that the program's innermost own frame called."""
    return [frame.name for frame in takewhile(is_runtime, frames)][:MAX_STACK_FRAMES]


def first_place(stacks: Sequence[Stack]) -> tuple[str, int]:
    """Return file and line of the first stack's innermost own frame with a line; ("", 0) if it has no such frame."""
    frames = stacks[0].frames if stacks else ()
    return next(((f.file, f.line) for f in frames if f.line and not is_runtime(f)), ("", 0))


def shown(frames: Sequence[ThreadFrame]) -> list[str]:
    """Format stack frames, one per line. Repeated frames of a recursion are counted instead."""
    rows: list[str] = []
    repeated = 0
    for before, frame in zip([None, *frames], frames, strict=False):
        if before is not None and (frame.name, frame.line) == (before.name, before.line):
            repeated += 1
            continue
        rows += [f"... {repeated} more of it"] if repeated else []
        repeated = 0
        rows.append(f"{frame.name} {frame.file}:{frame.line}" if frame.file else frame.name)
    return [*rows, f"... {repeated} more of it"] if repeated else rows


def bounded(lines: Iterable[str]) -> str:
    """Join lines to a text of at most MAX_TEXT characters."""
    return cut("\n".join(lines), MAX_TEXT, "\n...")


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= _MAX_DIGITS else 0
