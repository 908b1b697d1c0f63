"""What a language model is to the agent: messages and tools in, a stream of pieces out.

Messages and tool schemas have the shape of OpenAI's Chat Completions, which every compatible endpoint speaks.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Protocol

import msgspec

from dap_ai.protocol.wire.ask_messages import Trouble
from dap_ai.protocol.wire.safe import SafeFields

Message = dict[str, Any]
"""`{"role": "system" | "user" | "assistant" | "tool", "content": ..., ...}`."""
Schema = dict[str, Any]
"""`{"type": "function", "function": {"name": ..., "description": ..., "parameters": ...}}`."""


class ModelError(Exception):
    """The model cannot answer; the text says why and what to do, as a sentence for the user."""

    def __init__(self, trouble: Trouble, text: str) -> None:
        super().__init__(text)
        self.trouble: Trouble = trouble


class Text(msgspec.Struct, tag="text"):
    """A piece of the answer."""

    text: str


class Reasoning(msgspec.Struct, tag="reasoning"):
    """A piece of what the model thinks before it answers, where the endpoint tells it."""

    text: str


class ToolCall(msgspec.Struct):
    """A tool that the model calls. `arguments` is JSON text as the model wrote it: it may be malformed."""

    id: str
    name: str
    arguments: str = ""


class Reply(msgspec.Struct, tag="reply", omit_defaults=True):
    """The whole reply; the last piece of a stream. Tokens are 0 where the endpoint does not count them."""

    text: str = ""
    calls: list[ToolCall] = []
    finish: str = ""
    """`stop`, `tool_calls`, `length`, ..., as the endpoint says it."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of `input_tokens`."""
    model: str = ""
    """As the endpoint names it."""

    def message(self) -> Message:
        """As a message of the conversation."""
        said: Message = {"role": "assistant", "content": self.text}
        if self.calls:
            said["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in self.calls
            ]
        return said


Piece = Text | Reasoning | Reply


class ModelAnswerer(Protocol):
    """Who answers: a language model, or a provider that makes the whole answer."""

    @property
    def name(self) -> str:
        """As in `usage`: a model's name, which is the price table's too; a provider's."""
        ...

    @property
    def notice(self) -> str:
        """Who answers and what leaves the machine, in one line: the first status of each ask."""
        ...

    def warm(self) -> None:
        """Does what takes time before the first question: called in a thread; the network is not used."""
        ...

    async def close(self) -> None:
        """Lets go of what it keeps between questions; it may be used again."""
        ...


class Model(ModelAnswerer, Protocol):
    """A language model."""

    @property
    def provider(self) -> str:
        """As in `usage.provider`."""
        ...

    def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """One reply, ended by a Reply; closed early, it lets go of its connection. Raises ModelError."""
        ...
