"""Describes a recorded run in Markdown: task, outcome, where it went wrong, and the tree of its steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.agent.case.fitting import Section, fitted
from dap_ai.agent.case.value_texts import CHARS_PER_TOKEN, cut
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset_model import OnsetEvidence, OnsetSuspect
from dap_ai.debuggees.runs.analysis.state_tree import folded
from dap_ai.debuggees.runs.answer.change_pages import beside
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop
from dap_ai.debuggees.runs.answer.run_pages import check_rows
from dap_ai.debuggees.runs.export.export_text import steps_range
from dap_ai.debuggees.runs.gist import task_of
from dap_ai.debuggees.runs.run_model import Event, Run
from dap_ai.system.texts import code

_BUDGET_TOKENS = 1500


def context_of(held: RunAtStop, budget_tokens: int) -> str:
    """Return the text about the run that starts a model's prompt: at most `budget_tokens` tokens, and at most 1,500."""
    run, analysis = held.run, held.analysis
    sections = [
        Section(9, lambda level: _head(run, (600, 300, 150)[level]), 2),
        Section(8, lambda level: found_of(analysis) if level == 0 else _brief(analysis), 1),
        Section(7, lambda _: _stop_line(held.event), 0),
        Section(6, lambda level: _patterns(analysis) if level == 0 else "", 1),
        Section(5, lambda level: _checks(analysis) if level == 0 else "", 1),
        Section(5, lambda level: _beside(held) if level == 0 else "", 1),
        Section(4, lambda level: tree_text(analysis, (90, 50, 25, 12)[level]), 3),
    ]
    budget = min(budget_tokens, _BUDGET_TOKENS) * CHARS_PER_TOKEN
    return fitted(sections, budget, lambda: "\n\n".join(filter(None, (section.text() for section in sections))))


def found_of(analysis: RunAnalysis) -> str:
    """Return a text about where the run went wrong, with the evidence and the chain to the symptom."""
    onset = analysis.finding.onset
    if onset is None:
        return f"Program analysis names no onset: {analysis.finding.why}."
    if is_guess(onset):
        seen = "Program analysis sees no symptom in its own text."
        return f"{seen} What was judged rests on {span(onset)}: {work_of(onset)}."
    chain = link_rows(onset)
    others = "; ".join(f"{span(other)} ({other.type})" for other in onset.alternatives[:3])
    parts = [
        f"Program analysis says that it went wrong at {span(onset)} ({onset.type}): {reason_of(onset)}.",
        "\n".join(evidence_rows(onset.evidence)),
        "From there:\n" + "\n".join(chain) if chain else "",
        f"Others that can be defended: {others}." if others else "",
    ]
    return "\n\n".join(filter(None, parts))


def link_rows(onset: OnsetSuspect) -> list[str]:
    """Return the chain from the onset to the symptom, with a row per step."""
    return [f"- step {link.step}: {_without_step(link.text, link.step)}" for link in onset.chain]


def is_guess(onset: OnsetSuspect) -> bool:
    """Return whether the suspect is only the last submitted change of a failed run.

    The run then has no evidence against this change.
    """
    return onset.rule == "handed-in"


def work_of(onset: OnsetSuspect) -> str:
    """Return the sentence of a suspect that is a guess, without the verdict.

    For example, `it brought most of the change of the work (shop.py)`.
    """
    return re.split(r", and the work| that was found wrong", reason_of(onset))[0]


def _without_step(text: str, step: int) -> str:
    own = f"Step {step} "
    return f"it {text.removeprefix(own)}" if text.startswith(own) else text


def span(suspect: OnsetSuspect) -> str:
    """Return the steps of a suspect as text: `step 18` or `steps 18-20`."""
    return f"step{'s' if suspect.first != suspect.last else ''} {steps_range(suspect.first, suspect.last)}"


def reason_of(suspect: OnsetSuspect) -> str:
    """Return the sentence of a suspect without the leading step number and the full stop."""
    return _without_step(suspect.text.rstrip("."), suspect.step)


def evidence_rows(evidence: Sequence[OnsetEvidence]) -> list[str]:
    """Return a row for each quote, with the quote's step."""
    return [
        f"- {f'step {e.step}' if e.step else 'recorded'}: {code(cut(' '.join(e.quote.split()), 300))}" for e in evidence
    ]


def tree_text(analysis: RunAnalysis, most: int) -> str:
    """Return a line for each step that changed or checked something.

    If there are more than `most` lines, those in the middle are left out.
    """
    rows = [node.row for node in folded(analysis.tree)]
    if len(rows) > most:
        half = most // 2
        rows = [*rows[:half], f"... {len(rows) - 2 * half} more", *rows[-half:]]
    return "Steps that changed or checked something:\n" + "\n".join(rows) if rows else ""


def _head(run: Run, chars: int) -> str:
    verdict = f"{run.outcome.verdict} ({run.outcome.words})" if run.outcome.words else run.outcome.verdict
    task = f"Its task: {cut(' '.join(task_of(run.task).split()), chars)}" if run.task else "Its task is not recorded."
    return f"A recorded run of {run.format}, {run.steps} steps; its outcome, as recorded: {verdict}.\n{task}"


def _brief(analysis: RunAnalysis) -> str:
    onset = analysis.finding.onset
    if onset is None or is_guess(onset):
        return ""
    return f"Program analysis says that it went wrong at {span(onset)}: {reason_of(onset)}."


def _beside(held: RunAtStop) -> str:
    head, _ = beside(held)
    return f"Another run of the same task (`compare`): {head}" if head else ""


def _stop_line(event: Event | None) -> str:
    if event is None:
        return ""
    step = f"step {event.step}, " if event.step else ""
    what = f"{event.kind} of {event.tool}" if event.tool else event.kind
    return f"Held at {step}{what}: {cut(' '.join(event.text.split()), 400)}"


def _patterns(analysis: RunAnalysis) -> str:
    rows = [f"- {p.name}, steps {', '.join(map(str, p.steps[:6]))}: {p.text}" for p in analysis.patterns]
    return "Seen in it:\n" + "\n".join(rows) if rows else ""


def _checks(analysis: RunAnalysis) -> str:
    rows = [f"- {row}" for row in check_rows(analysis.checks[-6:])]
    return "Its last checks:\n" + "\n".join(rows) if rows else ""
