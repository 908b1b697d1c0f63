"""Families: the session of a program, and the sessions of its child processes, whose clients use our listeners.

    adapter -> debugpyAttach {connect: its own port} -> Listen -> our listener -> the client attaches there
            -> a session of the child, whose backend is the adapter's own port

A proxy has one `Families`, which maps each listener to its family. So a client that reaches the child through the
proxy's main port, with the address it was given, also joins the right family.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, Protocol

from dap_ai.adapter.asks.ask_rules import RELATIVE
from dap_ai.adapter.io.ranks import rank_of
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.debuggee import Phase
from dap_ai.adapter.state.effects import (
    Event,
    FromGuest,
    FromRelative,
    GuestClosed,
    Relative,
    RelativeClosed,
    RelativesChanged,
)
from dap_ai.system.load_limits import slack
from dap_ai.transport import admission
from dap_ai.transport.byte_links import TransportLink

_HOST = "127.0.0.1"
_MAX_EXPECTED = 100
_GRACE_S = 2.0
"""Seconds that child sessions may take to end after the first session has ended."""

Address = tuple[str, int]


class ChildPlace(NamedTuple):
    """The place of a child process's session: its family, its parent, and the address of the adapter."""

    family: Family
    address: Address | None
    """The adapter's address. None if the client itself starts the adapter or names its address."""
    parent_id: str
    own: dict[str, Any]
    """The parent's launch arguments for dap_ai, which apply to child sessions too."""
    key: str = ""
    """The line that the adapter expects first on a connection to `address`."""


def _named(session: Session) -> str:
    """Return the program's label. In a parallel job, the label begins with the process's rank."""
    rank = rank_of(session.process_id, session.program)
    return f"rank {rank}, {session.label}" if rank else session.label


class Member(Protocol):
    """A running session of a family, such as pump.Pump."""

    session: Session
    own: dict[str, Any]

    @property
    def session_id(self) -> str:
        """The session's id, unique in the family."""
        ...

    @property
    def adapter_key(self) -> str:
        """The line that the adapter expects first on a connection to its port."""
        ...

    def receive(self, event: Event) -> None:
        """Pass an event to this session."""
        ...


Admit = Callable[[TransportLink, ChildPlace], Coroutine[Any, Any, None]]
"""Serves a child session's client until the session ends."""


class Families:
    """The families of a proxy, by the ports of their listeners, and the child sessions that a proxy expects."""

    def __init__(self, admit: Admit, log: Callable[[str], None]) -> None:
        self.places: dict[int, ChildPlace] = {}
        self.admit = admit
        self.log = log
        self._expected: deque[tuple[dict[str, Any], ChildPlace]] = deque(maxlen=_MAX_EXPECTED)

    def expect(self, configuration: dict[str, Any], place: ChildPlace) -> None:
        """Expect a child session, which a client was asked to start with this configuration."""
        named = {key: value for key, value in configuration.items() if key.startswith("__")}
        self._expected.append((named or configuration, place))

    def expected(self, arguments: dict[str, Any]) -> ChildPlace | None:
        """Return the place of the expected session with these arguments, and stop expecting that session.

        None if no expected session matches.
        """
        for wanted in self._expected:
            if all(arguments.get(key) == value for key, value in wanted[0].items()):
                self._expected.remove(wanted)
                return wanted[1]
        return None

    def forget(self, family: Family) -> None:
        """Stop expecting child sessions of this family."""
        kept = [wanted for wanted in self._expected if wanted[1].family is not family]
        self._expected.clear()
        self._expected.extend(kept)

    def place_of(self, address: Address | None) -> ChildPlace | None:
        """Return the place that belongs to a listener's address, or None if the address is not one of our listeners."""
        if address is None or address[0] not in (_HOST, "localhost", "::1"):
            return None
        return self.places.get(address[1])


