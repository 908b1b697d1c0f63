"""Builds the data of the run view from a run and its analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite, RunAnalysis, StateNode, StepCheck
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.run_differences import Divergence
from dap_ai.debuggees.runs.call_diff import change_lines
from dap_ai.debuggees.runs.event_titles import line, words
from dap_ai.debuggees.runs.export.encoding import encoded, name_of, total_usage
from dap_ai.debuggees.runs.export.export_text import place
from dap_ai.debuggees.runs.export.view.view_shape import (
    VERSION,
    RunsView,
    RunView,
    ShownAgent,
    ShownDivergence,
    ShownEvent,
    ShownPattern,
    ShownStage,
    ShownStep,
    ShownSuspect,
    ShownWrite,
)
from dap_ai.debuggees.runs.gist import name_of as title_of
from dap_ai.debuggees.runs.run_model import Event, Run, TokenUsage
from dap_ai.protocol.wire.visible import all_visible, visible
from dap_ai.system.texts import cut

_MOST_LINES = 2_000
"""Maximum lines shown of one file's change. The call's arguments have the remaining lines."""
_MOST_PROBLEMS = 200
_MOST_CHARS = 24_000_000
"""Maximum characters of all texts of a run together. In a larger run, each text is shortened."""
_LEAST_CHARS = 500
_NO_USAGE = TokenUsage()
Patch = Callable[[Event], Sequence[str]]
"""Function that returns the diff lines of a change event. Returns nothing if the diff is unknown."""


def exported(run: Run, analysis: RunAnalysis, *, masked: bool = False, patch: Patch | None = None) -> dict[str, bytes]:
    """Export the run's view as JSON. Returns the contents of each file by name (`view.json`)."""
    made = view_of(run, analysis, masked=masked, most_chars=bound_of(run), patch=patch)
    return {"view.json": encoded(made, indent=-1)}


def bound_of(run: Run) -> int | None:
    """Return the maximum characters to show of each text, or None for no limit."""
    chars = sum(len(event.text) for event in run.events)
    return None if chars <= _MOST_CHARS else max(_LEAST_CHARS, _MOST_CHARS // len(run.events))


def view_of(
    run: Run,
    analysis: RunAnalysis,
    *,
    masked: bool = False,
    known: str = "",
    first: int = 0,
    count: int | None = None,
    most_chars: int | None = None,
    patch: Patch | None = None,
) -> RunView:
    """Return the view of a run.

    `first` and `count` limit the view to `count` events from index `first` on. Texts are cut to `most_chars`
    characters.
    """
    part = run.events[first : None if count is None else first + count]
    wanted = {event.step for event in part if event.step}
    onset = analysis.finding.onset
    return RunView(
        version=VERSION,
        name=visible(name_of(run)),
        path=visible(run.root),
        format=visible(f"{run.format} {run.format_version}".strip()),
        title=line(title_of(run), 300),
        task=visible(run.task),
        verdict=run.outcome.verdict,
        words=visible(run.outcome.words),
        agents=[ShownAgent(visible(a.name), visible(a.parent), visible(a.model)) for a in run.agents],
        total=len(run.events),
        step_count=run.steps,
        started=visible(run.started),
        seconds=run.seconds,
        cost_usd=run.cost_usd if run.cost_usd is not None else total_usage(run.events).cost_usd,
        masked=masked,
        followed=run.followed,
        known=known,
        stages=[ShownStage(stage.stage, stage.first, stage.last) for stage in analysis.stages],
        patterns=[ShownPattern(p.name, p.steps, visible(p.text), visible(p.quote)) for p in analysis.patterns],
        onset=_suspect(onset) if onset else None,
        alternatives=[_suspect(each) for each in onset.alternatives] if onset else [],
        why_not=visible(analysis.finding.why),
        problems=[visible(f"{problem.text}  {place(problem.ref)}") for problem in islice(run.problems, _MOST_PROBLEMS)],
        first=first,
        events=[shown(event, most_chars, patch) for event in part],
        steps=list(_steps(run, analysis, wanted)),
    )


def both_of(runs: Sequence[RunView], differs: Divergence | None, *, same_task: bool) -> RunsView:
    """Return the view of two runs side by side."""
    found = None
    if differs is not None:
        diff = [visible(each) for each in differs.diff]
        found = ShownDivergence(differs.step, differs.other, differs.same, visible(differs.text), diff)
    return RunsView(runs, same_task, found)


def shown(event: Event, most_chars: int | None = None, patch: Patch | None = None) -> ShownEvent:
    """Return the view of one event."""
    text, usage = event.text, event.usage or _NO_USAGE
    is_cut = most_chars is not None and len(text) > most_chars
    return ShownEvent(
        index=event.index,
        kind=event.kind,
        agent=visible(event.agent),
        cycle=event.cycle,
        step=event.step,
        at_s=_rounded(event.at_s),
        took_s=_rounded(event.took_s),
        said=words(event),
        text=visible(text[:most_chars] if is_cut else text),
        chars=len(text) if is_cut else 0,
        reasoning=visible(event.reasoning[:most_chars]),
        tool=visible(event.tool),
        arguments=_arguments(event.arguments, most_chars),
        call_id=visible(event.call_id),
        status=event.status,
        exit_code=event.exit_code,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        place=visible(place(event.ref)),
        commit=visible(event.native_id) if event.kind in ("change", "note") else "",
        diff=[visible(each) for each in patch(event)] if patch and event.kind == "change" else (),
    )


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _arguments(given: Mapping[str, Any] | None, most_chars: int | None) -> Mapping[str, Any] | None:
    """Return a call's arguments with invisible characters escaped.

    `most_chars` shortens strings at the top level, e.g. file contents.
    """
    if given is None:
        return None
    if most_chars is not None:
        given = {k: cut(v, most_chars, "…") if isinstance(v, str) else v for k, v in given.items()}
    return all_visible(dict(given))


def _suspect(found: OnsetSuspect) -> ShownSuspect:
    return ShownSuspect(
        found.step,
        found.first,
        found.last,
        found.type,
        visible(found.text),
        found.confidence,
        chain=[(link.step, visible(link.text)) for link in found.chain],
        evidence=[(each.step, visible(each.quote)) for each in found.evidence],
    )


def _steps(run: Run, analysis: RunAnalysis, wanted: set[int]) -> Iterator[ShownStep]:
    checks = {check.step: check for check in analysis.checks}
    nodes = {node.step: node for node in analysis.tree}
    errors = {event.step for event in run.events if event.step and event.status == "error"}
    for effect in analysis.effects:
        if effect.step in wanted:
            yield _step(effect, checks.get(effect.step), nodes.get(effect.step), failed=effect.step in errors)


def _step(effect: Effect, check: StepCheck | None, node: StateNode | None, *, failed: bool) -> ShownStep:
    ok = check.ok if check else None
    return ShownStep(
        effect.step,
        effect.kind,
        intent=visible(node.intent) if node else "",
        outcome=visible(node.outcome) if node else "",
        ok=ok,
        failed=failed or ok is False or bool(effect.refused),
        nothing=visible(effect.noop or effect.refused),
        writes=[_write(write) for write in effect.writes if write.how not in ("log", "mode")],
        reads=[visible(path) for path in effect.reads],
    )


def _write(write: FileWrite) -> ShownWrite:
    lines = [visible(each) for each in islice(change_lines(write), _MOST_LINES + 1)]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = ["@ the rest stands in the call's arguments"]
    where = f" lines {write.lines[0]}-{write.lines[1]}" if write.lines else ""
    return ShownWrite(visible(write.path), f"{write.how}{where}", lines)
