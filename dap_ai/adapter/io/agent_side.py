"""The agent of a session: made once something is launched, its asks as tasks, and what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from dap_ai.adapter.io.ask_debugger import AskDebugger, AskSink
from dap_ai.adapter.io.ask_debugger import Pump as AskPump
from dap_ai.adapter.io.ports import Agent, Recipe
from dap_ai.adapter.state.effects import AgentEnded, Event, StartAsk
from dap_ai.protocol.acting import Consent, Done
from dap_ai.protocol.asking import Answer
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.lending import LentPiece, LentReply

Outcome = bytes | Consent | Done | LentPiece | LentReply


class AgentSide:
    """A failing agent ends its ask, never the session. `own`: the session's launch arguments for us."""

    def __init__(self, recipe: Recipe, pump: AskPump) -> None:
        self.own: dict[str, Any] = {}
        self._recipe = recipe
        self._pump = pump
        self._agent: asyncio.Future[Agent] | None = None
        self._asks: dict[str, asyncio.Task[None]] = {}
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._streams: dict[int, asyncio.Queue[Outcome | RequestFailed]] = {}
        self._tokens = 0

    def warm(self) -> None:
        """Begin to make the agent: a question that comes later waits less."""
        self._get().add_done_callback(_forget)

    def start(self, start: StartAsk) -> None:
        """Answer a question."""
        ask_id = start.ask.ask_id
        task = asyncio.get_running_loop().create_task(self._answer(start))
        self._asks[ask_id] = task
        task.add_done_callback(lambda _task: self._asks.pop(ask_id, None))

    def cancel(self, ask_id: str) -> None:
        """Stop answering."""
        if task := self._asks.get(ask_id):
            task.cancel()

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """See ask_debugger.Pump."""
        self._tokens += 1
        token = self._tokens
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        try:
            self._pump.receive(wanted(token))
            return await future
        finally:
            self._waiting.pop(token, None)

    async def outcomes(self, wanted: Callable[[int], Event]) -> AsyncGenerator[Any]:
        """See ask_debugger.Pump."""
        self._tokens += 1
        token = self._tokens
        stream = self._streams[token] = asyncio.Queue()
        try:
            self._pump.receive(wanted(token))
            while not isinstance(outcome := await stream.get(), RequestFailed):
                yield outcome
            raise outcome
        finally:
            del self._streams[token]

    def resolve(self, token: int, outcome: Outcome, error: RequestFailed | None = None) -> None:
        """What came of something the agent wanted."""
        if (stream := self._streams.get(token)) is not None:
            stream.put_nowait(error or outcome)
            return
        future = self._waiting.get(token)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(outcome)
        else:
            future.set_exception(error)

    async def end_asks(self) -> None:
        """No ask is being answered any more."""
        tasks = list(self._asks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        """The agent ends what it has started; another one may be made afterwards."""
        made, self._agent = self._agent, None
        if made is None:
            return
        await asyncio.wait({made})
        if not made.cancelled() and made.exception() is None:
            await made.result().close()

    def _get(self) -> asyncio.Future[Agent]:
        """The session's agent, made in a thread once something is launched: an idle proxy stays small."""
        if self._agent is None:
            made = asyncio.to_thread(self._recipe.agent, self.own)
            self._agent = asyncio.ensure_future(made)
        return asyncio.shield(self._agent)

    async def _answer(self, start: StartAsk) -> None:
        ask_id, receive = start.ask.ask_id, self._pump.receive
        try:
            agent = await self._get()
            answer = await agent.answer(start.ask, AskDebugger(self._pump, start), AskSink(self._pump, ask_id))
        except NotStopped as error:
            receive(AgentEnded(ask_id, Answer(stale=True), str(error.user_text), not_stopped=True))
        except RequestFailed as error:
            receive(AgentEnded(ask_id, Answer(), error.user_text))
        except Exception as error:  # noqa: BLE001  a task edge: it ends one ask, never the session
            self._recipe.log(f"{ask_id} failed: {error!r}")
            receive(AgentEnded(ask_id, Answer(), f"{type(error).__name__}: {error}"))
        else:
            receive(AgentEnded(ask_id, answer, answer.error))


def _forget(agent: asyncio.Future[Agent]) -> None:
    """A failure is told by the ask that needs the agent, not by the event loop."""
    if not agent.cancelled():
        agent.exception()
