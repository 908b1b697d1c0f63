"""What the adapter and the agent tell each other about a model that the client lends. In memory only."""

from __future__ import annotations

import msgspec

EDITOR = "editor"
"""The provider, in `ask {providers}` and in `usage.provider`."""


class LentPiece(msgspec.Struct, frozen=True):
    """A piece of its reply, as it comes."""

    text: str = ""
    reasoning: str = ""


class LentCall(msgspec.Struct, frozen=True):
    """A tool that it calls; `arguments` is JSON text, which may be malformed."""

    id: str
    name: str
    arguments: str


class LentReply(msgspec.Struct, frozen=True):
    """The end of its reply; the text came in pieces."""

    calls: tuple[LentCall, ...] = ()
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
