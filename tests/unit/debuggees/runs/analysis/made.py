"""Runs made for tests, a step a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import Pattern, RunAnalysis
from dap_ai.debuggees.runs.run_model import Event, Outcome, Ref, Run

UNKNOWN = Outcome()
PASSED = "===== 3 passed in 0.12s ====="
FAILED = "E   assert 1 == 2\nFAILED tests/test_core.py::test_a - assert 1 == 2\n===== 1 failed, 2 passed in 0.12s ====="


class Did(NamedTuple):
    """One step: a command, or a call of another tool; what came of it; what the agent said before."""

    command: str | None
    result: str = ""
    exit_code: int | None = 0
    said: str = ""
    tool: str = "bash"
    arguments: Mapping[str, Any] | None = None


def called(tool: str, result: str = "", /, said: str = "", **arguments: Any) -> Did:
    """A call of a tool that is no shell."""
    return Did("", result, None, said, tool, arguments)


def said(text: str, error: str = "") -> Did:
    """A reply without a call; `error` is what it was refused with."""
    return Did(None, error, None, text)


def run_of(steps: Sequence[Did], *, task: str = "Fix the bug", outcome: Outcome = UNKNOWN, **fields: Any) -> Run:
    """The run of these steps, of a format whose shells keep their directory."""
    events: list[Event] = []

    def add(kind: Any, **more: Any) -> None:
        events.append(Event(len(events), kind, Ref(lines=(len(events) + 1, len(events) + 1)), **more))

    add("task", text=task)
    for number, step in enumerate(steps, 1):
        add("response", text=step.said, step=number)
        if step.command is None:
            if step.result:
                add("error", text=step.result, step=number, status="error")
            continue
        arguments = step.arguments if step.arguments is not None else {"command": step.command}
        add("call", tool=step.tool, arguments=arguments, text=step.command, step=number, call_id=str(number))
        add("result", text=step.result, exit_code=step.exit_code, step=number, call_id=str(number))
    return Run(
        "/nowhere", "made", task=task, events=events, outcome=outcome, workspace=fields.pop("workspace", "/w"), **fields
    )


def analysed(*steps: Did, **fields: Any) -> RunAnalysis:
    """The analysis of these steps."""
    return analyse(run_of(steps, **fields))


def seen(name: str, *steps: Did, **fields: Any) -> list[Pattern]:
    """The patterns of that name."""
    return [pattern for pattern in analysed(*steps, **fields).patterns if pattern.name == name]


def stages(analysis: RunAnalysis) -> list[tuple[str, int, int]]:
    """The stages as plain tuples."""
    return [(stage.stage, stage.first, stage.last) for stage in analysis.stages]
