"""`stack` and `threads` in a native program: stacks of any depth, threads by number."""

from __future__ import annotations

from dap_ai.agent.case.reader import MAX_FRAMES, Reader
from dap_ai.agent.tools.base import Bench, ToolResult, fenced
from dap_ai.agent.tools.native.frames import whole_stack
from dap_ai.agent.tools.stack import MAX_THREADS, StackTool, ThreadsTool, listed_threads, spot_of, where_it_is
from dap_ai.protocol.contracts.tools import Threads


class NativeStack(StackTool):
    """Recursion and runs of library frames in one line, counted."""

    def rows(self, bench: Bench) -> list[str]:
        """Its innermost frames, what lies between, its outermost ones."""
        return whole_stack(bench)

    async def elsewhere(self, bench: Bench, thread_id: int, name: str) -> list[str]:
        """The frames of another thread: all are suspended."""
        del name
        frames = await Reader(bench.debugger, bench.sources, bench.level).frames(thread_id, 0, MAX_FRAMES)
        return [f"{f.name} {spot_of(bench, f.path, f.line) if f.path else '(no source)'}" for f in frames]


class NativeThreads(ThreadsTool):
    """As the walker knows them, by number: many have the same name."""

    async def run(self, bench: Bench, arguments: Threads) -> ToolResult:
        """The threads that the debug adapter lists."""
        del arguments
        names = {row["id"]: str(row.get("name", "")) for row in await listed_threads(bench)}
        known = {fact.ident: fact for fact in bench.case.inspection.threads}
        lines: list[str] = []
        for number in sorted({*names, *known}, key=lambda n: n != bench.case.stop.thread_id)[:MAX_THREADS]:
            fact = known.get(number)
            name = fact.name if fact else names[number]
            where = where_it_is(bench, fact) if fact else "not read: `stack` shows where it is"
            mark = f" <- {number} stopped here" if number == bench.case.stop.thread_id else ""
            lines.append(f"{number} {name}: {where}{mark}")
        return ToolResult(fenced("\n".join(lines)) if lines else "The debug adapter lists no threads.")
