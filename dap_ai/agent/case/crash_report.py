"""What a program printed about its own failure: a sanitizer's report, a panic, a failed assertion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dap_ai.protocol.contracts.inspection import ThreadFrame

Tool = Literal["AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer", "MemorySanitizer",
               "panic", "assert", "terminate", "libc"]  # fmt: skip


@dataclass(frozen=True)
class Stack:
    """A stack of the report: `freed by thread T0`. Frames innermost first, those of the runtime left out."""

    title: str
    frames: Sequence[ThreadFrame]
    inside: Sequence[str] = ()
    """The runtime's functions that the innermost of the frames was in."""


@dataclass(frozen=True)
class Report:
    """One report."""

    tool: Tool
    kind: str
    """`heap-buffer-overflow`, `data race`, `signed-integer-overflow`, `panic`, `assertion`, `std::out_of_range`,
    `double free`."""
    message: str
    """Its own words, one line: `index out of bounds: the len is 3 but the index is 5`; the assertion's expression."""
    address: int | None = None
    access: Literal["", "read", "write"] = ""
    size: int = 0
    """Of the access, bytes."""
    file: str = ""
    line: int = 0
    """Where the report says it happened: the innermost frame of the program's own code."""
    stacks: Sequence[Stack] = ()
    """Of the access first, then allocation, free, the other access, ..."""
    facts: Sequence[str] = ()
    """Other sentences that matter: `0x602000000014 is located 0 bytes after 20-byte region`."""
    text: str = ""
    """The report without legend, shadow bytes and module offsets; at most 4,000 characters."""
