"""What one session may do, who may use it, and which launch arguments are ours."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.ask_messages import Level
from dap_ai.protocol.wire.errors import RemoteProtocolError
from dap_ai.protocol.wire.framing import TOKEN_HEADER

Fields = dict[str, msgspec.Raw]


class SessionAccess(NamedTuple):
    """Who may use the sessions of a listener."""

    token: str = ""
    """What a client must give; empty: nothing."""
    anonymous: bool = False
    """See Options."""


NOBODY_ELSE = SessionAccess()
"""Nobody but the user reaches us: by stdio, or a Unix socket."""


_CHILD = "child-"


def new_child_token() -> str:
    """One that tells by itself that it belongs to the address that stands beside it."""
    return _CHILD + secrets.token_urlsafe()


def child_key(own: Mapping[str, Any]) -> str:
    """What the listener wants to hear first that a child's launch arguments for us (`own`) name; empty: nothing.

    Only a child's token is told there: any other is for us, and the address may be anybody's.
    """
    token = own.get("dapAiToken")
    return f"{TOKEN_HEADER}: {token}" if isinstance(token, str) and token.startswith(_CHILD) else ""


class SessionOptions(msgspec.Struct):
    """Settings of a session. `dapAi*` keys of the launch or attach arguments may change them (see config.py)."""

    level: Level = "compute"
    console_prefix: str = "??"
    """Empty: the console is not ours."""
    ask_events: bool = False
    """Send askOutput and askEnded for console asks too."""
    ask_timeout_s: float = 120.0
    """An answer that takes longer ends with what has been said."""
    approval_timeout_s: float = 60.0
    """Seconds after which a request for confirmation that nobody answers is refused."""
    snapshots: bool = True
    """Copies of the debuggee may be made."""
    snapshot_reads: tuple[str, ...] = ()
    """Folders that a copy may read beside Python's own."""
    stop_at: tuple[str, ...] = ()
    """Exception filters that are set beside the client's own (`dapAiStopAt`)."""
    token: str = ""
    """If set, the client must give it: before its first message, or as `dapAiToken` of launch or attach."""
    child_token: str = ""
    """The same for the clients of child sessions, who are told it with the address; see `new_child_token`."""
    anonymous: bool = False
    """The client may be any program that reaches the port: it does not name what runs beside the debuggee."""
    sockets: str = "off"
    """Where the session can be joined: see dap_ai.adapter.io.sockets."""
    session_id: str = ""
    """Under which others find this session; its asks bear it too where several sessions share a client."""
    parent_id: str = ""
    """The session of whose debuggee this one's is a child."""
    started: float = 0.0
    """When the session began, in seconds since 1970."""
    backend: str = ""
    """What its debug adapter is called."""

    @property
    def mark(self) -> str:
        """Stands in the ids of this session's asks: those of a tree of sessions may reach one client."""
        return f"{self.session_id}-" if self.parent_id else ""

    def take(self, other: SessionOptions) -> None:
        """Become like `other`, in place: whoever holds these options sees it."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))

    def accepts(self, token: bytes) -> bool:
        """Whether this is the token; any is, if none is wanted."""
        return not self.token or hmac.compare_digest(token, self.token.encode())

    def allows(self, own: Fields) -> bool:
        """Whether these launch arguments carry the token, if one is wanted."""
        try:
            given = envelope.decode(bytes(own.get("dapAiToken", msgspec.Raw(b'""'))), str)
        except RemoteProtocolError:
            given = ""
        return self.accepts(given.encode(errors="replace"))


def split(arguments: Fields) -> Fields:
    """Take our own keys out of launch or attach arguments: the debug adapter never sees them."""
    return {name: arguments.pop(name) for name in list(arguments) if name.startswith("dapAi") or name == "askEvents"}
