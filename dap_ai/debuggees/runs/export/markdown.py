"""Export to Markdown, for an issue or a report.

Recorded texts are in code fences that the texts cannot close.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.call_diff import change_lines
from dap_ai.debuggees.runs.export.encoding import name_of
from dap_ai.debuggees.runs.export.export_text import first_line, length_of_time, place, steps_range, what
from dap_ai.debuggees.runs.run_model import Event, Run, RunStep, steps_of
from dap_ai.protocol.wire.visible import visible
from dap_ai.system import texts

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&:@-])")


def exported(run: Run, analysis: RunAnalysis) -> dict[str, bytes]:
    """Export the run as Markdown. Returns the contents of each file by name (`run.md`)."""
    text = "\n".join(_lines(run, analysis)) + "\n"
    return {"run.md": text.encode()}


def _lines(run: Run, analysis: RunAnalysis) -> Iterator[str]:
    yield from _head(run)
    if analysis.stages:
        yield "\n## Stages\n"
        yield "| steps | stage |\n|---|---|"
        yield from (f"| {steps_range(stage.first, stage.last)} | {stage.stage} |" for stage in analysis.stages)
    if analysis.patterns:
        yield "\n## Patterns\n"
        for pattern in analysis.patterns:
            steps = ", ".join(map(str, pattern.steps))
            yield f"- **{pattern.name}** (steps {steps}): {escaped(pattern.text)}"
    if analysis.checks:
        yield "\n## Checks\n"
        for check in analysis.checks:
            said = "ok" if check.ok else "failed" if check.ok is False else "unclear"
            name = escaped(check.runner or check.kind)
            yield f"- step {check.step}, {name}: **{said}** {escaped(check.summary)}".rstrip()
    yield "\n## Steps"
    effects = {effect.step: effect for effect in analysis.effects}
    told: set[int] = set()
    for step in steps_of(run):
        effect = effects.get(step.number)
        yield from _step(step, effect.kind if effect else "", told)
        for write in effect.writes if effect else ():
            if lines := list(change_lines(write)):
                yield f"\n{write.how} {code(write.path)}"
                yield fenced("\n".join(lines), "diff")
    yield from _rest(run)


def _head(run: Run) -> Iterator[str]:
    yield f"# {escaped(first_line(name_of(run), 200))}\n"
    yield f"- outcome: **{run.outcome.verdict}** {escaped(first_line(run.outcome.words, 500))}".rstrip()
    model = run.agents[0].model if run.agents else ""
    facts = [run.format, model, f"{run.steps} steps", length_of_time(run.seconds)]
    facts += [] if run.cost_usd is None else [f"${run.cost_usd:.2f}"]
    yield f"- {escaped(', '.join(fact for fact in facts if fact))}"
    if run.task:
        yield "\n## Task\n"
        yield fenced(run.task)


def _step(step: RunStep, kind: str, told: set[int]) -> Iterator[str]:
    """Yields the lines of a step. A response that several steps share is printed with the first step."""
    yield f"\n### {step.number}. {kind} {escaped(first_line(what(step), 100))}".rstrip()
    for event in (step.response, step.call, step.result, *step.others):
        if event is not None and event.index not in told:
            told.add(event.index)
            yield from _event(event)


def _event(event: Event) -> Iterator[str]:
    facts = [event.kind, event.tool, event.status if event.status != "unknown" else ""]
    facts += [] if event.exit_code is None else [f"exit code {event.exit_code}"]
    yield f"\n{escaped(' '.join(fact for fact in facts if fact))} {code(place(event.ref))}".rstrip()
    if event.reasoning:
        yield fenced(event.reasoning)
    if event.text:
        yield fenced(event.text)
    rest = {name: value for name, value in (event.arguments or {}).items() if value != event.text}
    if rest:
        yield fenced(json.dumps(rest, ensure_ascii=False, indent=1, default=str), "json")


def _rest(run: Run) -> Iterator[str]:
    """Yields the lines of events without a step, and of problems in the run's files."""
    notes = [event for event in run.events if not event.step and event.kind not in {"task", "response"} and event.text]
    if notes:
        yield "\n## Around the steps"
        for event in notes:
            yield from _event(event)
    if run.problems:
        yield "\n## Problems in the files\n"
        yield from (
            f"- {escaped(first_line(each.text, 500))} {code(place(each.ref))}".rstrip() for each in run.problems
        )


def escaped(text: str) -> str:
    """Return a text on one line with Markdown and HTML escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def code(text: str) -> str:
    """Return a text as inline code. An empty text stays empty."""
    told = " ".join(visible(text).split()).replace("`", "'")
    return texts.code(told) if told else ""


def fenced(text: str, language: str = "") -> str:
    """Return a text as a code block that the text cannot close."""
    return texts.fenced(visible(text), language)
