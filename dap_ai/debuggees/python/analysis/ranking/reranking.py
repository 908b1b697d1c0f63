"""Updates the ranking from reruns: drops lines that never ran, and ranks lines with passing fixes higher."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from msgspec.structs import replace

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.report.wording import AGAIN, times
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import names_in
from dap_ai.debuggees.python.analysis.ranking.confirm_dynamically import confirm_dynamically
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.rules.guards import SKIP_NONE
from dap_ai.debuggees.python.analysis.ranking.trials import Trial, Trials
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.ranking.what_ran import settle
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.executions import executions_at
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, TracedCall, ValueChanges
from dap_ai.system.texts import code

_PASSES = "a small change here makes the failing check pass"
_MAX_CALLS, _MAX_HISTORIES, _MAX_DEPTH = 4, 2, 3


def rerank(analysis: StopAnalysis, trials: Trials) -> None:
    """Update the ranking with the results of the reruns."""
    settle(analysis, trials)
    if trials.usable:
        _lift_passing(analysis, trials)
        confirm_dynamically(analysis, trials)
    analysis.order()


def _lift_passing(analysis: StopAnalysis, trials: Trials) -> None:
    passing = trials.passing
    best = max((t.grade for t in passing), default=0.0) or 1.0
    tried = {(t.candidate.edit.source.path, t.candidate.line) for t in trials.tried}
    for key in tried & set(analysis.scores) if passing else ():
        analysis.scores[key] *= WEIGHTS.in_vain
    lifted: set[tuple[str, int]] = set()
    for trial in passing:
        key = (trial.candidate.edit.source.path, trial.candidate.line)
        if key in lifted or trial.candidate.kind == SKIP_NONE:
            continue  # skipping an item says nothing about the code that made it
        lifted.add(key)
        was = analysis.scores.get(key, 0.0)
        lift = WEIGHTS.proved if trial.proof else WEIGHTS.doubted if trial.doubt else WEIGHTS.passes
        analysis.scores[key] = 1 - (1 - was) * (1 - lift * trial.grade / best)
        if trial.proof:
            analysis.blame(key, trial.candidate.reason or changed_words(trial))
        analysis.reasons.setdefault(key, _PASSES)


def changed_words(trial: Trial) -> str:
    """Return a description of what a generated fix changes."""
    edit = trial.candidate.edit
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    if len(old) > 1 and sorted(map(str.strip, old)) == sorted(map(str.strip, edit.lines)):
        first, second = (cut(line.strip(), 50) for line in edit.lines[:2])
        return f"the failing check passes with {code(first)} before {code(second)}"
    added = [row[2:].strip() for row in difflib.ndiff(old, edit.lines) if row.startswith("+ ")]
    if not added:
        return f"the failing check passes without {code(cut('; '.join(line.strip() for line in old), 100))}"
    where = f"added after line {edit.last}" if edit.growth > 0 else "here"
    return f"the failing check passes with {code(cut('; '.join(added), 100))} {where}"


def describe_run(analysis: StopAnalysis, trials: Trials) -> str:
    """Return the report's paragraph on the rerun: its calls with arguments, and the values at suspicious lines."""
    control = _narrowest_control(trials)
    if control is None:
        return ""
    root = analysis.case.inspection.cwd
    made = (c for c in _calls(control.trace) if c.raised or not _is_cleanup(analysis, c))
    calls = [f"{'  ' * c.depth}- {_call(c, root)}" for c in made]
    widest = trials.usable[-1]
    values = [f"- {text}" for text in _histories(analysis, widest.trace, root)]
    if not calls and not values:
        return ""
    parts = [f"{AGAIN} In a copy of the process, {control.check.words} fails the same way."]
    if calls:
        parts.append(f"The calls in it{_as_of_now(analysis, control)}:\n\n" + "\n".join(calls))
    if values:
        run = "it" if widest is control else widest.check.words
        parts.append(f"Values on the way in {run}{_as_of_now(analysis, widest)}:\n\n" + "\n".join(values))
    return "\n\n".join(parts)


def _as_of_now(analysis: StopAnalysis, control: Control) -> str:
    """Return a note that the run's values are those after cleanup, or an empty string."""
    has_cleaned_up = any(place.facts and place.facts.cleaned for place in analysis.case.places)
    return ", with the values there are now, after cleanup" if has_cleaned_up and not control.check.fresh else ""


def _is_cleanup(analysis: StopAnalysis, call: TracedCall) -> bool:
    """Whether the called function runs only after the failure."""
    source = analysis.case.sources.read(call.file)
    function = source.function_starting(call.line) if source else None
    return function is not None and analysis.never_ran(call.file, function.body[0].lineno)


def _narrowest_control(trials: Trials) -> Control | None:
    """Return the narrowest usable run that recorded a call, else the widest usable run, or None."""
    return next((c for c in trials.usable if c.trace.calls), trials.usable[-1] if trials.usable else None)


def _calls(trace: RunTrace) -> Iterator[TracedCall]:
    """Yield the run's first calls, and later calls only if they raised an exception."""
    shallow = min((c.depth for c in trace.calls), default=0)
    seen = 0
    for call in trace.calls:
        depth = call.depth - shallow
        if depth < _MAX_DEPTH and (seen < _MAX_CALLS or call.raised):
            seen += 1
            yield replace(call, depth=depth)
        if seen >= 2 * _MAX_CALLS:
            return


def _call(call: TracedCall, root: str) -> str:
    arguments = ", ".join(cut(a, 50) for a in call.arguments[:4])
    returned = f"returned {code(cut(call.result, 60))}" if call.result else "had not returned"
    is_closed = call.raised.partition(":")[0] == "GeneratorExit"  # closed because the generator's consumer failed
    done = f"raised {code(cut(call.raised, 80))}" if call.raised and not is_closed else returned
    return f"{code(f'{call.function}({arguments})')} {done} ({code(f'{shorten(call.file, root)}:{call.line}')})"


def _histories(analysis: StopAnalysis, trace: RunTrace, root: str) -> Iterator[str]:
    rows = {(t.file, t.line): t for t in trace.lines}
    told = 0
    for suspect in analysis.suspects[:4]:
        traced = rows.get((suspect.file, suspect.line))
        source = analysis.case.sources.read(suspect.file)
        if traced is None or source is None:
            continue
        for change in _changes_at(traced.changes, source, suspect.line):
            where = code(f"{shorten(suspect.file, root)}:{suspect.line}")
            yield f"{where} ran {times(executions_at(trace, source, traced))}: {code(change.name)} {_folded(change)}"
            told += 1
            if told >= _MAX_HISTORIES:
                return


def _changes_at(changes: list[ValueChanges], source: SourceFile, line: int) -> list[ValueChanges]:
    names = names_in(source.statement_at(line))
    return [c for c in changes if c.name in names and c.texts][:1]


def _folded(change: ValueChanges) -> str:
    size = 100 if len(change.texts) == 1 else 60
    texts = [code(cut(text, size)) for text in change.texts]
    if change.count > len(texts) and len(texts) > 3:
        texts.insert(3, "...")
    return ("became " if len(texts) == 1 else "went ") + " -> ".join(texts)
