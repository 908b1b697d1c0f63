"""Rules for work submitted without a change: the edit had no effect, was in another file, or was lost."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.patches import DIFF_HEADER, files_of_diff
from dap_ai.debuggees.runs.analysis.onset.onset_context import (
    OnsetContext,
    call_of,
    edit_of,
    response_of,
    result_of,
    suspect,
)
from dap_ai.debuggees.runs.analysis.onset.work_changes import WorkChange, changes
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.patterns.run_story import failed
from dap_ai.debuggees.runs.analysis.rule_tables import line_with
from dap_ai.debuggees.runs.analysis.step_effects import called_in

_MAX_CALL = 100_000


def no_change(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects steps of a run whose submission contains none of its changes."""
    yield from _not_in_the_difference(scene)
    yield from _only_tried(scene)
    yield from _taken_back(scene)


def _not_in_the_difference(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects an edit that the submitted diff lacks, if no call of the run mentions the files in the diff."""
    end = scene.story.handed_in
    if end is None or end.result is None:
        return
    handed = {paths.name(path) for path in files_of_diff(end.result_text)}
    edits = [one for one in changes(scene) if one.step < end.number and not _is_aside(scene, one)]
    # If the diff has one edited file, or a call mentions one of the diff's files, the edit may have arrived in a way
    # that the rules do not see.
    if not handed or not edits or handed & {_place(scene, one) for one in edits} or _named(scene, handed, end.number):
        return
    first, head = edits[0], DIFF_HEADER.search(end.result_text)
    name = paths.name(first.write.path)
    yield suspect(
        first.step,
        "mislocalized edit",
        0.75,
        f"Step {first.step} edited {name}, and what was handed in holds no change of it: the edit had no effect",
        links=[(end.number, f"the difference holds {', '.join(sorted(handed)[:4])}, not {name}")],
        said=[edit_of(scene, first.effect, first.write), result_of(scene, end.number, head[0] if head else "")],
    )


def _place(scene: OnsetContext, change: WorkChange) -> str:
    return paths.name(scene.blame.place(change.write.path))


def _named(scene: OnsetContext, handed: set[str], end: int) -> bool:
    """Return whether a call mentions one of the files.

    Such a call may have changed the file in a way that the rules do not recognize.
    """
    calls = (called_in(step)[:_MAX_CALL] for step in scene.story.steps if step.number < end)
    return any(name in call for call in calls for name in handed)


def _is_aside(scene: OnsetContext, change: WorkChange) -> bool:
    """Return whether the file was ever moved, removed or restored.

    The submitted diff may then not show the file.
    """
    return change.write.path in scene.blame.became or scene.was_aside(change.write.path)


def _only_tried(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects an edit of another file that the agent took for the fix, or else the first rejected edit of the work."""
    for pattern in scene.named("success-without-change"):
        tried, end = list(pattern.steps[:-1]), pattern.steps[-1]
        carried = [n for n in tried if not _is_refused(scene, n)]
        refused = [n for n in tried if n not in carried and scene.story.files.work(scene.effects[n].writes)]
        meant = [n for n in carried if _sentence(scene, n, "means_to_fix") and n > min(refused, default=0)]
        if meant:
            step, kind = meant[0], "took an edit of its own script for the fix"
        elif refused:
            step, kind = refused[0], "tried to change the work, and the tool did not do it"
        else:
            step, kind = (carried[-1:] or tried[:1] or [end])[0], "is as near as the run came to a change"
        yield suspect(
            step,
            "mislocalized edit",
            0.75,
            f"Step {step} {kind}; no change of the work itself was handed in",
            links=[(end, "the work is handed in as done")],
            said=[
                call_of(scene, step),
                result_of(scene, step),
                response_of(scene, step, _sentence(scene, step, "means_to_fix")),
                response_of(scene, end, _sentence(scene, end, "claims")),
            ],
        )


def _is_refused(scene: OnsetContext, number: int) -> bool:
    return bool(scene.effects[number].refused) or failed(scene.step(number))


def _sentence(scene: OnsetContext, number: int, key: str) -> str:
    """Return the line of the agent's response that matches a pattern of `key`; empty if no line matches."""
    return line_with(key, scene.step(number).response_text[:4_000].split("\n"))


def _taken_back(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the step that reverted every edit."""
    for pattern in scene.named("edit-lost"):
        step, before = pattern.steps[-1], pattern.steps[:-1]
        yield suspect(
            step,
            "verification misinterpretation",
            0.6,
            f"Step {step} took back every edit of the work, and none came after it",
            links=[(number, "an edit that is lost") for number in before],
            said=[call_of(scene, step)],
        )
