"""A model that replays a file of replies for tests, demos and recordings, and a wrapper that records such a file.

The file holds one JSON reply per line; each request gets the next one, whatever it asks. Written by hand, `text` and
`calls` are enough:

    {"text": "I look at the total.", "calls": [{"name": "evaluate", "arguments": {"expression": "total"}}]}
    {"text": "It is 3.", "calls": [{"name": "report", "arguments": {}}]}

A recording also holds the `deltas` as received (reasoning as `{"reasoning": "..."}`), the arguments as the model wrote
them, and the tokens: it replays byte for byte.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.agent.guard.pass_through import PassingModel
from dap_ai.agent.loop.transcript_file import write_private
from dap_ai.agent.model_port import Model, ModelError, Piece, Reasoning, Reply, Schema, Text, ToolCall
from dap_ai.agent.providers.base import ProviderError
from dap_ai.protocol.wire.safe import Safe, SafeFields, as_it_is, holds_none, put
from dap_ai.protocol.wire.visible import in_json
from dap_ai.settings.configuration import Settings


class Thought(msgspec.Struct, forbid_unknown_fields=True):
    """A piece of the model's reasoning."""

    reasoning: str


class WrittenCall(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A tool call in the file. `arguments` is an object, or the text that a model wrote."""

    name: str
    arguments: str | dict[str, Any] = ""
    id: str = ""
    """Id of the call. If empty, an id is generated."""


class ScriptedReply(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One recorded reply: one line of the file."""

    text: str = ""
    calls: list[WrittenCall] = []
    deltas: list[str | Thought] = []
    """Pieces of the reply in order. If empty, the text is the only piece."""
    finish: str = ""
    """Finish reason. If empty, `tool_calls` for a reply with calls, else `stop`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model: str = ""

    @classmethod
    def of(cls, reply: Reply, pieces: Sequence[Piece]) -> ScriptedReply:
        """Converts a reply and its streamed pieces to a line of the file."""
        deltas = [p.text if isinstance(p, Text) else Thought(p.text) for p in pieces if not isinstance(p, Reply)]
        calls = [WrittenCall(c.name, c.arguments, c.id) for c in reply.calls]
        own: dict[str, Any] = {"calls": calls, "deltas": [] if deltas == [reply.text] else deltas}
        return cls(**msgspec.structs.asdict(reply) | own)

    def pieces(self, number: int) -> list[Piece]:
        """Returns the reply as a stream of pieces. Calls without an id get an id that contains `number`."""
        deltas = self.deltas or ([self.text] if self.text else [])
        said: list[Piece] = [Text(d) if isinstance(d, str) else Reasoning(d.reasoning) for d in deltas]
        calls = [
            ToolCall(c.id or f"call_{number}_{i}", c.name, _written(c.arguments)) for i, c in enumerate(self.calls)
        ]
        fields: dict[str, Any] = msgspec.structs.asdict(self) | {
            "text": self.text or "".join(d for d in self.deltas if isinstance(d, str)),
            "calls": calls,
            "finish": self.finish or ("tool_calls" if calls else "stop"),
        }
        del fields["deltas"]
        return [*said, Reply(**fields)]


def provider(settings: Settings, _environ: Mapping[str, str]) -> Scripted:
    """Entry point of the provider `scripted`.

    Raises ProviderError if the file or one of its lines cannot be read.
    """
    if not settings.replay:
        raise ProviderError("The provider `scripted` replays a file: name it with --replay.")
    path = Path(settings.replay).expanduser()
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or "it is not UTF-8"
        raise ProviderError(f"{path} cannot be replayed: {reason}.") from error
    rows: list[ScriptedReply] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=ScriptedReply))
        except msgspec.DecodeError as error:
            raise ProviderError(f"{path}, line {number}, is not a recorded reply: {error}.") from error
    return Scripted(path, rows)


class Scripted:
    """Model that replays recorded replies in order."""

    provider = "scripted"

    def __init__(self, path: Path, rows: Sequence[ScriptedReply]) -> None:
        self.name = next((row.model for row in rows if row.model), "recording")
        self._path = path
        self._rows = rows
        self._replayed = 0

    @property
    def notice(self) -> str:
        """One line that tells the user that a recording answers and no model is called."""
        return f"a recording answers ({self._path.name}): nothing leaves this machine, no model is asked"

    def warm(self) -> None:
        """Does nothing, because no preparation is needed."""

    async def close(self) -> None:
        """Does nothing, because no resource stays open."""

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams the next reply of the file. Raises ModelError after the last reply."""
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


def recorded(model: Model, file: str, mask: Callable[[str], Safe]) -> RecordingModel:
    """Wraps a model so that each reply is masked and appended to a file (mode 0600). Raises ProviderError."""
    path = Path(file).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, "", append=True)
    except OSError as error:
        raise ProviderError(f"Nothing can be recorded in {path}: {error.strerror}.") from error
    return RecordingModel(model, path, mask)


class RecordingModel(PassingModel):
    """Model wrapper that appends each reply of the model to a file."""

    def __init__(self, model: Model, path: Path, mask: Callable[[str], Safe]) -> None:
        """Wraps `model`. `mask` removes the secrets from a text or from JSON."""
        super().__init__(model)
        self._mask = mask
        self._path = path

    @property
    def notice(self) -> str:
        """The model's notice, with the path of the recording."""
        return f"{self._model.notice}; recorded in {self._path}"

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams the model's reply and records it when it is complete. Raises ModelError."""
        pieces: list[Piece] = []
        async with contextlib.aclosing(self._model.stream(messages, tools)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Reply):
                    self._write(_line(ScriptedReply.of(piece, pieces), self._mask))
                yield piece

    def _write(self, line: Safe) -> None:
        try:
            write_private(self._path, in_json(line) + "\n", append=True)
        except OSError as error:
            raise ModelError("request", f"Nothing more can be recorded in {self._path}: {error.strerror}.") from error


def _line(row: ScriptedReply, mask: Callable[[str], Safe]) -> Safe:
    """Returns a reply as a line of the file. A reply with secrets is masked and loses its pieces."""
    thoughts = "".join(d.reasoning for d in row.deltas if isinstance(d, Thought))
    said = (row.text, thoughts, *(str(call.arguments) for call in row.calls))
    if not all(holds_none(text, mask(text)) for text in said):
        row.deltas = []
        put(row, text=mask(row.text))
        for call in row.calls:
            put(call, arguments=mask(str(call.arguments)))
    return as_it_is(msgspec.json.encode(row).decode())
