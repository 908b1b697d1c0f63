"""The offline answer about a recorded run: where it went wrong, by its own words, and what would have helped."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from dap_ai.agent.case.stack import Case
from dap_ai.agent.providers.offline import offline_usage, say
from dap_ai.agent.providers.work import Work
from dap_ai.agent.tools.base import Bench
from dap_ai.kinds.run.telling import evidence_rows, found_of, opened, reason_of, span, tree_text
from dap_ai.protocol.contracts.asking import Answer
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.analysis.onsets import ErrorType
from dap_ai.runs.model import Event, Run, steps_of
from dap_ai.runs.refs import contains

_STEP = re.compile(r"\bstep (\d+)\b", re.IGNORECASE)
_TREE_ROWS = 24
_LIKELY = 0.6
_NO_MODEL = "No language model was used: this is the offline analyst, which reads what the run itself says."
_HELP: Mapping[ErrorType, str] = {
    "environment/setup": "Look at what the environment has, before the first change rests on it.",
    "dependency resolution": "Fix the versions that are needed first, and check that they import.",
    "mislocalized edit": "Read the place back after the edit, before anything is checked.",
    "incorrect hypothesis": "Test the assumption by itself, with the example of the task, before it is built on.",
    "verification misinterpretation": "Take what the check printed as it stands: compare it with what the task asks.",
    "unproductive looping": "After the second identical result, change the approach, and say what was learnt.",
}
"""What would have helped, by the type of the error."""


class RunAnalyst:
    """See agent.providers.offline.Analyst."""

    async def answer(self, work: Work, case: Case, bench: Bench) -> Answer:
        """About the step that the question names, else about the whole run."""
        del bench
        run, analysis, _ = await asyncio.to_thread(opened, case)
        asked = _STEP.search(work.ask.arguments.question)
        if asked and 0 < int(asked[1]) <= run.steps:
            parts = _of_step(run, analysis, int(asked[1]))
        else:
            parts = await asyncio.to_thread(_of_run, run, analysis)
        say(work, [*parts, f"*{_NO_MODEL}*"])
        return Answer(usage=offline_usage())

    def unread(self, work: Work, caught: Case) -> Answer | None:
        """A run has no error without a stop."""
        del work, caught
        return None


def _of_run(run: Run, analysis: Analysis) -> list[str]:
    """The verdict in a sentence, the evidence, the chain, what would have helped, the tree."""
    onset = analysis.finding.onset
    recorded = f"{run.outcome.verdict}{f' ({run.outcome.words})' if run.outcome.words else ''}"
    outcome = f"**What happened.** {run.steps} steps; its outcome, as recorded: {recorded}."
    tree = tree_text(analysis, _TREE_ROWS)
    if onset is None:
        return [f"Nothing is said of where it went wrong: {analysis.finding.why}.", outcome, tree]
    went = "most likely went" if onset.confidence >= _LIKELY else "may have gone"
    kept = [e for e in onset.evidence if contains(run.root, e.ref, e.quote)]
    unconfirmed = len(onset.evidence) - len(kept)
    notes = (
        f"Quotes left out because they were not found again where they were read: {unconfirmed}." if unconfirmed else ""
    )
    chain = "\n".join(f"- step {link.step}: {link.text}" for link in onset.chain)
    others = "\n".join(f"- {span(other)}, {other.type}: {other.text}" for other in onset.alternatives[:3])
    return [
        f"The run {went} wrong at {span(onset)}: {reason_of(onset)}.",
        "**Evidence.**\n\n" + "\n".join(evidence_rows(kept)) if kept else "",
        notes,
        f"**From there to the end.**\n\n{chain}" if chain else "",
        f"**Recommendation.** {_HELP[onset.type]}",
        outcome,
        f"**Others that can be defended.**\n\n{others}" if others else "",
        tree,
    ]


def _of_step(run: Run, analysis: Analysis, number: int) -> list[str]:
    """One step: what was said, called and returned, and what analysis sees in it."""
    step = next((s for s in steps_of(run) if s.number == number), None)
    if step is None:
        return [f"There is no step {number}: the run has {run.steps}."]
    effect = next((e.kind for e in analysis.effects if e.step == number), "")
    check = next((c for c in analysis.checks if c.step == number), None)
    seen = [pattern.text for pattern in analysis.patterns if number in pattern.steps]
    judged = {True: "The check came out well.", False: "The check failed.", None: ""}[check.ok if check else None]
    return [
        f"Step {number}{f' ({effect})' if effect else ''}. {judged}".strip(),
        _quoted("It said", step.response),
        _quoted(f"It called {step.call.tool}" if step.call else "", step.call),
        _quoted("The result", step.result),
        "\n".join(f"- {text}" for text in seen),
        found_of(analysis) if analysis.finding.onset and analysis.finding.onset.step == number else "",
    ]


def _quoted(head: str, event: Event | None) -> str:
    if event is None or not event.text.strip():
        return ""
    lines = event.text.strip().splitlines()
    more = f"\n> ... {len(lines) - 20} more lines" if len(lines) > 20 else ""
    return f"{head}:\n\n" + "\n".join(f"> {line[:300]}" for line in lines[:20]) + more
