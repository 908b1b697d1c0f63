"""Which lines had no part in the failure, for they did not run: as running it again has shown."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from dap_ai.agent.analyst.evidence.record import Spot
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.resolving import is_getter
from dap_ai.agent.analyst.trials import Trials, whole_lines
from dap_ai.agent.case.source import FunctionNode, body_fields, last_line

_LEAVES = ast.Return | ast.Raise | ast.Yield | ast.YieldFrom


@dataclass(frozen=True)
class _Ran:
    """Lines that ran. `is_all`: in all of what failed; else in a part of it, which says nothing of other functions."""

    spots: set[Spot]
    several: set[Spot]
    """Those that ran more than once in one run."""
    is_all: bool


def leave_out_what_never_ran(analysis: Analysis, trials: Trials) -> None:
    """Takes lines of functions from the scores that did not run, or of which nothing tells that they did.

    Where the whole could not be run again: what a rule says of a line is no more than a remark if no value, no frame
    and no run leads to its function; and of what a value leads to by the text alone, in functions that have returned,
    those lines count that run whenever their function does.
    """
    known = _known(trials)
    had_not_run, sources = analysis.never_ran, analysis.case.sources
    by_file: dict[str, set[int]] = {}
    for path, line in known.spots:
        by_file.setdefault(path, set()).add(line)
    files = ((path, sources.read(path), lines) for path, lines in by_file.items())
    ran = {path: whole_lines(source, lines) for path, source, lines in files if source}
    on_stack = {(place.frame.path, place.scope) for place in analysis.case.places}
    led_to = {(step.scope.source.path, step.scope.node) for step in analysis.slice.steps}

    def never_ran(path: str, line: int) -> bool:
        if (path, line) not in known.several and had_not_run(path, line):
            return True
        source = sources.read(path)
        inside = source.function_at(line) if source else None
        if inside is None:
            return False
        lines = ran.get(path, set())
        if known.is_all or _entered(inside, lines):
            return line not in lines
        is_led_to = (path, inside) in led_to and not is_getter(inside) and _runs_always(inside.body, line)
        return (path, inside) not in on_stack and not is_led_to

    analysis.never_ran = never_ran
    analysis.leave_out_what_never_ran()


def _runs_always(block: list[ast.stmt], line: int) -> bool:
    """Whether a line runs whenever its block does."""
    for statement in block:
        if statement.lineno <= line <= last_line(statement):
            inner = next((body for body in body_fields(statement) if body), list[ast.stmt]())
            if isinstance(statement, ast.With | ast.AsyncWith) and line >= inner[0].lineno:
                return _runs_always(inner, line)
            return not inner or isinstance(statement, FunctionNode | ast.ClassDef) or line < inner[0].lineno
        if any(isinstance(node, _LEAVES) for node in ast.walk(statement)):
            return False
    return False


def _known(trials: Trials) -> _Ran:
    """By the run of the whole program or test, traced to its end; else by that of the tests beside it; else by parts.

    A run that ends there with other values (a random number, the time, the order of a set) is taken for one alike: the
    best witness there is, though another value may have led another way.
    """
    alike = [c for c in trials.controls if (c.usable or c.fails_there) and not c.trace.lines_truncated]
    several = {spot for c in alike for spot, count in c.counts.items() if count > 1}
    whole = next((c for c in reversed(alike) if c.check.whole), None)
    if whole:
        return _Ran(set(whole.counts), several, is_all=True)
    if trials.neighbours:
        return _Ran(trials.neighbours.of_the_failed(), several, is_all=True)
    return _Ran({spot for c in alike for spot in c.counts}, several, is_all=False)


def _entered(function: FunctionNode, lines: set[int]) -> bool:
    return any(function.body[0].lineno <= line <= last_line(function) for line in lines)
