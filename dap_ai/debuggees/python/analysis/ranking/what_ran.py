"""Decides from frames and reruns which lines had run when the program failed, and marks uncertain lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, late_at
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.lines_run import whole_lines
from dap_ai.debuggees.python.analysis.record.trace_record import Spot, grouped
from dap_ai.debuggees.python.analysis.syntax.certain import Certain


@dataclass(frozen=True)
class _Ran:
    """Lines that ran before the failure. `is_all`: whether every such line is known, not only those of a rerun part."""

    spots: set[Spot]
    is_all: bool
    modules: set[str] = field(default_factory=set[str])
    """Files whose module-level code ran in the same run."""


def settle(analysis: StopAnalysis, trials: Trials | None = None) -> None:
    """Decide for each line whether it had run, drop suspects that had not run, and rank the remaining lines again.

    In a function that may have been called, only the lines that run in every call count as possibly run.
    """
    known = _known(trials or Trials())
    case, sources = analysis.case, analysis.case.sources
    is_late = late_at(case)
    certain = Certain(case, analysis.view.resolver, is_late)
    by_file = grouped(known.spots, lambda spot: (spot[0],))
    files = ((path, sources.read(path), {line for _, line in spots}) for path, spots in by_file.items())
    ran = {path: whole_lines(source, lines) for path, source, lines in files if source}
    on_stack = {(place.frame.path, place.scope) for place in case.places}

    def had_run(path: str, line: int) -> bool | None:
        lines = ran.get(path, set())
        if line in lines or certain.had_run(path, line):
            return True
        source = sources.read(path)
        if source is None:
            return None
        inside = source.function_at(line)
        if known.is_all and (inside is not None or path in known.modules):
            return False
        if is_late(path, line):
            return False
        if inside is None or (path, inside) in on_stack:
            return None
        return None if certain.may_have_run(path, line) and not _entered(inside, lines) else False

    analysis.had_run = had_run
    analysis.leave_out_what_never_ran()
    analysis.order()


def _known(trials: Trials) -> _Ran:
    """Return the lines that ran in a full traced run of the program or test, else in neighbour tests, else in parts.

    A run that fails at the same place with other values (random numbers, the time, set order) is assumed to match the
    original: it is the best evidence available, although other values may have led another way.
    """
    alike = [c for c in trials.controls if (c.usable or c.fails_there) and not c.trace.lines_truncated]
    whole = next((c for c in reversed(alike) if c.check.whole), None)
    if whole:
        modules = {row.file for row in whole.trace.lines if row.function == "<module>"}
        return _Ran(_before(whole), is_all=True, modules=modules)
    if trials.neighbours:
        return _Ran(trials.neighbours.of_the_failed(), is_all=True)
    return _Ran({spot for c in alike for spot in _before(c)}, is_all=False)


def _before(control: Control) -> set[Spot]:
    """Return the lines that ran before the exception that ended the run was raised."""
    late = {(row.file, row.line) for row in control.trace.late}
    return set(control.counts) - late


def _entered(function: FunctionNode, lines: set[int]) -> bool:
    return any(function.body[0].lineno <= line <= last_line(function) for line in lines)
