"""The Python debuggee kind: reads a program by an inspector inside it, and reruns its code in copies of its process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dap_ai.agent.case.debuggee_kind import Kind
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.system import load_limits

if TYPE_CHECKING:
    from dap_ai.agent.case.stop_reader import StopReader
    from dap_ai.agent.providers.offline import Analyst
    from dap_ai.agent.source.source_file import SourceFile
    from dap_ai.agent.tools.base import Tool
    from dap_ai.agent.tools.report_tool import ReportTool
    from dap_ai.commands.target_kinds import Make, TargetRequest
    from dap_ai.protocol.contracts.question import Answer
    from dap_ai.protocol.contracts.repeatable_run import Recalled
    from dap_ai.settings.configuration import Resolved

_IN_TIME_S, _BESIDE_IN_TIME_S = 0.4, 0.8
"""Seconds (on an idle machine) to wait for the failed check's rerun and for nearby tests."""
_T = TypeVar("_T")


async def _in_time(work: Awaitable[_T], limit_s: float) -> _T | None:
    try:
        return await load_limits.wait_for(work, limit_s)
    except asyncio.TimeoutError:
        return None


class Python(Kind):
    """The debuggee kind of Python programs.

    Implements agent.case.debuggee_kind.Kind, agent.tools.base.HasForms, commands.target_kinds.KindPort,
    agent.case.evidence.Cites, agent.providers.offline.HasAnalyst and agent.providers.investigator.HasReport.
    """

    name = "python"
    called = debugs = "Python"
    backends = ("debugpy",)
    languages = frozenset({"python"})
    offered = None

    async def complete(self, case: StopSnapshot, debugger: Debugger) -> None:
        """Replaces the exception's message with the debug adapter's description of it, if the stop has one."""
        del debugger
        said = case.stop.description
        if case.stop.reason == "exception" and case.exception and said and not said.startswith("exception: no desc"):
            case.messages.append(case.exception.message)
            case.exception.message = said

    async def first_context(self, case: StopSnapshot, debugger: Debugger, budget_tokens: int) -> str:
        """Returns the first prompt context of a stop: traceback, values and source lines, within `budget_tokens`.

        Reruns a failed check and its neighbouring tests in traced snapshots (copies of the process), because a rerun
        shows calls that have returned. A rerun that takes too long is dropped, because it only affects which lines are
        quoted first.
        """
        from dap_ai.debuggees.python.analysis.claims.context import first_context  # noqa: PLC0415  the kind is loaded before it is used
        from dap_ai.debuggees.python.analysis.ranking.rank_update import apply_spectrum  # noqa: PLC0415  the same
        from dap_ai.debuggees.python.analysis.ranking.ranking import analyse  # noqa: PLC0415  the same
        from dap_ai.debuggees.python.analysis.record.reruns import beside_again, demand_again  # noqa: PLC0415  the same

        analysis, control, tests = await asyncio.gather(
            asyncio.to_thread(analyse, case),
            _in_time(demand_again(debugger, case), _IN_TIME_S),
            _in_time(beside_again(debugger, case), _BESIDE_IN_TIME_S),
        )
        if analysis and tests:
            await asyncio.to_thread(apply_spectrum, analysis, [control] if control else [], tests)
        return first_context(case, analysis, budget_tokens, control)

    def context_unread(self, case: StopSnapshot, budget_tokens: int) -> str:
        """Returns the first prompt context from the traceback and the source alone, without values."""
        from dap_ai.debuggees.python.analysis.claims.context import first_context  # noqa: PLC0415  the kind is loaded before it is used
        from dap_ai.debuggees.python.analysis.ranking.ranking import analyse  # noqa: PLC0415  the same

        return first_context(case, analyse(case), budget_tokens)

    def has_failed(self, case: StopSnapshot) -> bool:
        """Whether the program has stopped at an exception."""
        return case.stop.reason == "exception"

    def prepare(self, source: SourceFile) -> None:
        """Indexes where this file creates objects, for questions about a value's origin."""
        from dap_ai.debuggees.python.analysis.syntax import data_sources  # noqa: PLC0415  the kind is loaded before it is used

        data_sources.prepare(source)

    async def recall(self, debugger: Debugger, case: StopSnapshot) -> Recalled:
        """Reruns the program or test up to this stop and records it.

        Raises UnrepeatableError, NotStopped, RequestFailed.
        """
        from dap_ai.debuggees.python.analysis.record.recall_search import recall  # noqa: PLC0415  the same

        return await recall(debugger, case)

    def forms(self) -> Mapping[str, Tool[Any]]:
        """Returns the model's tools that run code in a copy of the program, by name."""
        from dap_ai.debuggees.python.tools.table import FORMS  # noqa: PLC0415  the same

        return FORMS

    def report(self) -> ReportTool:
        """Returns the tool by which a model reports values, suspicious lines and fixes."""
        from dap_ai.agent.tools.report_tool import ReportTool  # noqa: PLC0415  only with a model

        return ReportTool()

    async def read_again(
        self, answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger
    ) -> Sequence[str]:
        """Reads the values that an answer cites once more; returns a text for each that differs."""
        from dap_ai.agent.case.evidence import values_again  # noqa: PLC0415  the kind is loaded before it is used

        del case
        return await values_again(answer, reader, debugger)

    def claims(self, wanted: TargetRequest) -> bool:
        """Accepts every request that no other debuggee kind accepts; `look` then reports errors in the request."""
        del wanted
        return True

    def look(self, wanted: TargetRequest, resolved: Resolved, tell: Callable[[str], None]) -> Make:
        """Finds the program and its interpreter, and returns a function that makes the target."""
        from dap_ai.debuggees.python.launch.target import look  # noqa: PLC0415  only at a terminal

        return look(wanted, resolved, tell)

    def analyst(self) -> Analyst:
        """Returns the analyst that answers without a model."""
        from dap_ai.debuggees.python.answer.answer import PythonAnalyst  # noqa: PLC0415  a model does not need it

        return PythonAnalyst()


kind = Python()
"""The entry point of the Python debuggee kind."""
