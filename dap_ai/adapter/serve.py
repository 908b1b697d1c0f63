"""The proxy's only I/O: moves bytes between client, Session and backend, runs timers and the agent's tasks.

    client link -> FrameReader -> Session.receive -> effects -> backend link        and the same way back

All of it happens in the callback that brought the bytes; only the agent and process control are tasks. A failing
agent ends its ask, never the session.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from dap_ai.adapter import peers
from dap_ai.adapter.ask_debugger import AskDebugger, AskSink
from dap_ai.adapter.client import Client
from dap_ai.adapter.effects import (
    AgentEnded,
    BackendClosed,
    CancelAsk,
    CancelTimer,
    ClientClosed,
    Close,
    Effect,
    EndBackend,
    Event,
    FromBackend,
    FromClient,
    Log,
    PauseTimer,
    Prepare,
    Prepared,
    ResumeTimer,
    SetTimer,
    Settled,
    StartAsk,
    TimerFired,
    ToAgent,
    ToBackend,
    ToClient,
)
from dap_ai.adapter.ports import Agent, Process, Recipe
from dap_ai.adapter.session import Session
from dap_ai.adapter.timers import Timers
from dap_ai.protocol import envelope
from dap_ai.protocol.acting import Consent, Done
from dap_ai.protocol.asking import Answer
from dap_ai.protocol.errors import NotStopped, RemoteProtocolError, RequestFailed
from dap_ai.protocol.framing import FrameReader, encode_frame
from dap_ai.streams import Link, TransportLink, memory_pair, open_stdio, open_tcp

_CONNECT_S = 10.0
_STALL_S = 10.0
"""A backend that has not read for so long, with more unsent bytes than a link holds, will not read again."""


class Pump:
    """One session at work. `run` returns when client and backend are gone."""

    def __init__(self, recipe: Recipe, client: Link) -> None:
        self._recipe = recipe
        self.session = Session(recipe.backend, recipe.options({}))
        self.walker = recipe.backend.walker()
        self.snapshots = recipe.backend.snapshots(self.session.options.snapshot_reads)
        self._own: dict[str, Any] = {}
        self._agent: asyncio.Future[Agent] | None = None
        self._client = client
        self._client_frames = FrameReader()
        self._backend: Link | None = None
        self._backend_ready = asyncio.Event()
        self._process: Process | None = None
        self._processes: list[Process] = []
        self._early: list[bytes] = []
        self._timers = Timers(lambda timer_id: self.receive(TimerFired(timer_id)))
        self._ask_tasks: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[int, asyncio.Future[bytes | Consent | Done]] = {}
        self._tokens = 0
        self._over = asyncio.Event()
        self._stalled: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Serve the session to its end; whatever happens, no process and no task is left."""
        self._client.start(self._on_client_data, lambda: self.receive(ClientClosed()), self._on_client_full)
        self._spawn(self._start_backend())
        try:
            await self._over.wait()
        finally:
            with anyio.CancelScope(shield=True):
                await self._clean_up()

    async def _clean_up(self) -> None:
        self._timers.cancel_all()
        if self._stalled is not None:
            self._stalled.cancel()
        tasks = [*self._ask_tasks.values(), *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._client.close()
        if self._backend is not None:
            self._backend.close()
        for process in self._processes:
            await process.end()
        await self._close_agent()

    def receive(self, event: Event) -> None:
        """Tell the session, and do what it wants."""
        for effect in self.session.receive(event):
            self._do(effect)

    def _do(self, effect: Effect) -> None:
        match effect:
            case ToClient(body):
                self._client.write(encode_frame(body))
            case ToBackend(body):
                self._write_backend(encode_frame(body))
            case ToAgent(token, body, error):
                self._resolve(token, body, error)
            case Settled(token, outcome):
                self._resolve(token, outcome)
            case StartAsk():
                self._start_ask(effect)
            case CancelAsk(ask_id):
                if task := self._ask_tasks.get(ask_id):
                    task.cancel()
            case Prepare():
                self._spawn(self._prepare(effect))
            case SetTimer(timer_id, seconds):
                self._timers.set(timer_id, seconds)
            case CancelTimer(timer_id):
                self._timers.cancel(timer_id)
            case PauseTimer(timer_id):
                self._timers.pause(timer_id)
            case ResumeTimer(timer_id):
                self._timers.resume(timer_id)
            case EndBackend():
                self._spawn(self._end_backend())
            case Close():
                self._over.set()
            case Log(text):
                self._recipe.log(text)

    # -- links ------------------------------------------------------------------------------------------------------

    def _on_client_data(self, data: bytes) -> None:
        try:
            for body in self._client_frames.feed(data):
                self.receive(FromClient(body))
        except RemoteProtocolError as error:
            self._recipe.log(f"the client's stream cannot be followed: {error}")
            self.receive(ClientClosed())

    def _on_client_full(self, full: bool) -> None:
        """The client does not read: neither is the backend read."""
        if self._backend is not None:
            self._backend.pause(paused=full)

    async def _start_backend(self) -> None:
        try:
            process = await self._recipe.spawn(self._recipe.log)
        except OSError as error:
            self._backend_ready.set()
            self.receive(BackendClosed(f"{error}", started=False))
            return
        self._process = process
        self._processes.append(process)
        self._use_backend(process.link)
        self._backend_ready.set()

    def _use_backend(self, link: Link) -> None:
        self._backend = link
        frames = FrameReader()

        def on_data(data: bytes) -> None:
            if self._backend is not link:
                return
            try:
                for body in frames.feed(data):
                    self.receive(FromBackend(body))
            except RemoteProtocolError as error:
                self.receive(BackendClosed(f"its stream cannot be followed: {error}"))
                self._spawn(self._end_backend())

        def on_end() -> None:
            if self._backend is link:
                self.receive(BackendClosed(self._last_words(frames)))

        link.start(on_data, on_end, self._on_backend_full)
        early, self._early = self._early, []
        for data in early:
            link.write(data)

    def _on_backend_full(self, full: bool) -> None:
        """The backend does not read: neither is the client read; and a backend that stays so is ended."""
        self._client.pause(paused=full)
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        if full:
            end = lambda: self._spawn(self._end_backend())  # noqa: E731  a timer wants a callable
            self._stalled = asyncio.get_running_loop().call_later(_STALL_S, end)

    def _last_words(self, frames: FrameReader) -> str:
        words = self._process.last_words if self._process is not None else ""
        return words or frames.junk.decode(errors="replace").strip()

    def _write_backend(self, data: bytes) -> None:
        if self._backend is None:
            self._early.append(data)
        else:
            self._backend.write(data)

    async def _end_backend(self) -> None:
        if self._process is not None:
            await self._process.end()
        elif self._backend is not None:
            self._backend.close()
        self.receive(BackendClosed("it did not answer and was ended"))
        self._client.pause(paused=False)

    async def _prepare(self, wanted: Prepare) -> None:
        try:
            self._own = envelope.decode(wanted.own, dict[str, Any])
            options = self._recipe.options(self._own)
            self._get_agent().add_done_callback(_forget)
            start = await self._recipe.backend.prepare(
                wanted.command, envelope.decode(wanted.arguments, dict[str, Any])
            )
            if start.connect is not None:
                await self._switch_backend(*start.connect)
        except Exception as error:  # noqa: BLE001  a task edge: whatever it was, the request is answered
            await self._close_agent()  # the next launch may want other settings
            self.receive(Prepared(error=str(error) or type(error).__name__))
        else:
            connected = start.connect is not None
            self.receive(Prepared(envelope.encode(start.arguments), connected=connected, options=options))

    def _get_agent(self) -> asyncio.Future[Agent]:
        """The session's agent, made in a thread once something is launched: an idle proxy stays small."""
        if self._agent is None:
            made = asyncio.to_thread(self._recipe.agent, self._own)
            self._agent = asyncio.ensure_future(made)
        return asyncio.shield(self._agent)

    async def _close_agent(self) -> None:
        made, self._agent = self._agent, None
        if made is None:
            return
        await asyncio.wait({made})
        if not made.cancelled() and made.exception() is None:
            await made.result().close()

    async def _switch_backend(self, host: str, port: int) -> None:
        """Talk to the adapter that listens at this address instead of the one started here."""
        try:
            link = await open_tcp(host, port, _CONNECT_S)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            reason = "no answer" if isinstance(error, TimeoutError | asyncio.TimeoutError) else str(error)
            raise ConnectionError(
                f"There is nothing to attach to at {host}:{port} ({reason}). Is the program waiting there, "
                "with debugpy.listen or `python -m debugpy --listen`?"
            ) from error
        await self._backend_ready.wait()  # the adapter that is not wanted after all may still be starting
        process, self._process = self._process, None
        self._use_backend(link)
        if process is not None:
            await process.end()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- the agent --------------------------------------------------------------------------------------------------

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """What comes of an event of the agent: a response's body as bytes, Consent or Done. `wanted` makes the event.

        Raises RequestFailed, NotStopped.
        """
        self._tokens += 1
        token = self._tokens
        future: asyncio.Future[bytes | Consent | Done] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        try:
            self.receive(wanted(token))
            return await future
        finally:
            self._waiting.pop(token, None)

    def _resolve(self, token: int, outcome: bytes | Consent | Done, error: RequestFailed | None = None) -> None:
        future = self._waiting.get(token)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(outcome)
        else:
            future.set_exception(error)

    def _start_ask(self, start: StartAsk) -> None:
        ask_id = start.ask.ask_id
        task = asyncio.get_running_loop().create_task(self._answer(start))
        self._ask_tasks[ask_id] = task
        task.add_done_callback(lambda _task: self._ask_tasks.pop(ask_id, None))

    async def _answer(self, start: StartAsk) -> None:
        ask_id = start.ask.ask_id
        try:
            agent = await self._get_agent()
            answer = await agent.answer(start.ask, AskDebugger(self, start), AskSink(self, ask_id))
        except NotStopped as error:
            self.receive(AgentEnded(ask_id, Answer(stale=True), str(error.user_text), not_stopped=True))
        except RequestFailed as error:
            self.receive(AgentEnded(ask_id, Answer(), error.user_text))
        except Exception as error:  # noqa: BLE001  a task edge: it ends one ask, never the session
            self._recipe.log(f"{ask_id} failed: {error!r}")
            self.receive(AgentEnded(ask_id, Answer(), f"{type(error).__name__}: {error}"))
        else:
            self.receive(AgentEnded(ask_id, answer, answer.error))


def _forget(agent: asyncio.Future[Agent]) -> None:
    """A failure is told by the ask that needs the agent, not by the event loop."""
    if not agent.cancelled():
        agent.exception()


class Proxy:
    """Sessions over stdio, TCP or in this process; each has its own adapter process."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe

    async def serve_stdio(self) -> None:
        """One session on stdin and stdout."""
        await Pump(self._recipe, await open_stdio()).run()

    async def serve_tcp(self, host: str, port: int, ready: Callable[[str, int], None]) -> None:
        """Sessions on a listening socket until cancelled; `ready(host, port)` once it listens. Raises OSError."""
        running: set[asyncio.Task[None]] = set()

        def on_connected(link: TransportLink) -> None:
            peer, own = link.end("peername"), link.end("sockname")
            if not self._recipe.options({}).token and peers.is_of_another_user(peer, own):
                self._recipe.log(f"turned away: {peer[0]}:{peer[1]} is of another user of this machine")
                link.close()
                return
            task = asyncio.get_running_loop().create_task(Pump(self._recipe, link).run())
            running.add(task)
            task.add_done_callback(running.discard)

        listener = await asyncio.get_running_loop().create_server(lambda: TransportLink(on_connected), host, port)
        try:
            ready(*listener.sockets[0].getsockname()[:2])
            # Not serve_forever: from Python 3.12 on, its end waits for every connection to close by itself.
            await asyncio.Event().wait()
        finally:
            listener.close()
            for task in running:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*running, return_exceptions=True)

    async def open_in_process(self) -> Client:
        """A session in this process, and its client. `Client.close` ends both."""
        near, far = memory_pair()
        task = asyncio.get_running_loop().create_task(Pump(self._recipe, far).run())

        async def end() -> None:
            await asyncio.wait([task])

        return Client(near, end)
