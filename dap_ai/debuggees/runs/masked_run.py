"""Masks secrets in every text of a run or its analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NewType, cast

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Event, Outcome, Problem, Ref, Run
from dap_ai.protocol.wire.safe import Safe, SafeFields, SafeJson, as_it_is, replaced

Mask = Callable[[str], Safe]
MaskFields = Callable[[Mapping[str, object]], SafeFields]
SafeRun = NewType("SafeRun", Run)
SafeAnalysis = NewType("SafeAnalysis", RunAnalysis)


def masked_run(run: Run, mask: Mask, mask_fields: MaskFields) -> SafeRun:
    """Return a copy of a run with all texts masked; ids, kinds, numbers and pointers stay, so that references match."""
    texts = replaced(run, root=mask(run.root), task=mask(run.task), workspace=mask(run.workspace))
    return SafeRun(
        msgspec.structs.replace(
            replaced(texts, artefacts=[mask(name) for name in run.artefacts]),
            events=[_event(event, mask, mask_fields) for event in run.events],
            outcome=_outcome(run.outcome, mask),
            problems=[_problem(problem, mask) for problem in run.problems],
        )
    )


def _problem(problem: Problem, mask: Mask) -> Problem:
    return msgspec.structs.replace(replaced(problem, text=mask(problem.text)), ref=_ref(problem.ref, mask))


def _event(event: Event, mask: Mask, mask_fields: MaskFields) -> Event:
    arguments: SafeFields | None = None if event.arguments is None else mask_fields(event.arguments)
    return msgspec.structs.replace(
        replaced(event, text=mask(event.text), reasoning=mask(event.reasoning)),
        arguments=arguments,
        ref=_ref(event.ref, mask),
        more=[_ref(ref, mask) for ref in event.more],
    )


def _outcome(outcome: Outcome, mask: Mask) -> Outcome:
    ref = _ref(outcome.ref, mask) if outcome.ref else None
    return msgspec.structs.replace(replaced(outcome, words=mask(outcome.words)), ref=ref)


def _ref(ref: Ref, mask: Mask) -> Ref:
    return replaced(ref, path=mask(ref.path))


def masked_analysis(analysis: RunAnalysis, mask: Mask) -> SafeAnalysis:
    """Return a copy of an analysis with all strings masked, because they quote the run."""
    plain: object = msgspec.to_builtins(analysis)
    return SafeAnalysis(msgspec.convert(_texts(plain, mask), RunAnalysis))


def _texts(value: object, mask: Mask) -> SafeJson:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_texts(each, mask) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        made: dict[Safe, SafeJson] = {as_it_is(name): _texts(each, mask) for name, each in items}
        return made
    return cast("int | float | None", value)
