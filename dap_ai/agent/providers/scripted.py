"""A model that replays a file of replies: for tests, demos and recorded conversations.

One reply a line, as JSON; each request takes the next one, whatever it asks. A person needs `text` and `calls` only:

    {"text": "I look at the total.", "calls": [{"name": "evaluate", "arguments": {"expression": "total"}}]}
    {"text": "It is 3.", "calls": [{"name": "report", "arguments": {}}]}

A recording also holds the `deltas` as they came (reasoning as `{"reasoning": "..."}`), the arguments as the model
wrote them, and the tokens: it replays byte for byte.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.agent.model import Call, ModelError, Piece, Reasoning, Reply, Schema, Text
from dap_ai.agent.providers.base import ProviderError
from dap_ai.config import Settings
from dap_ai.protocol.wire.safe import SafeFields


class Thought(msgspec.Struct, forbid_unknown_fields=True):
    """A delta of reasoning."""

    reasoning: str


class WrittenCall(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A call of a tool; `arguments` as an object, or as the text that a model wrote."""

    name: str
    arguments: str | dict[str, Any] = ""
    id: str = ""
    """Empty: one is made."""


class Row(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the file."""

    text: str = ""
    calls: list[WrittenCall] = []
    deltas: list[str | Thought] = []
    """Empty: the text in one piece."""
    finish: str = ""
    """Empty: `tool_calls` with calls, else `stop`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model: str = ""

    @classmethod
    def of(cls, reply: Reply, pieces: Sequence[Piece]) -> Row:
        """A reply and the pieces that it came in."""
        deltas = [p.text if isinstance(p, Text) else Thought(p.text) for p in pieces if not isinstance(p, Reply)]
        return cls(
            text=reply.text,
            calls=[WrittenCall(c.name, c.arguments, c.id) for c in reply.calls],
            deltas=[] if deltas == [reply.text] else deltas,
            finish=reply.finish,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cached_tokens=reply.cached_tokens,
            model=reply.model,
        )

    def pieces(self, number: int) -> list[Piece]:
        """As a stream; `number` makes the ids of calls that have none."""
        deltas = self.deltas or ([self.text] if self.text else [])
        said: list[Piece] = [Text(d) if isinstance(d, str) else Reasoning(d.reasoning) for d in deltas]
        calls = [Call(c.id or f"call_{number}_{i}", c.name, _written(c.arguments)) for i, c in enumerate(self.calls)]
        reply = Reply(
            text=self.text or "".join(d for d in self.deltas if isinstance(d, str)),
            calls=calls,
            finish=self.finish or ("tool_calls" if calls else "stop"),
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            model=self.model,
        )
        return [*said, reply]


def provider(settings: Settings, _environ: Mapping[str, str]) -> Scripted:
    """The entry point. Raises ProviderError if there is no such file, or a line of it is no reply."""
    if not settings.replay:
        raise ProviderError("The provider `scripted` replays a file: name it with --replay.")
    path = Path(settings.replay).expanduser()
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or "it is not UTF-8"
        raise ProviderError(f"{path} cannot be replayed: {reason}.") from error
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=Row))
        except msgspec.DecodeError as error:
            raise ProviderError(f"{path}, line {number}, is not a recorded reply: {error}.") from error
    return Scripted(path, rows)


class Scripted:
    """See agent.model.Model."""

    provider = "scripted"

    def __init__(self, path: Path, rows: Sequence[Row]) -> None:
        self.name = next((row.model for row in rows if row.model), "recording")
        self._path = path
        self._rows = rows
        self._replayed = 0

    @property
    def notice(self) -> str:
        """That nobody is asked."""
        return f"a recording answers ({self._path.name}): nothing leaves this machine, no model is asked"

    def warm(self) -> None:
        """Nothing takes time."""

    async def close(self) -> None:
        """Nothing is kept open."""

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """The next reply of the file. Raises ModelError after the last one."""
        del messages, tools
        if self._replayed >= len(self._rows):
            held = f"it holds {len(self._rows)}" if self._rows else "it is empty"
            raise ModelError("request", f"{self._path} has no further reply: {held}.")
        row = self._rows[self._replayed]
        self._replayed += 1
        for piece in row.pieces(self._replayed):
            yield piece


def _written(arguments: str | dict[str, Any]) -> str:
    return arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
