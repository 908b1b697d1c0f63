"""Reads for tools: expressions with the inspector, files within the roots, and values from any frame."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from dap_ai.agent.case.source_roots import UnreadableFileError, roots_of
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import literal
from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.syntax import node_of
from dap_ai.agent.tools.base import ToolContext, clip
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameFacts, FrameQuery, Inspection, Node, Query
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery

NO_INSPECTOR = "this debug adapter has no static inspector"
_DEADLINE_MS = 1500


async def read(bench: ToolContext, expressions: Sequence[str], **limits: Any) -> list[ExpressionResult]:
    """Evaluates expressions in the focus frame. `limits` are fields of Query. Raises NotStopped, RequestFailed."""
    facts = await read_in(bench, [bench.frame_id], expressions, **limits)
    return facts[0] if facts else [ExpressionResult(error="refused", text=NO_INSPECTOR) for _ in expressions]


async def read_in(
    bench: ToolContext, frame_ids: Sequence[int], expressions: Sequence[str], **limits: Any
) -> list[list[ExpressionResult]]:
    """Evaluates expressions in several frames. Returns a list of results for each frame.

    Raises NotStopped, RequestFailed.
    """
    parsed = [_parsed(text, bench.dialect) for text in expressions]
    nodes = [node for node in parsed if not isinstance(node, ExpressionResult)]
    wanted = [FrameQuery(frame_id, variables=False, expressions=nodes) for frame_id in frame_ids]
    found = await visit(bench, wanted, **limits)
    return [_facts(parsed, frame) for frame in found.frames]


async def visit(bench: ToolContext, frames: list[FrameQuery], **limits: Any) -> Inspection:
    """Inspects several frames with one request. Raises NotStopped, RequestFailed."""
    if not (frames and bench.debugger.can_inspect):
        return Inspection([])
    query = Query(frames, bench.level, exception=False, threads=False, deadline_ms=_DEADLINE_MS, **limits)
    return await bench.debugger.inspect(query)


async def somewhere(
    bench: ToolContext, expressions: Sequence[str], **limits: Any
) -> tuple[int, str, ExpressionResult] | None:
    """Returns (frame id, expression, result) for the first expression that has a value in any frame, or None."""
    ids = [frame.id for frame in bench.case.frames]
    brief = await read_in(bench, ids, expressions, max_items=1, max_text=16, max_fields=0)
    for frame_id, facts in zip(ids, brief, strict=False):
        for text, fact in zip(expressions, facts, strict=True):
            if fact.value is not None:
                return frame_id, text, (await read_in(bench, [frame_id], [text], **limits))[0][0]
    return None


async def printed(bench: ToolContext, statement: str) -> tuple[str, str]:
    """Calls `print` in a snapshot and returns (output, reason for failure). Raises NotStopped."""
    result, why = await bench.snapshot(SnapshotQuery(bench.frame_id, statement))
    if result is None:
        return "", why
    if result.status != "ok" or result.unknown:
        return "", result.unknown or result.error or "it took too long"
    return result.printed.rstrip("\n") + ("\n..." if result.printed_truncated else ""), ""


async def find(bench: ToolContext, file: str) -> SourceFile:
    """Returns a file that the agent may read. Raises UnreadableFileError, NotStopped, RequestFailed.

    `file` is an absolute path or the end of a path.
    """
    roots = roots_of(bench.case)
    try:
        return _load(bench, await asyncio.to_thread(roots.find, file))
    except UnreadableFileError:
        wide = roots_of(bench.case, await import_path(bench))
        if wide == roots:
            raise
        return _load(bench, await asyncio.to_thread(wide.find, file))


async def import_path(bench: ToolContext) -> list[str]:
    """Returns the program's `sys.path`; empty if unreadable. Raises NotStopped, RequestFailed."""
    found = await somewhere(bench, ["sys.path", "os.sys.path"], max_text=20_000, max_items=200)
    if found and found[2].value:
        folders = literal(found[2].value)
        return [str(folder) for folder in cast("list[object]", folders)] if isinstance(folders, list) else []
    text, _ = await printed(bench, r"print('\n'.join(__import__('sys').path))")
    return text.splitlines()


def numbered(source: SourceFile, first: int, last: int, marked: int = 0) -> str:
    """Formats lines `first` to `last` with their numbers, 1-based inclusive. Marks the line `marked`."""
    rows = [
        f"{'>' if n == marked else ' '}{n:>5}  {clip(source.line(n), 400)}".rstrip() for n in range(first, last + 1)
    ]
    return "\n".join(rows)


def _load(bench: ToolContext, path: str) -> SourceFile:
    source = bench.sources.text(path)
    if source is None:
        raise UnreadableFileError(f"{path} is no text that Python would read")
    return source


def _parsed(text: str, language: str) -> Node | ExpressionResult:
    try:
        return node_of(text, language)
    except SyntaxRefused as error:
        return ExpressionResult(error="refused", text=f"refused: {error}")


def _facts(parsed: Sequence[Node | ExpressionResult], frame: FrameFacts) -> list[ExpressionResult]:
    """Returns one result per expression, in order. Adds the refusals of expressions that were not sent."""
    answers = iter(frame.values)
    unread = ExpressionResult(error="refused", text=frame.error or "it was not read: too much was asked at once")
    return [each if isinstance(each, ExpressionResult) else next(answers, unread) for each in parsed]


def file_of(case: StopSnapshot, file: str) -> SourceFile:
    """Returns a source file of the program. Raises ValueError if the agent may not read the file.

    `file` is an absolute path or the end of a path.
    """
    path = roots_of(case).find(file)
    found = case.sources.text(path)
    if found is None:
        raise ValueError(f"there is no source file {file}")
    return found
