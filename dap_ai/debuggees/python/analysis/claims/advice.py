"""Writes the last section of an answer: a fix as a diff with its outcome, or the next debugging steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.sections import where
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.report.wording import ADVICE
from dap_ai.agent.source.statements import names_in
from dap_ai.debuggees.python.analysis.experiments.changes.own_text import own_lines
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trial, Trials
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT, FixVerdict
from dap_ai.debuggees.python.analysis.record.failure_check import BUILTINS
from dap_ai.debuggees.python.analysis.syntax.nodes import READS
from dap_ai.protocol.wire.ask_messages import Fix, Suspect
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code, fenced

_MAX_UNPROVED = 3
_LEAST_SURE = 0.45
"""Minimum certainty for showing an untried fix: the finding's weight times the line's tie to failing tests, 0..1."""


def recommendation(analysis: StopAnalysis, trials: Trials | None = None) -> tuple[list[Section], list[Fix]]:
    """Return the section's Markdown text, and the fixes that it shows as diffs."""
    advice, fixes = _advice(analysis, trials)
    return [*advice, Section("effort", _effort(trials))], fixes


def _advice(analysis: StopAnalysis, trials: Trials | None) -> tuple[list[Section], list[Fix]]:
    case = analysis.case
    first = analysis.suspects[0] if analysis.suspects else None
    if trials and trials.proved and _agree(analysis, trials.proved[0]):
        return _passing(analysis, trials)
    finding = analysis.finding_at(first.file, first.line, with_fix=True) if first else None
    verdict = _verdict_of(finding.edit, trials) if finding and finding.edit else None
    sure = finding.weight * analysis.share((first.file, first.line)) if first and finding else 0.0
    if finding and finding.edit and sure >= _LEAST_SURE and (verdict is None or verdict.outcome == CANNOT):
        finding.edit.lines = own_lines(finding.edit)
        diff = finding.edit.diff(case.inspection.cwd)
        fix = Fix(finding.edit.source.path, diff)
        text = "It was not tried."
        if verdict and verdict.check:
            fix.check, fix.result = verdict.check.words, verdict.text
            text = f"It could not be tried here: {verdict.text}."
        return [Section("advice", f"{ADVICE} A possible fix. {text}\n\n{fenced(diff, 'diff')}")], [fix]
    unproved = _unproved(analysis, trials) if trials else ""
    steps = "\n".join(f"- {step}" for step in _next_steps(analysis, first))
    advice = Section("advice", f"{ADVICE} Next steps:\n\n{steps}" if steps else "")
    return [advice, Section("unproved", unproved)], []


def _agree(analysis: StopAnalysis, trial: Trial) -> bool:
    """Whether a rule gives a reason for the fix, or the fix is at the line of the cause."""
    cause = analysis.cause
    return bool(trial.candidate.reason) or (cause is not None and trial.place == (cause.file, cause.line))


def _unproved(analysis: StopAnalysis, trials: Trials) -> str:
    """Return the changes that make the failure go away but are not proposed, each with what speaks against it."""
    root = analysis.case
    rows = [
        f"- {where(root, t.candidate.edit.source.path, t.candidate.line)}: {_new(t)} ({_against(t)})"
        for t in trials.passing[:_MAX_UNPROVED]
    ]
    return "Changes that make the failure go away, but are not proposed:\n\n" + "\n".join(rows) if rows else ""


def _against(trial: Trial) -> str:
    """Return why a passing change is not proposed, as a clause."""
    if trial.doubt:
        return f"hardly meant: {trial.doubt} with it"
    last = trial.widest or trial.verdict
    is_whole = bool(last.check and last.check.whole)
    return f"not verified: {last.text}" if is_whole and not last.verified else "nothing else speaks for it"


def _passing(analysis: StopAnalysis, trials: Trials) -> tuple[list[Section], list[Fix]]:
    root = analysis.case.inspection.cwd
    best, *others = trials.proved[:3]
    fix = _fix(best, root)
    text = f"{ADVICE} {_found(best, analysis, trials)}\n\n{fenced(fix.diff, 'diff')}\n\n{_how(best)}"
    if others:
        rows = [f"- {where(analysis.case, t.candidate.edit.source.path, t.candidate.line)}: {_new(t)}" for t in others]
        heading = "Others that pass:" if trials.rivals else "Others that pass, less likely meant:"
        return [Section("advice", text), Section("rivals", f"{heading}\n\n" + "\n".join(rows))], [fix]
    return [Section("advice", text)], [fix]


