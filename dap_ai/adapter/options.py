"""What one session may do, and who may use it."""

from __future__ import annotations

import hmac

import msgspec

from dap_ai.adapter.outbox import plain
from dap_ai.protocol.ask import Level


class Options(msgspec.Struct):
    """Settings of a session; `dapAi*` keys of the launch or attach arguments change them for that session."""

    level: Level = "compute"
    console_prefix: str = "??"
    """Empty: the console is not ours."""
    ask_events: bool = False
    """Send askOutput and askEnded for console asks too."""
    token: str = ""
    """If set, launch or attach must carry it as `dapAiToken`."""

    def apply(self, own: dict[str, msgspec.Raw]) -> None:
        """Take over what the launch arguments say; a level can only be lowered."""
        self.ask_events = plain(own.get("askEvents"), self.ask_events)
        self.console_prefix = plain(own.get("dapAiConsolePrefix"), self.console_prefix)
        if plain(own.get("dapAiLevel"), "") == "observe":
            self.level = "observe"

    def allows(self, own: dict[str, msgspec.Raw]) -> bool:
        """Whether the launch arguments carry the token, if one is wanted."""
        given = plain(own.get("dapAiToken"), "")
        return hmac.compare_digest(given.encode(), self.token.encode()) if self.token else True


def split(arguments: dict[str, msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """Take our own keys out of launch or attach arguments: the debug adapter never sees them."""
    return {name: arguments.pop(name) for name in list(arguments) if name.startswith("dapAi") or name == "askEvents"}
