"""The tool `history`: the values that an expression took in order, and the lines that changed it.

The tool reruns the program in a copy up to the current stop. If that is impossible, it returns the slice (the lines
behind the value).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.sanitize import SyntaxRefused, to_node
from dap_ai.agent.tools.base import NO_FRAME, Tool, ToolContext, ToolResult, refused
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns
from dap_ai.debuggees.python.analysis.record.enclosing import enclosing, own_folders
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck, failure_of
from dap_ai.debuggees.python.analysis.record.same_failure import plain
from dap_ai.debuggees.python.tools.history_text import history_text
from dap_ai.debuggees.python.tools.slice_tool import slice_
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameQuery, Node, Query
from dap_ai.protocol.contracts.snapshot_messages import Followed, FollowQuery
from dap_ai.protocol.contracts.tool_arguments import HistoryArguments, SliceArguments
from dap_ai.system.texts import code

DEADLINE_S = 10.0
_MAX_CHECKS = 3
_MAX_FRAMES = 20
_NO_RUN = "nothing of the program that leads to this stop can be run again"


class HistoryTool(Tool[HistoryArguments]):
    """An expression's values up to this stop, with the line, function and loop iteration of each change.

    `when`: also the first value for which a condition was true. The tool reruns the program in a copy. If a rerun is
    impossible (its input is used up, it needs the network or threads, or it differs each time), the tool returns the
    slice instead.
    """

    description = "Each value it took so far, and the line that changed it."
    arguments = HistoryArguments
    level = "compute"
    main = "{expression}"
    alternative = "follow the value back with `slice`"
    title = "History of a value"
    hint = "Use it for `when did x become ...?`."
    only = "python"
    instead = "It needs a copy of the program, and a native one is only read: set a watch with the debugger instead."

    async def run(self, bench: ToolContext, arguments: HistoryArguments) -> ToolResult:
        """Returns the changes as text; a long list is folded. Raises NotStopped, RequestFailed."""
        for text in filter(None, (arguments.expression, arguments.when)):
            if (refusal := refused(bench, text, "followed")) is not None:
                return refusal
        if bench.focus is None:
            return NO_FRAME
        try:
            node = to_node(arguments.expression)
            when = to_node(arguments.when) if arguments.when else None
        except SyntaxRefused as error:
            return ToolResult(f"{code(arguments.expression)} was not followed: {error}.", failed=True)
        if why := bench.debugger.why_no_snapshot:
            return await _sliced(bench, arguments, why)
        if arguments.frame is None:
            bench = replace(bench, chosen=await _knowing(bench, node))
        now = await _now(bench, node)
        if now.error == "refused" and bench.debugger.can_inspect:
            return await _sliced(bench, arguments, now.text.removeprefix("refused: "))
        try:
            follow = FollowQuery(bench.frame_id, node, when, to_stop=failure_of(bench.case) is None)
            found, check = await _followed(bench, follow, now)
        except _NoRun as reason:
            return await _sliced(bench, arguments, str(reason))
        return ToolResult(history_text(bench, arguments, found, check.words), found)


class _NoRun(Exception):  # noqa: N818  a result, not an error
    """The reason, as a clause, why the program cannot be rerun to this stop."""


async def _knowing(bench: ToolContext, node: Node) -> FramePlace | None:
    """Returns the nearest frame in which the expression has a value; otherwise the frame in focus."""
    facts = await _facts(bench, bench.case.callers[:_MAX_FRAMES], node)
    return next((place for place, fact in facts if fact.value is not None), bench.focus)


async def _now(bench: ToolContext, node: Node) -> ExpressionResult:
    """Returns the expression's value in the program itself, or the error "refused" if the inspector may not read it."""
    facts = await _facts(bench, [bench.focus] if bench.focus else [], node)
    return facts[0][1] if facts else ExpressionResult(error="refused")


async def _facts(
    bench: ToolContext, places: Sequence[FramePlace], node: Node
) -> list[tuple[FramePlace, ExpressionResult]]:
    if not bench.debugger.can_inspect:
        return []
    frames = [FrameQuery(place.frame.id, variables=False, expressions=[node]) for place in places]
    found = await bench.debugger.inspect(Query(frames, bench.level, exception=False, threads=False))
    return [(place, facts.values[0]) for place, facts in zip(places, found.frames, strict=False) if facts.values]


async def _followed(bench: ToolContext, follow: FollowQuery, now: ExpressionResult) -> tuple[Followed, FailureCheck]:
    """Returns the history from the longest rerun that reaches this stop, and the check that was rerun.

    Raises _NoRun, NotStopped, RequestFailed.
    """
    case = bench.case
    runs = CheckRuns(bench.debugger, case, failure_of(case), budget_s=2 * DEADLINE_S, folders=own_folders(case))
    reasons: list[str] = []
    for check in _checks(case, bench.focus, whole=follow.to_stop):
        control = await runs.control(check, deadline_s=DEADLINE_S, aim=follow)
        found = control.result.followed
        another = _is_another(found, now) if control.usable and found else ""
        if another and control.result.unknown:
            another = f"was refused something: {control.result.unknown}"
        if control.usable and found and found.count and not another:
            return found, check
        is_read = control.result.raised is not None and control.result.raised.type == "EOFError"
        reason = f"{check.words} reads input, which is used up when it is run again" if is_read else control.why_not
        reasons.append(reason or (found.refused if found else "") or f"{check.words} {another or 'gives it no value'}")
    raise _NoRun(reasons[0] if reasons else _NO_RUN)


def _checks(case: StopSnapshot, place: FramePlace | None, *, whole: bool) -> Iterator[FailureCheck]:
    """Yields checks (parts of the program) that can be rerun and start in the frame or before it, longest first."""
    inside = case.places[: case.places.index(place)] if place in case.places else []
    found = [check for check in enclosing(case) if check.whole] if whole else checks_of(case)
    wide = [check for check in reversed(found) if check.whole or check.place not in inside]
    yield from wide[:_MAX_CHECKS]


def _is_another(found: Followed, now: ExpressionResult) -> str:
    """Returns how the rerun's last value differs from the program's value, as a clause; empty if they are equal."""
    moments = [*found.first, *found.last]
    value = now.value
    if value is None or value.time == "now" or not moments:  # a value left by cleanup is not the run's result
        return ""
    then, is_data = moments[-1].text, value.kind not in ("function", "class", "module", "iterator")
    if not is_data or plain(then) == plain(value.text):
        return ""
    was = f"is {code(cut(then, 60))}" if then else "has no value"
    return f"does something else each time: here it is {code(cut(value.text, 60))}, and {was} when it is run again"


async def _sliced(bench: ToolContext, arguments: HistoryArguments, why: str) -> ToolResult:
    """Returns a sentence that explains why there is no history, then the slice from the source."""
    instead = await slice_.run(bench, SliceArguments(arguments.expression, arguments.frame))
    head = f"{code(arguments.expression)} has no history here: {why.rstrip('.')}. By the source alone:"
    return ToolResult(f"{head}\n\n{instead.text}", instead.data, failed=instead.failed)


history = HistoryTool()
