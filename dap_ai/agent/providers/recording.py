"""`--record`: a model whose replies are also written to a file, for `scripted` to replay."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

import msgspec

from dap_ai.agent.guard.passing import PassingModel
from dap_ai.agent.model import Model, ModelError, Piece, Reply, Schema
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.scripted import Row, Thought
from dap_ai.protocol.wire.safe import Safe, SafeFields, as_it_is, holds_none, put
from dap_ai.protocol.wire.visible import in_json


def recorded(model: Model, file: str, mask: Callable[[str], Safe]) -> Recorded:
    """The model; each of its replies is added to the file (the user's alone, 0600), masked. Raises ProviderError."""
    path = Path(file).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _append(path, b"")
    except OSError as error:
        raise ProviderError(f"Nothing can be recorded in {path}: {error.strerror}.") from error
    return Recorded(model, path, mask)


class Recorded(PassingModel):
    """See agent.model.Model."""

    def __init__(self, model: Model, path: Path, mask: Callable[[str], Safe]) -> None:
        """`mask` takes the secrets out of a text, which may be JSON."""
        super().__init__(model)
        self._mask = mask
        self._path = path

    @property
    def notice(self) -> str:
        """The model's, and that it is recorded."""
        return f"{self._model.notice}; recorded in {self._path}"

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """The model's reply; once it is whole, it is written. Raises ModelError."""
        pieces: list[Piece] = []
        async with contextlib.aclosing(self._model.stream(messages, tools)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Reply):
                    self._write(_line(Row.of(piece, pieces), self._mask))
                yield piece

    def _write(self, line: Safe) -> None:
        try:
            _append(self._path, in_json(line).encode() + b"\n")
        except OSError as error:
            raise ModelError("request", f"Nothing more can be recorded in {self._path}: {error.strerror}.") from error


def _line(row: Row, mask: Callable[[str], Safe]) -> Safe:
    """A reply without secrets is kept byte for byte; of another, the pieces are not kept."""
    thoughts = "".join(d.reasoning for d in row.deltas if isinstance(d, Thought))
    said = (row.text, thoughts, *(str(call.arguments) for call in row.calls))
    if not all(holds_none(text, mask(text)) for text in said):
        row.deltas = []
        put(row, text=mask(row.text))
        for call in row.calls:
            put(call, arguments=mask(str(call.arguments)))
    return as_it_is(msgspec.json.encode(row).decode())


def _append(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(data)
