"""Child sessions: the client reaches a child process through a listener of dap_ai instead of the adapter's listener.

`connect` in debugpy's event `debugpyAttach`, and in the configuration of `startDebugging`, becomes the address of our
listener in front of the adapter's: the child's session then runs through dap_ai as its parent's does. Messages that
name the adapter's listener wait until our listener is open; if no listener can be opened, they pass unchanged. If a
configuration has no address (js-debug's), the client starts a new session at this proxy, and dap_ai remembers the
configuration.

For a grandchild, debugpy sends the client the address to which the client attached for the child. An `attach` through
our listener therefore gives the adapter its own address again (`readdressed`), and every generation passes through a
listener.
"""

from __future__ import annotations

import msgspec

from dap_ai.adapter.state.effects import Expect, Listen, ListenerReady, Log
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.session_options import Fields, SessionOptions
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.envelope import Envelope

_OWN_HOST = "127.0.0.1"
_OLDER_KEYS = ("host", "port")
"""Keys that an `attach` may have instead of `connect`. debugpy refuses an `attach` with both."""


class _Address(msgspec.Struct):
    port: int
    host: str = ""


class _Configuration(msgspec.Struct):
    connect: _Address | None = None


class _StartDebugging(msgspec.Struct):
    configuration: _Configuration = msgspec.field(default_factory=_Configuration)


class _Started(msgspec.Struct):
    configuration: Fields = {}


class Children:
    """Handles backend messages that announce child processes to the client."""

    def __init__(self, out: Outbox, options: SessionOptions) -> None:
        self._out = out
        self._options = options
        self._held: dict[tuple[str, int], list[Envelope]] = {}
        self._own_ports: dict[tuple[str, int], int] = {}

    def takes(self, message: Envelope) -> bool:
        """Whether this message announces a child's listener. The message is then sent once our listener is open."""
        address = _address(message)
        if address is None or not address.port:
            return message.kind == "request" and message.name == "startDebugging" and self._expects(message)
        key = (address.host or _OWN_HOST, address.port)
        if key in self._own_ports:
            self._release(message, self._own_ports[key])
        elif key in self._held:
            self._held[key].append(message)
        else:
            self._held[key] = [message]
            self._out.do(Listen(*key))
        return True

    def _expects(self, message: Envelope) -> bool:
        """Expect the child's session at the proxy's main port. Return True if the message was sent with a token."""
        body = read_or(message, Fields, {})
        configuration = read_or(message, _Started, _Started()).configuration
        if not configuration:
            return False
        self._out.do(Expect(envelope.encode(configuration)))
        if not self._options.token:
            return False
        inner = envelope.encode(configuration | {"dapAiToken": msgspec.Raw(envelope.encode(self._options.token))})
        self._out.to_client(message, envelope.encode(body | {"configuration": msgspec.Raw(inner)}))
        return True

    def on_listener(self, ready: ListenerReady) -> None:
        """Send the held messages once our listener is open, or could not be opened."""
        key = (ready.host, ready.port)
        self._own_ports[key] = ready.own_port
        for message in self._held.pop(key, []):
            self._release(message, ready.own_port)

    def _release(self, message: Envelope, own_port: int) -> None:
        if not own_port:
            self._out.do(Log("a child session goes past dap_ai: no port could be opened for it"))
            self._out.to_client(message)
            return
        body = message.read(Fields)
        if message.kind == "event":
            self._out.to_client(message, envelope.encode(self._redirected(body, own_port)))
        else:
            configuration = envelope.decode(bytes(body["configuration"]), Fields)
            inner = envelope.encode(self._redirected(configuration, own_port))
            self._out.to_client(message, envelope.encode(body | {"configuration": msgspec.Raw(inner)}))

    def _redirected(self, body: Fields, own_port: int) -> Fields:
        changed = {"connect": msgspec.Raw(envelope.encode({"host": _OWN_HOST, "port": own_port}))}
        if self._options.child_token:
            changed["dapAiToken"] = msgspec.Raw(envelope.encode(self._options.child_token))
        return body | changed


def readdressed(arguments: bytes, adapter: tuple[str, int] | None) -> bytes:
    """Return a child's `attach` arguments with the adapter's address in place of our listener's address."""
    if adapter is None:
        return arguments
    host, port = adapter
    fields = {key: value for key, value in envelope.decode(arguments, Fields).items() if key not in _OLDER_KEYS}
    return envelope.encode(fields | {"connect": {"host": host, "port": port}})


def _address(message: Envelope) -> _Address | None:
    if message.kind == "event" and message.name == "debugpyAttach":
        return read_or(message, _Configuration, _Configuration()).connect
    if message.kind == "request" and message.name == "startDebugging":
        return read_or(message, _StartDebugging, _StartDebugging()).configuration.connect
    return None
