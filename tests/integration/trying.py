"""A tool over the real proxy and the real debugpy: an agent that runs it and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.debuggees.python.tools.try_fix import LineEdit, TryFixArguments, try_fix
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.safe import as_it_is
from tests.integration.live import live


class Calling:
    """Answers an ask with what a tool says of each of its calls, one after another."""

    def __init__(self, tool: Tool[Any], calls: Sequence[ToolArguments]) -> None:
        self.tool = tool
        self.calls = calls
        self.results: list[ToolResult] = []

    async def answer(self, ask: AcceptedAsk, debugger: Any, sink: Any) -> Answer:
        case = await StopReader(debugger, Sources(), "compute").read(debugger.stop)
        for arguments in self.calls:
            bench = await ToolContext(debugger, case, as_it_is).at(getattr(arguments, "frame", None))
            self.results.append(await self.tool.run(bench, arguments))
        return Answer(text="called")

    async def close(self) -> None:
        pass


async def called(
    program: Path, tool: Tool[Any], *calls: ToolArguments, lines: tuple[int, ...] = (), **launch: Any
) -> list[ToolResult]:
    """The results for a program that has stopped, at an exception or at a breakpoint."""
    agent = Calling(tool, calls)
    async with live(agent=agent) as session:
        await session.launch(program, lines=lines, **launch)
        await session.stopped()
        await session.request("ask", {"question": "call"})
        await session.event("askEnded", "dapAi.askEnded")
    return agent.results


async def tried(
    program: Path, *wanted: TryFixArguments, lines: tuple[int, ...] = (), **launch: Any
) -> list[ToolResult]:
    """The same of `try_fix`."""
    return await called(program, try_fix, *wanted, lines=lines, **launch)


def change(program: Path, old: str, new: str, check: str = "", deadline_s: float = 5.0) -> TryFixArguments:
    """The arguments that put `new` in the place of the line that holds `old`, indented as it was."""
    lines = program.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if old in line)
    pad = lines[number - 1][: len(lines[number - 1]) - len(lines[number - 1].lstrip())]
    text = "\n".join(pad + row for row in new.splitlines())
    return TryFixArguments([LineEdit(str(program), number, number, text)], check, deadline_s=deadline_s)
