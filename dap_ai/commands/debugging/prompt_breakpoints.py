"""The breakpoints of a session, as its user numbers them. Pure.

Numbers begin at 1 and are never used twice. What the debugger says of a breakpoint (another line, a message) is kept
beside what was wished. Passing (`ignore`) and being forgotten after one stop (`tbreak`) are done here, alike for every
adapter.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dap_ai.system.texts import counted


@dataclass
class PromptBreakpoint:
    """`line` 0: in every function `name`. `file` is absolute; empty for a function."""

    number: int
    file: str = ""
    line: int = 0
    name: str = ""
    condition: str = ""
    once: bool = False
    enabled: bool = True
    passes: int = 0
    """So often the program goes on there by itself."""
    hits: int = 0
    id: int | None = None
    """The adapter's."""
    message: str = ""
    """Why it is not there (yet); empty: it is."""
    silent: bool = False
    """Of ours, for a command: it is not listed."""

    @property
    def place(self) -> str:
        """`shop.py:12` or `in total`."""
        return f"{near(self.file)}:{self.line}" if self.line else f"in {self.name}"

    def listing_line(self) -> str:
        """A line of the list."""
        notes = [
            f"if {self.condition}" if self.condition else "",
            "once" if self.once else "",
            "" if self.enabled else "disabled",
            f"passed {self.passes} more times" if self.passes else "",
            f"hit {counted(self.hits, 'time')}" if self.hits else "",
            self.message,
        ]
        return f"{self.number}  {self.place}" + "".join(f"  {note}" for note in notes if note)


@dataclass
class PromptBreakpoints:
    """Those of a session; they outlive the program, which may be started again."""

    all: list[PromptBreakpoint] = field(default_factory=list[PromptBreakpoint])
    _last: int = 0

    def add(self, **fields: Any) -> PromptBreakpoint:
        """A new one."""
        silent = bool(fields.get("silent"))
        self._last += not silent
        made = PromptBreakpoint(number=0 if silent else self._last, **fields)
        self.all.append(made)
        return made

    def __iter__(self) -> Iterator[PromptBreakpoint]:
        return iter([one for one in self.all if not one.silent])

    def numbered(self, text: str) -> tuple[list[PromptBreakpoint], list[str]]:
        """Those of these numbers, and what is no number of one."""
        words = text.replace(",", " ").split()
        by_number = {str(one.number): one for one in self}
        return [by_number[word] for word in words if word in by_number], [w for w in words if w not in by_number]

    def at(self, file: str, line: int) -> list[PromptBreakpoint]:
        """Those on a line."""
        return [one for one in self if one.file == file and one.line == line]

    def remove(self, some: Iterable[PromptBreakpoint]) -> None:
        """They are forgotten."""
        gone = list(some)
        self.all = [one for one in self.all if one not in gone]

    def of_file(self, file: str) -> list[PromptBreakpoint]:
        """What `setBreakpoints` is to set there, in this order."""
        return [one for one in self.all if one.file == file and one.line and one.enabled]

    def of_functions(self) -> list[PromptBreakpoint]:
        """What `setFunctionBreakpoints` is to set."""
        return [one for one in self.all if not one.line and one.enabled]

    def hit(self, ids: Sequence[int], file: str, line: int, function: str) -> list[PromptBreakpoint]:
        """At which of them the program stands: by the adapter's ids, else by where it is. None of them: empty."""
        enabled = [one for one in self.all if one.enabled]
        by_id = [one for one in enabled if one.id is not None and one.id in ids]
        here = [
            one for one in enabled if (one.file == file and one.line == line) or (one.name and one.name == function)
        ]
        return by_id or here


def arguments(some: Sequence[PromptBreakpoint]) -> list[dict[str, Any]]:
    """Of `setBreakpoints`, or of `setFunctionBreakpoints`."""
    return [
        {
            **({"line": one.line} if one.line else {"name": one.name}),
            **({"condition": one.condition} if one.condition else {}),
        }
        for one in some
    ]


def answered(some: Sequence[PromptBreakpoint], answers: Sequence[Mapping[str, Any]]) -> None:
    """What the adapter says of each, in the order in which they were set."""
    for one, answer in zip(some, answers, strict=False):
        one.id = answer.get("id", one.id)
        moved = answer.get("line") or one.line
        if one.line and moved != one.line:
            one.line = moved
        pending = "" if answer.get("verified", True) else "not there yet"
        one.message = str(answer.get("message") or pending).splitlines()[0] if not answer.get("verified", True) else ""


def near(path: str) -> str:
    """A path as a person of this folder writes it."""
    if not path:
        return "no file"
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path
