"""The breakpoints of a session, numbered for its user.

Numbers begin at 1 and are never reused. A breakpoint keeps the debugger's answer (another line, a message) together
with the user's request. Ignoring hits (`ignore`) and removal after one stop (`tbreak`) are implemented here, so that
they work alike for every adapter.
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
    """A breakpoint at a line of a file, or at a function.

    If `line` is 0, it is at every function called `name`, and `file` is empty. Otherwise `file` is an absolute path.
    """

    number: int
    file: str = ""
    line: int = 0
    name: str = ""
    condition: str = ""
    once: bool = False
    enabled: bool = True
    passes: int = 0
    """How many further hits to ignore."""
    hits: int = 0
    id: int | None = None
    """The adapter's id of the breakpoint."""
    message: str = ""
    """Why the adapter has not set the breakpoint, or not yet; empty if it is set."""
    silent: bool = False
    """Whether a command set the breakpoint for its own use, so that it is not listed."""

    @property
    def place(self) -> str:
        """The breakpoint's place as text: `shop.py:12` or `in total`."""
        return f"{near(self.file)}:{self.line}" if self.line else f"in {self.name}"

    def listing_line(self) -> str:
        """Return the line that describes this breakpoint in the list of breakpoints."""
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
    """All breakpoints of a session; they survive a restart of the program."""

    all: list[PromptBreakpoint] = field(default_factory=list[PromptBreakpoint])
    _last: int = 0

    def add(self, **fields: Any) -> PromptBreakpoint:
        """Add and return a breakpoint. A silent breakpoint has the number 0."""
        silent = bool(fields.get("silent"))
        self._last += not silent
        made = PromptBreakpoint(number=0 if silent else self._last, **fields)
        self.all.append(made)
        return made

    def __iter__(self) -> Iterator[PromptBreakpoint]:
        return iter([one for one in self.all if not one.silent])

    def numbered(self, text: str) -> tuple[list[PromptBreakpoint], list[str]]:
        """Return the breakpoints whose numbers are in `text`, and the words that are no such number."""
        words = text.replace(",", " ").split()
        by_number = {str(one.number): one for one in self}
        return [by_number[word] for word in words if word in by_number], [w for w in words if w not in by_number]

    def at(self, file: str, line: int) -> list[PromptBreakpoint]:
        """Return the listed breakpoints on this line."""
        return [one for one in self if one.file == file and one.line == line]

    def remove(self, some: Iterable[PromptBreakpoint]) -> None:
        """Remove these breakpoints from the list."""
        gone = list(some)
        self.all = [one for one in self.all if one not in gone]

    def of_file(self, file: str) -> list[PromptBreakpoint]:
        """Return the enabled breakpoints of a file, in the order in which `setBreakpoints` sends them."""
        return [one for one in self.all if one.file == file and one.line and one.enabled]

    def of_functions(self) -> list[PromptBreakpoint]:
        """Return the enabled function breakpoints, which `setFunctionBreakpoints` sends."""
        return [one for one in self.all if not one.line and one.enabled]

    def hit(self, ids: Sequence[int], file: str, line: int, function: str) -> list[PromptBreakpoint]:
        """Return the breakpoints at which the program has stopped.

        The adapter's ids identify them, or else file, line and function.
        """
        enabled = [one for one in self.all if one.enabled]
        by_id = [one for one in enabled if one.id is not None and one.id in ids]
        here = [
            one for one in enabled if (one.file == file and one.line == line) or (one.name and one.name == function)
        ]
        return by_id or here


def arguments(some: Sequence[PromptBreakpoint]) -> list[dict[str, Any]]:
    """Return breakpoints in the form that `setBreakpoints` and `setFunctionBreakpoints` take."""
    return [
        {
            **({"line": one.line} if one.line else {"name": one.name}),
            **({"condition": one.condition} if one.condition else {}),
        }
        for one in some
    ]


def answered(some: Sequence[PromptBreakpoint], answers: Sequence[Mapping[str, Any]]) -> None:
    """Store the adapter's answers in the breakpoints; both lists have the same order."""
    for one, answer in zip(some, answers, strict=False):
        one.id = answer.get("id", one.id)
        moved = answer.get("line") or one.line
        if one.line and moved != one.line:
            one.line = moved
        pending = "" if answer.get("verified", True) else "not there yet"
        one.message = str(answer.get("message") or pending).splitlines()[0] if not answer.get("verified", True) else ""


def near(path: str) -> str:
    """Return a path relative to the current folder if it lies inside, otherwise unchanged.

    Returns "no file" for an empty path.
    """
    if not path:
        return "no file"
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path
