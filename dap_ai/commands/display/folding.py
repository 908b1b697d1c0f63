"""Leaves out the evidence sections of an offline answer, so that the cause stays visible in a terminal.

With `-v` the whole answer is shown instead.
"""

from __future__ import annotations

import re

from dap_ai.agent.report.wording import AGAIN, CAUSE, HAPPENED, WHY, name_of

_LEAD = re.compile(r"\*\*([^*]+)[.:]\*\*|\*\S")
_CAUSE = name_of(CAUSE)
_EVIDENCE = tuple(map(name_of, (HAPPENED, WHY, AGAIN)))


class Folding:
    """Removes the evidence sections from an answer that arrives in pieces of any size."""

    def __init__(self) -> None:
        self._line = ""
        self._folded: list[str] = []
        self._has_cause = False
        """Whether the answer has stated a cause.

        Without a cause (at a breakpoint), the other sections are the answer and stay.
        """
        self._is_open = True

    def feed(self, text: str) -> str:
        """Add a piece of the answer; return the text to show, in whole lines."""
        *lines, self._line = (self._line + text).split("\n")
        return "".join(f"{line}\n" for line in lines if self._shows(line))

    def end(self) -> str:
        """Return the remaining text to show, with a line that names the omitted sections."""
        line, self._line = self._line, ""
        rest = line if line and self._shows(line) else ""
        more = f"More, by `-v`: {', '.join(self._folded).lower()}.\n" if self._folded else ""
        self._folded = []
        return rest + more

    def _shows(self, line: str) -> bool:
        if lead := _LEAD.match(line):
            name = lead[1] or ""
            self._has_cause = self._has_cause or name.startswith(_CAUSE)
            self._is_open = not (self._has_cause and name in _EVIDENCE)
            if not self._is_open:
                self._folded.append(name)
        return self._is_open
