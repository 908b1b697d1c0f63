"""Recorded runs of LLM agents: read whole from their artefacts; where they went wrong is found by analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dap_ai.agent.case.stack import Case
from dap_ai.agent.prompts import wording
from dap_ai.protocol.contracts.debugger import Debugger

if TYPE_CHECKING:
    from dap_ai.agent.providers.offline import Analyst
    from dap_ai.agent.tools.base import Tool
    from dap_ai.commands.kinds import Make, Wanted
    from dap_ai.config import Resolved


class RecordedRun:
    """See agent.case.kind.Kind, agent.tools.base.HasForms, agent.providers.offline.HasAnalyst, commands.kinds.Named."""

    name = "run"
    called, debugs = "a recorded run of an agent", "recorded runs"
    backends: Sequence[str] = ("agents",)
    languages: frozenset[str] = frozenset()
    project_marks: Sequence[str] = ()
    system_folders: Sequence[str] = ()

    def is_library(self, path: str) -> bool:
        """A run has no source."""
        del path
        return False

    def own_files(self, case: Case, files: Sequence[str]) -> Sequence[str] | None:
        """None: what a tool may read of a run, its adapter tells."""
        del case, files
        return ()

    def expression_language(self, language: str) -> str:
        """Python's, over the fields of an event."""
        del language
        return "python"

    async def complete(self, case: Case, debugger: Debugger) -> None:
        """Nothing is added: the run has said all."""

    async def first_context(self, case: Case, debugger: Debugger, budget_tokens: int) -> str:
        """The run in a page: task, outcome, tree folded to what changed, what went wrong."""
        from dap_ai.kinds.run.telling import context_of, opened  # noqa: PLC0415  the kind is known before it is asked

        del debugger
        return context_of(*await asyncio.to_thread(opened, case), budget_tokens)

    def context_unread(self, case: Case, budget_tokens: int) -> str:
        """Nothing is known of a run without a stop."""
        del case, budget_tokens
        return ""

    def has_failed(self, case: Case) -> bool:
        """At a tool's error, a failed check, a pattern."""
        return case.stop.reason == "exception"

    def occasion(self, case: Case) -> str:
        """What it is, and how it is read."""
        del case
        return wording("run")

    def forms(self) -> Mapping[str, Tool[Any]]:
        """What is read there by DAP's requests."""
        from dap_ai.kinds.run.forms import FORMS  # noqa: PLC0415  the kind is known before it is asked

        return FORMS

    def claims(self, wanted: Wanted) -> bool:
        """What `--run` names."""
        return wanted.run is not None

    def look(self, wanted: Wanted, resolved: Resolved, tell: Callable[[str], None]) -> Make:
        """Opens the run, and finds where to hold it."""
        from dap_ai.kinds.run.starting import look  # noqa: PLC0415  only at a terminal

        return look(wanted, resolved, tell)

    def analyst(self) -> Analyst:
        """See agent.providers.offline.Analyst."""
        from dap_ai.kinds.run.answer import RunAnalyst  # noqa: PLC0415  a model does not need it

        return RunAnalyst()


kind = RecordedRun()
"""The entry point."""
