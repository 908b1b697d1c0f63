"""Pages of a recorded run as plain text: step rows, one step in full, search matches, checks.

Callers must fence the pages, because all text in them is the run's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice

from dap_ai.agent.case.value_texts import cut
from dap_ai.debuggees.runs.analysis.analysis_model import Effect, StateNode, StepCheck
from dap_ai.debuggees.runs.analysis.state_tree import folded
from dap_ai.debuggees.runs.answer.run_at_stop import RunAtStop
from dap_ai.debuggees.runs.export.export_text import what
from dap_ai.debuggees.runs.run_model import Event, RunStep
from dap_ai.debuggees.runs.searching import Match, matches
from dap_ai.protocol.contracts.run_tool_arguments import Kind

PAGE = 3_000
"""Number of characters per page."""
_MATCHES = 12
"""Number of matches per page."""
_MOST_MATCHES = 200
_AROUND = 70
_HEADS: Mapping[str, int] = {"said": 900, "call": 900, "result": 600, "others": 300}
"""Number of characters shown of each part of a step."""
_TAIL = 700
"""Number of characters shown of the end of a long result. The important part is usually there."""
_WORDS: Mapping[bool | None, str] = {True: "ok", False: "failed", None: "not known"}
_MOST_ROWS = 60


# -- rows ----------------------------------------------------------------------------------------------------------


def step_rows(
    held: RunAtStop, first: int, count: int, kind: Kind = "", *, failed: bool = False, last: int | None = None
) -> list[str]:
    """Return a row per step from `first` to `last`: number, effect, status, call, outcome.

    Returns at most `count` rows, followed by a line with the number of remaining steps.
    """
    nodes = [node for node in held.analysis.tree if first <= node.step <= (last or node.step)]
    wanted = [node for node in nodes if _fits(held, node, kind, failed=failed)]
    rows = [_row(held, node) for node in wanted[:count]]
    if len(wanted) > count:
        rows.append(f"... {len(wanted) - count} more, from step {wanted[count].step} on")
    return rows


def _fits(held: RunAtStop, node: StateNode, kind: Kind, *, failed: bool) -> bool:
    if kind and node.kind != kind:
        return False
    return not failed or _status(held, node.step) not in ("", "ok")


def _row(held: RunAtStop, node: StateNode) -> str:
    status = _status(held, node.step)
    marks = f" [{status}]" if status not in ("", "ok") else ""
    came = f" -> {cut(node.outcome, 90)}" if node.outcome else ""
    return f"{node.step} {node.kind}{marks}: {cut(' '.join(what(held.steps[node.step]).split()), 110)}{came}"


def _status(held: RunAtStop, number: int) -> str:
    """Return the step's fault: `refused`, `nothing done`, `check failed` or `error`.

    Without a known fault, returns `ok` or an empty string.
    """
    effect = effect_of(held, number)
    if effect is not None and effect.refused:
        return "refused"
    if effect is not None and effect.noop:
        return "nothing done"
    check = check_of(held, number)
    if check is not None and check.ok is False:
        return "check failed"
    result = held.steps[number].result
    return "" if result is None or result.status == "unknown" else result.status


def effect_of(held: RunAtStop, number: int) -> Effect | None:
    """Return the effect of a step, or None if the analysis has none."""
    return next((effect for effect in held.analysis.effects if effect.step == number), None)


def check_of(held: RunAtStop, number: int) -> StepCheck | None:
    """Return the check that a step made, or None if the step checked nothing."""
    return next((check for check in held.analysis.checks if check.step == number), None)


def tree_rows(held: RunAtStop, first: int = 1, *, whole: bool = False, most: int = _MOST_ROWS) -> list[str]:
    """Return the state tree, a row per step with intent and outcome.

    Steps that only look, run or talk are included only with `whole`. `whole` also indents the rows by depth.
    """
    nodes = [n for n in (held.analysis.tree if whole else folded(held.analysis.tree)) if n.step >= first]
    depth = {0: 0}
    rows: list[str] = []
    for node in nodes[:most]:
        depth[node.step] = depth.get(node.parent, 0) + 1
        indent = "  " * min(8, depth[node.step] - 1) if whole else ""
        rows.append(f"{indent}{node.row}")
    if len(nodes) > most:
        rows.append(f"... {len(nodes) - most} more, from step {nodes[most].step} on")
    return rows


def check_rows(checks: Sequence[StepCheck]) -> list[str]:
    """Return a row per check: step, verdict, counts or summary, and the first line of the failure."""
    rows = [_check(check) for check in checks[-_MOST_ROWS:]]
    return [f"... {len(checks) - len(rows)} earlier ones", *rows] if len(rows) < len(checks) else rows


def _check(check: StepCheck) -> str:
    counts = (("passed", check.passed), ("failed", check.failed), ("errors", check.errors), ("skipped", check.skipped))
    said = ", ".join(f"{number} {name}" for name, number in counts if number)
    ran = _WORDS[check.ok] if check.ran else "did not run"
    words = [check.runner, said, cut(check.summary, 140) if not said else "", cut(check.error, 160)]
    told = "; ".join(dict.fromkeys(word for word in words if word))
    return f"step {check.step} {ran}" + (f": {told}" if told else "")


# -- one step --------------------------------------------------------------------------------------------------------


def parts_of(step: RunStep) -> Mapping[str, tuple[str, str]]:
    """Return the heading and the full text of each part of a step, by the part's name."""
    parts: dict[str, tuple[str, str]] = {}
    if step.response is not None and (said := _response_text(step.response)):
        parts["said"] = ("it said", said)
    if step.call is not None:
        parts["call"] = (f"it called {step.call.tool or 'a tool'}", _called(step.call))
    if step.result is not None:
        code = f", exit code {step.result.exit_code}" if step.result.exit_code is not None else ""
        status = f", {step.result.status}" if step.result.status != "unknown" else ""
        parts["result"] = (f"the result{status}{code}", step.result.text)
    if step.others:
        rows = [f"{event.kind}: {event.text or event.tool}" for event in step.others]
        parts["others"] = ("also", "\n".join(rows))
    return parts


