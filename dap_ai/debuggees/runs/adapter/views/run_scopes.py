"""Scopes of a run's stack frames, with their variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts, system_prompt
from dap_ai.debuggees.runs.adapter.stopping.watches import FILE, ITEM
from dap_ai.debuggees.runs.adapter.views.references import References, Rows, Variable
from dap_ai.debuggees.runs.adapter.views.run_stack import RunFrame
from dap_ai.debuggees.runs.call_diff import change_lines
from dap_ai.debuggees.runs.run_model import Event, TokenUsage

_HEARD = ("task", "query", "response", "call", "result", "note", "error")
_SEEN = {True: "ok", False: "failed", None: "not known"}
_MOST_PROBLEMS = 200
_HOW = {
    "create": "written anew", "append": "appended to", "edit": "edited", "delete": "deleted", "move": "moved",
    "restore": "put back", "patch": "patched", "mode": "its mode changed",
    "unknown": "changed; the call does not say how",
}  # fmt: skip
"""Descriptions of a file's change, for calls that do not contain the new text."""


def scopes_of(references: References, facts: RunFacts, frame: RunFrame) -> list[Variable]:
    """Return the scopes of a frame; leaves out empty scopes, except the scope of the event."""
    event = frame.event
    if frame.kind == "run":
        return [references.scope("Run", _run(facts)), references.scope("Task", _task(facts))]
    call = facts.call_of(event)
    scopes = [references.scope("Event", _event(event), told=True, presentationHint="locals")]
    if call:
        scopes.append(references.scope("Call", _call(call), told=call is event, presentationHint="arguments"))
    if event.kind == "result":
        scopes.append(references.scope("Result", _result(event), told=True, presentationHint="returnValue"))
    for name, fields in [("Usage", _usage(event, facts)), ("Analysis", _analysis(event, facts))]:
        if fields:
            scopes.append(references.scope(name, fields))
    if written := _written(event, facts):
        rows = Rows(lambda: [references.variable(path, text) for path, text in written.items()], watched=FILE)
        scopes.append(_opened("Workspace change", references.add(rows), namedVariables=len(written)))
    if plan := facts.plan_at(event.agent, event.index):
        rows = Rows(lambda: [references.variable(item, state) for item, state in plan.items()], watched=ITEM)
        scopes.append(_opened("Plan", references.add(rows), namedVariables=len(plan)))
    if event.kind in ("query", "response"):
        scopes += _difference(references, event, facts)
    return [
        *scopes,
        _messages(references, event, facts),
        references.scope("Task", _task(facts)),
        references.scope("Agent", _agent(event, facts)),
    ]


def _opened(name: str, reference: int, **more: Any) -> Variable:
    return {"name": name, "variablesReference": reference, "expensive": False, **more}


def _messages(references: References, event: Event, facts: RunFacts) -> Variable:
    """Return a scope with the agent's conversation before an event, oldest first."""
    indices = facts.heard(event.agent, _HEARD)
    count = facts.count_before(indices, event.index)
    rows = Rows(count=count, item=lambda n: _message(references, facts.run.events[indices[n]], n))
    return _opened("Messages", references.add(rows), indexedVariables=count) | {"expensive": True}


def _message(references: References, event: Event, number: int) -> Variable:
    label = f"{event.step} {event.kind}" if event.step else event.kind
    text = event.text or event.reasoning or dict(event.arguments or {}) or "(nothing)"
    return references.variable(f"[{number}] {label} {event.tool}".rstrip(), text)


def _event(event: Event) -> Mapping[str, Any]:
    fields = {
        "kind": event.kind, "step": event.step or None, "cycle": event.cycle or None, "at_s": _rounded(event.at_s),
        "took_s": _rounded(event.took_s), "text": event.text, "reasoning": event.reasoning,
    }  # fmt: skip
    found = {name: value for name, value in fields.items() if value not in (None, "")}
    return {**found, "args": dict(event.arguments)} if event.arguments and event.kind != "call" else found


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _call(call: Event) -> Mapping[str, Any]:
    fields = {"tool": call.tool, "text": call.text, "args": dict(call.arguments or {}), "call_id": call.call_id}
    return {name: value for name, value in fields.items() if value not in ("", {})}


