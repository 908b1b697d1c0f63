"""Launch and attach: checks the token, removes dap_ai's own arguments, and applies the backend's recipe.

request -> [token] -> our keys removed -> Prepare -> Prepared -> [another adapter is initialized] -> forwarded ->
`initialized` -> the backend's request before the program runs (Greeting)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

import msgspec

from dap_ai.adapter.session.child_sessions import readdressed
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.effects import CancelTimer, Close, EndBackend, Prepare, Prepared, SetTimer
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.seqmap import ClientOwner, GreetingOwner
from dap_ai.adapter.state.session_options import Fields, SessionOptions, split
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import BACKEND_DIED, BAD_SEQUENCE, START_FAILED, TOKEN_NEEDED
from dap_ai.protocol.wire.visible import visible


class Send(Protocol):
    """Forwards a client's request. If `content` is given, it replaces the request's arguments."""

    def __call__(self, message: Envelope, owner: ClientOwner, content: bytes | None = None) -> None:
        """Forward a client's request to the backend."""
        ...


_WITHOUT_TOKEN = frozenset({"initialize", "launch", "attach", "disconnect"})
_CONFIGURATION = frozenset(
    {
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setExceptionBreakpoints",
        "setDataBreakpoints",
        "setInstructionBreakpoints",
        "configurationDone",
    }
)
"""Requests that must wait for a launch in preparation. gdb's client may send them right after the launch."""

_CORE_KEYS = ("coreFile", "coreDumpPath")
"""Names that various adapters use for the argument with a core file."""


class Starting:
    """Serves the session's `launch` or `attach`. `command` is that request's name, or empty before the request."""

    def __init__(self, out: Outbox, state: DebuggeeState, options: SessionOptions, send: Send) -> None:
        self.command = ""
        self._out = out
        self._state = state
        self._options = options
        self._send = send
        self.authorized = not options.token
        self._pending: Envelope | None = None
        self._held: deque[Callable[[], None]] = deque()
        self._arguments = b"{}"

    def admits(self, message: Envelope) -> bool:
        """Whether the client may send this request. Without the token, fail the request."""
        if self.authorized or message.name in _WITHOUT_TOKEN:
            return True
        self._out.fail(message, TOKEN_NEEDED)
        return False

    def holds(self, message: Envelope, work: Callable[[], None]) -> bool:
        """Whether this request must wait until the launch or attach has been forwarded. If so, `work` is kept."""
        if self._pending is None or message.kind != "request" or message.name not in _CONFIGURATION:
            return False
        self._held.append(work)
        return True

    def next_waiting(self) -> Callable[[], None] | None:
        """Return the next held work if it may run now, or None."""
        return self._held.popleft() if self._held and self._pending is None else None

    def on_request(self, message: Envelope) -> None:
        """Serve a `launch` or `attach` request of the client."""
        if self._pending is not None or self._state.phase not in (Phase.CREATED, Phase.ENDED):
            self._out.fail(message, BAD_SEQUENCE, reason="This session has its program already.")
            return
        arguments = message.read(Fields) if message.content else {}
        own = split(arguments)
        if not self.authorized and not self._options.allows(own):
            self._out.fail(message, TOKEN_NEEDED)
            self._out.do(EndBackend(), Close())
            return
        self.authorized = True
        self._pending = message
        self.command = message.name
        self._state.on_start(is_core=_names_core(arguments))
        self._state.paths.begin(message.content)
        self._out.do(Prepare(message.name, envelope.encode(arguments), envelope.encode(own)))

    def on_prepared(self, prepared: Prepared) -> None:
        """Forward the launch or attach with its prepared arguments, or fail the request if preparing failed."""
        message = self._pending
        if message is None:
            return
        if prepared.error:
            self._pending = None
            self._state.phase = Phase.CREATED
            self._out.fail(message, START_FAILED, why=prepared.error)
            return
        if prepared.note:
            self._out.tell([("output", {"category": "important", "output": f"{visible(prepared.note)}\n"})])
        self._arguments = readdressed(prepared.arguments, prepared.adapter)
        if prepared.options is not None:
            self._options.take(prepared.options)
        if prepared.connected:  # another adapter: it must be initialized before it gets the attach
            self._out.ask_backend("initialize", msgspec.Raw(self._out.client.initialize or b"{}"))
        else:
            self._forward(message)

    def on_other_initialized(self) -> None:
        """Forward the launch or attach, because the other adapter has answered `initialize`."""
        if self._pending is not None:
            self._forward(self._pending)

    def on_parting(self) -> None:
        """Fail a launch or attach that is being prepared, because the client leaves."""
        if self._pending is not None:
            self._out.fail(self._pending, START_FAILED, why="The session was ended before the program was started.")
            self._pending = None

    def on_backend_died(self, why: str) -> None:
        """Fail a launch or attach that is being prepared, because the backend has died."""
        if self._pending is not None:
            self._out.fail(self._pending, BACKEND_DIED, why=why)
            self._pending = None

    def _forward(self, message: Envelope) -> None:
        self._pending = None
        self._send(message, ClientOwner(message.seq, message.name), self._arguments)


def _names_core(arguments: Fields) -> bool:
    """Whether these launch or attach arguments name a core file."""
    return any(bytes(arguments[key]) not in (b'""', b"null") for key in _CORE_KEYS if key in arguments)


GREETING = "session.greeting"
GREETING_S = 2.0
"""Timeout of the greeting in seconds. An attached program may hold the interpreter's lock for any time."""


class Greeting:
    """The greeting: a request that the backend needs before the program runs. At most one greeting is pending.

    A program that is restarted gets a new greeting.
    """

    def __init__(self, out: Outbox, gate: ForwardingRules) -> None:
        self._out = out
        self._gate = gate
        self._is_awaited = False
        self._held: Callable[[], None] | None = None

    def on_initialized(self) -> None:
        """Send the greeting once the adapter has a program. A launched program does not run yet."""
        if self._gate.rules.greeting is None:
            return
        command, arguments = self._gate.rules.greeting
        self._out.ask_backend(command, arguments, GreetingOwner(command))
        self._out.do(SetTimer(GREETING, GREETING_S))
        self._is_awaited = True

    def holds(self, message: Envelope, work: Callable[[], None]) -> bool:
        """Whether this client request must wait for the answer to the greeting. If so, `work` is kept."""
        if not self._is_awaited or self._held or message.kind != "request" or message.name != "configurationDone":
            return False
        self._held = work
        return True

    def next_waiting(self) -> Callable[[], None] | None:
        """Return the held work if it may run now, or None."""
        if self._is_awaited:
            return None
        held, self._held = self._held, None
        return held

    def on_over(self) -> None:
        """Stop waiting for the answer to the greeting, because it has arrived or will not arrive."""
        if self._is_awaited:
            self._is_awaited = False
            self._out.do(CancelTimer(GREETING))
