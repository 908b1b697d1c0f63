"""The agent of a session: it is created when a question needs it, and runs one task for each question."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from dap_ai.adapter.io.ask_debugger import AskDebugger, AskSink, Awaiting
from dap_ai.adapter.io.ports import AgentPort, LooksAhead, ProxyRecipe
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import AgentEnded, LookBack, LookedBack, StartAsk
from dap_ai.protocol.contracts.backend import Backend, SnapshotService, StopInspector
from dap_ai.protocol.contracts.question import NotAnswered, no_answer
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.wire.errors import RequestFailed


class AgentSide:
    """Runs the agent of a session. An error of the agent ends its question, never the session.

    `own` are the session's launch arguments for dap_ai.
    """

    def __init__(self, recipe: ProxyRecipe, session: Session, awaiting: Awaiting) -> None:
        self.own: dict[str, Any] = {}
        self._recipe = recipe
        self._session = session
        self._awaiting = awaiting
        self._readers: dict[type[Backend], tuple[StopInspector | None, SnapshotService | None]] = {}
        self._agent: asyncio.Future[AgentPort] | None = None
        self._asks: dict[str, asyncio.Task[None]] = {}
        self._ahead: asyncio.Future[None] | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether the backend can inspect the program but make no copies."""
        inspector, snapshots = self._reader()
        return inspector is not None and snapshots is None

    def _reader(self) -> tuple[StopInspector | None, SnapshotService | None]:
        """Return (inspector, snapshot service) for the session's kind of adapter. Each is None if unavailable.

        A child session's adapter may be of another kind than its parent's.
        """
        backend = self._recipe.backend.announced(self._session.announced)
        if type(backend) not in self._readers:
            made = backend.inspector(), backend.snapshots(self._session.options.snapshot_reads)
            self._readers[type(backend)] = made
        return self._readers[type(backend)]

    def warm(self) -> None:
        """Start creating the agent, so that a later question waits less."""
        self._get().add_done_callback(_forget)

    def look_ahead(self, files: Sequence[str]) -> None:
        """Prepare for a question about a failure in these files.

        If `files` is empty, the program has resumed, and this method stops the preparation.
        """
        if self._ahead is not None:
            self._ahead.cancel()
        self._ahead = asyncio.ensure_future(self._look_ahead(files)) if files else None

    async def _look_ahead(self, files: Sequence[str]) -> None:
        with contextlib.suppress(Exception):  # the ask that needs the agent or the file reports the error
            agent = await self._get()
            if isinstance(agent, LooksAhead):
                await agent.look_ahead(files)

    def start(self, start: StartAsk) -> None:
        """Start a task in which the agent answers a question."""
        ask_id = start.ask.ask_id
        task = asyncio.get_running_loop().create_task(self._answer(start))
        self._asks[ask_id] = task
        task.add_done_callback(lambda done: self._forget_ask(ask_id, done))

    def look_back(self, wanted: LookBack) -> None:
        """Start a task that reruns the program in a copy."""
        ask_id = wanted.ask.ask_id
        task = asyncio.get_running_loop().create_task(self._look_back(wanted))
        self._asks[ask_id] = task
        task.add_done_callback(lambda done: self._forget_ask(ask_id, done))

    def _forget_ask(self, ask_id: str, task: asyncio.Task[None]) -> None:
        if self._asks.get(ask_id) is task:  # an ask may have started its next look back
            del self._asks[ask_id]

    async def _look_back(self, wanted: LookBack) -> None:
        ask_id, receive = wanted.ask.ask_id, self._awaiting.tell
        try:
            debugger = AskDebugger(self._session, self._awaiting, *self._reader(), wanted)
            if wanted.query is not None:
                receive(LookedBack(ask_id, result=await debugger.copied(wanted.query)))
                return
            recalled = await (await self._get()).recall(debugger)
        except Exception as error:  # noqa: BLE001  an error ends this rerun, never the session
            text = error.user_text if isinstance(error, RequestFailed) else f"{type(error).__name__}: {error}"
            receive(LookedBack(ask_id, why=self._recipe.mask(f"No step back here: {text}.")))
        else:
            found = isinstance(recalled, Recalled)
            receive(LookedBack(ask_id, recalled) if found else LookedBack(ask_id, why=recalled.text))

    def cancel(self, ask_id: str) -> None:
        """Cancel the task that answers this question."""
        if task := self._asks.get(ask_id):
            task.cancel()

    async def end_asks(self) -> None:
        """Cancel all running questions, and wait until their tasks end."""
        tasks = list(self._asks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        """Close the agent and everything that the agent has started. A later question creates a new agent."""
        self.look_ahead(())
        made, self._agent = self._agent, None
        if made is None:
            return
        await asyncio.wait({made})
        if not made.cancelled() and made.exception() is None:
            await made.result().close()

    def _get(self) -> asyncio.Future[AgentPort]:
        """Return the session's agent, creating it in a thread if necessary. An idle proxy thus stays small."""
        if self._agent is None:
            made = asyncio.to_thread(self._recipe.agent, self.own)
            self._agent = asyncio.ensure_future(made)
        return asyncio.shield(self._agent)

    async def _answer(self, start: StartAsk) -> None:
        ask_id, receive = start.ask.ask_id, self._awaiting.tell
        try:
            agent = await self._get()
            debugger = AskDebugger(self._session, self._awaiting, *self._reader(), start)
            answer = await agent.answer(start.ask, debugger, AskSink(receive, ask_id))
        except Exception as error:  # noqa: BLE001  an error ends this ask, never the session
            self._recipe.log(f"{ask_id} failed: {error!r}")
            receive(AgentEnded(ask_id, no_answer(), self._recipe.mask(f"{type(error).__name__}: {error}")))
        else:
            if isinstance(answer, NotAnswered):
                if answer.is_ours:
                    self._recipe.log(f"{ask_id} failed: {answer.text}")
                receive(AgentEnded(ask_id, no_answer(stale=answer.stale), answer.text, not_stopped=answer.stale))
            else:
                receive(AgentEnded(ask_id, answer))


def _forget(agent: asyncio.Future[AgentPort]) -> None:
    """Mark the agent's exception as retrieved, so that only the question that needs the agent reports it."""
    if not agent.cancelled():
        agent.exception()
