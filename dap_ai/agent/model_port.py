"""Interface between the agent and a language model: messages and tools in, a stream of pieces out.

Messages and tool schemas have the shape of OpenAI's Chat Completions, which every compatible endpoint accepts.
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
    """Raised when the model cannot answer; the text tells the user why and what to do."""

    def __init__(self, trouble: Trouble, text: str) -> None:
        super().__init__(text)
        self.trouble: Trouble = trouble


class Text(msgspec.Struct, tag="text"):
    """A piece of the answer's text."""

    text: str


class Reasoning(msgspec.Struct, tag="reasoning"):
    """A piece of the model's reasoning before its answer, if the endpoint sends it."""

    text: str


class ToolCall(msgspec.Struct):
    """A tool call by the model. `arguments` is JSON text exactly as the model wrote it and may be malformed."""

    id: str
    name: str
    arguments: str = ""


class Reply(msgspec.Struct, tag="reply", omit_defaults=True):
    """A complete reply; the last piece of a stream. Token counts are 0 if the endpoint does not count them."""

    text: str = ""
    calls: list[ToolCall] = []
    finish: str = ""
    """Finish reason from the endpoint: `stop`, `tool_calls`, `length`, ..."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Cached part of `input_tokens`."""
    model: str = ""
    """The endpoint's name for the model."""

    def message(self) -> Message:
        """Returns the reply as an assistant message of the conversation."""
        said: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            said["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in self.calls
            ]
        return said


Piece = Text | Reasoning | Reply


class ModelAnswerer(Protocol):
    """Something that answers: a language model, or a provider that writes the whole answer."""

    @property
    def name(self) -> str:
        """Name in `usage`: a provider's name, or a model's name as in the price table."""
        ...

    @property
    def notice(self) -> str:
        """One line that names the model or provider and what leaves the machine; the first status of each ask."""
        ...

    def warm(self) -> None:
        """Does slow preparation before the first question, without network access. Called in a thread."""
        ...

    async def close(self) -> None:
        """Releases the resources kept between questions; it may be used again."""
        ...


class Model(ModelAnswerer, Protocol):
    """A language model."""

    @property
    def provider(self) -> str:
        """Provider name in `usage.provider`."""
        ...

    def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams one reply, ending with a Reply. Closing the stream early closes its connection. Raises ModelError."""
        ...
