"""`try_fix` over the real proxy and the real debugpy: an agent that runs the tool and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dap_ai.agent.case.reader import Reader
from dap_ai.agent.case.source import Sources
from dap_ai.agent.tools.base import Bench, ToolResult
from dap_ai.agent.tools.try_fix import LineEdit, TryFixArguments, try_fix
from dap_ai.protocol.contracts.asking import Answer, Ask
from dap_ai.protocol.wire.safe import as_it_is
from tests.integration.live import live


class Trying:
    """Answers an ask with what `try_fix` says of each wanted fix, one after another."""

    def __init__(self, wanted: list[TryFixArguments]) -> None:
        self.wanted = wanted
        self.results: list[ToolResult] = []

    async def answer(self, ask: Ask, debugger: Any, sink: Any) -> Answer:
        case = await Reader(debugger, Sources(), "compute").read(debugger.stop)
        for arguments in self.wanted:
            self.results.append(await try_fix.run(Bench(debugger, case, as_it_is), arguments))
        return Answer(text="tried")

    async def close(self) -> None:
        pass


async def tried(
    program: Path, *wanted: TryFixArguments, lines: tuple[int, ...] = (), **launch: Any
) -> list[ToolResult]:
    """The results for a program that has stopped, at an exception or at a breakpoint."""
    agent = Trying(list(wanted))
    async with live(agent=agent) as session:
        await session.launch(program, lines=lines, **launch)
        await session.stopped()
        await session.request("ask", {"question": "try"})
        await session.event("askEnded", "dapAi.askEnded")
    return agent.results


def change(program: Path, old: str, new: str, check: str = "", deadline_s: float = 5.0) -> TryFixArguments:
    """The arguments that put `new` in the place of the line that holds `old`, indented as it was."""
    lines = program.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if old in line)
    pad = lines[number - 1][: len(lines[number - 1]) - len(lines[number - 1].lstrip())]
    text = "\n".join(pad + row for row in new.splitlines())
    return TryFixArguments([LineEdit(str(program), number, number, text)], check, deadline_s=deadline_s)