class Family:
    """The sessions of one process tree. A stopped session answers questions that clients ask in the other sessions."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._members: dict[str, Member] = {}
        self._told: dict[str, RelativesChanged] = {}
        """The last event that each session got from its family."""
        self._listeners: dict[int, asyncio.AbstractServer] = {}
        self._children: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._closed = False

    def add(self, member: Member) -> None:
        """Add a session that has begun to the family."""
        self._members[member.session_id] = member
        self.follow()

    def remove(self, member: Member) -> None:
        """Remove a session that has ended, and inform the other sessions."""
        if self._members.pop(member.session_id, None) is None:
            return
        self._told.pop(member.session_id, None)
        for other in self._members.values():
            _soon(other, RelativeClosed(member.session_id))
            _soon(other, GuestClosed(RELATIVE + member.session_id))
        self.follow()

    def follow(self) -> None:
        """Tell each session which other sessions are stopped and whether they need its adapter, after each change."""
        self._ended.clear() if self.is_alive else self._ended.set()
        stopped = [Relative(m.session_id, _named(m.session)) for m in self._members.values() if m.session.state.stopped]
        for member in self._members.values():
            others = tuple(each for each in stopped if each.session_id != member.session_id)
            news = RelativesChanged(others, self._need_adapter_of(member))
            if self._told.get(member.session_id, RelativesChanged(())) != news:
                self._told[member.session_id] = news
                _soon(member, news)

    def say(self, member: Member, to: str, body: bytes) -> None:
        """Pass a message from one session to another session, in which the sender is a guest."""
        other = self._members.get(to)
        if other is None:
            _soon(member, RelativeClosed(to))
        else:
            _soon(other, FromGuest(RELATIVE + member.session_id, body))

    def answer(self, member: Member, guest: str, body: bytes) -> None:
        """Pass a message from one session to another session that is its guest."""
        other = self._members.get(guest.removeprefix(RELATIVE))
        if other is not None:
            _soon(other, FromRelative(member.session_id, body))

    async def open_listener(self, member: Member, address: Address) -> int:
        """Open a listener for clients of child sessions. Return its port, or 0 if opening fails."""
        try:
            listener = await admission.serve((_HOST, 0), lambda: TransportLink(self._on_connected), self._families.log)
        except OSError as error:
            self._families.log(f"no port for child sessions: {error}")
            return 0
        if self._closed:  # closed meanwhile
            listener.close()
            return 0
        port: int = listener.sockets[0].getsockname()[1]
        self._listeners[port] = listener
        self._families.places[port] = ChildPlace(self, address, member.session_id, member.own, member.adapter_key)
        return port

    @property
    def is_alive(self) -> bool:
        """Whether the program of any session is alive."""
        return any(m.session.state.phase is not Phase.ENDED for m in self._members.values())

    def _need_adapter_of(self, member: Member) -> bool:
        others = (m.session.state.phase for m in self._members.values() if m is not member)
        return not member.session.options.parent_id and any(phase is not Phase.ENDED for phase in others)

    async def ended(self) -> None:
        """Wait until the programs of all sessions have ended."""
        await self._ended.wait()

    async def close(self) -> None:
        """Accept no more child sessions, and wait at most _GRACE_S for the child sessions to end."""
        self._closed = True
        self._families.forget(self)
        for port, listener in self._listeners.items():
            self._families.places.pop(port, None)
            listener.close()
        children = set(self._children)
        if children:
            _, late = await asyncio.wait(children, timeout=_GRACE_S * slack())
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _on_connected(self, link: TransportLink) -> None:
        place = self._families.places.get(link.own_port)
        if place is None:
            self._families.log("turned away: a client of a child session whose program has ended")
            link.close()
            return
        task = asyncio.get_running_loop().create_task(self._families.admit(link, place))
        self._children.add(task)
        task.add_done_callback(self._children.discard)


def _soon(member: Member, event: Event) -> None:
    """Pass an event to a session in the event loop's next turn, because the session may be processing an event now."""
    asyncio.get_running_loop().call_soon(member.receive, event)
