"""The language servers of a debug session. Each server starts at its first question and restarts at most once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from dap_ai.agent.language.language_messages import (
    LanguageServerError,
    Position,
    ServerEnded,
    ServerRefused,
    SourceLine,
    Workspace,
)
from dap_ai.agent.language.recipes import Family, recipe_of
from dap_ai.system.load_limits import wait_for

if TYPE_CHECKING:
    from dap_ai.agent.language.child import Child


START_TIMEOUT_S = 10.0
TIMEOUT_S = 5.0
NATIVE_TIMEOUT_S = 15.0
"""Timeout for clangd and rust-analyzer. clangd reads all headers of a file before it answers about the file."""
_MAX_STARTS = 2
T = TypeVar("T")
NO_ANSWER = "the language server did not answer"


class LanguageServer:
    """A language server for one event loop. The server ends at `close` or with this process."""

    def __init__(
        self, start_timeout_s: float = START_TIMEOUT_S, timeout_s: float = TIMEOUT_S, family: Family = "python"
    ) -> None:
        self.workspace: Workspace | None = None
        """Folder and Python environment, set before the first question. A change takes effect when the server restarts.
        """
        self._family: Family = family
        self._start_timeout_s = start_timeout_s
        self._timeout_s = timeout_s
        self._child: asyncio.Task[Child] | None = None
        self._starts = 0

    async def definitions(self, position: Position) -> list[SourceLine]:
        """Returns the lines that define the name at a position; empty if unknown. Raises LanguageServerError."""
        return await self._ask(position, lambda child: child.definitions(position, self._timeout_s))

    async def types(self, position: Position) -> list[SourceLine]:
        """Returns the lines that define the type of the name at a position. Raises LanguageServerError."""
        return await self._ask(position, lambda child: child.types(position, self._timeout_s))

    async def about(self, position: Position) -> str:
        """Returns the hover text for the name at a position; empty if there is no text. Raises LanguageServerError."""
        return await self._ask(position, lambda child: child.about(position, self._timeout_s))

    async def learn(self, position: Position) -> None:
        """Makes the server read a file and its definitions. Raises LanguageServerError."""
        await self._ask(position, lambda child: child.learn(position, self._timeout_s))

    async def close(self) -> None:
        """Ends the server. Later questions raise LanguageServerError."""
        self._starts = _MAX_STARTS
        starting, self._child = self._child, None
        if starting is None:
            return
        starting.cancel()  # no effect if it has already started
        await asyncio.wait({starting})
        if not starting.cancelled() and starting.exception() is None:
            await starting.result().end()

    async def _ask(self, position: Position, question: Callable[[Child], Awaitable[T]]) -> T:
        while True:
            child = await self._running(position)
            try:
                return await question(child)
            except ServerEnded:
                continue
            except ServerRefused as error:
                raise LanguageServerError(f"the language server could not answer: {error}") from error
            except TimeoutError as error:
                await child.end()
                raise LanguageServerError(f"{NO_ANSWER} within {self._timeout_s:g} s") from error

    async def _running(self, position: Position) -> Child:
        if self._child is None or _is_over(self._child):
            if self._starts == _MAX_STARTS:
                raise LanguageServerError("the language server has ended and is not started again")
            self._starts += 1
            workspace = self.workspace or Workspace(position.path.replace("\\", "/").rpartition("/")[0] or "/")
            self._child = asyncio.get_running_loop().create_task(self._start(workspace))
            self._child.add_done_callback(_consume_error)
        try:
            return await asyncio.shield(self._child)  # a cancelled ask leaves the server to the next one
        except (TimeoutError, asyncio.TimeoutError) as error:
            text = f"the language server did not start in {self._start_timeout_s:g} s"
            raise LanguageServerError(text) from error
        except (OSError, ServerEnded, ServerRefused) as error:
            raise LanguageServerError(f"the language server did not start: {error}") from error

    async def _start(self, workspace: Workspace) -> Child:
        child = await asyncio.to_thread(_child)
        try:
            return await self._started(child, workspace)
        except ServerRefused:
            if not workspace.python:
                raise
            return await self._started(child, replace(workspace, python=""))  # jedi rejects the debuggee's Python

    async def _started(self, child: type[Child], workspace: Workspace) -> Child:
        recipe = await asyncio.to_thread(
            recipe_of, self._family, workspace.root, workspace.python, workspace.import_path
        )
        return await wait_for(child.start(recipe, workspace.root), self._start_timeout_s)


def _child() -> type[Child]:
    """Imports and returns class Child. Call this in a thread: the import takes 0.5 s, too long for the event loop."""
    from dap_ai.agent.language.child import Child  # noqa: PLC0415  see above

    return Child


def _is_over(child: asyncio.Task[Child]) -> bool:
    return child.done() and (child.cancelled() or child.exception() is not None or child.result().ended)


def _consume_error(child: asyncio.Task[Child]) -> None:
    """Retrieves the exception of a failed start, so that the event loop does not log it."""
    if not child.cancelled():
        child.exception()


class LanguageServers:
    """The language servers of a debug session. They start at their first question and end at `close`."""

    def __init__(self) -> None:
        self._servers: dict[tuple[Family, str], LanguageServer] = {}

    def of(self, family: Family, root: str) -> LanguageServer:
        """Returns the server for a language family and folder. The caller sets the `workspace` of a new server."""
        if (family, root) not in self._servers:
            timeout_s = TIMEOUT_S if family == "python" else NATIVE_TIMEOUT_S
            self._servers[family, root] = LanguageServer(timeout_s=timeout_s, family=family)
        return self._servers[family, root]

    async def close(self) -> None:
        """Ends all language servers of the session."""
        servers, self._servers = self._servers, {}
        await asyncio.gather(*(each.close() for each in servers.values()))
