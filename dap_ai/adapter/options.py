"""What one session may do, who may use it, and which launch arguments are ours."""

from __future__ import annotations

import hmac

import msgspec

from dap_ai.protocol import envelope
from dap_ai.protocol.ask import Level
from dap_ai.protocol.errors import RemoteProtocolError

Fields = dict[str, msgspec.Raw]


class Options(msgspec.Struct):
    """Settings of a session. `dapAi*` keys of the launch or attach arguments may change them (see config.py)."""

    level: Level = "compute"
    console_prefix: str = "??"
    """Empty: the console is not ours."""
    ask_events: bool = False
    """Send askOutput and askEnded for console asks too."""
    ask_timeout_s: float = 120.0
    """An answer that takes longer ends with what has been said."""
    approval_timeout_s: float = 60.0
    """A request for consent that nobody answers is refused after so long."""
    snapshots: bool = True
    """Copies of the debuggee may be made."""
    snapshot_reads: tuple[str, ...] = ()
    """Folders that a copy may read beside Python's own."""
    token: str = ""
    """If set, launch or attach must carry it as `dapAiToken`."""
    sockets: str = "off"
    """Where the session can be joined: see dap_ai.adapter.sockets."""
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

    def take(self, other: Options) -> None:
        """Become like `other`, in place: whoever holds these options sees it."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))

    def allows(self, own: Fields) -> bool:
        """Whether these launch arguments carry the token, if one is wanted."""
        try:
            given = envelope.decode(bytes(own.get("dapAiToken", msgspec.Raw(b'""'))), str)
        except RemoteProtocolError:
            given = ""
        return hmac.compare_digest(given.encode(), self.token.encode()) if self.token else True


def split(arguments: Fields) -> Fields:
    """Take our own keys out of launch or attach arguments: the debug adapter never sees them."""
    return {name: arguments.pop(name) for name in list(arguments) if name.startswith("dapAi") or name == "askEvents"}
