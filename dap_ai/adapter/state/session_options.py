"""A session's options, its access control, and its launch arguments for dap_ai."""

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
    """The token a client must send; empty: none."""
    anonymous: bool = False
    """See SessionOptions.anonymous."""


NOBODY_ELSE = SessionAccess()
"""Access for stdio and Unix sockets, which only the user can reach."""


_CHILD = "child-"


def new_child_token() -> str:
    """Return a new token for a child session, with a prefix that ties it to the address sent with it."""
    return _CHILD + secrets.token_urlsafe()


def child_key(own: Mapping[str, Any]) -> str:
    """Return the key to send first to the listener named by a child's launch arguments (`own`); empty: none.

    Only a child's token is sent there: any other is meant for us, and the address may be anyone's.
    """
    token = own.get("dapAiToken")
    return f"{TOKEN_HEADER}: {token}" if isinstance(token, str) and token.startswith(_CHILD) else ""


class SessionOptions(msgspec.Struct):
    """Settings of a session. `dapAi*` keys of the launch or attach arguments may change them (see config.py)."""

    level: Level = "compute"
    console_prefix: str = "??"
    """Prefix of console lines for dap_ai; empty: none are."""
    ask_events: bool = False
    """Whether to send askOutput and askEnded for console asks too."""
    ask_timeout_s: float = 120.0
    """Seconds after which an answer ends with the text it has so far."""
    approval_timeout_s: float = 60.0
    """Seconds after which an unanswered request for confirmation is refused."""
    snapshots: bool = True
    """Whether copies of the debuggee may be made."""
    snapshot_reads: tuple[str, ...] = ()
    """Folders that a copy may read, besides Python's own."""
    stop_at: tuple[str, ...] = ()
    """Exception filters to set besides the client's own (`dapAiStopAt`)."""
    token: str = ""
    """If set, the client must send it: before its first message, or as `dapAiToken` of launch or attach."""
    child_token: str = ""
    """Token for clients of child sessions, who get it with the address; see `new_child_token`."""
    anonymous: bool = False
    """Whether the client may be any program that reaches the port; it may not name programs beside the debuggee."""
    sockets: str = "off"
    """Where the session can be joined; see dap_ai.adapter.io.sockets."""
    session_id: str = ""
    """Id by which others find this session; part of its asks' ids if several sessions share a client."""
    parent_id: str = ""
    """Id of the parent session, if this session's debuggee is a child of its debuggee."""
    started: float = 0.0
    """Start of the session, in seconds since 1970."""
    backend: str = ""
    """Name of its debug adapter."""

    @property
    def mark(self) -> str:
        """Part of the ids of this session's asks, since the asks of a tree of sessions may reach one client."""
        return f"{self.session_id}-" if self.parent_id else ""

    def take(self, other: SessionOptions) -> None:
        """Copy all options of `other` in place, so that every holder sees them."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))

    def accepts(self, token: bytes) -> bool:
        """Whether this is the token; any is accepted if none is required."""
        return not self.token or hmac.compare_digest(token, self.token.encode())

    def allows(self, own: Fields) -> bool:
        """Whether these launch arguments contain the token, if one is required."""
        try:
            given = envelope.decode(bytes(own.get("dapAiToken", msgspec.Raw(b'""'))), str)
        except RemoteProtocolError:
            given = ""
        return self.accepts(given.encode(errors="replace"))


def split(arguments: Fields) -> Fields:
    """Remove and return our own keys of launch or attach arguments, which the debug adapter must not see."""
    return {name: arguments.pop(name) for name in list(arguments) if name.startswith("dapAi") or name == "askEvents"}
