"""Finds misplaced trust: unchecked work, an ignored failed check, an edited test, a file read only in part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, Pattern, StepCheck
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory, failed
from dap_ai.debuggees.runs.analysis.rule_tables import find_words
from dap_ai.debuggees.runs.run_model import RunStep


def failed_check_ignored(story: RunStory) -> Iterator[Pattern]:
    """Finds work that the agent submitted after the last check failed, without a further change."""
    end = story.handed_in
    if end is None or not story.conclusive_checks or story.conclusive_checks[-1].ok is not False:
        return
    last = story.conclusive_checks[-1]
    changed = any(e.step > last.step for e, _ in story.edits) or any(n > last.step for n in story.unnamed_changes)
    unsure = any(check.step > last.step and check.ran for check in story.checks)
    first = story.edits[0][0].step if story.edits else None
    if changed or unsure or first is None or first > last.step or last.step >= end.number:
        return
    text = f"The last check failed (step {last.step}), and the work was handed in"
    yield Pattern("failed-check-ignored", [last.step, end.number], text, _quote(last))


def _quote(check: StepCheck) -> str:
    return check.error or check.summary


def never_verified(story: RunStory) -> Iterator[Pattern]:
    """Finds work that the agent submitted without a check after the last edit."""
    end = story.handed_in
    edits = [effect.step for effect, write in story.edits if write.how != "move" and end and effect.step < end.number]
    if end is None or not edits:
        return
    last = edits[-1]
    after = [check for check in story.checks if check.step >= last]
    if any(check.ran for check in after) or _ran_something(story, last):
        return
    tried = [check.step for check in after]
    how = "was checked only by programs that could not start" if tried else "was never checked"
    quote = _quote(after[-1]) if after else ""
    yield Pattern("never-verified", [last, *tried, end.number], f"The last edit (step {last}) {how}", quote)


def _ran_something(story: RunStory, last: int) -> bool:
    """Return whether a program ran without an error after step `last`.

    The program may have shown whether the work is right.
    """
    for effect, step in story.done():
        ran = step.result is not None and step.result.exit_code in {None, 0}
        if ran and effect.step > last and "run" in effect.kinds:
            return not step.result_text.rstrip().endswith(("not found", "No such file or directory"))
    return False


def check_edited(story: RunStory) -> Iterator[Pattern]:
    """Finds a failing project test that passed after the agent edited the test and not the work."""
    tests = [check for check in story.checks if check.kind == "test" and check.ran]
    for check, later in pairwise(tests):
        if check.ok is not False or later.ok is not True:
            continue
        between = [one for one in story.changes if check.step < one.step < later.step]
        bent = [
            (one, path)
            for one in between
            for path in _bent(story, one, story.step_at[check.step].result_text[:200_000])
        ]
        if bent and not any(not one.writes or story.files.work(one.writes) for one in between):
            effect, path = bent[0]
            text = f"{paths.name(path)} failed, was edited itself, and passed; the work was not changed"
            yield Pattern("check-edited", [check.step, effect.step, later.step], text, _quote(check))


def _bent(story: RunStory, effect: Effect, shown: str) -> Iterator[str]:
    """Yields the project's tests that a step edited and that the failing check's output names."""
    for write in effect.writes:
        tested = story.files.role(write.path) == "test" and write.path not in story.files.made
        if tested and paths.name(write.path) in shown and write.how in {"edit", "delete", "patch"}:
            yield write.path


def cut_result_relied_on(story: RunStory) -> Iterator[Pattern]:
    """Finds a file that the agent edited after reading only a truncated version."""
    cut: dict[str, int] = {}
    for effect, step in story.done():
        if effect.kind == "change" and not failed(step):
            for write in effect.writes:
                if write.how in {"edit", "patch"} and write.path in cut:
                    first = cut.pop(write.path)
                    text = f"{paths.name(write.path)} was edited after a look at it that was cut"
                    yield Pattern("cut-result-relied-on", [first, effect.step], text, _cut(story.step_at[first]))
            continue
        is_cut = bool(effect.reads and _cut(step))
        for path in effect.reads:
            if is_cut and path not in cut:
                cut[path] = effect.step
            elif not is_cut:
                cut.pop(path, None)


def _cut(step: RunStep) -> str:
    """Return the text that shows a result to be truncated; empty if the result is complete."""
    looked = (
        f"{step.result_text[:1500]}\n{step.result_text[-1500:]}" if len(step.result_text) > 3000 else step.result_text
    )
    found = find_words("cut", looked)
    return found[0] if found else ""
