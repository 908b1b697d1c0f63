"""Writes each answer to a file as well, for an editor with a one-line console such as Helix.

The last line that the editor shows is the file's path.
"""

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
    """Wraps an agent and writes each answer to a file that only its user may read.

    An answer replaces the previous answer. The file is written only if it is new or a regular file of the same user;
    links, pipes, devices and other users' files are left alone. Answers to clients that have joined the session are not
    written.
    """

    def __init__(self, agent: AgentPort, path: str) -> None:
        self._agent = agent
        self._path = path

    async def answer(self, ask: AcceptedAsk, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
        """Answer a question and write the answer's Markdown to the file; the last status is the file's path."""
        if ask.joined:
            return await self._agent.answer(ask, debugger, sink)
        copy = _Copy(sink)
        answer = await self._agent.answer(ask, debugger, copy)
        if isinstance(answer, NotAnswered):
            return answer
        text = "".join(copy.pieces)
        if text and not text.endswith("\n"):
            sink.emit("answer", "\n")  # an incomplete line would be shown after the path
        sink.emit("status", self._write(text))
        return answer

    async def recall(self, debugger: RawDebugger) -> Recalled | NoPast:
        """Return what a copy of the program can rerun up to this stop, from the wrapped agent."""
        return await self._agent.recall(debugger)

    async def close(self) -> None:
        """Close the wrapped agent; the file is kept."""
        await self._agent.close()

    def _write(self, text: Safe) -> Safe:
        """Write the text; return the file's absolute path, or the reason why the text was not written."""
        path = Path(self._path)
        try:
            path = path.expanduser().absolute()
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_private(path, os.O_WRONLY, _empty), "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except (OSError, RuntimeError) as error:  # RuntimeError: the home directory of an unknown user
            return as_it_is(f"{path}: {(error.strerror if isinstance(error, OSError) else None) or error}")
        return as_it_is(str(path))


def _empty(fd: int) -> None:
    """Truncate an open file. Raises OSError if it belongs to another user."""
    if hasattr(os, "getuid") and os.fstat(fd).st_uid != os.getuid():
        raise OSError("it belongs to another user")
    os.ftruncate(fd, 0)


class _Copy:
    """An output sink that forwards everything, and keeps the pieces of the answer."""

    def __init__(self, sink: SafeSink) -> None:
        self.pieces: list[Safe] = []
        self._sink = sink

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """Forward one piece of output; keep the piece if it belongs to the answer."""
        if category == "answer":
            self.pieces.append(text)
        self._sink.emit(category, text, tool)
