"""The remaining changes of the work, attributed to the steps that wrote their text.

If the agent patches files with a script, the change belongs to the step that wrote the script, not to the step that ran
it. Reverted edits are not part of the final result and do not count. The main change is the step with the most
remaining lines in all its edits, because a bug is likeliest where most of the work is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext
from dap_ai.debuggees.runs.analysis.step_effects import called_in

_MOST = 100_000
"""Maximum characters of a call whose lines are counted."""


class WorkChange(msgspec.Struct, frozen=True):
    """One edit of the work that was not reverted."""

    step: int
    """Step that wrote the edit's text."""
    done: int
    """Step that carried out the edit: `step` itself, or the step that ran the script written by `step`."""
    effect: Effect
    write: FileWrite
    size: int
    """Number of remaining lines of the edit. If the edit's text is unknown, the number of lines of its call."""


def changes(scene: OnsetContext, upto: int | None = None) -> list[WorkChange]:
    """Return the remaining edits of the work made up to and including step `upto` (by default, all), in order."""
    edits = [one for one in scene.edits if upto is None or one[0].step <= upto]
    return [_change(scene, effect, write) for effect, write in edits if not _undone(scene, effect, write, upto)]


def main_change(found: Sequence[WorkChange]) -> WorkChange | None:
    """Return the change of the step with the most remaining lines, or None if `found` is empty.

    Of equals, returns the earliest.
    """
    sizes: Counter[int] = Counter()
    for one in found:
        sizes[one.step] += one.size
    return max(found, key=lambda one: (sizes[one.step], -one.done), default=None)


def _undone(scene: OnsetContext, effect: Effect, write: FileWrite, upto: int | None) -> bool:
    """Return whether the file was restored or deleted after the edit and contains no line of the run."""
    # Lines of the run in the file prove that something remains, whatever was restored in between.
    if scene.blame.shares(scene.blame.place(write.path)):
        return False
    later = (w for step, w in scene.taking_back if step > effect.step and (upto is None or step <= upto))
    return any(w.tree or w.path == write.path or write.path.startswith(f"{w.path}/") for w in later)


def _change(scene: OnsetContext, effect: Effect, write: FileWrite) -> WorkChange:
    origin = _origin(scene, effect)
    if write.new is not None:
        size = scene.blame.shares(scene.blame.place(write.path))[effect.step]
    else:
        size = sum(1 for line in called_in(scene.step(origin))[:_MOST].split("\n") if line.strip())
    return WorkChange(origin, effect.step, effect, write, size)


def _origin(scene: OnsetContext, effect: Effect) -> int:
    """Return the step that wrote the script which `effect` runs.

    Returns the effect's own step if the effect runs none of the run's scripts.
    """
    for path in effect.executes:
        steps = scene.scripts.get(path, ())
        # The newest version of the script before it ran; later versions had no part in this edit.
        if before := bisect_left(steps, effect.step):
            return steps[before - 1]
    return effect.step
