"""What a recorded run has to tell, in Markdown: its task and outcome, where it went wrong, the tree of what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from dap_ai.agent.case.fitting import Section, fitted
from dap_ai.agent.case.stack import Case
from dap_ai.agent.case.values import CHARS_PER_TOKEN, cut
from dap_ai.agent.tools.base import code
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.runs.analysis.analysing import analyse
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.analysis.onsets import Evidence, Suspect
from dap_ai.runs.analysis.tree import folded
from dap_ai.runs.export.words import steps_range
from dap_ai.runs.model import Event, Run
from dap_ai.runs.opening import open_run
from dap_ai.runs.readers.base import CannotRead

_BUDGET_TOKENS = 1500
_KEPT = 4


def opened(case: Case) -> tuple[Run, Analysis, Event | None]:
    """The run of a stop, and the held event. Raises RequestFailed where it cannot be read any more."""
    path, index = (*case.inspection.argv, "", "")[:2]
    try:
        run, analysis = _analysed(path)
    except CannotRead as error:
        raise RequestFailed("ask", "noRun", str(error)) from error
    number = int(index) if index.isdecimal() else -1
    return run, analysis, run.events[number] if 0 <= number < len(run.events) else None


@lru_cache(maxsize=_KEPT)
def _analysed(path: str) -> tuple[Run, Analysis]:
    """Recorded, so it does not change while it is asked about."""
    run = open_run(path)
    return run, analyse(run)


def context_of(run: Run, analysis: Analysis, event: Event | None, budget_tokens: int) -> str:
    """The first context of a model, at most 1,500 tokens."""
    sections = [
        Section(9, lambda level: _head(run, (600, 300, 150)[level]), 2),
        Section(8, lambda level: found_of(analysis) if level == 0 else _brief(analysis), 1),
        Section(7, lambda _: _held(event), 0),
        Section(6, lambda level: _patterns(analysis) if level == 0 else "", 1),
        Section(5, lambda level: _checks(analysis) if level == 0 else "", 1),
        Section(4, lambda level: tree_text(analysis, (90, 50, 25, 12)[level]), 3),
    ]
    budget = min(budget_tokens, _BUDGET_TOKENS) * CHARS_PER_TOKEN
    return fitted(sections, budget, lambda: "\n\n".join(filter(None, (section.text() for section in sections))))


def found_of(analysis: Analysis) -> str:
    """Where the run went wrong, with the evidence and the way to the symptom."""
    onset = analysis.finding.onset
    if onset is None:
        return f"No onset is named: {analysis.finding.why}."
    chain = [f"- step {link.step}: {link.text}" for link in onset.chain]
    others = "; ".join(f"{span(other)} ({other.type})" for other in onset.alternatives[:3])
    parts = [
        f"The run went wrong at {span(onset)} ({onset.type}): {reason_of(onset)}.",
        "\n".join(evidence_rows(onset.evidence)),
        "From there:\n" + "\n".join(chain) if chain else "",
        f"Others that can be defended: {others}." if others else "",
    ]
    return "\n\n".join(filter(None, parts))


def span(suspect: Suspect) -> str:
    """`step 18`, or `steps 18-20`."""
    return f"step{'s' if suspect.first != suspect.last else ''} {steps_range(suspect.first, suspect.last)}"


def reason_of(suspect: Suspect) -> str:
    """Its sentence without the step that stands before it, and without a full stop."""
    text = suspect.text.rstrip(".")
    own = f"Step {suspect.step} "
    return f"it {text.removeprefix(own)}" if text.startswith(own) else text


def evidence_rows(evidence: Sequence[Evidence]) -> list[str]:
    """Each a quote with its step."""
    return [f"- step {e.step}: {code(cut(' '.join(e.quote.split()), 300))}" for e in evidence]


def tree_text(analysis: Analysis, most: int) -> str:
    """The steps that changed something or checked it, a line each; the middle is left out where there are too many."""
    rows = [f"{n.step} {n.kind}: {n.intent}" + (f" -> {n.outcome}" if n.outcome else "") for n in folded(analysis.tree)]
    if len(rows) > most:
        half = most // 2
        rows = [*rows[:half], f"... {len(rows) - 2 * half} more", *rows[-half:]]
    return "Steps that changed or checked something:\n" + "\n".join(rows) if rows else ""


def _head(run: Run, chars: int) -> str:
    verdict = f"{run.outcome.verdict} ({run.outcome.words})" if run.outcome.words else run.outcome.verdict
    task = f"Its task: {cut(' '.join(run.task.split()), chars)}" if run.task else "Its task is not recorded."
    return f"A recorded run of {run.format}, {run.steps} steps; its outcome, as recorded: {verdict}.\n{task}"


def _brief(analysis: Analysis) -> str:
    onset = analysis.finding.onset
    return f"It went wrong at {span(onset)}: {reason_of(onset)}." if onset else ""


def _held(event: Event | None) -> str:
    if event is None:
        return ""
    step = f"step {event.step}, " if event.step else ""
    what = f"{event.kind} of {event.tool}" if event.tool else event.kind
    return f"Held at {step}{what}: {cut(' '.join(event.text.split()), 400)}"


def _patterns(analysis: Analysis) -> str:
    rows = list(_pattern_rows(analysis))
    return "Seen in it:\n" + "\n".join(rows) if rows else ""


def _pattern_rows(analysis: Analysis) -> Iterator[str]:
    for pattern in analysis.patterns:
        yield f"- {pattern.name}, steps {', '.join(map(str, pattern.steps[:6]))}: {pattern.text}"


def _checks(analysis: Analysis) -> str:
    words = {True: "ok", False: "failed", None: "not known"}
    rows = [f"- step {c.step} {words[c.ok]}: {cut(c.summary or c.error, 120)}" for c in analysis.checks[-6:]]
    return "Its last checks:\n" + "\n".join(rows) if rows else ""
