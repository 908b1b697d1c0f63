"""Finds an answer's value path, with a rerun in a copy for values that the frames no longer have."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.record.reruns import run_again
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope, reaching
from dap_ai.debuggees.python.analysis.value_path.path_walk import recorded_by, value_path
from dap_ai.debuggees.python.analysis.value_path.recorded_values import RecordedValues
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.value_path import PathNode

_LONGEST_S = 1.0
"""Maximum seconds for finding a path. The path is optional, so the answer does not wait longer."""
_AGAIN_S = 0.5
NOT_KNOWN_TO_HAVE_RUN = "whether it ran is not known"


async def path_of_failure(analysis: StopAnalysis, trials: Trials | None) -> list[PathNode]:
    """Return the value path of the failure; empty if unknown."""
    control = trials.usable[-1] if trials and trials.usable else None
    recorded = recorded_by(analysis.view.resolver, control) if control else RecordedValues()
    diagnosis = analysis.diagnosis  # explain the failing line first, then what it evaluates
    return await _walked(analysis, [*diagnosis.roots, *diagnosis.header], diagnosis.place, recorded)


async def path_of_value(
    analysis: StopAnalysis, trials: Trials | None, roots: Sequence[ast.expr], place: FramePlace, debugger: Debugger
) -> list[PathNode]:
    """Return the value path of expressions in a frame.

    If the frames lack a value, reruns in a copy of the process what made the value.
    """
    if trials and trials.usable:
        recorded = recorded_by(analysis.view.resolver, trials.usable[-1])
        return await _walked(analysis, roots, place, recorded)
    path = await _walked(analysis, roots, place, RecordedValues())
    if all(node.value for node in path) or debugger.why_no_snapshot or analysis.case.level == "observe":
        return path
    again = await _recorded_again(analysis, roots, place, debugger)
    return (await _walked(analysis, roots, place, again) or path) if again else path


async def _walked(
    analysis: StopAnalysis, roots: Sequence[ast.expr], place: FramePlace, recorded: RecordedValues
) -> list[PathNode]:
    if analysis.cut_short:
        return []
    try:
        path = await asyncio.wait_for(asyncio.to_thread(value_path, analysis, roots, place, recorded), _LONGEST_S)
    except asyncio.TimeoutError:
        return []
    return list(_ran(analysis, path))


def _ran(analysis: StopAnalysis, path: Sequence[PathNode]) -> Iterator[PathNode]:
    """Yield the path up to the first line that had not run; add a note to each line not known to have run."""
    stands = {(place.frame.path, place.frame.line) for place in analysis.case.places}
    for node in path:
        had_run = True if (node.file, node.line) in stands else analysis.had_run(node.file, node.line)
        if had_run is False:
            return
        if had_run is None and node.known not in ("rerun", "snapshot"):
            node.note = f"{node.note}; {NOT_KNOWN_TO_HAVE_RUN}" if node.note else NOT_KNOWN_TO_HAVE_RUN
        yield node


async def _recorded_again(
    analysis: StopAnalysis, roots: Sequence[ast.expr], place: FramePlace, debugger: Debugger
) -> RecordedValues | None:
    """Rerun the failure, or else evaluate again the expression that bound a root; None if neither is possible."""
    resolver = analysis.view.resolver
    if control := await run_again(debugger, analysis.case):
        return recorded_by(resolver, control)
    scope = resolver.of_place(place)
    for root in roots:
        made = _made_by(root, scope) if scope else None
        value = place.value(root)
        if scope is None or made is None or value is None or value.truncated:
            continue
        query = SnapshotQuery(place.frame.id, ast.unparse(made), trace=True, deadline_s=_AGAIN_S)
        try:
            result = await debugger.snapshot(query)
        except (NotStopped, RequestFailed):
            return None
        if not result.unknown and result.value is not None and result.value.text == value.text:
            return RecordedValues(result.trace, scope, is_whole=False, known="snapshot")
    return None


def _made_by(root: ast.expr, scope: FunctionScope) -> ast.expr | None:
    """Return the expression with a call that the frame's only assignment bound to a name, or None."""
    if not isinstance(root, ast.Name) or scope.place is None:
        return None
    made = reaching(root.id, scope, scope.place.frame.line)
    if len(made) != 1 or not isinstance(made[0][0], ast.Assign):
        return None
    value = made[0][1]
    has_call = value is not None and any(isinstance(node, ast.Call) for node in ast.walk(value))
    return value if has_call else None
