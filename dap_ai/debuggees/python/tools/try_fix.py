"""The tool `try_fix`: tests in a copy of the stopped program whether a source edit makes a failing check pass."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from typing import Any

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.masking.spans import PLACEHOLDER
from dap_ai.agent.report.source_edits import SourceEdit, diff
from dap_ai.agent.report.wording import NOT_VERIFIED, PASSES, VERIFIED
from dap_ai.agent.tools.base import NO_FRAME, UNCHANGED, Tool, ToolContext, ToolResult, clip
from dap_ai.agent.tools.tool_reads import file_of
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT, CheckRuns, Control, FixVerdict
from dap_ai.debuggees.python.analysis.record.enclosing import whole_test
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck, failure_of
from dap_ai.debuggees.python.analysis.record.neighbour_tests import judged, neighbours_of, upheld
from dap_ai.protocol.contracts.tool_arguments import LineEdit, TryFixArguments
from dap_ai.protocol.wire.ask_messages import Fix
from dap_ai.system.texts import code, fenced

CONTROL_DEADLINE_S = 5.0
_MAX_DIFF_CHARS = 4000
_MASKED = "it holds the placeholder of a masked secret, where the program has the secret; leave such lines as they are"


class TryFixTool(Tool[TryFixArguments]):
    """Whether the failing code (or `check`) passes with these lines replaced; in a snapshot, no file changes.

    Lines outside functions are tried if the whole program can be rerun in the snapshot.
    """

    description = (
        "Try a fix in a copy: lines `first` to `last` (last = first - 1: inserts) become `text`; then what failed, or "
        "`check` (an expression that must be true), runs again."
    )
    arguments = TryFixArguments
    level = "compute"
    alternative = "propose the fix without a verdict"
    title = "Trial of a fix"
    hint = "Use it before you propose an edit."
    only = "python"
    instead = "It needs a copy of the program, and a native one is only read: propose the fix, to be built and run."

    async def run(self, bench: ToolContext, arguments: TryFixArguments) -> ToolResult:
        """Returns the verdict with its reason and the diff. Raises NotStopped, RequestFailed."""
        if bench.focus is None:
            return NO_FRAME
        if any(PLACEHOLDER.search(edit.text) for edit in arguments.edits):
            return ToolResult(f"The edit {CANNOT}: {_MASKED}.", failed=True)
        try:
            edits = [_edit(bench.case, edit) for edit in arguments.edits]
            files = {edit.source.path: edit.source for edit in edits}
            diffs = {path: diff(source, edits, bench.case.inspection.cwd) for path, source in files.items()}
        except ValueError as error:
            return ToolResult(f"The edit {CANNOT}: {error}.", failed=True)
        if bench.debugger.why_no_snapshot:
            return ToolResult(f"The fix {CANNOT}: {bench.debugger.why_no_snapshot}.", failed=True)
        verdict = await _verdict(bench, edits, arguments)
        return _result(verdict, diffs)


async def _verdict(bench: ToolContext, edits: Sequence[SourceEdit], arguments: TryFixArguments) -> FixVerdict:
    runs = CheckRuns(bench.debugger, bench.case, failure_of(bench.case))
    if why := runs.edits_check(edits):
        return FixVerdict(CANNOT, why)
    if arguments.check:
        chosen = await _asked(runs, bench, arguments)
    else:
        chosen = await _reaching(runs, bench.case, edits)
    if isinstance(chosen, FixVerdict):
        return chosen
    verdict = FixVerdict(CANNOT, "no line of it runs in the check")
    for control in chosen:  # a wider check may accept an edit that this one cannot; a pass must hold for the widest
        wider = await runs.attempt(edits, control, deadline_s=arguments.deadline_s, trace=True)
        if wider.outcome != CANNOT or not verdict.passes:
            verdict = wider
        if verdict.outcome == "not verified":
            break
    if verdict.verified and whole_test(bench.case):
        return upheld(verdict, await judged(runs, await neighbours_of(runs), edits))
    return verdict


async def _asked(runs: CheckRuns, bench: ToolContext, arguments: TryFixArguments) -> list[Control] | FixVerdict:
    """Returns the control run of the check that the caller gave; a verdict if the check cannot run."""
    place = bench.focus
    if place is None or place.source is None:
        return FixVerdict(CANNOT, "there is no frame with source for the check")
    try:
        text = _statements(arguments.check)
    except SyntaxError as error:
        return FixVerdict(CANNOT, f"the check does not parse: {error.msg}")
    line = place.frame.line
    check = FailureCheck(place, place.source, line, line, f"the check {code(arguments.check)}", text=text)
    control = await runs.control(check, deadline_s=CONTROL_DEADLINE_S, own=True)
    return [control] if control.usable else FixVerdict(CANNOT, control.why_not, check)


async def _reaching(runs: CheckRuns, case: StopSnapshot, edits: Sequence[SourceEdit]) -> list[Control] | FixVerdict:
    """Returns control runs that reproduce the failure: the shortest that runs the edited lines, and the longest."""
    if runs.failure is None:
        return FixVerdict(CANNOT, "nothing has failed here: name a check")
    checks = checks_of(case)
    controls = [await runs.control(check, deadline_s=CONTROL_DEADLINE_S) for check in checks]
    usable = [control for control in controls if control.usable]
    if not usable:
        reasons = list(dict.fromkeys(c.why_not for c in controls)) or ["nothing of it can be run again"]
        return FixVerdict(CANNOT, "; ".join(reasons[:2]))
    reaching = [c for c in usable[:-1] if all(c.ran(e.source, e.first, e.last) for e in edits)]
    return [*reaching[:1], usable[-1]]


def _edit(case: StopSnapshot, edit: LineEdit) -> SourceEdit:
    source = file_of(case, edit.file)
    lines = edit.text.splitlines()
    return SourceEdit(source, edit.first, edit.last, lines)


def _statements(check: str) -> str:
    """Returns the check as statements, an expression as an assertion. Raises SyntaxError."""
    text = textwrap.dedent(check).strip()
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        ast.parse(text)
        return text + "\n"
    return f"assert ({text})\n"


def _result(verdict: FixVerdict, diffs: dict[str, str]) -> ToolResult:
    words = verdict.check.words if verdict.check else ""
    fixes = [Fix(p, d, verified=verdict.verified, check=words, result=verdict.text) for p, d in diffs.items()]
    shown = fenced(clip("\n".join(diffs.values()), _MAX_DIFF_CHARS), "diff")
    heads = {
        "verified": f"{VERIFIED} {verdict.text}.",
        "passes": f"{PASSES} {verdict.text}.",
        "not verified": f"{NOT_VERIFIED} {verdict.text} ({words}).",
        CANNOT: f"**It {CANNOT}:** {verdict.text}.",
    }
    data: dict[str, Any] = {"outcome": verdict.outcome, "text": verdict.text, "check": words}
    failed = verdict.outcome == CANNOT
    return ToolResult(f"{heads[verdict.outcome]}\n\n{shown}", data, "" if failed else UNCHANGED, failed, fixes=fixes)


try_fix = TryFixTool()
