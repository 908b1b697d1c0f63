"""Back from checks: the last one failed, none could tell, or the agent itself says that it could not verify."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.runs.analysis import paths
from dap_ai.runs.analysis.facts import Check
from dap_ai.runs.analysis.onset.scene import Scene, edit_of, response_of, result_of, suspect
from dap_ai.runs.analysis.onsets import Suspect
from dap_ai.runs.analysis.patterns.story import claims_success
from dap_ai.runs.analysis.tables import expressions

_MOSTLY = 10
"""So many times more tests pass than fail: the failures may well be older than the change."""


def last_check_failed(scene: Scene) -> Iterator[Suspect]:
    """The last check that tells something failed, and the work was left so: the change that it judged."""
    check = scene.telling[-1] if scene.telling else None
    edit = scene.edit_before(check.step) if check is not None else None
    if check is None or edit is None or check.ok is not False or _changed_after(scene, check):
        return
    if any(later.step > check.step and later.ran and later.kind != "look" for later in scene.story.checks):
        return
    effect, write = edit
    before = [one for one in scene.telling if one.step < effect.step and one.ok is False]
    old = any(one.error and one.error == check.error and one.runner == check.runner for one in before)
    confidence = 0.35 if _mostly_passed(check) or check.kind == "lint" else 0.5 if check.kind == "program" else 0.65
    words = check.error or check.summary
    yield suspect(
        effect.step,
        "verification misinterpretation" if old else "incorrect hypothesis",
        confidence,
        f"Step {effect.step} changed {paths.name(write.path)}; the last check of it failed, and it was left so",
        links=[(check.step, f"the check fails: {words}"), (scene.last, "the run ends without another change")],
        said=[edit_of(scene, effect, write), result_of(scene, check.step, words)],
    )


def _changed_after(scene: Scene, check: Check) -> bool:
    """Whether the work was changed or put back after the check."""
    later = [effect for effect in scene.story.changes if effect.step > check.step]
    restored = any(write.how == "restore" for effect in later for write in effect.writes)
    unnamed = any(number > check.step for number in scene.story.unnamed_changes)
    return restored or unnamed or any(effect.step > check.step for effect, _ in scene.edits)


def _mostly_passed(check: Check) -> bool:
    return (check.passed or 0) >= _MOSTLY * max((check.failed or 0) + (check.errors or 0), 1)


def never_judged(scene: Scene) -> Iterator[Suspect]:
    """The run was ended by a limit, and no check of the change told anything: the change, and what took the time."""
    if not scene.named("limit"):
        return
    told = scene.telling[-1].step if scene.telling else 0
    unjudged = [one for one in scene.edits if one[0].step > told]
    tried = [check for check in scene.story.checks if unjudged and check.step >= unjudged[0][0].step]
    if not unjudged:
        return
    effect, write = unjudged[0]
    yield suspect(
        effect.step,
        "incorrect hypothesis",
        0.55 if tried else 0.45,
        f"Step {effect.step} changed {paths.name(write.path)}; no check of it told anything before the run's limit",
        links=[(check.step, f"a check could not tell: {check.error or check.summary}") for check in tried[:3]],
        said=[edit_of(scene, effect, write), *(result_of(scene, check.step, check.error) for check in tried[:2])],
    )


def admitted(scene: Scene) -> Iterator[Suspect]:
    """The agent says that it could not verify its change or reproduce the fault, and hands it in all the same."""
    if scene.story.handed_in is None:
        return
    for step in reversed(scene.story.steps):
        edit = scene.edit_before(step.number)
        if step.response is None or edit is None:
            continue
        text = step.response.text[:20_000]
        found = next((m for p in expressions("words", "not_verified") if (m := p.search(text))), None)
        later = [check for check in scene.telling if check.step > step.number and check.kind == "test" and check.ok]
        if found and not later:
            effect, write = edit
            yield suspect(
                effect.step,
                "verification misinterpretation",
                0.45,
                f"Step {effect.step} changed {paths.name(write.path)}, which the run says it could not verify",
                links=[(step.number, f"the agent says: {found[0]}"), (scene.last, "the work is handed in")],
                said=[edit_of(scene, effect, write), response_of(scene, step.number, found[0])],
            )
            return


def unchecked(scene: Scene) -> Iterator[Suspect]:
    """A file that the task asks for was written and handed in, and nothing was ever run in the whole run."""
    end = scene.story.handed_in
    asked = [(effect, write) for effect, write in scene.edits if scene.story.files.in_task(write.path)]
    kinds = {kind for effect in scene.story.effects for kind in (effect.kind, *effect.kinds) if not effect.noop}
    if end is None or not asked or kinds & {"run", "verify", "install"} or scene.story.checks:
        return
    said = end.response.text if end.response is not None else ""
    if any(effect.noop and effect.step > asked[0][0].step for effect in scene.story.effects):
        return  # it was tried, and the tool did nothing
    effect, write = asked[-1]
    yield suspect(
        effect.step,
        "incorrect hypothesis",
        0.5 if claims_success(said) else 0.45,
        f"Step {effect.step} wrote {paths.name(write.path)}, which the task asks for; nothing was ever run to try it",
        links=[(end.number, "the work is handed in unchecked")],
        said=[edit_of(scene, effect, write), response_of(scene, end.number)],
    )
