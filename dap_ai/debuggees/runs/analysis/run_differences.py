"""Differences between two steps of a run, between the workspace at two steps, and between two runs of one task."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, How, Role, RunAnalysis
from dap_ai.debuggees.runs.analysis.step_effects import called_in, text_of_call
from dap_ai.debuggees.runs.run_model import Run, RunStep, steps_of

MAX_LINES = 2_000
"""Maximum lines compared by a full diff. Of longer texts, everything between equal beginnings and ends counts as
replaced."""
_EDITS = frozenset({"create", "append", "edit", "patch"})


class FileChange(msgspec.Struct, frozen=True):
    """Changes to one file between two steps."""

    path: str
    steps: Sequence[int]
    diff: Sequence[str]
    """Lines of a unified diff."""
    whole: bool
    """Whether the file's text is known before and after. If not, `diff` has only the replacements shown in the calls.
    """


class Divergence(msgspec.Struct, frozen=True, omit_defaults=True):
    """First change of the work in which two runs of one task differ."""

    step: int
    """Step of the first run, or 0 if the first run has no further change."""
    other: int
    """Step of the second run, or 0 if the second run has no further change."""
    same: int
    """Number of equal changes before the divergence."""
    text: str
    diff: Sequence[str] = ()


def between_steps(run: Run, one: int, other: int) -> dict[str, list[str]]:
    """Return unified diffs of two steps' `response`, `call` and `result`, without equal parts.

    Raises KeyError with the number of a missing step.
    """
    steps = {step.number: step for step in steps_of(run)}
    first, second = steps[one], steps[other]
    parts = {name: (texts(first)[name], texts(second)[name]) for name in ("response", "call", "result")}
    return {
        name: unified(before, after, f"step {one}", f"step {other}")
        for name, (before, after) in parts.items()
        if before != after
    }


def texts(step: RunStep) -> dict[str, str]:
    """Return a step's response, call and result as text."""
    return {"response": step.response_text, "call": called_in(step), "result": step.result_text}


def unified(before: str, after: str, name: str, other: str) -> list[str]:
    """Return the lines of a unified diff.

    Large texts are compared only by their common beginning and end, which takes linear time.
    """
    one, two = before.split("\n"), after.split("\n")
    if len(one) + len(two) <= MAX_LINES:
        return list(difflib.unified_diff(one, two, name, other, lineterm="", n=2))
    first = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    last = 0
    while last < min(len(one), len(two)) - first and one[-1 - last] == two[-1 - last]:
        last += 1
    old, new = one[first : len(one) - last], two[first : len(two) - last]
    if len(old) + len(new) <= MAX_LINES:
        whole = difflib.unified_diff(old, new, lineterm="", n=2)
        body = [line for line in whole if not line.startswith(("---", "+++", "@@"))]
    else:
        body = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    heading = f"@@ -{first + 1},{len(old)} +{first + 1},{len(new)} @@"
    return [f"--- {name}", f"+++ {other}", heading, *body]


# -- the workspace -------------------------------------------------------------------------------------------------


def workspace(analysis: RunAnalysis, one: int, other: int) -> list[FileChange]:
    """Return the changes to files after step `one` up to and including step `other`.

    Only changes that the calls show are known.
    """
    known: dict[str, str | None] = {}
    before: dict[str, str | None] = {}
    touched: dict[str, list[tuple[int, FileWrite]]] = {}
    for effect, write in _writes(analysis.effects):
        if effect.step > other:
            break
        if effect.step > one:
            before.setdefault(write.path, known.get(write.path))
            touched.setdefault(write.path, []).append((effect.step, write))
        known[write.path] = applied(known.get(write.path), write)
    return [_file_change(path, writes, before[path], known[path]) for path, writes in touched.items()]


class FileAt(msgspec.Struct):
    """State of a file after a step."""

    writes: Sequence[tuple[int, How]]
    """Pairs of step and way of writing, one for each write, in order."""
    role: Role
    text: str | None
    """Text of the file, or None if the calls do not show the text."""


def files_at(analysis: RunAnalysis, step: int) -> dict[str, FileAt]:
    """Return the files written up to and including `step`, by path, in order of their first write."""
    files: dict[str, FileAt] = {}
    for effect, write in _writes(analysis.effects):
        if effect.step > step:
            break
        before = files.get(write.path, FileAt((), write.role, None))
        files[write.path] = FileAt([*before.writes, (effect.step, write.how)], write.role, applied(before.text, write))
    return files


