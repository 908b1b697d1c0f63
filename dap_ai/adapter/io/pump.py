"""Runs a session: moves bytes between client, Session and backend, and carries out the session's effects.

    client link -> FrameReader -> Session.receive -> effects -> backend link        and the same way back

The callback that receives the bytes does all of this; only the agent and process control run as tasks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Sequence
from functools import partial
from typing import Any

import anyio

from dap_ai.adapter.asks.ask_rules import RELATIVE
from dap_ai.adapter.asks.slots import REQUEST
from dap_ai.adapter.io.agent_side import AgentSide
from dap_ai.adapter.io.ask_debugger import Awaiting
from dap_ai.adapter.io.backend_side import BackendSide
from dap_ai.adapter.io.client_side import ClientSide
from dap_ai.adapter.io.error_boundary import ErrorBoundary
from dap_ai.adapter.io.family import ChildPlace, Families, Family
from dap_ai.adapter.io.guest_links import GuestLinks
from dap_ai.adapter.io.ports import ProxyRecipe
from dap_ai.adapter.io.preparing import Preparing
from dap_ai.adapter.io.timers import Timers
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.session.session_end import DISCONNECT, PART
from dap_ai.adapter.session.session_start import GREETING
from dap_ai.adapter.state.debuggee import Phase
from dap_ai.adapter.state.effects import (
    BackendClosed,
    CancelAsk,
    CancelTimer,
    Close,
    CloseGuest,
    Effect,
    EndBackend,
    Event,
    Expect,
    Lent,
    Listen,
    ListenerReady,
    Log,
    LookBack,
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
    ToGuest,
    ToRelative,
)
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.wire import envelope
from dap_ai.transport.byte_links import ByteLink, write_message

_OF_THE_BACKEND = frozenset({DISCONNECT, GREETING, PART, REQUEST})
"""Timers after which dap_ai gives up on a backend. They are longer on a busy machine, which slows the backend."""


class Pump:
    """Runs one session. `run` returns when client and backend are gone. `place` is the place of a child session.

    If `eager`, the agent is created at the launch, because a question follows the first stop at once. Otherwise the
    agent is created at the stop, to leave the processor to a program that is starting.
    """

    def __init__(
        self,
        recipe: ProxyRecipe,
        client: ByteLink,
        families: Families,
        place: ChildPlace | None = None,
        *,
        eager: bool = False,
    ) -> None:
        self.session_id = ""
        self.own: dict[str, Any] = dict(place.own) if place else {}
        self._recipe = recipe
        self._place = place
        self._at_child = place is not None
        """Whether the client came through a listener for child sessions."""
        self._started = time.time()
        self._eager = eager
        self.session = Session(recipe.backend, self._named(recipe.options(self.own)))
        self._families = families
        self._family = place.family if place else Family(families)
        self._guests = GuestLinks(self.receive_all, recipe.log)
        self._client = ClientSide(
            client,
            self.receive,
            self.receive_all,
            lambda full: self._backend.pause(paused=full),
            accepts=self.session.options.accepts,
            log=recipe.log,
        )
        self._backend = BackendSide(
            recipe,
            self.receive,
            self.receive_all,
            self._on_backend_full,
            spares=lambda: self.session.spares,
            begin=self._begin_backend,
        )
        self._awaiting = Awaiting(self.receive)
        self._agent = AgentSide(recipe, self.session, self._awaiting)
        # While a native program starts, its adapter reads symbols in its own process, so there is time.
        eager = eager or self._agent.is_read_only
        self._preparing = Preparing(recipe, families, self._backend, self._agent, eager=eager)
        self._journal = recipe.journal(self.session)
        self._timers = Timers(lambda timer_id: self.receive(TimerFired(timer_id)))
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()
        self._state = (False, Phase.CREATED)
        self._failing_files: tuple[str, ...] = ()
        self._outlived = False
        """Whether the program ended before its child processes, whose sessions still need the adapter."""
        self._failing = ErrorBoundary(self.session, partial(write_message, self._client), self._over.set, recipe.mask)
        self._closed = False
        """Whether the session ignores all further events."""

    async def run(self) -> None:
        """Serve the session until it ends, and leave no process and no task behind. Raises SessionFailed."""
        try:
            self.session_id = await self._guests.open(self.session.options.sockets)
            self._named(self.session.options)
            if self._eager:
                self._backend.begin()
            self._family.add(self)
            self._client.start()
            await self._over.wait()
            if self._outlived and self._failing.ended is None:
                await self._family.ended()
        except Exception as error:  # noqa: BLE001  handled like every other internal error
            self._failing.end_session("run", error)
        finally:
            with anyio.CancelScope(shield=True):
                await self._clean_up()
        if self._failing.ended is not None:
            raise self._failing.ended

    @property
    def adapter_key(self) -> str:
        """The line that the adapter expects first on a connection to its port."""
        return self._backend.key

    def receive(self, event: Event) -> None:
        """Pass an event to the session, and carry out the effects that the session returns."""
        if self._closed or self._failing.ended is not None:
            return
        try:
            for effect in self._effects_of(event):
                self._do(effect)
            self._follow()
        except Exception as error:  # noqa: BLE001  any error ends the session
            self._failing.end_session(type(event).__name__, error)

    def _effects_of(self, event: Event) -> Sequence[Effect]:
        effects: Sequence[Effect] = ()
        try:
            effects = self.session.receive(event)
        except Exception as error:  # noqa: BLE001  any error fails the request
            effects = self._failing.answer(event, error)
        finally:  # record the event that failed, too
            if self._journal is not None:
                self._journal.record(event, effects)
        return effects

    def _follow(self) -> None:
        """Inform family and agent if the program has stopped, resumed or ended."""
        state = (self.session.state.stopped, self.session.state.phase)
        if state != self._state:
            self._state = state
            self._family.follow()
            if self.session.state.stopped:
                self._agent.warm()
        if self.session.state.failing_files != self._failing_files:
            self._failing_files = self.session.state.failing_files
            self._agent.look_ahead(self._failing_files)

    def receive_all(self, events: Iterable[Event]) -> None:
        """Pass the events of one read to the session, and send all resulting bytes of each link in one write."""
        links = (self._client, self._backend)
        for link in links:
            link.hold(held=True)
        try:
            for event in events:
                self.receive(event)
        finally:
            for link in links:
                link.hold(held=False)

    def _do(self, effect: Effect) -> None:
        match effect:
            case ToClient(body):
                write_message(self._client, body)
            case ToBackend(body):
                write_message(self._backend, body)
            case ToAgent(token, body, error):
                self._awaiting.resolve(token, body, error)
            case Settled(token, told) | Lent(token, told):
                self._awaiting.resolve(token, told)
            case StartAsk():
                self._agent.start(effect)
            case LookBack():
                self._agent.look_back(effect)
            case CancelAsk(ask_id):
                self._agent.cancel(ask_id)
            case SetTimer(timer_id, seconds):
                self._timers.set(timer_id, seconds, patient=timer_id in _OF_THE_BACKEND)
            case CancelTimer(timer_id):
                self._timers.cancel(timer_id)
            case _:
                self._do_rare(effect)

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case ToGuest(guest, body) if guest.startswith(RELATIVE):
                self._family.answer(self, guest, body)
            case ToGuest(guest, body):
                self._guests.tell(guest, body)
            case CloseGuest(guest):
                self._guests.end(guest)
            case ToRelative(session_id, body):
                self._family.say(self, session_id, body)
            case Listen(host, port):
                self._spawn(self._listen(host, port))
            case Expect(configuration):
                place = ChildPlace(self._family, None, self.session_id, self.own)
                self._families.expect(envelope.decode(configuration, dict[str, Any]), place)
            case Prepare():
                self._spawn(self._prepare(effect))
            case PauseTimer(timer_id):
                self._timers.pause(timer_id)
            case ResumeTimer(timer_id):
                self._timers.resume(timer_id)
            case EndBackend():
                self._end_backend()
            case Close():
                self._over.set()
            case Log(text):
                self._recipe.log(text)
            case _:
                raise AssertionError(effect)

    def _end_backend(self) -> None:
        if self._place is None and self.session.state.phase is Phase.ENDED and self._family.is_alive:
            self._outlived = True
            asyncio.get_running_loop().call_soon(self.receive, BackendClosed("its child processes need it still"))
        else:
            self._spawn(self._backend.end())

    def _on_backend_full(self, full: bool) -> None:
        self._guests.pause(paused=full)
        self._client.pause(paused=full)

    def _begin_backend(self) -> None:
        at = (self._place.address, self._place.key) if self._place else (None, "")
        self._spawn(self._backend.start(*at))

    # -- launch and attach ------------------------------------------------------------------------------------------

    async def _prepare(self, wanted: Prepare) -> None:
        try:
            ready = await self._preparing.prepare(wanted, self.own, self._place)
        except Exception as error:  # noqa: BLE001  any error fails the request
            self.receive(Prepared(error=str(error) or type(error).__name__))
        else:
            self.own = ready.own
            if ready.place is not None and self._place is None:
                self._move_to(ready.place)
            options, adapter = self._named(ready.options), ready.place.address if ready.place else None
            self.receive(Prepared(ready.arguments, "", ready.connected, options, adapter, ready.note))

    def _move_to(self, place: ChildPlace) -> None:
        """Move to the family of a child session whose client came through the proxy's main port."""
        self._place = place
        self._family.remove(self)
        self._family = place.family
        self._family.add(self)

    def _named(self, options: SessionOptions) -> SessionOptions:
        """Return the options with this session's identity added.

        A client that comes through a child listener must send that child's token.
        """
        options.session_id, options.started, options.backend = self.session_id, self._started, self._recipe.backend.name
        options.parent_id = self._place.parent_id if self._place else ""
        if self._at_child:
            options.token, options.anonymous = options.child_token, False
        return options

    async def _listen(self, host: str, port: int) -> None:
        self.receive(ListenerReady(host, port, await self._family.open_listener(self, (host, port))))

    # -- the end ----------------------------------------------------------------------------------------------------

    async def _clean_up(self) -> None:
        self._guests.close()
        self._client.part()
        self._family.remove(self)
        await self._agent.end_asks()  # until they end, asks may need answers from the session
        self._closed = True
        self._timers.cancel_all()
        if self._place is None:
            await self._family.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._backend.close()
        await self._agent.close()
        if self._journal is not None:
            self._journal.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failing.end_session("a task", error)
