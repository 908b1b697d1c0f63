"""A native program's report of its own failure: the text of a sanitizer, a panic or a failed assertion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dap_ai.protocol.contracts.inspection import ThreadFrame

Tool = Literal["AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer", "MemorySanitizer",
               "panic", "assert", "terminate", "libc"]  # fmt: skip


@dataclass(frozen=True)
class Stack:
    """One call stack in the report, such as `freed by thread T0`: innermost frame first, without runtime frames."""

    title: str
    frames: Sequence[ThreadFrame]
    inside: Sequence[str] = ()
    """Runtime functions that the innermost frame called."""


@dataclass(frozen=True)
class Report:
    """One parsed failure report of a native program."""

    tool: Tool
    kind: str
    """Kind of failure: `heap-buffer-overflow`, `data race`, `signed-integer-overflow`, `panic`, `assertion`,
    `std::out_of_range`, `double free`.
    """
    message: str
    """One-line message, such as `index out of bounds: the len is 3 but the index is 5`. For a failed assertion, its
    expression.
    """
    address: int | None = None
    access: Literal["", "read", "write"] = ""
    size: int = 0
    """Size of the memory access, in bytes."""
    file: str = ""
    line: int = 0
    """Line of the failure: the innermost frame of the program's own code in the report."""
    stacks: Sequence[Stack] = ()
    """Stack of the bad access first, then any other stacks: of the allocation, the `free`, the other access."""
    facts: Sequence[str] = ()
    """Other relevant sentences of the report, such as `0x602000000014 is located 0 bytes after 20-byte region`."""
    text: str = ""
    """Text of the report without legend, shadow bytes and module offsets; at most 4,000 characters."""
