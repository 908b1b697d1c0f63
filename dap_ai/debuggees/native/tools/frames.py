"""The tool `frames`, which lists part of a native stack of any depth. Recursions and library frames take one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.debuggees.native.source.frame_folding import FoldedFrames, folded, in_words
from dap_ai.protocol.contracts.tool_arguments import FramesArguments
from dap_ai.system.texts import fenced

_MAX_FOLDED = 3
"""Maximum number of consecutive library frames that are still listed one by one."""
_SHOWN_OF_RECURSION = 2


class FramesTool(Tool[FramesArguments]):
    """`count` frames of a stack of any depth, from number `start` on.

    A recursion, or a run of library frames, takes one line, with their number.
    """

    description = "Frames of a deep stack, `count` from number `start` on; recursion is folded and counted."
    arguments = FramesArguments
    level = "observe"
    only = "native"

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the stack is too deep for the tool `stack` to show all of it."""
        return bench.case.total_frames > 0

    async def run(self, bench: ToolContext, arguments: FramesArguments) -> ToolResult:
        """List one page of frames, and state the depth of the stack."""
        reader = StopReader(bench.debugger, bench.sources, bench.level)
        frames = await reader.frames(bench.case.stop.thread_id, arguments.start, arguments.count)
        depth = depth_of(bench)
        if not frames:
            return ToolResult(f"There is no frame {arguments.start}: the stack has {depth}.", failed=True)
        rows = "\n".join(rows_of(bench, frames, folded(frames), arguments.start))
        last = arguments.start + len(frames) - 1
        return ToolResult(f"Frames {arguments.start:,} to {last:,}; the stack has {depth}:\n\n{fenced(rows)}")


def depth_of(bench: ToolContext) -> str:
    """Return the depth of the stack as text, such as `2,005 frames` or `more than 5,121 frames`."""
    case = bench.case
    return f"{'more than ' if case.more_frames else ''}{case.total_frames or len(case.frames):,} frames"


def whole_stack(bench: ToolContext) -> list[str]:
    """Format a native stack: its innermost frames, a summary of the frames in between, and its outermost frames."""
    case = bench.case
    rows = list(rows_of(bench, case.frames, folded(case.frames, case.total_frames, case.outermost)))
    if case.more_frames:
        rows.append(f"... the stack has {depth_of(bench)}: `frames` shows more of them")
    return rows


def rows_of(
    bench: ToolContext, frames: Sequence[StackFrame], runs: Sequence[FoldedFrames], start: int = 0
) -> Iterator[str]:
    """Yield one row per frame shown, or two with its source line. `start` is the number of the first frame."""
    total = bench.case.total_frames
    outermost = bench.case.outermost if not start else []
    known = dict(enumerate(frames, start)) | dict(enumerate(outermost, total - len(outermost)))
    for run in runs:
        numbers = range(start + run.first, start + run.first + run.count)
        if run.kind == "recursion":
            yield from _recursion(bench, known, run, numbers)
        elif run.kind == "library" and run.count > _MAX_FOLDED:
            yield f"#{numbers[0]}-#{numbers[-1]} {in_words(run)}"
        elif not run.names:
            yield f"... {in_words(run)}"
        else:
            yield from (_row(bench, number, known[number]) for number in numbers if number in known)


def _recursion(bench: ToolContext, known: dict[int, StackFrame], run: FoldedFrames, numbers: range) -> Iterator[str]:
    """Format a recursion: its first periods, the number of further frames, and its last frame."""
    shown = min(len(numbers), _SHOWN_OF_RECURSION * len(run.names))
    yield from (_row(bench, number, known[number]) for number in numbers[:shown] if number in known)
    last = numbers[-1] if numbers[-1] in known and len(numbers) > shown + 1 else None
    hidden = len(numbers) - shown - (last is not None)
    if hidden:
        rest = FoldedFrames(run.first, hidden, run.names, run.kind)
        yield f"... {in_words(rest).replace(' of ', ' more of ', 1)}: {len(numbers):,} in all"
    if last is not None:
        yield _row(bench, last, known[last])


def _row(bench: ToolContext, number: int, frame: StackFrame) -> str:
    asked = bench.focus is not None and frame.id == bench.focus.frame.id
    source = bench.sources.read(frame.path) if frame.user or asked else None
    line = f"\n      {cut(source.line(frame.line).strip(), 160)}" if source else ""
    place = f"{bench.short(frame.path)}:{frame.line}" if frame.path else "(no source)"
    inlined = " (inlined)" if frame.inlined else ""
    mark = "  <- the question is about it" if asked else ""
    return f"#{number} {frame.name}{inlined} {place}{mark}{line}"


frames = FramesTool()
