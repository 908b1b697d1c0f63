"""Shows one step in full: the agent's text, its call, the result, and where each part is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from dap_ai.debuggees.runs.commands.parts.run_output import styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import dollars, in_a_line, path_shown
from dap_ai.debuggees.runs.export import export_text
from dap_ai.debuggees.runs.run_model import Event, Ref, Run, RunStep
from dap_ai.protocol.wire.visible import visible


def step_lines(run: Run, step: RunStep, effect: str) -> Iterator[str]:
    """Yield the step as text; each part has a heading with its kind and location."""
    yield styled(f"step {step.number} of {run.steps}", bold=True) + (f"  {effect}" if effect else "")
    for event in events_of(step):
        yield ""
        yield styled(_title(event), fg="cyan", bold=True) + styled(f"  {place(event.ref)}", dim=True)
        for other in event.more:
            yield styled(f"  also {place(other)}", dim=True)
        yield from _body(event)


def events_of(step: RunStep) -> list[Event]:
    """Return the step's events in chronological order, without duplicates."""
    found = [event for event in (step.response, step.call, step.result, *step.others) if event is not None]
    return sorted({event.index: event for event in found}.values(), key=lambda event: event.index)


def place(ref: Ref) -> str:
    """Format a reference into a run's files on one line."""
    return path_shown(export_text.place(ref))


def _title(event: Event) -> str:
    parts = [event.kind, event.tool, *_facts(event)]
    return " · ".join(part for part in parts if part)


def _facts(event: Event) -> Iterator[str]:
    if event.agent != "main":
        yield f"agent {event.agent}"
    if event.cycle and event.kind == "response":
        yield f"cycle {event.cycle}"
    if event.status != "unknown":
        yield event.status
    if event.exit_code is not None:
        yield f"exit code {event.exit_code}"
    if event.at_s is not None:
        yield f"at {export_text.length_of_time(event.at_s)}"
    if event.took_s is not None:
        yield f"took {export_text.length_of_time(event.took_s)}"
    if event.usage is not None:
        tokens = [(event.usage.input_tokens, "in"), (event.usage.output_tokens, "out")]
        yield ", ".join(f"{count} tokens {way}" for count, way in tokens if count is not None)
        yield dollars(event.usage.cost_usd)


def _body(event: Event) -> Iterator[str]:
    if event.reasoning:
        yield styled(event.reasoning, dim=True, italic=True)
    if event.text:
        yield visible(event.text)
    for name, value in (event.arguments or {}).items():
        if value != event.text:
            yield styled(f"{in_a_line(name, 80)}:", bold=True) + _argument(value)


def _argument(value: Any) -> str:
    if not isinstance(value, str):
        return " " + visible(json.dumps(value, ensure_ascii=False, indent=1, default=str))
    return "\n" + visible(value) if "\n" in value else " " + visible(value)


def step_fields(step: RunStep, kind: str) -> dict[str, Any]:
    """Return the step's fields for JSON."""
    shown = step.call or step.response
    return {
        "step": step.number,
        "agent": shown.agent if shown else "",
        "kind": kind,
        "what": export_text.what(step),
        "events": [msgspec.to_builtins(event) for event in events_of(step)],
    }
