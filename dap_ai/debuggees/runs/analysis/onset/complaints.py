"""Maps the error lines of a failing check to the change that added the quoted text or wrote the mentioned file.

Quoted text takes precedence over file names, because fewer steps add a given text than write a given file. Quoted paths
count as file names. The first error line with a match decides, because later error lines often follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext
from dap_ai.debuggees.runs.analysis.onset.work_changes import WorkChange, main_change
from dap_ai.debuggees.runs.analysis.runner_output import clean

_COMPLAINT = re.compile(
    r"^\s*(E  |>  |FAILED|AssertionError|\w+(Error|Exception)\b|File \")|: (fatal )?error: |No such file"
)
_QUOTED = re.compile(r"'([^'\n]{3,120})'|\"([^\"\n]{3,120})\"")
_MOST = 60
"""Maximum number of error lines considered."""


def complaints(text: str) -> list[str]:
    """Return the error lines of a check's output, in order."""
    return [line.strip() for _, line in clean(text) if _COMPLAINT.search(line)][:_MOST]


def named_by(scene: OnsetContext, text: str, among: Sequence[WorkChange]) -> WorkChange | None:
    """Return the change among `among` to which the first attributable error line of `text` refers, or None."""
    return next((one for line in complaints(text) if (one := named_in(scene, line, among))), None)


def named_in(scene: OnsetContext, line: str, among: Sequence[WorkChange]) -> WorkChange | None:
    """Return the change that added text quoted in the line, or else the main change of a file that the line mentions.

    Returns None if no change matches.
    """
    for words in _quoted(line):
        step = scene.blame.brought(words)
        if found := next((one for one in among if step is not None and step in {one.step, one.done}), None):
            return found
    for path in scene.blame.named(line):
        if mine := [one for one in among if scene.blame.place(one.write.path) == path]:
            return main_change(mine)
    return None


def _quoted(line: str) -> Iterator[str]:
    for match in _QUOTED.finditer(line):
        words = match[1] or match[2]
        if "/" not in words:
            yield words
