"""Serves a replay in the endpoint's process: answers queries, resets the workspace at the fork, ends the agent."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.live.ending import terminated
from dap_ai.debuggees.runs.live.endpoint_plan import Plan
from dap_ai.debuggees.runs.live.replay.replay_replies import Replaying
from dap_ai.debuggees.runs.live.replay.tape import CannotReplay, Tape
from dap_ai.debuggees.runs.live.replay.workspace_copy import differing, set_to
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.live.wire.query_visit import Decision
from dap_ai.debuggees.runs.live.workspace.git import GitError

_FEW = 5


class ReplayService:
    """Answers a live run's requests from a recording (the tape); implements `query_visit.Replies`."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        note: Callable[[Mapping[str, Any]], None],
        agent: Callable[[], int | None],
        kept: Callable[[], tuple[Path, Path, str] | None],
    ) -> None:
        """Open the tape. Raises CannotReplay.

        `folder` is the folder of the new recording; `agent` returns the agent's process id. `kept` returns (workspace,
        repository of its states, newest commit).
        """
        self._plan, self._note, self._agent, self._kept = plan, note, agent, kept
        self._tape = Tape(Path(plan.tape))
        before = None
        with contextlib.suppress(CannotReplay):
            before = Tape(folder)
        self._replaying = Replaying(plan, self._tape, note, before)

    def decide(self, number: int, api: Api, body: bytes) -> Decision:
        """Decide who answers the query `number`: the tape, an edit, or the model. Never raises."""
        return self._replaying.decide(number, api, body)

    async def settle(self, keep: Callable[[], Awaitable[object]]) -> None:
        """Reset the workspace to the tape's state at the fork, and report the files that differed.

        Call this once the workspace's state before the query is saved; `keep` saves the new state.
        """
        followed = self._kept()
        if not self._plan.restore or self._tape.repository is None or followed is None:
            return
        try:
            found = await asyncio.to_thread(self._set, self._tape.repository, *followed)
        except (GitError, OSError) as error:
            words = f"the workspace could not be set to the recording's at the fork: {error}"
            self._note({"note": words, "at": time.time(), "drift": []})
            return
        if found:
            shown = ", ".join(found[:_FEW]) + (f" and {len(found) - _FEW} more" if len(found) > _FEW else "")
            words = f"at the fork the workspace was not the recording's, and was set to it: {shown}"
            self._note({"note": words, "at": time.time(), "drift": found})
            await keep()

    def _set(self, then: Path, directory: Path, repository: Path, head: str) -> list[str]:
        found = differing(then, self._plan.restore, repository, head)
        if found:
            set_to(then, self._plan.restore, directory, found)
        return found

    def end_agent(self) -> None:
        """Terminate the agent and its child processes."""
        if pid := self._agent():
            terminated(pid)
