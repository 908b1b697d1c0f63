"""Messages between the adapter and the agent about a model that the client lends. In memory only."""

from __future__ import annotations

import msgspec

EDITOR = "editor"
"""The provider's name in `ask {providers}` and in `usage.provider`."""


class LentPiece(msgspec.Struct, frozen=True):
    """A piece of a lent model's reply, sent as it is made."""

    text: str = ""
    reasoning: str = ""


class LentCall(msgspec.Struct, frozen=True):
    """A tool call of a lent model; `arguments` is JSON text, which may be malformed."""

    id: str
    name: str
    arguments: str


class LentReply(msgspec.Struct, frozen=True):
    """The end of a lent model's reply; its text was sent in pieces."""

    calls: tuple[LentCall, ...] = ()
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
