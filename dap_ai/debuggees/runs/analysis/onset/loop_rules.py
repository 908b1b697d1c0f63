"""Rule for unproductive looping: finds the block of steps that a run repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Pattern
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext, call_of, result_of, suspect
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect

_REPEATS = frozenset({"same-call-again", "same-region-again", "refused"})
_MANY = 3


def looping(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the longest repetition of the run.

    The confidence is high only if a limit ended the run and the run made no edit of the work.
    """
    repeated = [p for p in scene.patterns if p.name in _REPEATS and len(p.steps) >= _MANY]
    if not repeated:
        return
    limit = bool(scene.named("limit"))
    block = max(repeated, key=lambda pattern: (len(pattern.steps), -pattern.steps[0]))
    steps = _densest(block.steps)
    if len(steps) >= _MANY:
        yield _block(scene, block, steps, (0.6 if not scene.edits else 0.5) if limit else 0.2)


def _densest(steps: Sequence[int]) -> list[int]:
    """Return the longest part of `steps` in which no gap exceeds five steps."""
    # A call can be repeated much later for a good reason, e.g. after an edit; in a loop, repetitions are close.
    parts: list[list[int]] = []
    for step in steps:
        if parts and step - parts[-1][-1] <= 5:
            parts[-1].append(step)
        else:
            parts.append([step])
    return max(parts, key=len) if parts else []


def _block(scene: OnsetContext, pattern: Pattern, steps: Sequence[int], confidence: float) -> OnsetSuspect:
    made = suspect(
        steps[0],
        "unproductive looping",
        confidence,
        f"From step {steps[0]} to {steps[-1]} the run repeats itself: {pattern.text}",
        links=[(steps[-1], "and once more")],
        said=[call_of(scene, steps[0]), result_of(scene, steps[0], pattern.quote), call_of(scene, steps[-1])],
    )
    return msgspec.structs.replace(made, last=steps[-1])
