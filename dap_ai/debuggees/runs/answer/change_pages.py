"""Text pages about a run's changes: files and their contents, changes between steps, comparison with another run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dap_ai.agent.case.value_texts import cut
from dap_ai.debuggees.runs.analysis.run_differences import FileAt, between_steps, compare, files_at, workspace
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop
from dap_ai.debuggees.runs.answer.run_pages import page
from dap_ai.debuggees.runs.export.export_text import what
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.system.texts import code

_MOST_FILES = 60
_MOST_LINES = 60
"""Maximum lines per diff."""
_MOST_CALLS = 5
_PATCH = re.compile(r"^diff --git |^--- a/", re.MULTILINE)
_ROLES: Mapping[str, str] = {"test": ", a test", "scratch": ", made for itself"}


def file_rows(held: RunAtStop, step: int = 0) -> list[str]:
    """Return a row per changed file: path, steps that wrote the file and how, and whether its text is known.

    Only steps up to `step` count; 0 means all steps.
    """
    files = files_at(held.analysis, step or held.run.steps)
    rows = [_row(path, file) for path, file in list(files.items())[:_MOST_FILES]]
    return [*rows, f"... {len(files) - _MOST_FILES} more files"] if len(files) > _MOST_FILES else rows


def _row(path: str, file: FileAt) -> str:
    steps = ", ".join(f"{step} {how}" for step, how in file.writes[-8:])
    more = "... " if len(file.writes) > 8 else ""
    gone = file.writes[-1][1] == "delete"
    known = "is gone" if gone else "its text is not known" if file.text is None else f"{len(file.text)} characters"
    return f"{path}{_ROLES.get(file.role, '')}: step {more}{steps}; {known}"


def file_page(held: RunAtStop, path: str, step: int, start: int) -> tuple[str, str]:
    """Return a sentence about the one file whose path ends with `path`, and a page of that file's text.

    If the whole text is unknown, the page shows what the calls wrote. The page is empty unless exactly one file
    matches.
    """
    files = files_at(held.analysis, step or held.run.steps)
    fitting = [name for name in files if name == path] or [name for name in files if name.endswith(path)]
    if len(fitting) != 1:
        names = ", ".join(code(each) for each in (fitting or list(files))[:20]) or "none"
        return f"{'Several' if fitting else 'No'} changed files have a path that ends so. Changed were: {names}.", ""
    [name] = fitting
    file, when = files[name], f"after step {step}" if step else "at the end"
    if file.text is None:
        calls = "\n\n".join(_written(held, name, number) for number, _ in file.writes)
        return f"The whole text of {code(name)} is not known {when}; what its calls wrote:", page(calls, start)
    return f"{code(name)} {when}:", page(file.text, start)


def _written(held: RunAtStop, path: str, number: int) -> str:
    """Return what the call of one step changed in a file."""
    [*_, change] = [c for c in workspace(held.analysis, number - 1, number) if c.path == path] or [None]
    lines = [line for line in change.diff if line[:1] in "+-@"] if change else []
    told = any(line[:1] in "+-" for line in lines)
    return "\n".join([f"step {number}", *_few(lines)]) if told else _call(held, number)


def changed_between(held: RunAtStop, first: int, second: int) -> str:
    """Return the changes to each file after step `first` up to and including step `second`, as diffs.

    A call that does not show its changes separately is printed as a whole.
    """
    parts: list[str] = []
    for change in workspace(held.analysis, first, second):
        known = change.whole or any(line[:1] in "+-" for line in change.diff)
        steps = f"step{'s' if len(change.steps) > 1 else ''} {', '.join(map(str, change.steps))}"
        if not change.diff and change.whole:
            parts.append(f"{change.path}, {steps}: in the end as it was at the beginning")
            continue
        lines = _few(change.diff) if known else [_call(held, step) for step in change.steps[-_MOST_CALLS:]]
        parts.append("\n".join([f"{change.path}, {steps}{'' if change.whole else ' (what its calls say)'}", *lines]))
    return "\n\n".join(parts)


def _call(held: RunAtStop, number: int) -> str:
    step = held.steps.get(number)
    return f"step {number}: {cut(' '.join(what(step).split()), 600)}" if step else f"step {number}"


def handed_in(held: RunAtStop) -> str:
    """Return the patch in the last step's result; empty if the result has no patch."""
    last = held.steps.get(held.run.steps)
    text = last.result_text if last else ""
    start = _PATCH.search(text)
    return text[start.start() :].rstrip() if start else ""


def step_differences(held: RunAtStop, first: int, second: int) -> str:
    """Return the differences between two steps' responses, calls and results; empty if the steps are equal."""
    parts = between_steps(held.run, first, second)
    return "\n\n".join("\n".join([f"[{name}]", *_few(lines)]) for name, lines in parts.items())


def _few(lines: Sequence[str]) -> list[str]:
    shown = [cut(line, 240) for line in lines[:_MOST_LINES]]
    return [*shown, f"... {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else shown


def beside(held: RunAtStop) -> tuple[str, str]:
    """Return a comparison of the run with the other run that the user named, as sentences and a diff.

    If the user named no other run, both are empty. Without differing text, only the diff is empty.
    """
    if held.other is None:
        return "", ""
    run, analysis = held.other
    heads = f"This run: {_outcome_text(held.run)}. The other one: {_outcome_text(run)}."
    if held.run.task.split() != run.task.split():
        heads = f"Their tasks are not the same. {heads}"
    found = compare(held.run, held.analysis, run, analysis)
    if found is None:
        return f"{heads} They change the work alike.", ""
    where = f"At step {found.step or 'none'} of this run and step {found.other or 'none'} of the other"
    alike = f", after {found.same} changes that are alike" if found.same else ""
    return f"{heads} {where}{alike}: {found.text}.", "\n".join(_few(found.diff))


def _outcome_text(run: Run) -> str:
    words = f" ({run.outcome.words})" if run.outcome.words else ""
    return f"{run.steps} steps, {run.outcome.verdict}{words}"