def step_page(held: RunAtStop, number: int) -> str:
    """Return a step as text, with the beginning of each part. Of a result, also the end."""
    parts = parts_of(held.steps[number]).items()
    return "\n\n".join(f"[{head}]\n{_beginning(text, name)}" for name, (head, text) in parts)


def part_page(held: RunAtStop, number: int, part: str, start: int) -> str:
    """Return a page of one part of a step from character `start` on.

    A negative `start` counts from the end. If the step lacks the part, returns a message.
    """
    head, text = parts_of(held.steps[number]).get(part, ("", ""))
    if not head:
        return f"step {number} has no such part"
    at = min(len(text), start) if start >= 0 else max(0, len(text) + start)
    return f"[{head}, characters {at} to {min(len(text), at + PAGE)} of {len(text)}]\n{page(text, at)}"


def page(text: str, start: int) -> str:
    """Return a page of the text from character `start` on, and a line with the number of remaining characters."""
    rest = len(text) - start - PAGE
    return text[start : start + PAGE] + (f"\n... {rest} characters more: start {start + PAGE}" if rest > 0 else "")


def _beginning(text: str, part: str) -> str:
    head, tail = _HEADS[part], _TAIL if part == "result" else 0
    if len(text) <= head + tail + 80:
        return text
    left_out = f"... {len(text) - head - tail} characters left out: part {part}, start {head}"
    return f"{text[:head]}\n{left_out}\n{text[-tail:] if tail else ''}".rstrip()


def _response_text(response: Event) -> str:
    return "\n".join(filter(None, (response.reasoning.strip(), response.text.strip())))


def _called(call: Event) -> str:
    """Return the command of a call, and each argument that differs from the command."""
    rows = [call.text] if call.text else []
    for name, value in (call.arguments or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        if text != call.text:
            rows.append(f"{name}: {text}")
    return "\n".join(rows)


# -- searching -------------------------------------------------------------------------------------------------------


def found_rows(held: RunAtStop, text: str, start: int = 0) -> tuple[list[str], int]:
    """Return a page of the lines that contain a text, and the total number of matches (at most 200)."""
    found = list(islice(matches(held.run, pattern_of(text)), _MOST_MATCHES))
    return list(map(_match, found[start : start + _MATCHES])), len(found)


def pattern_of(text: str) -> re.Pattern[str]:
    """Return a pattern that matches the text literally. `|` in the text separates alternatives.

    Regular expressions from a model or a run are never executed.
    """
    return re.compile("|".join(re.escape(part) for part in text.split("|") if part) or re.escape(text), re.IGNORECASE)


def _match(match: Match) -> str:
    event = match.event
    where = f"step {event.step} {event.kind}" if event.step else event.kind
    before, after = max(0, match.start - _AROUND), match.end + _AROUND
    near = " ".join(match.line[before:after].split())
    dots = ("..." if before else "", "..." if after < len(match.line) else "")
    return f"{where}: {dots[0]}{cut(near, 240)}{dots[1]}"
