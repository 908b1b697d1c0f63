"""Rules that start from checks: the last check failed, or no check was conclusive.

The suspect is the change that the check covers.
"""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import StepCheck
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.complaints import named_by
from dap_ai.debuggees.runs.analysis.onset.onset_context import (
    OnsetContext,
    call_of,
    edit_of,
    response_of,
    result_of,
    suspect,
)
from dap_ai.debuggees.runs.analysis.onset.work_changes import WorkChange, changes, main_change
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.rule_tables import find_words

_MOSTLY = 10
"""Minimum ratio of passed to failed tests at which the failures may be older than the change."""


def check_failed(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the change covered by the last conclusive check, if that check failed and no change followed."""
    check = scene.conclusive_checks[-1] if scene.conclusive_checks else None
    if check is None or check.ok is not False or _changed_after(scene, check):
        return
    # A later check ran with an unknown outcome, so the failure may have been fixed by then.
    if any(later.step > check.step and later.ran and later.kind != "look" for later in scene.story.checks):
        return
    judged = _judged(scene, check)
    if judged is None:
        return
    # The same runner reported the same error before the change, so the change did not cause it. The mistake is then
    # to have ignored the failing check.
    old = any(
        one.error and one.error == check.error and one.runner == check.runner and one.step < judged.done
        for one in scene.conclusive_checks
    )
    words = check.error or check.summary
    yield suspect(
        judged.step,
        "verification misinterpretation" if old else "incorrect hypothesis",
        _weight(check),
        f"Step {judged.step} changed {paths.name(judged.write.path)}; the last check of it failed, and it was left so",
        links=[(check.step, f"the check fails: {words}"), (scene.last, "the run ends without another change")],
        said=[edit_of(scene, judged.effect, judged.write), result_of(scene, check.step, words)],
    )


def _weight(check: StepCheck) -> float:
    """Return the confidence for a failed check.

    The confidence is lower for linters and the agent's scripts, because scripts have faults too. It is also lower for
    few failures among many tests, because these tests may have failed before the change.
    """
    return 0.35 if check.kind in {"lint", "program"} or _mostly_passed(check) else 0.65


def _judged(scene: OnsetContext, check: StepCheck) -> WorkChange | None:
    """Return the change that a failing check refers to, or None.

    A change mentioned in the check's output takes precedence. Otherwise, this is the main change between the last
    passing check and the first failure after it, because later changes were attempts to fix that failure.
    """
    # The last passing check clears all changes before it; the first failure after it was caused by a change in
    # between. In this window the error message decides, else the largest change. Changes after the first failure
    # are attempts to fix it, and count only if the error message mentions them.
    passed = max((one.step for one in scene.conclusive_checks if one.ok and one.step < check.step), default=0)
    left = changes(scene, check.step)
    since = [one for one in left if one.done > passed] or left
    if not since:
        return None
    failing = [
        one.step for one in scene.conclusive_checks if one.ok is False and one.step > max(passed, since[0].done - 1)
    ]
    before = [one for one in since if one.done <= min(failing, default=check.step)]
    return named_by(scene, scene.step(check.step).result_text, since) or main_change(before)


def _changed_after(scene: OnsetContext, check: StepCheck) -> bool:
    """Return whether a step changed or restored the work after the check."""
    later = [effect for effect in scene.story.changes if effect.step > check.step]
    restored = any(write.how == "restore" for effect in later for write in effect.writes)
    unnamed = any(number > check.step for number in scene.story.unnamed_changes)
    return restored or unnamed or any(effect.step > check.step for effect, _ in scene.edits)


def _mostly_passed(check: StepCheck) -> bool:
    return (check.passed or 0) >= _MOSTLY * max((check.failed or 0) + (check.errors or 0), 1)


def unjudged(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects changes without a conclusive check, if a sign shows that the check was needed."""
    yield from _until_the_limit(scene)
    yield from _admitted(scene)
    yield from _never_tried(scene)


def _until_the_limit(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the main unchecked change of a run that a limit ended."""
    told = scene.conclusive_checks[-1].step if scene.conclusive_checks else 0
    left = [one for one in changes(scene) if one.done > told]
    judged = main_change(left) if scene.named("limit") else None
    if judged is None:
        return
    tried = [check for check in scene.story.checks if check.step >= judged.done]
    yield suspect(
        judged.step,
        "incorrect hypothesis",
        0.7,
        f"Step {judged.step} changed {paths.name(judged.write.path)}; no check of it told anything before the limit",
        links=[(check.step, f"a check could not tell: {check.error or check.summary}") for check in tried[:3]],
        said=[edit_of(scene, judged.effect, judged.write), *(result_of(scene, c.step, c.error) for c in tried[:2])],
    )


def _admitted(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects a submitted change of which the agent says that it could not verify the change or reproduce the bug."""
    if scene.story.handed_in is None:
        return
    for step in reversed(scene.story.steps):
        found = find_words("not_verified", step.response_text[:20_000])
        before = [one for one in changes(scene, step.number) if one.done <= step.number] if found else []
        later = [
            check for check in scene.conclusive_checks if check.step > step.number and check.kind == "test" and check.ok
        ]
        if found and before and not later:
            judged = before[-1]
            yield suspect(
                judged.step,
                "verification misinterpretation",
                0.5,
                f"Step {judged.step} changed {paths.name(judged.write.path)}, which the run says it could not verify",
                links=[(step.number, f"the agent says: {found[0]}"), (scene.last, "the work is handed in")],
                said=[edit_of(scene, judged.effect, judged.write), response_of(scene, step.number, found[0])],
            )
            return


def _never_tried(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects a requested file that the agent wrote and submitted in a run that never executed anything."""
    end = scene.story.handed_in
    asked = [one for one in changes(scene) if scene.story.files.in_task(one.write.path)]
    kinds = {kind for effect in scene.story.effects for kind in (effect.kind, *effect.kinds) if not effect.noop}
    if end is None or not asked or kinds & {"run", "verify", "install"} or scene.story.checks:
        return
    if any(effect.noop and effect.step > asked[0].step for effect in scene.story.effects):
        return  # the agent tried, but the call did nothing
    judged = main_change(asked)
    if judged is not None:
        name = paths.name(judged.write.path)
        yield suspect(
            judged.step,
            "incorrect hypothesis",
            0.65,
            f"Step {judged.step} wrote {name}, which the task asks for; nothing was ever run to try it",
            links=[(end.number, "the work is handed in unchecked")],
            said=[edit_of(scene, judged.effect, judged.write), response_of(scene, end.number)],
        )


def handed_in(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the main change of a run known to have failed, or its answer if the run changed no work file."""
    judged = main_change(changes(scene))
    if judged is not None:
        name = paths.name(judged.write.path)
        text = f"Step {judged.step} brought most of the change of the work ({name}), and the work was found wrong"
        said = [edit_of(scene, judged.effect, judged.write)]
        yield suspect(judged.step, "incorrect hypothesis", 0.45, text, links=[], said=said)
        return
    answered = [e.step for e in scene.story.effects if e.kind == "submit" and not e.refused]
    step = answered[-1] if answered else scene.last
    if step in scene.effects:
        text = f"Step {step} hands in an answer that was found wrong; no file of the work was changed"
        said = [call_of(scene, step), response_of(scene, step)]
        yield suspect(step, "incorrect hypothesis", 0.25, text, links=[], said=said)
