"""Answers in a file too, for an editor whose console is one line (Helix): the file's path is the answer's last line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dap_ai.adapter.ports import Agent
    from dap_ai.protocol.ask import Category, ToolStep
    from dap_ai.protocol.asking import Answer, Ask
    from dap_ai.protocol.debugger import Debugger, Sink


class AnswerFile:
    """An agent each of whose answers takes the place of the one before in a file that only its user may read."""

    def __init__(self, agent: Agent, path: str) -> None:
        self._agent = agent
        self._path = Path(path).expanduser().absolute()

    async def answer(self, ask: Ask, debugger: Debugger, sink: Sink) -> Answer:
        """As the agent answers; then the file holds the answer's Markdown, and the last status says where it is."""
        copy = _Copy(sink)
        answer = await self._agent.answer(ask, debugger, copy)
        text = "".join(copy.pieces)
        if text and not text.endswith("\n"):
            sink.emit("answer", "\n")  # a line that is not whole would come after the path
        sink.emit("status", self._write(text))
        return answer

    async def close(self) -> None:
        """The file stays, to be read."""
        await self._agent.close()

    def _write(self, text: str) -> str:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(self._path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError as error:
            return f"{self._path}: {error.strerror or error}"
        return str(self._path)


class _Copy:
    """A sink that keeps what it passes on of the answer."""

    def __init__(self, sink: Sink) -> None:
        self.pieces: list[str] = []
        self._sink = sink

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """See Sink."""
        if category == "answer":
            self.pieces.append(text)
        self._sink.emit(category, text, tool)
