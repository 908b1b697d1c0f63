"""A session at work: moves bytes between client, Session and backend, and does what the session wants done.

    client link -> FrameReader -> Session.receive -> effects -> backend link        and the same way back

All of it happens in the callback that brought the bytes; only the agent and process control are tasks.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

import anyio

from dap_ai.adapter import sockets
from dap_ai.adapter.agent_side import AgentSide
from dap_ai.adapter.backend_side import BackendSide
from dap_ai.adapter.effects import (
    CancelAsk,
    CancelTimer,
    ClientClosed,
    Close,
    CloseGuest,
    Effect,
    EndBackend,
    Event,
    FromClient,
    FromGuest,
    GuestClosed,
    Listen,
    ListenerReady,
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
    ToGuest,
    ToRelative,
)
from dap_ai.adapter.family import Families, Family, Place
from dap_ai.adapter.options import Options
from dap_ai.adapter.ports import Recipe
from dap_ai.adapter.questions import RELATIVE
from dap_ai.adapter.session import Session
from dap_ai.adapter.state import Phase
from dap_ai.adapter.timers import Timers
from dap_ai.protocol import envelope
from dap_ai.protocol.errors import RemoteProtocolError
from dap_ai.protocol.framing import FrameReader
from dap_ai.streams import Link, write_message


class Pump:
    """One session. `run` returns when client and backend are gone. `place`: that of a child process's session."""

    def __init__(self, recipe: Recipe, client: Link, families: Families, place: Place | None = None) -> None:
        self.session_id = ""
        self.own: dict[str, Any] = dict(place.own) if place else {}
        self._recipe = recipe
        self._place = place
        self._started = time.time()
        self.session = Session(recipe.backend, recipe.options(self.own))
        self.walker = recipe.backend.walker()
        self.snapshots = recipe.backend.snapshots(self.session.options.snapshot_reads)
        self._families = families
        self._family = place.family if place else Family(families)
        self._socket: sockets.SessionSocket | None = None
        self._guests: dict[str, Link] = {}
        self._guest_count = 0
        self._client = client
        self._backend = BackendSide(recipe, self.receive, self.receive_all, self._on_backend_full)
        self._client_full = self._backend_full = False
        self._agent = AgentSide(recipe, self)
        self._journal = recipe.journal(self.session)
        self._timers = Timers(lambda timer_id: self.receive(TimerFired(timer_id)))
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()
        self._state = (False, Phase.CREATED)
        self._outlived = False
        """The program has ended before its child processes, whose sessions need the adapter still."""

    async def run(self) -> None:
        """Serve the session to its end; whatever happens, no process and no task is left."""
        try:
            await self._open_socket()
            self._spawn(self._backend.start(self._place.address if self._place else None))
            self._family.add(self)
            self._client.start(
                self._client_reader(),
                lambda: self.receive(ClientClosed()),
                self._on_client_full,
            )
            await self._over.wait()
            if self._outlived:
                await self._family.ended()
        finally:
            with anyio.CancelScope(shield=True):
                await self._clean_up()

    async def outcome(self, wanted: Callable[[int], Event]) -> Any:
        """See ask_debugger.Pump."""
        return await self._agent.outcome(wanted)

    def receive(self, event: Event) -> None:
        """Tell the session, and do what it wants."""
        effects: Sequence[Effect] = ()
        try:
            effects = self.session.receive(event)
        finally:  # also the event at which it failed
            if self._journal is not None:
                self._journal.record(event, effects)
        for effect in effects:
            self._do(effect)
        state = (self.session.state.stopped, self.session.state.phase)
        if state != self._state:
            self._state = state
            self._family.follow()

    def receive_all(self, events: Iterable[Event]) -> None:
        """The same for the messages of one read: what they make us write goes out in one piece."""
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
                self._agent.resolve(token, body, error)
            case Settled(token, outcome):
                self._agent.resolve(token, outcome)
            case StartAsk():
                self._agent.start(effect)
            case CancelAsk(ask_id):
                self._agent.cancel(ask_id)
            case SetTimer(timer_id, seconds):
                self._timers.set(timer_id, seconds)
            case CancelTimer(timer_id):
                self._timers.cancel(timer_id)
            case _:
                self._do_rare(effect)

    def _do_rare(self, effect: Effect) -> None:
        match effect:
            case ToGuest(guest, body):
                self._tell_guest(guest, body)
            case CloseGuest(guest):
                if link := self._guests.pop(guest, None):
                    link.close()
            case ToRelative(session_id, body):
                self._family.say(self, session_id, body)
            case Listen(host, port):
                self._spawn(self._listen(host, port))
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
        else:
            self._spawn(self._backend.end())

    def _reader(self, event: Callable[[bytes], Event], who: str, lost: Event) -> Callable[[bytes], None]:
        """Cuts a stream into messages for the session; `lost` if it cannot be followed."""
        frames = FrameReader()

        def on_data(data: bytes) -> None:
            try:
                self.receive_all(map(event, frames.feed(data)))
            except RemoteProtocolError as error:
                self._recipe.log(f"{who}'s stream cannot be followed: {error}")
                self.receive(lost)

        return on_data

    def _client_reader(self) -> Callable[[bytes], None]:
        read = self._reader(FromClient, "the client", ClientClosed())

        def on_data(data: bytes) -> None:
            read(data)
            self._read_or_pause_client()

        return on_data

    def _on_client_full(self, full: bool) -> None:
        """The client does not read: the backend is not read; the client is once more, it may say `disconnect`."""
        self._client_full = full
        self._backend.pause(paused=full)
        if not full:
            self._read_or_pause_client()

    def _on_backend_full(self, full: bool) -> None:
        self._backend_full = full
        self._read_or_pause_client()

    def _read_or_pause_client(self) -> None:
        self._client.pause(paused=self._client_full or self._backend_full)

    # -- launch and attach ------------------------------------------------------------------------------------------

    async def _prepare(self, wanted: Prepare) -> None:
        try:
            self.own |= envelope.decode(wanted.own, dict[str, Any])
            self._agent.own = self.own
            options = self._named(self._recipe.options(self.own))
            self._agent.warm()
            arguments = envelope.decode(wanted.arguments, dict[str, Any])
            start = await self._recipe.backend.prepare(wanted.command, arguments)
            connect = start.connect
            if (place := self._families.place_of(connect)) is not None:
                connect = self._move_to(place)
                options = self._named(options)
            if connect is not None:
                await self._backend.switch(connect)
        except Exception as error:  # noqa: BLE001  a task edge: whatever it was, the request is answered
            await self._agent.close()  # the next launch may want other settings
            self.receive(Prepared(error=str(error) or type(error).__name__))
        else:
            self.receive(Prepared(envelope.encode(start.arguments), connected=connect is not None, options=options))

    def _move_to(self, place: Place) -> tuple[str, int] | None:
        """The client has come to a child's session; the adapter to connect to, unless it is ours already."""
        if self._place is not None:
            return None
        self._place = place
        self._family.remove(self)
        self._family = place.family
        self._family.add(self)
        self.own = place.own | self.own
        return place.address

    def _named(self, options: Options) -> Options:
        """The same, with what tells this session from others."""
        options.session_id, options.started, options.backend = self.session_id, self._started, self._recipe.backend.name
        options.parent_id = self._place.parent_id if self._place else ""
        return options

    async def _listen(self, host: str, port: int) -> None:
        own_port = await self._family.listen(self, (host, port))
        self.receive(ListenerReady(host, port, own_port))

    # -- guests -----------------------------------------------------------------------------------------------------

    async def _open_socket(self) -> None:
        setting = self.session.options.sockets
        self._socket = await sockets.open_session(self._on_guest, self._recipe.log, setting)
        self.session_id = self._socket.session_id if self._socket else secrets.token_hex(3)
        self._named(self.session.options)

    def _on_guest(self, link: Link) -> None:
        self._guest_count += 1
        guest = f"guest:{self._guest_count}"
        self._guests[guest] = link

        def on_end() -> None:
            if self._guests.pop(guest, None) is not None:
                link.close()
                self.receive(GuestClosed(guest))

        read = self._reader(lambda body: FromGuest(guest, body), "a guest", GuestClosed(guest))
        link.start(read, on_end, lambda full: on_end() if full else None)

    def _tell_guest(self, guest: str, body: bytes) -> None:
        if guest.startswith(RELATIVE):
            self._family.answer(self, guest, body)
        elif link := self._guests.get(guest):
            write_message(link, body)

    # -- the end ----------------------------------------------------------------------------------------------------

    async def _clean_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._timers.cancel_all()
        for link in [*self._guests.values(), self._client]:
            link.close()
        self._guests.clear()
        self._family.remove(self)
        if self._place is None:
            await self._family.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._agent.end_asks()
        await self._backend.close()
        await self._agent.close()
        if self._journal is not None:
            self._journal.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
