"""The changes that a judgement of the work rests on: those of its edits that are left, where their text came from.

A patch that the agent wrote as a script comes from the step that wrote the script, not from the one that ran it.

"Left" is what counts: an edit that was taken back was not judged by the end. The main change is the step with the most
lines left over all its edits, since a fault is likeliest where most of the work is.
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
"""Characters of a call whose lines are counted."""


class WorkChange(msgspec.Struct, frozen=True):
    """One edit of the work that is left."""

    step: int
    """Where its text came from."""
    done: int
    """Where it was carried out: `step`, or the run of the script that `step` wrote."""
    effect: Effect
    write: FileWrite
    size: int
    """Lines that it left; where its text is not known, those of its call."""


def changes(scene: OnsetContext, upto: int | None = None) -> list[WorkChange]:
    """The edits of the work that are left of those up to the step `upto`, in order."""
    edits = [one for one in scene.edits if upto is None or one[0].step <= upto]
    return [_change(scene, effect, write) for effect, write in edits if not _undone(scene, effect, write, upto)]


def main_change(found: Sequence[WorkChange]) -> WorkChange | None:
    """The one that brought the most of what is left, the earliest of those alike."""
    sizes: Counter[int] = Counter()
    for one in found:
        sizes[one.step] += one.size
    return max(found, key=lambda one: (sizes[one.step], -one.done), default=None)


def _undone(scene: OnsetContext, effect: Effect, write: FileWrite, upto: int | None) -> bool:
    """Whether the file was taken back or removed after the edit, and nothing of the run's is left in it."""
    # Lines of the run in the file prove that something is left, whatever was restored in between.
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
    """The step that wrote the script that `effect` runs; its own where it runs none of the run's."""
    for path in effect.executes:
        steps = scene.scripts.get(path, ())
        # The newest version of the script before it ran: a later one had no part in this edit.
        if before := bisect_left(steps, effect.step):
            return steps[before - 1]
    return effect.step
