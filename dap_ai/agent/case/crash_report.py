"""A native program's own report of its failure: from a sanitizer, a panic or a failed assertion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dap_ai.protocol.contracts.inspection import ThreadFrame

Tool = Literal["AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer", "MemorySanitizer",
               "panic", "assert", "terminate", "libc"]  # fmt: skip


@dataclass(frozen=True)
class Stack:
    """A stack of the report, such as `freed by thread T0`: innermost frame first, without frames of the runtime."""

    title: str
    frames: Sequence[ThreadFrame]
    inside: Sequence[str] = ()
    """Functions of the runtime that the innermost frame called."""


@dataclass(frozen=True)
class Report:
    """One failure report."""

    tool: Tool
    kind: str
    """Kind of failure: `heap-buffer-overflow`, `data race`, `signed-integer-overflow`, `panic`, `assertion`,
    `std::out_of_range`, `double free`.
    """
    message: str
    """One-line message: `index out of bounds: the len is 3 but the index is 5`; an assertion's expression."""
    address: int | None = None
    access: Literal["", "read", "write"] = ""
    size: int = 0
    """Size of the access, in bytes."""
    file: str = ""
    line: int = 0
    """Place of the failure in the report: the innermost frame of the program's own code."""
    stacks: Sequence[Stack] = ()
    """Stacks: of the access first, then allocation, free, the other access, ..."""
    facts: Sequence[str] = ()
    """Other relevant sentences: `0x602000000014 is located 0 bytes after 20-byte region`."""
    text: str = ""
    """The report without legend, shadow bytes and module offsets; at most 4,000 characters."""
