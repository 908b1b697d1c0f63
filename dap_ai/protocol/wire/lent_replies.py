"""Messages between the adapter and the agent about a language model that the client lends. They stay in memory."""

from __future__ import annotations

import msgspec

EDITOR = "editor"
"""Name of the model provider that stands for a lent model, in `ask {providers}` and in `usage.provider`."""


class LentPiece(msgspec.Struct, frozen=True):
    """A piece of a lent model's reply, sent while the model writes."""

    text: str = ""
    reasoning: str = ""


class LentCall(msgspec.Struct, frozen=True):
    """A tool call that a lent model makes. `arguments` is JSON text, which may be malformed."""

    id: str
    name: str
    arguments: str


class LentReply(msgspec.Struct, frozen=True):
    """The end of a lent model's reply. Its text was sent before, in pieces."""

    calls: tuple[LentCall, ...] = ()
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
