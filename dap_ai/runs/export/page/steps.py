"""The events of a run as elements that open: its steps, and what happened between them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dap_ai.runs.analysis.facts import Analysis, Check, Effect
from dap_ai.runs.changed import change_lines
from dap_ai.runs.export.page.markup import Markup, joined, tag
from dap_ai.runs.export.words import first_line, length_of_time, place, steps_range, what
from dap_ai.runs.model import Event, Run, Step, steps_of

_SUMMARY_CHARACTERS = 160
_SHORT = 100
"""Characters of an argument that stands beside its name."""
_NOTHING = tag("div", {"class": "nothing"}, "no text")


class Found(NamedTuple):
    """What the analysis says of one step."""

    effect: Effect | None
    check: Check | None
    patterns: Sequence[str]


def found_in(analysis: Analysis) -> dict[int, Found]:
    """By the number of the step."""
    effects = {effect.step: effect for effect in analysis.effects}
    checks = {check.step: check for check in analysis.checks}
    patterns: dict[int, list[str]] = {}
    for pattern in analysis.patterns:
        for step in pattern.steps:
            patterns.setdefault(step, []).append(pattern.name)
    numbers = {*effects, *checks, *patterns}
    return {step: Found(effects.get(step), checks.get(step), patterns.get(step, ())) for step in numbers}


def all_events(run: Run, found: dict[int, Found]) -> Iterator[Markup]:
    """Every event, in order: those of a step together where the step begins."""
    steps = {step.number: step for step in steps_of(run)}
    told: set[int] = set()
    for event in run.events:
        if event.index in told:
            continue
        if event.step in steps:
            step = steps.pop(event.step)
            events = [each for each in _events(step) if each.index not in told]
            told.update(each.index for each in events)
            yield _step(step, events, found.get(step.number, Found(None, None, ())))
        elif event.kind != "response" and (event.text or event.kind not in {"query", "end"}):
            yield _between(event)


def _events(step: Step) -> list[Event]:
    events = [event for event in (step.response, step.call, step.result, *step.others) if event is not None]
    return sorted({event.index: event for event in events}.values(), key=lambda event: event.index)


def _step(step: Step, events: list[Event], found: Found) -> Markup:
    kind = found.effect.kind if found.effect else ""
    result = step.result
    failed = (result is not None and result.status == "error") or (found.check is not None and found.check.ok is False)
    summary = tag(
        "summary",
        {},
        tag("b", {"class": "number"}, str(step.number)),
        tag("span", {"class": "kind"}, kind or "step"),
        tag("span", {"class": "what"}, first_line(what(step), _SUMMARY_CHARACTERS)),
        tag("span", {"class": "came"}, _came(step, found.check)),
        *(tag("span", {"class": "flag"}, name) for name in found.patterns),
    )
    body: list[Markup] = []
    for event in events:
        body.append(_event(event))
        if event is step.call and found.effect and found.effect.writes:
            body.append(_writes(found.effect))
    classes = " ".join(part for part in ("step", f"k-{kind}" if kind else "", "failed" if failed else "") if part)
    return tag(
        "details",
        {"class": classes, "data-step": str(step.number)},
        summary,
        tag("div", {"class": "body", "id": f"s{step.number}"}, *body),
    )


def _came(step: Step, check: Check | None) -> str:
    if check is not None and check.summary:
        return first_line(check.summary, 60)
    result = step.result
    if result is None:
        return ""
    if result.exit_code is not None:
        return f"exit {result.exit_code}" if result.exit_code else ""
    return "error" if result.status == "error" else ""


def _between(event: Event) -> Markup:
    line = first_line(event.text, _SUMMARY_CHARACTERS)
    summary = tag("summary", {}, tag("span", {"class": "kind"}, event.kind), tag("span", {"class": "what"}, line))
    body = tag("div", {"class": "body"}, _event(event))
    return tag("details", {"class": f"between e-{event.kind}"}, summary, body)


def _event(event: Event) -> Markup:
    title = tag(
        "div",
        {"class": "event"},
        tag("b", {}, event.kind + (f" {event.tool}" if event.tool else "")),
        tag("span", {"class": "facts"}, " · ".join(_facts(event))),
        tag("code", {"class": "ref"}, place(event.ref)),
    )
    return joined(title, *(_texts(event) if _says_something(event) else [_NOTHING]))


def _says_something(event: Event) -> bool:
    return bool(event.text or event.reasoning or event.arguments)


def _facts(event: Event) -> Iterator[str]:
    if event.agent != "main":
        yield event.agent
    if event.exit_code is not None:
        yield f"exit code {event.exit_code}"
    if event.at_s is not None:
        yield f"at {length_of_time(event.at_s)}"
    if event.took_s is not None:
        yield f"took {length_of_time(event.took_s)}"
    if event.usage and event.usage.input_tokens is not None:
        yield f"{event.usage.input_tokens} tokens in"
    if event.usage and event.usage.output_tokens is not None:
        yield f"{event.usage.output_tokens} out"


def _texts(event: Event) -> Iterator[Markup]:
    if event.reasoning:
        yield tag("pre", {"class": "reasoning"}, event.reasoning)
    if event.text:
        yield tag("pre", {"class": f"t-{event.kind}"}, event.text)
    for name, value in (event.arguments or {}).items():
        if value != event.text:
            told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)
            if len(told) <= _SHORT and "\n" not in told:
                yield tag("div", {"class": "argument"}, f"{name} ", tag("code", {}, told))
            else:
                yield joined(tag("div", {"class": "argument"}, name), tag("pre", {"class": "t-call"}, told))


def _writes(effect: Effect) -> Markup:
    parts: list[str] = []
    for write in effect.writes:
        where = f" lines {steps_range(*write.lines)}" if write.lines else ""
        parts.append(tag("div", {"class": "event"}, tag("b", {}, f"{write.how} {write.path}"), where))
        lines = [_diff_line(line) for line in change_lines(write)]
        if lines:
            parts.append(tag("pre", {"class": "diff"}, *lines))
    return joined(*parts)


_DIFF: dict[str, str] = {"+": "ins", "-": "del"}


def _diff_line(line: str) -> Markup:
    known: Any = _DIFF.get(line[:1])
    return tag(known, {}, line + "\n") if known else joined(line + "\n")
