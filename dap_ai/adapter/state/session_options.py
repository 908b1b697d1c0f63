"""The options of a session, who may use it, and its launch arguments for dap_ai."""

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
    """Conditions under which a client may use a listener's sessions."""

    token: str = ""
    """The token that a client must send; empty if no token is required."""
    anonymous: bool = False
    """Whether any program that reaches the port may be the client."""


NOBODY_ELSE = SessionAccess()
"""Access to stdio and Unix sockets, which only the user can reach."""


_CHILD = "child-"


def new_child_token() -> str:
    """Return a new token for a child session. Its prefix ties the token to the address sent with it."""
    return _CHILD + secrets.token_urlsafe()


def child_key(own: Mapping[str, Any]) -> str:
    """Return the key to send first to the listener in a child's launch arguments (`own`); empty if no key is needed.

    Returns only a child's token. Any other token is meant for us, and the address may be anyone's.
    """
    token = own.get("dapAiToken")
    return f"{TOKEN_HEADER}: {token}" if isinstance(token, str) and token.startswith(_CHILD) else ""


class SessionOptions(msgspec.Struct):
    """Settings of a session. Launch or attach arguments named `dapAi*` may change them (see config.py)."""

    level: Level = "compute"
    console_prefix: str = "??"
    """Prefix of console lines for dap_ai. With an empty prefix, no console line is for dap_ai."""
    ask_events: bool = False
    """Whether console questions also send `askOutput` and `askEnded` events."""
    ask_timeout_s: float = 120.0
    """Seconds after which an answer ends with its text up to then."""
    approval_timeout_s: float = 60.0
    """Seconds after which dap_ai refuses an unanswered request for confirmation."""
    snapshots: bool = True
    """Whether dap_ai may make copies of the debugged program."""
    snapshot_reads: tuple[str, ...] = ()
    """Folders that a copy of the program may read, besides Python's own folders."""
    stop_at: tuple[str, ...] = ()
    """Exception filters that dap_ai adds to the client's filters (`dapAiStopAt`)."""
    token: str = ""
    """Token that the client must send: first of all, or as `dapAiToken` of launch or attach. Empty if not required."""
    child_token: str = ""
    """Token for clients of child sessions. They get the token with the address (see `new_child_token`)."""
    anonymous: bool = False
    """Whether any program that reaches the port may be the client. It may name no program besides the debuggee."""
    sockets: str = "off"
    """Folder of the socket by which guests join. Empty for the user's own folder; "off" for no socket."""
    session_id: str = ""
    """Id by which guests find this session. Part of the ids of its questions if sessions share a client."""
    parent_id: str = ""
    """Id of the parent session, if this session's program is a child process of the parent's program."""
    started: float = 0.0
    """Start of the session, in seconds since 1970."""
    backend: str = ""
    """Name of the session's debug adapter."""

    @property
    def mark(self) -> str:
        """Part of the ids of this session's questions. Questions of several sessions may reach one client."""
        return f"{self.session_id}-" if self.parent_id else ""

    def take(self, other: SessionOptions) -> None:
        """Copy all options of `other` into this object, so that all holders of this object see the new options."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))

    def accepts(self, token: bytes) -> bool:
        """Whether this token is correct. Any token is correct if no token is required."""
        return not self.token or hmac.compare_digest(token, self.token.encode())

    def allows(self, own: Fields) -> bool:
        """Whether these launch arguments contain the token, or no token is required."""
        try:
            given = envelope.decode(bytes(own.get("dapAiToken", msgspec.Raw(b'""'))), str)
        except RemoteProtocolError:
            given = ""
        return self.accepts(given.encode(errors="replace"))


def split(arguments: Fields) -> Fields:
    """Remove dap_ai's own keys from launch or attach arguments, and return them."""
    return {name: arguments.pop(name) for name in list(arguments) if name.startswith("dapAi") or name == "askEvents"}
