"""Divides a run into stages, which are ranges of steps.

A step with a clear purpose (install, change of the work, check, submission) starts a stage. A step that only looks or
runs something else continues the current stage. There are two exceptions. Exploring between a check and the next change
is inspection again. A run starts in the environment stage while its steps only query the environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, RunStage, StageName
from dap_ai.debuggees.runs.analysis.file_roles import FileRoles
from dap_ai.debuggees.runs.analysis.rule_tables import find_words, lists
from dap_ai.debuggees.runs.run_model import RunStep


def stages_of(effects: Sequence[Effect], steps: Sequence[RunStep], files: FileRoles) -> list[RunStage]:
    """Return the stages in order. They cover all steps except unanswered calls at the end of the run."""
    marks: list[StageName | None] = [_mark(effect, step, files) for effect, step in zip(effects, steps, strict=True)]
    _environment(marks, effects, steps)
    end = _end(marks, effects, steps)
    names = _filled(marks[:end], effects[:end])
    return _ranges(names, [effect.step for effect in effects[:end]])


def _mark(effect: Effect, step: RunStep, files: FileRoles) -> StageName | None:
    if effect.noop or (effect.refused and effect.kind != "change"):
        return None
    if effect.kind == "submit":
        return "submission"
    if effect.kind == "install":
        return "dependencies"
    if effect.kind == "change" and _edits_work(effect, files):
        return "patching"
    return "verification" if "verify" in effect.kinds and step.call is not None else None


def _edits_work(effect: Effect, files: FileRoles) -> bool:
    """Return whether the step changes work files, not only the agent's scripts, folders or git history."""
    if not effect.writes:
        return not set(effect.programs) & set(lists("words")["housekeeping"])
    if all(w.how == "unknown" or (w.how == "delete" and w.path in files.made) for w in effect.writes):
        return False
    backups = all(write.how == "restore" for write in effect.writes if files.role(write.path) == "work")
    return bool(files.work(effect.writes)) and not (backups and "verify" not in effect.kinds)


def _environment(marks: list[StageName | None], effects: Sequence[Effect], steps: Sequence[RunStep]) -> None:
    """Mark the steps at the beginning that only query the environment or have no effect."""
    last = -1
    for index, (effect, step) in enumerate(zip(effects, steps, strict=True)):
        if marks[index] is not None:
            break
        if effect.kind == "message":
            continue
        if not (effect.noop or _probes(step) or _not_found(step)):
            break
        last = index
    if last >= 0 and any(_probes(steps[i]) or effects[i].noop for i in range(last + 1)):
        for index in range(last + 1):
            marks[index] = "environment"


def _probes(step: RunStep) -> bool:
    return step.call is not None and find_words("probes", step.call.text[:2000]) is not None


def _not_found(step: RunStep) -> bool:
    """Return whether the shell did not find the program. Such a step tells the agent about the environment."""
    if step.result is None:
        return False
    return step.result.exit_code == 127 or step.result.text[:300].rstrip().endswith("command not found")


def _end(marks: list[StageName | None], effects: Sequence[Effect], steps: Sequence[RunStep]) -> int:
    """Mark a final message as the submission; return the number of steps that have a stage.

    Unanswered calls after the final message never ran and have no stage.
    """
    answered = [
        i for i, step in enumerate(steps) if step.call is None or step.result is not None or effects[i].kind == "submit"
    ]
    last = answered[-1] if answered else -1
    if last >= 0 and effects[last].kind == "message" and not effects[last].refused and "patching" in marks:
        marks[last] = "submission"
        return last + 1
    return len(marks)


def _filled(marks: Sequence[StageName | None], effects: Sequence[Effect]) -> list[StageName]:
    names: list[StageName] = []
    stage: StageName = "inspection"
    index = 0
    while index < len(marks):
        mark = marks[index]
        if mark is not None:
            stage = mark
            names.append(mark)
            index += 1
            continue
        end = next((i for i in range(index, len(marks)) if marks[i] is not None), len(marks))
        after = marks[end] if end < len(marks) else None
        own = end
        while own > index and effects[own - 1].kind == "message" and after not in {None, "submission"}:
            own -= 1  # messages belong to the step they announce
        if own > index:
            stage = _between(stage, after, effects[index:own], names)
        names.extend(repeat(stage, own - index))
        names.extend(repeat(after or stage, end - own))
        index = end
    return names


def _between(
    before: StageName, after: StageName | None, effects: Sequence[Effect], names: Sequence[StageName]
) -> StageName:
    """Return the stage of the unmarked steps between two marked steps."""
    looks = any(effect.kind == "explore" for effect in effects)
    scratch = any(effect.kind == "change" for effect in effects)
    if before in {"environment", "dependencies"}:
        return "patching" if "patching" in names and not looks else "inspection"
    if before == "verification" and after == "patching" and looks:
        return "inspection"
    if before == "patching" and after == "verification" and scratch:
        return "verification"
    return before


def _ranges(names: Sequence[StageName], steps: Sequence[int]) -> list[RunStage]:
    """Merge consecutive steps of the same stage to ranges."""
    made: list[RunStage] = []
    for name, step in zip(names, steps, strict=True):
        if made and made[-1].stage == name:
            made[-1] = RunStage(name, made[-1].first, step)
        else:
            made.append(RunStage(name, step, step))
    return made
