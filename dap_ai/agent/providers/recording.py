"""`--record`: a model whose replies are also written to a file, for `scripted` to replay."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.agent.model import Message, Model, ModelError, Piece, Reply, Schema
from dap_ai.agent.passing import PassingModel
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.scripted import Row, Thought, WrittenCall
from dap_ai.protocol.visible import in_json


def recorded(model: Model, file: str, mask: Callable[[Any], Any]) -> Recorded:
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

    def __init__(self, model: Model, path: Path, mask: Callable[[Any], Any]) -> None:
        """`mask` takes the secrets out of something JSON-like."""
        super().__init__(model)
        self._mask = mask
        self._path = path

    @property
    def notice(self) -> str:
        """The model's, and that it is recorded."""
        return f"{self._model.notice}; recorded in {self._path}"

    async def stream(self, messages: Sequence[Message], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """The model's reply; once it is whole, it is written. Raises ModelError."""
        pieces: list[Piece] = []
        async with contextlib.aclosing(self._model.stream(messages, tools)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Reply):
                    self._write(self._masked(Row.of(piece, pieces)))
                yield piece

    def _masked(self, row: Row) -> Row:
        """A reply without secrets is kept byte for byte; of another, the pieces are not kept."""
        calls = [WrittenCall(c.name, self._mask(c.arguments), c.id) for c in row.calls]
        text = self._mask(row.text)
        thoughts = "".join(d.reasoning for d in row.deltas if isinstance(d, Thought))
        if text == row.text and calls == row.calls and self._mask(thoughts) == thoughts:
            return row
        return msgspec.structs.replace(row, text=text, calls=calls, deltas=[])

    def _write(self, row: Row) -> None:
        try:
            _append(self._path, in_json(msgspec.json.encode(row).decode()).encode() + b"\n")
        except OSError as error:
            raise ModelError("request", f"Nothing more can be recorded in {self._path}: {error.strerror}.") from error


def _append(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(data)
