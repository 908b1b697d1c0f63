"""Finds failure patterns of edits: no edit survives, or the agent edits one region repeatedly."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite, Pattern
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.patches import files_of_diff
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory, claims_success, failed
from dap_ai.debuggees.runs.analysis.rule_tables import programs
from dap_ai.debuggees.runs.run_model import RunStep

_MANY = 3
_NEAR = 3
"""Maximum number of lines between two edits of one region."""
_ENOUGH = 12
"""Minimum characters of a text for which a match is no accident."""


def success_without_change(story: RunStory) -> Iterator[Pattern]:
    """Finds work that was submitted as done although it contains no change."""
    end = story.handed_in
    if end is not None and _empty_difference(story, end):
        tried = [effect.step for effect in story.effects if effect.kind == "change" and effect.step < end.number]
        text = "The work was handed in with an empty difference: no change of it is left"
        yield Pattern("success-without-change", [*tried, end.number], text)
        return
    if end is None or story.edits or story.unnamed_changes or _other_change(story) or _hands_in_work(story, end):
        return
    tried = [effect.step for effect in story.effects if effect.kind == "change"]
    submits = any(effect.step == end.number and effect.kind == "submit" for effect in story.effects)
    if tried and (submits or claims_success(end.response_text)):
        text = (
            "The work was handed in, but no change of it was carried out: every attempt was refused or of own scripts"
        )
        yield Pattern("success-without-change", [*tried, end.number], text, end.response_text.strip()[:200])


def _empty_difference(story: RunStory, end: RunStep) -> bool:
    """Return whether the submission shows an empty diff of the whole working tree (`git add`, `git diff`)."""
    effect = next(effect for effect in story.effects if effect.step == end.number)
    if not {"git add", "git diff"} <= set(effect.programs) or end.result is None or failed(end):
        return False
    said = [line for line in end.result_text.split("\n") if line.strip()]
    return all(any(marker in line for marker in programs().markers) for line in said)


def _hands_in_work(story: RunStory, end: RunStep) -> bool:
    """Return whether the submission shows a diff of a file other than the agent's scratch files."""
    own = {paths.name(path) for path in story.files.made if story.files.role(path) == "scratch"}
    return any(
        paths.name(path) not in own and story.files.role(path) == "work" for path in files_of_diff(end.result_text)
    )


def _other_change(story: RunStory) -> bool:
    """Return whether a call other than an edit changed the work (delete, restore, mode, folder)."""
    return any(story.files.work(effect.writes) for effect in story.changes)


def edit_lost(story: RunStory) -> Iterator[Pattern]:
    """Finds a run that reverted all its edits of the work and made no edit afterwards."""
    restoring = [e for e in story.changes if any(write.how == "restore" for write in e.writes)]
    if not restoring:
        return
    last = restoring[-1]
    restored = [write for write in last.writes if write.how == "restore"]
    before = [(e.step, w) for e, w in story.edits if e.step < last.step]
    lost = [(number, w) for number, w in before if any(_covers(write, w.path) for write in restored)]
    kept = len(lost) < len(before) or any(number >= last.step for number in story.unnamed_changes)
    later = any(e.step >= last.step for e, _ in story.edits)
    if lost and not later and not kept and not _brought_back(story, last.step):
        text = f"Step {last.step} took back the edits of {paths.name(lost[-1][1].path)}; none came after it"
        yield Pattern("edit-lost", [*dict.fromkeys(number for number, _ in lost), last.step], text)


def _covers(write: FileWrite, path: str) -> bool:
    return write.tree or paths.same(write.path, path) or path.startswith(f"{write.path}/")


def _brought_back(story: RunStory, step: int) -> bool:
    """Return whether `git stash pop` or a similar command ran in or after `step`."""
    return any(w.tree and w.how == "patch" for e in story.effects if e.step >= step for w in e.writes)


def same_region_again(story: RunStory) -> Iterator[Pattern]:
    """Finds regions of a work file that the agent edited at least three times."""
    chains: list[list[tuple[int, FileWrite]]] = []
    for effect, write in story.edits:
        chain = next(
            (c for c in reversed(chains[-50:]) if _same_region(c[-1][1], write) and c[-1][0] != effect.step), None
        )
        if chain is None:
            chains.append([(effect.step, write)])
        else:
            chain.append((effect.step, write))
    for chain in chains:
        if len(chain) >= _MANY:
            steps = [step for step, _ in chain]
            yield Pattern("same-region-again", steps, f"{_region(chain[-1][1])} was edited {len(chain)} times")


def _region(write: FileWrite) -> str:
    """Return the location of a write, e.g. `core.py, lines 3-5,`."""
    if write.lines is None:
        return paths.name(write.path)
    first, last = write.lines
    return f"{paths.name(write.path)}, {f'line {first}' if first == last else f'lines {first}-{last}'},"


def _same_region(one: FileWrite, other: FileWrite) -> bool:
    """Return whether two writes overlap.

    They overlap if their lines are near, if both write the whole file, or if one replaces text of the other.
    """
    if not paths.same(one.path, other.path):
        return False
    if one.lines and other.lines:
        return one.lines[0] <= other.lines[1] + _NEAR and other.lines[0] <= one.lines[1] + _NEAR
    if one.how == other.how == "create":
        return True
    new, old = (one.new or "").strip(), (other.old or "").strip()
    return min(len(new), len(old)) >= _ENOUGH and (new in old or old in new)
