"""What an offline answer rests on is left out of a terminal, where the last lines are what one sees; `-v` shows it."""

from __future__ import annotations

import re

from dap_ai.agent.report.wording import AGAIN, CAUSE, HAPPENED, WHY, name_of

_LEAD = re.compile(r"\*\*([^*]+)[.:]\*\*|\*\S")
_CAUSE = name_of(CAUSE)
_EVIDENCE = tuple(map(name_of, (HAPPENED, WHY, AGAIN)))


class Folding:
    """Takes an answer in pieces, of any size, and gives what is to be shown of it."""

    def __init__(self) -> None:
        self._line = ""
        self._folded: list[str] = []
        self._has_cause = False
        """Only then the rest is evidence: at a breakpoint it is the answer."""
        self._is_open = True

    def feed(self, text: str) -> str:
        """What to show of the lines that are complete now."""
        *lines, self._line = (self._line + text).split("\n")
        return "".join(f"{line}\n" for line in lines if self._shows(line))

    def end(self) -> str:
        """The rest, and what was left out, in a line."""
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
