"""Recorded runs of LLM agents: read whole from their artefacts; where they went wrong is found by analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dap_ai.agent.case.debuggee_kind import Kind
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.prompts import wording
from dap_ai.debuggees.runs.answer import ASKS
from dap_ai.protocol.contracts.debugger import Debugger

if TYPE_CHECKING:
    from dap_ai.agent.case.stop_reader import StopReader
    from dap_ai.agent.providers.offline import Analyst
    from dap_ai.agent.tools.base import Tool
    from dap_ai.agent.tools.report_tool import ReportTool
    from dap_ai.commands.target_kinds import Make, TargetRequest
    from dap_ai.protocol.contracts.question import Answer
    from dap_ai.settings.configuration import Resolved


class RecordedRun(Kind):
    """See agent.case.kind.Kind, agent.tools.base.HasForms, commands.kinds.KindPort.

    And agent.case.evidence.Cites, agent.providers.offline.HasAnalyst, agent.providers.investigator.HasReport.
    """

    name = "run"
    called, debugs = "a recorded run of an agent", "recorded runs"
    backends: Sequence[str] = ("agents",)
    model_tokens = 20_000
    asks = ASKS
    offered: frozenset[str] | None = frozenset(
        ("steps", "step", "search", "diff", "tree", "workspace", "checks", "compare", "report")
    )
    """The tools of programs have nothing to read in a run."""

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """None: what a tool may read of a run, its adapter tells."""
        del case, files
        return ()

    def expression_language(self, language: str) -> str:
        """Python's, over the fields of an event."""
        del language
        return "python"

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Nothing is added: the run has said all."""

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """The run in a page: task, outcome, tree folded to what changed, what went wrong."""
        from dap_ai.debuggees.runs.answer.run_at_stop import opened  # noqa: PLC0415  the kind is known before it is asked
        from dap_ai.debuggees.runs.answer.run_markdown import context_of  # noqa: PLC0415  the same

        del debugger
        return await asyncio.to_thread(lambda: context_of(opened(case), budget_tokens))

    def has_failed(self, case: StopSnapshot) -> bool:
        """At a tool's error, a failed check, a pattern."""
        return case.stop.reason == "exception"

    def occasion(self, case: StopSnapshot) -> str:
        """That it is a run; how one is read, the instructions say."""
        del case
        return wording("run")

    def instructions(self, marker: str) -> str:
        """Of a run: nothing is evaluated or tried out there."""
        return wording("system_run", marker=marker, tokens=f"{self.model_tokens:,}")

    def report(self) -> ReportTool:
        """The block of steps, and quotes."""
        from dap_ai.debuggees.runs.answer.run_report import ReportOnRun  # noqa: PLC0415  only with a model

        return ReportOnRun()

    async def read_again(
        self, answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger
    ) -> Sequence[str]:
        """The steps and quotes, in the run's files."""
        from dap_ai.debuggees.runs.answer.quote_check import read_again  # noqa: PLC0415  the kind is known before it is asked

        del reader, debugger
        return await read_again(answer, case, by_model=answer.usage.model_calls > 0 and not answer.error)

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Its own tools, and what is read there by DAP's requests."""
        from dap_ai.debuggees.runs.answer.run_tools import FORMS  # noqa: PLC0415  the kind is known before it is asked

        return FORMS

    def claims(self, wanted: TargetRequest) -> bool:
        """What `--run` or `--agent` names."""
        return wanted.run is not None or wanted.agent

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
        """Opens the run, and finds where to hold it; of an agent, whether there is one."""
        if wanted.agent:
            from dap_ai.debuggees.runs.answer import live_target  # noqa: PLC0415  the same

            return live_target.look(wanted)
        from dap_ai.debuggees.runs.answer.run_target import look  # noqa: PLC0415  only at a terminal

        return look(wanted, resolved, tell)

    def analyst(self) -> Analyst:
        """See agent.providers.offline.Analyst."""
        from dap_ai.debuggees.runs.answer.run_analyst import RunAnalyst  # noqa: PLC0415  a model does not need it

        return RunAnalyst()


kind = RecordedRun()
"""The entry point."""