def _found(best: Trial, analysis: StopAnalysis, trials: Trials) -> str:
    """Return the sentence before the diff: the rule's reason unless already stated, or that the fix is a guess."""
    reason, told = best.candidate.reason, analysis.suspects[0].reason if analysis.suspects else ""
    if reason:
        return f"{_at(best.candidate.edit)}." if reason == told else f"{reason[0].upper()}{reason[1:]}."
    if trials.rivals:
        count = len(trials.rivals) + 1
        return f"A guess: {count} different changes make the check pass, so it cannot tell which one is meant."
    return "A guess, found by trying small changes: check that it does what you intend."


def _at(edit: SourceEdit) -> str:
    """Return the edit's location, such as `Change line 14` or `Add after line 5`."""
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    if edit.lines[: len(old)] == old:
        return f"Add after line {edit.last}"
    return f"Change line {edit.first}" if edit.first >= edit.last else f"Change lines {edit.first} to {edit.last}"


def _how(trial: Trial) -> str:
    if trial.verified:
        more = "" if trial.candidate.reason else f"; {trial.proof}"
        return f"Verified in a snapshot: {(trial.widest or trial.verdict).text}{more}."
    if trial.widest and trial.widest.passes:
        return f"Not verified: {trial.widest.text}."
    lacking = f" ({trial.widest.text})" if trial.widest else ""
    return f"Not verified: {trial.verdict.text}{lacking}."


def _fix(trial: Trial, root: str) -> Fix:
    edit, verdict = trial.candidate.edit, trial.widest if trial.verified and trial.widest else trial.verdict
    words = verdict.check.words if verdict.check else ""
    return Fix(
        edit.source.path,
        edit.diff(root),
        verified=trial.verified,
        check=words,
        result=verdict.text,
        is_found_by_search=msgspec.UNSET if trial.candidate.reason else True,
    )


def _new(trial: Trial) -> str:
    edit = trial.candidate.edit
    old = {edit.source.line(n).strip() for n in range(edit.first, edit.last + 1)}
    return code(cut("; ".join(t.strip() for t in edit.lines if t.strip() not in old) or "removed", 100))


def _verdict_of(edit: SourceEdit, trials: Trials | None) -> FixVerdict | None:
    return next((t.verdict for t in trials.tried if t.candidate.edit is edit), None) if trials else None


def _effort(trials: Trials | None) -> str:
    """Return a sentence on how many fixes were tried and passed, or an empty string."""
    if trials is None:
        return ""
    if not trials.tried:
        return f"No fix was tried: {trials.why_not}." if trials.why_not else ""
    count, passed = len(trials.tried), len(trials.passing)
    fixes = "1 small fix was" if count == 1 else f"{count} small fixes were"
    more = " The setting `thorough` (`dap-ai ask --thorough`) tries more." if trials.has_more and not passed else ""
    return f"{fixes} tried in snapshots of the stopped program; {passed or 'none'} passed.{more}"


def _next_steps(analysis: StopAnalysis, first: Suspect | None) -> Iterator[str]:
    case, place = analysis.case, analysis.diagnosis.place
    yield from analysis.diagnosis.advice
    if first and not first.file.startswith("<") and (first.file, first.line) != (place.frame.path, place.frame.line):
        source = case.sources.read(first.file)
        names = sorted({*names_in(source.statement_at(first.line))} - BUILTINS) if source and source.tree else []
        watch = f", and watch {', '.join(map(code, names[:3]))}" if names else ""
        yield f"Set a breakpoint at {where(case, first.file, first.line)}{watch}."
    condition = _condition(analysis)
    if condition and not place.is_generated:
        spot = where(case, place.frame.path, place.frame.line)
        yield f"Set a breakpoint at {spot} with the condition {code(condition)}, to stop before the failure."
    if (place.facts is None or case.is_over) and not place.is_generated:
        if not condition:
            yield f"Set a breakpoint at {where(case, place.frame.path, place.frame.line)}, to stop before the failure."
        return
    places = (ast.unparse(root) for root in analysis.diagnosis.roots if isinstance(root, READS))
    if root := next((place for place in places if place not in BUILTINS), ""):
        yield f"Ask {code(f'where does {cut(root, 60)} come from?')}"


def _condition(analysis: StopAnalysis) -> str:
    for root in analysis.diagnosis.roots[:2]:
        value = analysis.diagnosis.value(root)
        is_short = value is not None and value.kind in ("none", "int", "str", "bool") and len(value.text) < 40
        if value and is_short and isinstance(root, ast.Name | ast.Attribute):
            return f"{ast.unparse(root)} {'is' if value.kind == 'none' else '=='} {value.text}"
    return ""