def _result(event: Event) -> Mapping[str, Any]:
    fields = {
        "status": event.status,
        "exit_code": event.exit_code,
        "text": event.text,
        "took_s": _rounded(event.took_s),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _usage(event: Event, facts: RunFacts) -> Mapping[str, Any]:
    """Return tokens and cost of the event, and of the run up to the event."""
    tokens, cost = facts.spent.until(event.index)
    fields = _tokens(event.usage) | {
        "so far: tokens": tokens or None,
        "so far: cost_usd": None if cost is None else round(cost, 6),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _tokens(usage: TokenUsage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {
        "input_tokens": usage.input_tokens, "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens, "cost_usd": usage.cost_usd,
    }  # fmt: skip


def _analysis(event: Event, facts: RunFacts) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    if effect := facts.effects.get(event.step):
        found |= {"effect": effect.kind, "writes": [w.path for w in effect.writes], "reads": list(effect.reads)}
        found |= {"why nothing": effect.noop or effect.refused}
    if event.kind == "result" and (check := facts.checks.get(event.step)):
        found |= {"check": _SEEN[check.ok], "said": check.summary or check.error}
    found |= {pattern.name: pattern.text for pattern in facts.patterns_at(event)}
    onset = facts.analysis.finding.onset
    if onset and event.step and onset.first <= event.step <= onset.last:
        found["onset"] = f"{onset.type}: {onset.text}"
    return {name: value for name, value in found.items() if value not in ("", [])}


def _written(event: Event, facts: RunFacts) -> Mapping[str, str]:
    """Return diff lines for each file that the event's step writes; for a commit, the commit's own text."""
    if event.kind == "change":
        return {"commit": event.text}
    effect = facts.effects.get(event.step) if event.kind in ("call", "result") else None
    found: dict[str, str] = {}
    for write in effect.writes if effect else ():
        if write.how != "log":
            lines = "\n".join(change_lines(write)) or _HOW.get(write.how, write.how)
            found[write.path] = f"{found[write.path]}\n{lines}" if write.path in found else lines
    return found


def _difference(references: References, event: Event, facts: RunFacts) -> list[Variable]:
    """Return a scope that compares an agent's query with the previous query: new messages, tokens, system prompt.

    The list is empty for the agent's first query.
    """
    begins = [index for index in facts.queries.get(event.agent, ()) if index <= event.index]
    if len(begins) < 2:
        return []
    before, here = facts.run.events[begins[-2]], facts.run.events[begins[-1]]
    own = facts.heard(event.agent, _HEARD)
    first, last = facts.count_before(own, before.index), facts.count_before(own, here.index)
    fields: dict[str, Any] = {"more messages": last - first}
    sizes = [facts.input_tokens(each) for each in (before, here)]
    if sizes[0] is not None and sizes[1] is not None:
        fields["input_tokens"] = f"{sizes[1] - sizes[0]:+,} ({sizes[0]:,} before, {sizes[1]:,} now)"
    prompts = [system_prompt(each) for each in (before, here)]
    if prompts[0] and prompts[1] and prompts[0] != prompts[1]:
        fields["system prompt"] = "changed"
    rows = Rows(
        lambda: [references.variable(name, value) for name, value in fields.items()],
        last - first,
        lambda n: _message(references, facts.run.events[own[first + n]], first + n),
    )
    more = {"namedVariables": len(fields), "indexedVariables": last - first}
    return [_opened("Difference to the previous query", references.add(rows), **more)]


def _task(facts: RunFacts) -> Mapping[str, Any]:
    run = facts.run
    return {"task": run.task or "not recorded", "outcome": f"{run.outcome.verdict} {run.outcome.words}".strip()}


def _agent(event: Event, facts: RunFacts) -> Mapping[str, Any]:
    agent = next((a for a in facts.run.agents if a.name == event.agent), None)
    fields = {"name": event.agent, "model": agent.model if agent else "", "parent": agent.parent if agent else ""}
    if call := facts.parents.get(event.agent):
        fields["started by"] = f"step {call.step}"
    if prompt := facts.system_prompt(event.agent):
        fields["system prompt"] = prompt
    return {name: value for name, value in fields.items() if value}


def _run(facts: RunFacts) -> Mapping[str, Any]:
    run = facts.run
    fields: dict[str, Any] = {
        "path": run.root, "format": f"{run.format} {run.format_version}".strip(), "steps": run.steps,
        "events": len(run.events), "read": facts.known, "outcome": f"{run.outcome.verdict} {run.outcome.words}".strip(),
        "started": run.started, "seconds": run.seconds, "cost_usd": run.cost_usd, "workspace": run.workspace,
        "agents": [agent.name for agent in run.agents], "artefacts": list(run.artefacts),
        "onset": _onset(facts),
        "patterns": _patterns(facts), "problems": [problem.text for problem in islice(run.problems, _MOST_PROBLEMS)],
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _onset(facts: RunFacts) -> str:
    onset = facts.analysis.finding.onset
    return f"step {onset.step}, {onset.type}: {onset.text}" if onset else facts.analysis.finding.why


def _patterns(facts: RunFacts) -> Sequence[str]:
    return [f"steps {', '.join(map(str, p.steps))}: {p.text}" for p in facts.analysis.patterns]
