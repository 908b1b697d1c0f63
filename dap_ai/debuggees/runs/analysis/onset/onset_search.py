"""Entry point of the onset search: runs all rules, ranks their suspects, and reports the first if confident enough.

The onset is the step where a run went wrong. Many steps look wrong but are fixed later, so neither the first error nor
the last step is the onset (docs/analysis.md measures both as baselines). Most rules therefore start at a symptom near
the end (a check, the verifier's output or the submitted work) and trace the symptom back to the step that caused it. A
fixed symptom is not reported. Suspects are ranked by confidence alone. Confidence is the measured share of correct
findings, which makes different rules comparable. Solved runs have weak symptoms too, so a suspect below ENOUGH is not
reported for a run without a recorded verdict. Rules are independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import Pattern
from dap_ai.debuggees.runs.analysis.onset import (
    absent_work_rules,
    check_rules,
    harness_rules,
    loop_rules,
    missing_rules,
    no_change_rules,
    verifier_rules,
    work_rules,
)
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext, call_of, suspect
from dap_ai.debuggees.runs.analysis.onset_model import Onset, OnsetEvidence, OnsetFinding, OnsetSuspect
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory
from dap_ai.debuggees.runs.analysis.run_differences import Divergence

ENOUGH = 0.4
"""Minimum confidence to report a suspect for a run without a recorded verdict."""
_MOST_ALTERNATIVES = 4

Rule = Callable[[OnsetContext], Iterator[OnsetSuspect]]

OF_THE_AGENT: Sequence[Rule] = (
    harness_rules.unfilled_prompt,
    harness_rules.late_result,
    harness_rules.shifted_results,
    harness_rules.swapped_results,
    harness_rules.lost_answer,
    harness_rules.unmade_edit,
    harness_rules.swallowed_error,
    harness_rules.cut_unsaid,
    harness_rules.elsewhere,
)
"""Rules for faults of the agent's program. No choice of the model caused these faults."""
RULES: Sequence[Rule] = (
    *OF_THE_AGENT,
    no_change_rules.no_change,
    absent_work_rules.lost_input,
    work_rules.broken_file,
    absent_work_rules.invented,
    missing_rules.missing_library,
    absent_work_rules.swallowed,
    check_rules.check_failed,
    verifier_rules.verifier_names,
    check_rules.unjudged,
    missing_rules.misplaced,
    work_rules.placeholder,
    absent_work_rules.never_began,
    work_rules.check_bent,
    loop_rules.looping,
)


def find_onset(
    story: RunStory,
    patterns: Sequence[Pattern],
    *,
    failed: bool = False,
    against: Divergence | None = None,
    rules: Sequence[Rule] = RULES,
) -> OnsetFinding:
    """Return the step where the run went wrong, or the reason why no step is named.

    Pass `failed` if the run is known to have failed, whatever verdict the run records. `against` is the first
    difference from a passing run of the same task.
    """
    verdict = story.run.outcome.verdict
    if verdict == "solved" and not failed:
        return OnsetFinding(why=f"the run records that it was solved: {story.run.outcome.words or 'solved'}")
    if verdict == "error" and not failed:
        fault = "the run was ended by a fault outside the agent's work"
        return OnsetFinding(why=f"{fault}: {story.run.outcome.words or verdict}")
    if not story.steps:
        return OnsetFinding(why="the run has no steps")
    scene = OnsetContext(story, patterns)
    known = failed or verdict in {"failed", "limit"}
    found = [one for rule in rules for one in _asked(rule, scene)]
    found += _asked(partial(differs, against=against), scene, "differs") if against else []
    # Last resort for runs known to have failed: the work itself must be wrong, so its main remaining change can be
    # named.
    if known and not _service_failed(scene):
        found += _asked(check_rules.handed_in, scene)
    ranked = _ranked(found)
    if not ranked or (ranked[0].confidence < ENOUGH and not known):
        how = "is known to have failed" if known else "has no recorded verdict"
        return OnsetFinding(why=f"the run {how}, and nothing in its own text shows where it went wrong")
    return OnsetFinding(_onset(ranked, story, known=verdict in {"failed", "limit"}))


def _asked(rule: Rule, scene: OnsetContext, name: str = "") -> list[OnsetSuspect]:
    """Return the suspects of a rule, marked with the rule's name."""
    name = name or name_of(rule)
    return [msgspec.structs.replace(one, rule=name) for one in rule(scene)]


def name_of(rule: Rule) -> str:
    """Return the rule's name in the spelling of the docs, e.g. `lost-input`."""
    return getattr(rule, "__name__", "").replace("_", "-")


def _service_failed(scene: OnsetContext) -> bool:
    """Return whether a limit ended a run with unexplained errors and no edit.

    The model then did not respond, and no work was wrong.
    """
    refused = {effect.step for effect in scene.story.effects if effect.refused}
    errors = any(event.kind == "error" and event.step not in refused for event in scene.story.run.events)
    return errors and bool(scene.named("limit")) and not scene.edits


def differs(scene: OnsetContext, against: Divergence) -> Iterator[OnsetSuspect]:
    """Suspects the first change that differs from a passing run of the same task."""
    step = against.step or scene.last
    if step in scene.effects:
        alike = f"{against.same} changes are alike, then: " if against.same else ""
        text = f"Step {step} differs from the run that went well: {alike}{against.text}"
        yield suspect(step, "incorrect hypothesis", 0.6, text, links=[], said=[call_of(scene, step)])


def _ranked(found: Sequence[OnsetSuspect]) -> list[OnsetSuspect]:
    """Return the suspects by descending confidence, one per step. Of equal suspects, the earlier is first."""
    # Earlier steps first, because later ones may follow from them. One per step: others would repeat it.
    ranked: dict[int, OnsetSuspect] = {}
    for one in sorted(found, key=lambda one: (-one.confidence, one.step)):
        ranked.setdefault(one.step, one)
    return list(ranked.values())


def _onset(ranked: Sequence[OnsetSuspect], story: RunStory, *, known: bool) -> Onset:
    first, outcome = ranked[0], story.run.outcome
    recorded = [OnsetEvidence(0, outcome.ref, outcome.words)] if known and outcome.ref and outcome.words else []
    fields: dict[str, Any] = msgspec.structs.asdict(first) | {"evidence": [*first.evidence, *recorded]}
    return Onset(**fields, alternatives=ranked[1 : 1 + _MOST_ALTERNATIVES])
