"""CodeTracer's own files of a run (arXiv 2604.11641), as `codetracer` reads and writes them.

`steps.json`, `tree.md`, `stage_ranges.json`, `task.md`, and `codetracer_labels.json`: for each stage the steps that a
pattern calls wrong, or in which the run went wrong, and those that brought nothing. A stage with neither has no entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dap_ai.debuggees.runs.analysis.facts import Analysis, Node
from dap_ai.debuggees.runs.export.encoding import encoded
from dap_ai.debuggees.runs.export.words import first_line, what
from dap_ai.debuggees.runs.model import Event, Run, Step, steps_of
from dap_ai.protocol.wire.visible import visible

_CHANGING = frozenset({"change", "install"})
_USELESS = frozenset({"same-call-again", "same-region-again", "refused"})
"""Patterns whose steps brought nothing; those of the others are wrong."""
_NOBODY = frozenset({"limit"})
"""Patterns that say nothing of the steps that they name."""
_LOOPING = "unproductive looping"
_LABEL_CHARACTERS = 60


def exported(run: Run, analysis: Analysis) -> dict[str, bytes]:
    """The five files by name."""
    steps = steps_of(run)
    ranges = [
        {"stage": stage.stage, "start_step_id": stage.first, "end_step_id": stage.last} for stage in analysis.stages
    ]
    return {
        "steps.json": encoded([_step(step, steps) for step in steps]),
        "tree.md": _tree(analysis.tree, {step.number: step for step in steps}).encode(),
        "stage_ranges.json": encoded(ranges),
        "codetracer_labels.json": encoded(_labels(analysis)),
        "task.md": visible(run.task).encode(),
    }


def _step(step: Step, steps: Sequence[Step]) -> dict[str, Any]:
    """`action` is the call, or the message of a step without one; calls of one response are a parallel group."""
    response = step.response
    result = step.result
    parallel = response is not None and sum(each.response is response for each in steps) > 1
    fields: dict[str, Any] = {
        "step_id": step.number,
        "action": what(step),
        "observation": result.text if result is not None else None,
        "action_ref": _ref(step.call or response),
        "observation_ref": _ref(result),
        "tool_type": step.call.tool if step.call is not None else "message",
    }
    if response is not None and step.call is not None and (response.reasoning or response.text):
        fields["thinking"] = "\n".join(part for part in (response.reasoning, response.text) if part)
    if parallel and response is not None:
        fields["parallel_group"] = response.index
    return fields


def _ref(event: Event | None) -> dict[str, Any] | None:
    """The format has lines only: of a place within a document without them there is none."""
    if event is None or event.ref.lines is None:
        return None
    first, last = event.ref.lines
    return {"path": event.ref.path, "line_start": first, "line_end": last, "content": event.text}


def _tree(tree: Sequence[Node], steps: dict[int, Step]) -> str:
    """As `tree` draws folders; a step that changes has those that follow it below."""
    below: dict[int, list[Node]] = {}
    for node in tree:
        below.setdefault(node.parent, []).append(node)
    lines = ["root"]
    waiting = [(node, "", node is below[0][-1]) for node in reversed(below.get(0, []))]
    while waiting:  # a run with thousands of changes is as deep
        node, rails, is_last = waiting.pop()
        kind = "change" if node.kind in _CHANGING else "explore"
        label = first_line(visible(what(steps[node.step])), _LABEL_CHARACTERS) if node.step in steps else node.intent
        lines.append(f"{rails}{'└── ' if is_last else '├── '}[{node.step}] {label} ({kind})")
        children = below.get(node.step, [])
        inner = rails + ("    " if is_last else "│   ")
        waiting += [(child, inner, child is children[-1]) for child in reversed(children)]
    return "\n".join(lines) + "\n"


def _labels(analysis: Analysis) -> list[dict[str, Any]]:
    """A stage's number is its place in `stage_ranges.json`, from 1."""
    labels: list[dict[str, Any]] = []
    onset = analysis.finding.onset
    for number, stage in enumerate(analysis.stages, 1):
        wrong, useless, reasons = set[int](), set[int](), list[str]()
        for pattern in analysis.patterns:
            inside = {step for step in pattern.steps if stage.first <= step <= stage.last}
            if inside and pattern.name not in _NOBODY:
                (useless if pattern.name in _USELESS else wrong).update(inside)
                reasons.append(f"{pattern.name}: {visible(pattern.text)}")
        idle = {
            effect.step
            for effect in analysis.effects
            if (effect.noop or effect.refused) and stage.first <= effect.step <= stage.last
        }
        wrong -= idle  # what was not carried out brought nothing; it is wrong only where the run rests on it
        if onset is not None and stage.first <= onset.step <= stage.last:
            wrong.update(range(onset.first, onset.last + 1) if onset.type != _LOOPING else [onset.step])
            reasons.insert(0, f"onset, {onset.type}: {visible(onset.text)}")
        useless |= idle
        if wrong or useless:
            label = {"incorrect_step_ids": sorted(wrong), "unuseful_step_ids": sorted(useless - wrong)}
            labels.append({"stage_id": number, **label, "reasoning": "; ".join(reasons)})
    return labels
