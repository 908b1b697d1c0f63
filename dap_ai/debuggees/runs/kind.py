"""Debuggee kind of recorded agent runs: what the AI debugger needs to explain where a run went wrong."""

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
    """Debuggee kind of recorded agent runs.

    Implements agent.case.debuggee_kind.Kind, agent.tools.base.HasForms and commands.target_kinds.KindPort, and also
    agent.case.evidence.Cites, agent.providers.offline.HasAnalyst and agent.providers.investigator.HasReport.
    """

    name = "run"
    called, debugs = "a recorded run of an agent", "recorded runs"
    backends: Sequence[str] = ("agents",)
    model_tokens = 20_000
    asks = ASKS
    offered: frozenset[str] | None = frozenset(
        ("steps", "step", "search", "diff", "tree", "workspace", "checks", "compare", "report")
    )
    """Names of the tools for a run; tools that read a program's state do not apply."""

    def own_files(self, case: StopSnapshot, files: Sequence[str]) -> Sequence[str] | None:
        """Return no files: the adapter decides which files of a run a tool may read."""
        del case, files
        return ()

    def expression_language(self, language: str) -> str:
        """Return "python": conditions are Python expressions over the fields of an event."""
        del language
        return "python"

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Leave the snapshot unchanged: a recorded run is already complete."""

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """Return an overview of the run: its task, outcome, tree of changed files, and errors."""
        from dap_ai.debuggees.runs.answer.run_at_stop import opened  # noqa: PLC0415  imported on use
        from dap_ai.debuggees.runs.answer.run_markdown import context_of  # noqa: PLC0415  imported on use

        del debugger
        return await asyncio.to_thread(lambda: context_of(opened(case), budget_tokens))

    def has_failed(self, case: StopSnapshot) -> bool:
        """Return whether the stop is at a tool error, a failed check or a known failure pattern."""
        return case.stop.reason == "exception"

    def occasion(self, case: StopSnapshot) -> str:
        """Return the prompt's sentence that the debuggee is a run; `instructions` explains how to read a run."""
        del case
        return wording("run")

    def instructions(self, marker: str) -> str:
        """Return the system prompt for runs, in which the model can neither evaluate nor try code."""
        return wording("system_run", marker=marker, tokens=f"{self.model_tokens:,}")

    def report(self) -> ReportTool:
        """Return the tool with which the model reports on a run, citing steps and quotes."""
        from dap_ai.debuggees.runs.answer.run_report import ReportOnRun  # noqa: PLC0415  only with a model

        return ReportOnRun()

    async def read_again(
        self, answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger
    ) -> Sequence[str]:
        """Check the answer's steps and quotes against the run's files."""
        from dap_ai.debuggees.runs.answer.quote_check import read_again  # noqa: PLC0415  imported on use

        del reader, debugger
        return await read_again(answer, case, by_model=answer.usage.model_calls > 0 and not answer.error)

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Return the tools that exist only for runs, or differ for runs, by name."""
        from dap_ai.debuggees.runs.answer.run_tools import FORMS  # noqa: PLC0415  imported on use

        return FORMS

    def claims(self, wanted: TargetRequest) -> bool:
        """Return whether the command line has `--run` or `--agent`."""
        return wanted.run is not None or wanted.agent

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
        """Open the run and find where to stop; for a live agent, check that its command exists."""
        if wanted.agent:
            from dap_ai.debuggees.runs.answer import live_target  # noqa: PLC0415  imported on use

            return live_target.look(wanted)
        from dap_ai.debuggees.runs.answer.run_target import look  # noqa: PLC0415  only at a terminal

        return look(wanted, resolved, tell)

    def analyst(self) -> Analyst:
        """Return the analyst that answers questions about a run without a model."""
        from dap_ai.debuggees.runs.answer.run_analyst import RunAnalyst  # noqa: PLC0415  imported on use

        return RunAnalyst()


kind = RecordedRun()
"""Object that the entry point in the group `dap_ai.kinds` refers to."""
