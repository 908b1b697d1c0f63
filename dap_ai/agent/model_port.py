"""Interface between the agent and a language model: messages and tools go in, a stream of pieces comes out.

Messages and tool schemas have the format of OpenAI's Chat Completions, which every compatible endpoint accepts.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Protocol

import msgspec

from dap_ai.protocol.wire.ask_messages import Trouble
from dap_ai.protocol.wire.safe import SafeFields

Message = dict[str, Any]
"""Message dict: `{"role": "system" | "user" | "assistant" | "tool", "content": ..., ...}`."""
Schema = dict[str, Any]
"""Tool schema dict: `{"type": "function", "function": {"name": ..., "description": ..., "parameters": ...}}`."""


class ModelError(Exception):
    """Raised when the model cannot answer. The text tells the user the reason and what to do."""

    def __init__(self, trouble: Trouble, text: str) -> None:
        super().__init__(text)
        self.trouble: Trouble = trouble


class Text(msgspec.Struct, tag="text"):
    """A piece of the answer's text."""

    text: str


class Reasoning(msgspec.Struct, tag="reasoning"):
    """A piece of the model's reasoning before its answer. Some endpoints do not send any."""

    text: str


class ToolCall(msgspec.Struct):
    """A tool call by the model. `arguments` is the JSON text that the model wrote, which may be malformed."""

    id: str
    name: str
    arguments: str = ""


class Reply(msgspec.Struct, tag="reply", omit_defaults=True):
    """A complete reply, which is the last piece of a stream.

    Token counts are 0 if the endpoint does not count tokens.
    """

    text: str = ""
    calls: list[ToolCall] = []
    finish: str = ""
    """Finish reason that the endpoint sends, such as `stop`, `tool_calls` or `length`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """How many of the `input_tokens` came from the endpoint's cache."""
    model: str = ""
    """Name of the model, as the endpoint reports it."""

    def message(self) -> Message:
        """Converts the reply to an assistant message for the conversation."""
        said: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            said["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in self.calls
            ]
        return said


Piece = Text | Reasoning | Reply


class ModelAnswerer(Protocol):
    """Base of Model and Provider: a language model, or a provider that writes the whole answer."""

    @property
    def name(self) -> str:
        """Name for `usage`: a provider's name, or a model's name as in the price table."""
        ...

    @property
    def notice(self) -> str:
        """One line that names the model or provider and the data that leaves the machine.

        Every answer's first status line.
        """
        ...

    def warm(self) -> None:
        """Does slow preparation before the first question, without network access. Runs in a thread."""
        ...

    async def close(self) -> None:
        """Releases the resources kept between questions. The object may be used again afterwards."""
        ...


class Model(ModelAnswerer, Protocol):
    """A language model that streams replies."""

    @property
    def provider(self) -> str:
        """Name of the model's provider, for `usage.provider`."""
        ...

    def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams the pieces of one reply; the last piece is a Reply. Raises ModelError.

        Closing the stream early closes its connection.
        """
        ...
