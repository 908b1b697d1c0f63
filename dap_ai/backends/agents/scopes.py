"""What a frame of a run holds: scopes and their variables. References live as long as the stop does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from dap_ai.protocol.wire.visible import visible
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.model import Event, Run

Variable = dict[str, Any]
_MAX_VALUE_CHARS = 20_000
_READ_ONLY = {"attributes": ["readOnly"]}


class References:
    """`variablesReference` by DAP: a number for each thing that can be opened, until the next stop."""

    def __init__(self) -> None:
        self._made: list[Callable[[], Sequence[Variable]]] = []

    def add(self, make: Callable[[], Sequence[Variable]]) -> int:
        """A number, from 1 on."""
        self._made.append(make)
        return len(self._made)

    def clear(self) -> None:
        """The run has moved."""
        self._made.clear()

    def variables(self, reference: int, start: int = 0, count: int = 0) -> list[Variable]:
        """The variables of a reference; of an unknown one, none."""
        if not 0 < reference <= len(self._made):
            return []
        made = list(self._made[reference - 1]())
        return made[start : start + count] if count else made[start:]

    def variable(self, name: str, value: Any) -> Variable:
        """One value; what has parts can be opened."""
        shown: Variable = {"name": name, "presentationHint": _READ_ONLY, "variablesReference": 0}
        if isinstance(value, Mapping):
            parts = cast("Mapping[str, Any]", value)
            reference = self.add(lambda: [self.variable(str(key), part) for key, part in parts.items()])
            return shown | {"value": f"{len(parts)} fields", "variablesReference": reference if parts else 0}
        if isinstance(value, list | tuple):
            items = cast("Sequence[Any]", value)
            reference = self.add(lambda: [self.variable(f"[{n}]", item) for n, item in enumerate(items)])
            more = {"variablesReference": reference, "indexedVariables": len(items)} if items else {}
            return shown | {"value": f"{len(items)} items", "type": "list"} | more
        if isinstance(value, str):
            return shown | {"value": _cut(visible(value)), "type": "text"}
        return shown | {"value": json.dumps(value, default=str), "type": type(value).__name__}


def scopes_of(references: References, run: Run, analysis: Analysis, event: Event) -> list[dict[str, Any]]:
    """The scopes of an event: what it is, its call and result, its usage, what analysis sees in it, task and agent."""
    parts: list[tuple[str, Mapping[str, Any]]] = [
        ("Event", _event(event)),
        ("Call", _call(run, event)),
        ("Result", _result(run, event)),
        ("Usage", _usage(event)),
        ("Analysis", _analysis(analysis, event)),
        ("Task", {"task": run.task, "outcome": f"{run.outcome.verdict} {run.outcome.words}".strip()}),
        ("Agent", _agent(run, event)),
    ]
    return [
        {"name": name, "variablesReference": _scope(references, fields), "expensive": False}
        for name, fields in parts
        if fields
    ]


def messages_before(run: Run, event: Event) -> list[Event]:
    """What the agent had said and heard before an event."""
    kinds = ("task", "response", "call", "result", "note", "error")
    return [e for e in run.events[: event.index] if e.agent == event.agent and e.kind in kinds]


def _scope(references: References, fields: Mapping[str, Any]) -> int:
    return references.add(lambda: [references.variable(name, value) for name, value in fields.items()])


def _event(event: Event) -> Mapping[str, Any]:
    fields = {
        "kind": event.kind,
        "step": event.step or None,
        "cycle": event.cycle or None,
        "at_s": event.at_s,
        "took_s": event.took_s,
        "text": event.text,
        "reasoning": event.reasoning,
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _call(run: Run, event: Event) -> Mapping[str, Any]:
    call = event if event.kind == "call" else _of_step(run, event, "call")
    if call is None:
        return {}
    return {"tool": call.tool, "command": call.text, "args": dict(call.arguments or {})}


def _result(run: Run, event: Event) -> Mapping[str, Any]:
    """Of a call that is about to be made it is not known yet."""
    if event.kind != "result":
        return {}
    del run
    return {"status": event.status, "exit_code": event.exit_code, "text": event.text}


def _of_step(run: Run, event: Event, kind: str) -> Event | None:
    if not event.step or event.kind not in ("call", "result"):
        return None
    near = run.events[max(0, event.index - 50) : event.index + 1]
    return next((e for e in reversed(near) if e.step == event.step and e.kind == kind), None)


def _usage(event: Event) -> Mapping[str, Any]:
    usage = event.usage
    if usage is None:
        return {}
    fields = {
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _analysis(analysis: Analysis, event: Event) -> Mapping[str, Any]:
    if not event.step:
        return {}
    found: dict[str, Any] = {}
    if effect := next((e for e in analysis.effects if e.step == event.step), None):
        found |= {"effect": effect.kind, "writes": [write.path for write in effect.writes], "reads": list(effect.reads)}
    if event.kind == "result" and (check := next((c for c in analysis.checks if c.step == event.step), None)):
        found |= {"check": {True: "ok", False: "failed", None: "not known"}[check.ok], "said": check.summary}
    if event.kind == "result":
        found |= {pattern.name: pattern.text for pattern in analysis.patterns if event.step in pattern.steps}
    return {name: value for name, value in found.items() if value not in ("", [])}


def _agent(run: Run, event: Event) -> Mapping[str, Any]:
    agent = next((a for a in run.agents if a.name == event.agent), None)
    return {"name": event.agent, "model": agent.model, "parent": agent.parent} if agent else {"name": event.agent}


def _cut(text: str) -> str:
    more = len(text) - _MAX_VALUE_CHARS
    return text if more <= 0 else f"{text[:_MAX_VALUE_CHARS]}… ({more:,} characters more: see the event's document)"
