"""The model's tool `report` for runs.

The model reports the range of steps where the run went wrong, with quotes. Each quote is verified against the run's
files.
"""

from __future__ import annotations

import asyncio

from dap_ai.agent.tools.base import ToolContext, ToolResult
from dap_ai.agent.tools.report_tool import ReportTool
from dap_ai.debuggees.runs.answer.quote_check import RunRereading, evidence_of, no_step, unconfirmed
from dap_ai.debuggees.runs.answer.quote_parser import Quote, quotes_in
from dap_ai.debuggees.runs.answer.run_at_stop import read_run_at_stop
from dap_ai.debuggees.runs.readers.base import CannotRead
from dap_ai.protocol.contracts.run_tool_arguments import RunReportArguments
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.protocol.wire.errors import RequestFailed

_MOST = 16
"""Maximum number of quotes."""
_MAX_REASON_CHARS = 300
_NONE = "*The model quoted nothing: nothing that it says was read a second time.*\n\n"


class ReportOnRun(ReportTool):
    """The model's tool `report` for runs. Keeps the last report."""

    description = (
        "End with this beside your answer: the block of steps where it went wrong (first 0: not known, or nothing "
        "did), and the quotes that it rests on. All is read again."
    )
    arguments: type[ToolArguments] = RunReportArguments

    async def run(self, bench: ToolContext, arguments: ToolArguments) -> ToolResult:
        """Verify the report's quotes and return which are confirmed. Raises NotStopped, RequestFailed."""
        assert isinstance(arguments, RunReportArguments)  # noqa: S101  the toolbox has decoded it
        self.called = True
        held = await read_run_at_stop(bench)
        try:
            again = await asyncio.to_thread(RunRereading, held.path)
        except CannotRead as error:
            raise RequestFailed("ask", "noRun", str(error)) from error
        rows: list[str] = []
        mistakes: list[str] = []
        self.evidence = []
        for cited in arguments.evidence[:_MOST]:
            quote = Quote((cited.step,), cited.quote)
            evidence, standing = evidence_of(bench.case, quote), again.standing(quote)
            evidence.confirmed = standing.step is not None
            if evidence.confirmed:
                evidence.file, evidence.line = again.place(cited.step, cited.quote)
                rows.append(f"confirmed: step {cited.step}")
            else:
                mistakes.append(f"NOT confirmed: {unconfirmed(again, quote, standing)}")
            self.evidence.append(evidence)
        self.suspects = self._block(arguments, again, mistakes)
        self.accepted = not mistakes
        again_ = "Correct what is wrong, and report again; or say in the answer what is open."
        end = "Accepted." if self.accepted else again_
        return ToolResult("\n".join([*rows, *mistakes, end]), suspects=self.suspects)

    def _block(self, arguments: RunReportArguments, again: RunRereading, mistakes: list[str]) -> list[Suspect]:
        first, last = arguments.first, arguments.last or arguments.first
        if not first:
            return []
        if not first <= last or last not in again.steps or first not in again.steps:
            mistakes.append(f"steps {first} to {last} are no block of this run: {no_step(again)}")
            return []
        file, line = again.place(first, "")
        steps = f"step {first}" if first == last else f"steps {first}-{last}"
        return [Suspect(file, line, 1.0, f"{steps}: {arguments.reason}"[:_MAX_REASON_CHARS])]

    async def ending(self, text: str, bench: ToolContext | None) -> str:
        """Return a note if the model gave no quotes to verify, else an empty string."""
        return _NONE if bench and not self.called and not quotes_in(text) else ""
