"""The offline analyst's answer to where a run went wrong: verdict, verified quotes, and the chain to the symptom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.report.wording import ADVICE, HAPPENED
from dap_ai.debuggees.runs.analysis.onset.onset_search import OF_THE_AGENT, name_of
from dap_ai.debuggees.runs.analysis.onset_model import ErrorType, Onset, OnsetEvidence
from dap_ai.debuggees.runs.answer.quote_check import place_of
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop
from dap_ai.debuggees.runs.answer.run_markdown import evidence_rows, is_guess, link_rows, reason_of, span, work_of
from dap_ai.debuggees.runs.answer.run_pages import tree_rows
from dap_ai.debuggees.runs.refs import contains
from dap_ai.debuggees.runs.run_model import steps_of
from dap_ai.protocol.wire.ask_messages import Evidence as Cited
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.system.texts import code, fenced

_TREE_ROWS = 24
_LIKELY = 0.6
NO_MODEL = "*No language model was used: this is the offline analyst, which reads what the run itself says.*"
_HELPS: Mapping[ErrorType, str] = {
    "environment/setup": "Look at what the environment has, before the first change rests on it.",
    "dependency resolution": "Fix the versions that are needed first, and check that they import.",
    "mislocalized edit": "Read the place back after the edit, before anything is checked.",
    "incorrect hypothesis": "Test the assumption by itself, with the example of the task, before it is built on.",
    "verification misinterpretation": "Take what the check printed as it stands: compare it with what the task asks.",
    "unproductive looping": "After the second identical result, change the approach, and say what was learnt.",
}
_MEND_AGENT = "Mend the agent's own program there, between the model and its tools: no other prompt will help."
_OF_THE_AGENT = frozenset(map(name_of, OF_THE_AGENT))


def what_helps(suspect: Onset) -> str:
    """Return advice that would have prevented the run's error."""
    return _MEND_AGENT if suspect.rule in _OF_THE_AGENT else _HELPS[suspect.type]


def diagnosis(held: RunAtStop) -> list[str]:
    """Return the answer to where the run went wrong, as paragraphs in Markdown."""
    run, finding = held.run, held.analysis.finding
    recorded = f"{run.outcome.verdict}{f' ({code(run.outcome.words)})' if run.outcome.words else ''}"
    outcome = f"{HAPPENED} {run.steps} steps; its outcome, as recorded: {recorded}."
    rows = tree_rows(held, most=_TREE_ROWS)
    tree = "Steps that changed or checked something:\n\n" + fenced("\n".join(rows)) if rows else ""
    onset = finding.onset
    if onset is None:
        return [f"Nothing is said of where it went wrong: {finding.why}.", outcome, tree, _hint(held), NO_MODEL]
    others = "\n".join(f"- {span(other)}, {other.type}: {other.text}" for other in onset.alternatives[:3])
    defended = f"**Others that can be defended.**\n\n{others}" if others else ""
    if is_guess(onset):
        known = "You say that it failed" if held.failed else "It is recorded as failed"
        look = f"{known}, so look first at {span(onset)}: {work_of(onset)}. Compare it with what the task asks."
        return [f"Nothing in its own text shows where the run went wrong. {look}", outcome, defended, tree, NO_MODEL]
    went = "most likely went" if onset.confidence >= _LIKELY else "may have gone"
    pairs = list(_pairs(held))
    kept = [shown for shown, stands in pairs if stands]
    left_out = len(pairs) - len(kept)
    return [
        f"The run {went} wrong at {span(onset)} ({onset.type}): {reason_of(onset)}.",
        "**Evidence.**\n\n" + "\n".join(evidence_rows(kept)) if kept else "",
        f"Quotes left out because they were not found again where they were read: {left_out}." if left_out else "",
        "**From there to the end.**\n\n" + "\n".join(link_rows(onset)) if onset.chain else "",
        f"{ADVICE} {what_helps(onset)}",
        outcome,
        defended,
        tree,
        NO_MODEL,
    ]


def _hint(held: RunAtStop) -> str:
    """Return a hint how to report a failure that the run does not record; empty if the verdict is known."""
    if held.failed or held.run.outcome.verdict != "unknown":
        return ""
    return "If you know that it failed, ask `why did it fail`: then the likeliest step is named all the same."


def _pairs(held: RunAtStop) -> Iterator[tuple[OnsetEvidence, bool]]:
    """Yields each piece of evidence with a flag: whether the run's files, read again, contain the evidence's text.

    A recorded outcome is quoted with its key, e.g. `exit_status submitted`.
    """
    shown, raw = held.analysis.finding.onset, held.raw_analysis.finding.onset
    if shown and raw:
        for one, other in zip(shown.evidence, raw.evidence, strict=True):
            yield one, any(contains(held.raw.root, other.ref, words) for words in _spellings(other))


def _spellings(evidence: OnsetEvidence) -> list[str]:
    """Return the forms in which a quote may occur in the files."""
    if evidence.step:
        return [evidence.quote]
    values = [part.partition(" ")[2] or part for part in evidence.quote.split(", ")]
    return [evidence.quote, *(value for value in values if value.strip())]


def evidence_rows_of(held: RunAtStop, case: StopSnapshot) -> list[Cited]:
    """Return the evidence that the run's files confirm, in the wire format."""
    rows: list[Cited] = []
    raw = held.raw_analysis.finding.onset
    for (shown, stands), read in zip(_pairs(held), raw.evidence if raw else (), strict=True):
        file, line = place_of(held.raw, read.ref)
        name = f"step {shown.step}" if shown.step else "the recorded outcome"
        rows.append(Cited(name, shown.quote, file, line, 0, case.stop.thread_id, case.stop.epoch, confirmed=stands))
    return [row for row in rows if row.confirmed]


def suspects_of(held: RunAtStop) -> list[Suspect]:
    """Return the onset and up to three alternatives in the wire format, without those whose file is missing."""
    onset = held.analysis.finding.onset
    if onset is None:
        return []
    raw = {step.number: step for step in steps_of(held.raw)}
    found: list[Suspect] = []
    for rank, one in enumerate((onset, *onset.alternatives[:3])):
        step = raw.get(one.step)
        event = step and (step.call or step.response or step.result)
        if event:
            file, line = place_of(held.raw, event.ref)
            found.append(Suspect(file, line, round(1 / (rank + 1), 3), f"{span(one)}: {one.text}"))
    return [suspect for suspect in found if Path(suspect.file).exists()]
