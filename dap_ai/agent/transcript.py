"""A conversation as a file: one JSON line a message, written as it is made. `export` makes Markdown of it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dap_ai.agent.model import Message, Reply


class Transcript:
    """Where one conversation is written; `path` None: nowhere. The file is the user's alone (0600)."""

    def __init__(self, path: Path | None, ask_id: str = "") -> None:
        self._path = path
        self._ask_id = ask_id

    @classmethod
    def of(cls, folder: str, conversation_id: str, ask_id: str) -> Transcript:
        """The transcript of a conversation of this process in a folder; no folder: none is written."""
        if not folder:
            return cls(None)
        path = Path(folder).expanduser() / f"{time.strftime('%Y%m%d')}-{os.getpid()}-{conversation_id}.jsonl"
        return cls(path, ask_id)

    def keep(self, message: Message, reply: Reply | None = None) -> None:
        """Writes one message, at once. Raises OSError."""
        if self._path is None:
            return
        row: dict[str, Any] = {"time": round(time.time(), 3), "ask": self._ask_id, **message}
        if reply is not None:
            row["usage"] = {"model": reply.model, "input": reply.input_tokens, "output": reply.output_tokens}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(
            os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8"
        ) as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def export(lines: Iterable[str]) -> str:
    """A transcript's lines as Markdown. Raises ValueError if one is no JSON."""
    raise NotImplementedError
