"""The `report` tool, with which a model submits the evidence for its answer. Values are read again, fixes tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from dap_ai.agent.case.evidence import evidence_at, is_same, read_again
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.value_texts import show
from dap_ai.agent.masking.spans import PLACEHOLDER
from dap_ai.agent.report.source_edits import SourceEdit, diff
from dap_ai.agent.report.wording import ADVICE
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.tools.base import NoFrame, Tool, ToolContext, ToolResult
from dap_ai.agent.tools.tool_reads import file_of
from dap_ai.agent.tools.tool_table import run
from dap_ai.protocol.contracts.tool_arguments import CitedValue, LineEdit, ReportedFix, TryFixArguments
from dap_ai.protocol.contracts.tool_arguments import ReportArguments as Reported
from dap_ai.protocol.wire.ask_messages import Evidence, Fix, Suspect
from dap_ai.system.texts import code, fenced

_MAX_ROWS = 12
_RECOMMENDATION = re.compile(r"^\W*recommendation\b", re.IGNORECASE | re.MULTILINE)


class ReportTool(Tool[Reported]):
    """The `report` tool. It keeps the last report of a model."""

    description = "End with this beside your answer: values as read, suspicious lines, fixes. All is checked again."
    arguments = Reported
    level = "observe"

    def __init__(self) -> None:
        super().__init__()
        self.evidence: list[Evidence] = []
        self.suspects: list[Suspect] = []
        self.fixes: list[Fix] = []
        self.called = self.accepted = False
        self._verdicts: dict[bytes, ToolResult] = {}

    def tried(self, arguments: TryFixArguments, result: ToolResult) -> None:
        """Stores the verdict of a fix that was tried during this question, for use if the model reports the fix."""
        self._verdicts[_key(arguments)] = result

    def forget(self) -> None:
        """Discards the stored verdicts and the acceptance, because the program has changed."""
        self._verdicts.clear()
        self.accepted = False

    async def run(self, bench: ToolContext, arguments: Reported) -> ToolResult:
        """Checks the report and returns which parts are confirmed. Raises NotStopped, RequestFailed."""
        self.called = True
        mistakes: list[str] = []
        self.evidence = await self._cited(bench, arguments.evidence[:_MAX_ROWS], mistakes)
        self.suspects = _suspects(bench, arguments, mistakes)
        self.fixes, verdicts = await self._tried(bench, arguments.fixes[:3])
        self.accepted = not mistakes
        rows = [f"{'confirmed' if e.confirmed else 'NOT confirmed'}: {e.expression} = {e.value}" for e in self.evidence]
        rows += [f"suspect: {bench.short(s.file)}:{s.line}" for s in self.suspects]
        told = "\n".join([*rows, *verdicts, *mistakes]) or "The report is empty."
        again = "Correct what is wrong, and report again; or say in the answer what is open."
        end = "Accepted." if self.accepted else again
        return ToolResult(f"{told}\n{end}", suspects=self.suspects, fixes=self.fixes)

    async def ending(self, text: str, bench: ToolContext | None) -> str:
        """Returns the text to append to the answer: missing fixes with verdicts, or a recommendation.

        If the model reported no fix, first tries the diffs in its answer. Does not repeat a diff that the answer shows.
        """
        parts: list[str] = []
        written = changes_in(text, bench) if bench and not self.fixes else []
        if bench and written:
            self.fixes, _ = await self._tried(bench, written)
        if not _RECOMMENDATION.search(text):
            parts.append(f"{ADVICE} {_advice(self.fixes, self.suspects, bench)}")
        parts += [part for fix in self.fixes if (part := _missing(fix, text, is_new=bool(written)))]
        if not self.called:
            parts.append("*The model reported no evidence: nothing that it says was read a second time.*")
        return "".join(f"{part}\n\n" for part in parts)

    async def _cited(self, bench: ToolContext, cited: Iterable[CitedValue], mistakes: list[str]) -> list[Evidence]:
        evidence: list[Evidence] = []
        stop = bench.case.stop
        for value in cited:
            try:
                place = (await bench.at(value.frame)).focus
            except NoFrame as error:
                mistakes.append(f"{value.expression}: {error}")
                continue
            if place is None:
                mistakes.append(f"{value.expression}: there is no frame with source in this stop")
                continue
            evidence.append(evidence_at(value.expression, value.value, place.frame, stop))
        facts = await read_again(evidence, StopReader(bench.debugger, bench.sources, bench.level), bench.debugger)
        for row in evidence:
            fact = facts.get((row.frame_id, row.expression))
            row.confirmed = bool(fact and is_same(row.value, fact))
            if not row.confirmed:
                is_now = (
                    f"it is {show(fact.value, 200)}" if fact and fact.value else (fact.text if fact else "not read")
                )
                mistakes.append(f"{row.expression} is not {row.value[:80]}: {is_now}")
        return evidence

    async def _tried(self, bench: ToolContext, changes: Iterable[ReportedFix]) -> tuple[list[Fix], list[str]]:
        fixes: list[Fix] = []
        verdicts: list[str] = []
        for change in changes:
            wanted = TryFixArguments(change.edits, change.check)
            result = self._verdicts.get(_key(wanted)) or await run(bench, wanted)
            fixes += result.fixes or _untried(bench, change)
            verdicts.append(result.text.split("\n", 1)[0])
        return fixes, verdicts


def _untried(bench: ToolContext, change: ReportedFix) -> list[Fix]:
    """Returns the diffs of a fix that could not be tried, for the user to view or apply."""
    if any(PLACEHOLDER.search(edit.text) for edit in change.edits):
        return []  # applied, it would write the placeholder instead of the secret
    try:
        edits = [SourceEdit(file_of(bench.case, e.file), e.first, e.last, e.text.splitlines()) for e in change.edits]
        diffs = {edit.source.path: diff(edit.source, edits, bench.case.inspection.cwd) for edit in edits}
    except ValueError:
        return []
    return [
        Fix(path, text, verified=False, check="", result="it was not tried") for path, text in diffs.items() if text
    ]


def _key(fix: TryFixArguments) -> bytes:
    return msgspec.json.encode((fix.edits, fix.check))


def _suspects(bench: ToolContext, arguments: Reported, mistakes: list[str]) -> list[Suspect]:
    found: list[Suspect] = []
    for rank, blamed in enumerate(arguments.suspects[:_MAX_ROWS]):
        try:
            source = file_of(bench.case, blamed.file)
        except ValueError as error:
            mistakes.append(f"{blamed.file}:{blamed.line}: {error}")
            continue
        if not 1 <= blamed.line <= len(source.lines):
            mistakes.append(f"{blamed.file} has no line {blamed.line}: it has {len(source.lines)}")
            continue
        found.append(Suspect(source.path, blamed.line, round(1 / (rank + 1), 3), blamed.reason[:300]))
    return found


def _missing(fix: Fix, text: str, *, is_new: bool) -> str:
    """Returns the diff or verdict that the answer lacks about a fix. `is_new`: the model has not seen the verdict."""
    if not _is_shown(fix, text):
        return f"{_verdict(fix)}\n\n{fenced(fix.diff.rstrip(), 'diff')}"
    return _verdict(fix) if is_new or _contradicts(fix, text) else ""


def _is_shown(fix: Fix, text: str) -> bool:
    """Whether the answer contains every line that the fix adds or removes."""
    changed = [line for line in fix.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return bool(changed) and all(line[1:].strip() in text for line in changed)


def _contradicts(fix: Fix, text: str) -> bool:
    """Whether the answer says "verified" about a fix that is not verified."""
    return not fix.verified and re.search(r"\bverified\b", text, re.IGNORECASE) is not None


def _verdict(fix: Fix) -> str:
    if fix.verified:
        return f"Verified in a snapshot: {fix.result}."
    return f"Not verified: {fix.result}."


def _advice(fixes: list[Fix], suspects: list[Suspect], bench: ToolContext | None) -> str:
    if any(fix.verified for fix in fixes):
        return "Apply this change."
    if fixes:
        return "Look at this change before you use it."
    if suspects:
        first = suspects[0]
        file = bench.short(first.file) if bench else first.file
        return f"Look at {code(f'{file}:{first.line}')}: {first.reason.rstrip('.')}."
    return "Set a breakpoint before this line, step to it, and ask again how the values come about."


_MAX_DIFFS = 3
_BLOCK = re.compile(r"^(`{3,}|~{3,})(?:diff|patch)[ \t]*\n(.*?)\n\1[ \t]*$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_HUNK = re.compile(r"^@@(?: -(\d+))?.*$", re.MULTILINE)


def changes_in(text: str, bench: ToolContext) -> list[ReportedFix]:
    """Returns the fixes in the first diffs of an answer."""
    found: list[ReportedFix] = []
    for block in _BLOCK.finditer(text):
        edits = _edits(block[2], bench)
        if edits:
            found.append(ReportedFix(edits))
    return found[:_MAX_DIFFS]


def _edits(diff: str, bench: ToolContext) -> list[LineEdit]:
    """Returns the edits of a diff. Returns an empty list if one of the edits cannot be located in the source."""
    source = _source(diff, bench)
    edits = [_edit(source, hunk, near) for hunk, near in _hunks(diff)] if source else []
    return [edit for edit in edits if edit] if all(edits) else []


def _source(diff: str, bench: ToolContext) -> SourceFile | None:
    names = {name[1].strip() for name in _NAME.finditer(diff)}
    try:
        if len(names) == 1:
            return file_of(bench.case, names.pop())
    except ValueError:
        return None
    return bench.focus.source if bench.focus and not names else None


def _hunks(diff: str) -> Iterator[tuple[list[str], int]]:
    """Yields the lines of each hunk of a diff, with the line number in its header, or 0 without a header."""
    body = re.sub(r"^(?:--- |\+\+\+ |diff |index ).*\n?", "", diff, flags=re.MULTILINE)
    heads = list(_HUNK.finditer(body))
    ends = [*(head.start() for head in heads[1:]), len(body)]
    for head, end in zip(heads, ends, strict=False):
        yield body[head.end() : end].strip("\n").split("\n"), int(head[1] or 0)
    if not heads and body.strip():
        yield body.strip("\n").split("\n"), 0


def _edit(source: SourceFile, hunk: list[str], near: int) -> LineEdit | None:
    old = [line[1:].rstrip() for line in hunk if line[:1] != "+"]
    new = [line[1:].rstrip() for line in hunk if line[:1] != "-"]
    if old == new or not any(line.strip() for line in old):
        return None
    lines = [line.rstrip() for line in source.lines]
    starts = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    if len(starts) != 1 and not (starts and near):
        return None
    first = min(starts, key=lambda at: abs(at + 1 - near)) + 1
    while old and new and old[0] == new[0]:
        old, new, first = old[1:], new[1:], first + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return LineEdit(source.path, first, first + len(old) - 1, "\n".join(new))