def _writes(effects: Sequence[Effect]) -> Iterator[tuple[Effect, FileWrite]]:
    """Yields the writes of calls that were carried out."""
    for effect in effects:
        if not effect.refused and not effect.noop:
            yield from ((effect, write) for write in effect.writes if write.how not in {"log", "mode", "unknown"})


def applied(text: str | None, write: FileWrite) -> str | None:
    """Return the file's text after a write, or None if the text is unknown."""
    if write.how == "create":
        return write.new
    if write.how == "delete":
        return ""
    if text is None or write.new is None:
        return None
    if write.how == "append":
        return text + write.new
    if write.how == "edit" and write.old and text.count(write.old) == 1:
        return text.replace(write.old, write.new)
    if write.how == "edit" and write.lines and write.old is None:
        lines = text.split("\n")
        return "\n".join([*lines[: write.lines[0] - 1], *write.new.split("\n"), *lines[write.lines[1] :]])
    return None


def _file_change(
    path: str, writes: Sequence[tuple[int, FileWrite]], before: str | None, after: str | None
) -> FileChange:
    steps = list(dict.fromkeys(step for step, _ in writes))
    fresh = before is None and writes[0][1].how == "create"
    if after is not None and (before is not None or fresh):
        return FileChange(path, steps, unified(before or "", after, path, path), whole=True)
    lines = [line for _, write in writes for line in _fragment(write)]
    return FileChange(path, steps, lines, whole=False)


def _fragment(write: FileWrite) -> Iterator[str]:
    """Yields the lines of one write as a diff hunk without line numbers."""
    where = f"lines {write.lines[0]}-{write.lines[1]}" if write.lines else write.how
    yield f"@@ {where} @@"
    if write.old is not None and write.new is not None:
        yield from unified(write.old, write.new, "", "")[3:]
    elif write.new is not None:
        yield from (f"+{line}" for line in write.new.split("\n"))


# -- two runs ------------------------------------------------------------------------------------------------------


class _Change(msgspec.Struct, frozen=True):
    """One edit of a file that is not deleted later."""

    step: int
    path: str
    """Path relative to the workspace."""
    said: str
    """New text, or the text of the whole call if the call does not show the new text separately."""

    def same(self, other: _Change) -> bool:
        """Return whether both changes write the same text to the same file, ignoring whitespace."""
        return self.path == other.path and self.said.split() == other.said.split()


def compare(run: Run, analysis: RunAnalysis, other: Run, theirs: RunAnalysis) -> Divergence | None:
    """Return the first change of the work in which two runs of one task differ, or None if all changes are equal."""
    mine, its = list(_changes(run, analysis)), list(_changes(other, theirs))
    same = next((i for i, (a, b) in enumerate(zip(mine, its, strict=False)) if not a.same(b)), min(len(mine), len(its)))
    first, second = mine[same : same + 1], its[same : same + 1]
    if not first and not second:
        return None
    if not first or not second:
        [change], name = (first, "first") if first else (second, "second")
        text = f"Only the {name} run goes on: it changes {change.path}"
        return Divergence(change.step if first else 0, change.step if second else 0, same, text)
    [one], [two] = first, second
    if one.path != two.path:
        return Divergence(one.step, two.step, same, f"The first run changes {one.path}, the second {two.path}")
    diff = unified(one.said, two.said, f"step {one.step}", f"step {two.step}")
    return Divergence(one.step, two.step, same, f"Both change {one.path}, differently", diff)


def _changes(run: Run, analysis: RunAnalysis) -> Iterator[_Change]:
    """Yields the edits of work files in order. Files that are deleted later are left out."""
    calls = {event.step: event for event in run.events if event.kind == "call"}
    gone = {write.path for _, write in _writes(analysis.effects) if write.how == "delete"}
    for effect, write in _writes(analysis.effects):
        if write.how in _EDITS and write.role == "work" and write.path not in gone and not write.tree:
            call = calls.get(effect.step)
            said = write.new if write.new is not None else text_of_call(call) if call is not None else ""
            yield _Change(effect.step, _relative(run, write.path), said)


def _relative(run: Run, path: str) -> str:
    """Return `path` relative to the workspace."""
    inside = path.removeprefix(f"{run.workspace.rstrip('/')}/") if run.workspace else path
    return inside.lstrip("/")
