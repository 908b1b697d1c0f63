"""Answers in a file too, for an editor whose console is one line (Helix): the file's path is the answer's last line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dap_ai.commands.display.private import open_private
from dap_ai.protocol.contracts.question import NotAnswered
from dap_ai.protocol.wire.safe import Safe, as_it_is

if TYPE_CHECKING:
    from dap_ai.adapter.io.ports import AgentPort
    from dap_ai.protocol.contracts.debugger import RawDebugger, SafeSink
    from dap_ai.protocol.contracts.question import AcceptedAsk, SafeAnswer
    from dap_ai.protocol.contracts.repeatable_run import NoPast, Recalled
    from dap_ai.protocol.wire.ask_messages import Category, SafeStep


class AnswerFile:
    """An agent each of whose answers takes the place of the one before in a file that only its user may read.

    What is there is written to if it is an ordinary file of the same user; a link, a pipe, a device and a file of
    another user are left as they are. Clients that have joined the session have their answers without it.
    """

    def __init__(self, agent: AgentPort, path: str) -> None:
        self._agent = agent
        self._path = path

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """As the agent answers; then the file holds the answer's Markdown, and the last status says where it is."""
        if ask.joined:
            return await self._agent.answer(ask, debugger, sink)
        copy = _Copy(sink)
        answer = await self._agent.answer(ask, debugger, copy)
        if isinstance(answer, NotAnswered):
            return answer
        text = "".join(copy.pieces)
        if text and not text.endswith("\n"):
            sink.emit("answer", "\n")  # a line that is not whole would come after the path
        sink.emit("status", self._write(text))
        return answer

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """The agent's."""
        return await self._agent.recall(debugger)

    async def close(self) -> None:
        """The file stays, to be read."""
        await self._agent.close()

    def _write(self, text: Safe) -> Safe:
        """The file's path, as the user has set it; or why the text is not in it."""
        path = Path(self._path)
        try:
            path = path.expanduser().absolute()
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_private(path, os.O_WRONLY, _empty), "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except (OSError, RuntimeError) as error:  # RuntimeError: the home of a user that nobody knows
            return as_it_is(f"{path}: {(error.strerror if isinstance(error, OSError) else None) or error}")
        return as_it_is(str(path))


def _empty(fd: int) -> None:
    """Raises OSError."""
    if hasattr(os, "getuid") and os.fstat(fd).st_uid != os.getuid():
        raise OSError("it belongs to another user")
    os.ftruncate(fd, 0)


class _Copy:
    """A sink that keeps what it passes on of the answer."""

    def __init__(self, sink: SafeSink) -> None:
        self.pieces: list[Safe] = []
        self._sink = sink

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """See Sink."""
        if category == "answer":
            self.pieces.append(text)
        self._sink.emit(category, text, tool)
