"""Answers in a file too, for an editor whose console is one line (Helix): the file's path is the answer's last line."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from dap_ai.protocol.contracts.asking import NotAnswered
from dap_ai.protocol.wire.safe import Safe, as_it_is

if TYPE_CHECKING:
    from dap_ai.adapter.io.ports import Agent
    from dap_ai.protocol.contracts.asking import Ask, SafeAnswer
    from dap_ai.protocol.contracts.debugger import RawDebugger, SafeSink
    from dap_ai.protocol.contracts.recalling import NoPast, Recalled
    from dap_ai.protocol.wire.ask import Category, SafeStep


class AnswerFile:
    """An agent each of whose answers takes the place of the one before in a file that only its user may read.

    What is there is written to if it is an ordinary file of the same user; a link, a pipe, a device and a file of
    another user are left as they are. Clients that have joined the session have their answers without it.
    """

    def __init__(self, agent: Agent, path: str) -> None:
        self._agent = agent
        self._path = path

    async def answer(self, ask: Ask, debugger: RawDebugger, sink: SafeSink) -> SafeAnswer | NotAnswered:
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
            with os.fdopen(_opened(path), "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except (OSError, RuntimeError) as error:  # RuntimeError: the home of a user that nobody knows
            return as_it_is(f"{path}: {(error.strerror if isinstance(error, OSError) else None) or error}")
        return as_it_is(str(path))


def _opened(path: Path) -> int:
    """The file, empty and its user's alone. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    fd = os.open(path, flags, 0o600)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is no ordinary file")  # noqa: TRY301  so that it is closed in one place
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise OSError("it belongs to another user")  # noqa: TRY301  the same
        if hasattr(os, "fchmod"):
            os.fchmod(fd, 0o600)
        os.ftruncate(fd, 0)
    except BaseException:
        os.close(fd)
        raise
    return fd


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
