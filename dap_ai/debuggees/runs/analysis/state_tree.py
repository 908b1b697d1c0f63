"""The run as a tree of states.

A step that changes something opens a state; steps that only look are children of that step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, StateNode, StepCheck
from dap_ai.debuggees.runs.analysis.step_effects import called_in, first_line
from dap_ai.debuggees.runs.gist import unwrapped
from dap_ai.debuggees.runs.run_model import Event, RunStep
from dap_ai.system.texts import cut

MAX_LINE = 120
_LABEL = re.compile(r"^\s*(?:#+\s*|\*\*)?(?:THOUGHT|DISCUSSION|Thought|Reasoning|Analysis)\b[:*]*\s*", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+")
_PURPOSE = re.compile(
    r"\b(I'll|I will|I need to|I should|I'm going to|let me|let's|now|we need to|we should|next)\b", re.IGNORECASE
)
_EMPTY = frozenset({"(no content)", "", "Executed"})


def tree_of(effects: Sequence[Effect], steps: Sequence[RunStep], checks: Sequence[StepCheck]) -> list[StateNode]:
    """Return the tree as a list of nodes, one per step, in order."""
    by_step = {check.step: check for check in checks}
    shared = _shared(steps)
    state = 0
    nodes: list[StateNode] = []
    for effect, step in zip(effects, steps, strict=True):
        check = by_step.get(effect.step)
        intent, outcome = _intent(step, effect, shared), _outcome(step, effect, check)
        nodes.append(StateNode(effect.step, state, effect.kind, intent, outcome))
        if opens_state(effect):
            state = effect.step
    return nodes


def opens_state(effect: Effect) -> bool:
    """Return whether the step creates a new state: an install or a change that was not rejected."""
    return effect.kind in {"change", "install"} and not effect.refused and not effect.noop


def folded(tree: Sequence[StateNode]) -> list[StateNode]:
    """Return the nodes of changes, installs, checks and submissions, without steps that only look, run or talk."""
    return [node for node in tree if node.kind in {"change", "install", "verify", "submit"}]


def _shared(steps: Sequence[RunStep]) -> set[int]:
    """Return the indices of the responses that several calls share."""
    counts = Counter(step.response.index for step in steps if step.response is not None)
    return {index for index, count in counts.items() if count > 1}


def one_line(text: str, most: int = MAX_LINE) -> str:
    """Return `text` on one line, cut to `most` characters."""
    return cut(" ".join(text[: 4 * most].split()), most)


def _intent(step: RunStep, effect: Effect, shared: set[int]) -> str:
    """Return the step's purpose.

    Prefers the agent's own text, then the call's description, then the call itself.
    """
    described = (step.call.arguments or {}).get("description") if step.call is not None else None
    response = step.response
    own = response if response is not None and response.index not in shared else None
    if own is not None and (said := _purpose(own.text) or _purpose(own.reasoning)):
        return one_line(said)
    if isinstance(described, str) and described.strip():
        return one_line(described)
    if step.call is None:
        return one_line(first_line(step.response_text) if response is not None else effect.kind)
    if step.call.tool in {"", "bash"}:
        return one_line(first_line(step.call.text))
    return one_line(f"{step.call.tool}: {first_line(called_in(step))}")


def _purpose(text: str) -> str:
    """Return the last sentence that announces an action, else the first sentence."""
    plain = _FENCE.sub(" ", _LABEL.sub("", text[:6000]))
    sentences = [one.strip() for line in plain.split("\n") for one in _SENTENCE.split(line) if one.strip()]
    if not sentences or sentences[0] in _EMPTY or sentences[0].startswith("Executed "):
        return ""
    meant = [one for one in sentences if _PURPOSE.search(one) and len(one) > 12]
    return (meant or sentences)[-1 if meant else 0]


def _outcome(step: RunStep, effect: Effect, check: StepCheck | None) -> str:
    """Return the step's outcome, from its check or result."""
    if effect.refused:
        return one_line(f"refused: {effect.refused}")
    if effect.noop:
        return one_line(f"nothing: {effect.noop}")
    if check is not None and (said := _checked(check)):
        return one_line(said)
    result = step.result
    if result is None:
        return "" if step.call is None else "no result"
    return one_line(_result(result))


def _checked(check: StepCheck) -> str:
    numbers = {"passed": check.passed, "failed": check.failed, "errors": check.errors}
    counts = [f"{count} {name}" for name, count in numbers.items() if count]
    if not check.ran:
        return f"did not run: {check.error or check.summary}".rstrip(": ")
    word = {True: "ok", False: "failed", None: ""}[check.ok]
    rest = ", ".join(counts) or check.error or check.summary
    return f"{word}: {rest}" if word and rest else word or rest


def _result(result: Event) -> str:
    """Return the first meaningful line of a result, with the exit code if it is not 0."""
    code = f"exit {result.exit_code}: " if result.exit_code else ""
    lines = [line.strip() for line in unwrapped(result.text[:3000]).split("\n")]
    said = [line for line in lines if not line.isdigit() and any(map(str.isalnum, line))]
    if not said:
        return f"{code}no output".strip()
    count = result.text.count("\n", 0, 200_000)
    return f"{code}{said[0]}" + (f" (+{count - 1} lines)" if count > 5 else "")
