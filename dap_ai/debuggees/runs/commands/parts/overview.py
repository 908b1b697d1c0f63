"""Overview of a run as lines of text: a strip of its stages, its tree, checks and failure patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, Pattern, RunAnalysis, RunStage, StateNode, StepCheck
from dap_ai.debuggees.runs.analysis.state_tree import folded as folded_tree
from dap_ai.debuggees.runs.analysis.state_tree import opens_state
from dap_ai.debuggees.runs.commands.parts.run_output import EFFECTS, STAGES, styled
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.debuggees.runs.export.export_text import steps_range
from dap_ai.system.texts import counted, cut

_FILES_CHARACTERS = 40


def strip(stages: Sequence[RunStage], width: int) -> str:
    """Return a bar with an initial per step, which shows the step's stage; scaled to `width`: `IIIIPPV`."""
    steps = max((stage.last for stage in stages), default=0)
    if not steps:
        return ""
    scale = min(1.0, max(width, 1) / steps)
    parts: list[str] = []
    for stage in stages:
        cells = max(round(stage.last * scale) - round((stage.first - 1) * scale), 0)
        if cells:
            parts.append(styled(stage.stage[0].upper() * cells, **STAGES.get(stage.stage, {})))
    return "".join(parts)


def ranges(stages: Sequence[RunStage]) -> str:
    """Format the stages as ranges: `inspection 1-8, patching 9-12, ...`."""
    return ", ".join(f"{stage.stage} {steps_range(stage.first, stage.last)}" for stage in stages)


def tree_lines(analysis: RunAnalysis, width: int, *, folded: bool) -> Iterator[str]:
    """Yield a line per step; `◆` marks a step that changed the workspace, `│` a step that only read it.

    With `folded`, only changes, checks and the end are shown, and other steps are counted. A line is added where a step
    starts from an earlier state of the workspace than the previous one.
    """
    effects = {effect.step: effect for effect in analysis.effects}
    shown = {node.step for node in (folded_tree(analysis.tree) if folded else analysis.tree)}
    state, looks = 0, 0
    for node in analysis.tree:
        if node.step not in shown:
            looks += 1
            continue
        if looks:
            yield _look_line(looks)
            looks = 0
        if node.parent != state:
            at = f"the state of step {node.parent}" if node.parent else "the first state"
            yield styled(f"↰ at {at} again", dim=True)
            state = node.parent
        effect = effects.get(node.step)
        opens = effect is not None and opens_state(effect)
        state = node.step if opens else state
        yield _node_line(node, effect, "◆" if opens else "│", width)
    if looks:
        yield _look_line(looks)


def _look_line(looks: int) -> str:
    return styled(f"│      {counted(looks, 'step')} between", dim=True)


def _node_line(node: StateNode, effect: Effect | None, mark: str, width: int) -> str:
    start = f"{mark} {node.step:>4} {node.kind:<8}"
    names = dict.fromkeys(write.path.rpartition("/")[2] for write in effect.writes) if effect else {}
    files = in_a_line(", ".join(map(path_shown, names)), _FILES_CHARACTERS)
    room = max(width - len(start) - len(files) - 3, 20)
    outcome = in_a_line(node.outcome, room // 2)
    intent = in_a_line(node.intent, room - len(outcome) - 3 if outcome else room)
    told = styled(start, **EFFECTS.get(node.kind, {})) + (f" {styled(files, bold=True)}" if files else "")
    return f"{told} {styled(intent)}" + (styled(f" → {outcome}", dim=True) if outcome else "")


def check_line(check: StepCheck, width: int) -> str:
    """Format a check on one line: `  14 failed  pytest: 1 failed, 3 passed   first error`."""
    said = "ok" if check.ok else "failed" if check.ok is False else "unclear"
    colour = {"fg": "green"} if check.ok else {"fg": "red"} if check.ok is False else {"dim": True}
    name = check.runner or check.kind
    text = check.summary or ("" if check.exit_code is None else f"exit code {check.exit_code}")
    line = f"{name}: {text}" if text else name
    if check.error and check.error != check.summary:
        line += f"  ({check.error})"
    return f"{check.step:>6} {styled(f'{said:<8}', **colour)} {in_a_line(line, max(width - 16, 20))}"


def pattern_line(pattern: Pattern, width: int) -> str:
    """Format a failure pattern on one line: `never-verified  steps 9, 12: the last change was never checked`."""
    steps = ", ".join(map(str, pattern.steps[:6])) + (", ..." if len(pattern.steps) > 6 else "")
    noun = "step" if len(pattern.steps) == 1 else "steps"
    where = f"{noun} {steps}: " if pattern.steps else ""
    start = f"{pattern.name}  "
    return styled(start, fg="yellow") + cut(where + in_a_line(pattern.text), max(width - len(start) - 2, 20), "…")
