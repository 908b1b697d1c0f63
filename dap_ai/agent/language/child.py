"""Runs a language server as a child process and exchanges messages with it. Only this module uses pygls and lsprotocol.

The server ends when its stdin closes, so that no server outlives this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path, to_fs_path

import dap_ai
from dap_ai.agent.language.language_messages import Position, ServerEnded, ServerRefused, SourceLine
from dap_ai.agent.language.recipes import ServerRecipe
from dap_ai.system.load_limits import slack

_END_S = 0.5

logging.getLogger("pygls").setLevel(logging.CRITICAL)  # stderr is the user's terminal


@dataclass
class _Shown:
    """A file that is open in the language server."""

    version: int
    text: str
    stamp: tuple[float, int]
    """Modification time and size of the file on disk when its text was last sent."""
    since: float
    """Time at which the file was opened in the server, in seconds since the epoch."""


class Child:
    """A running language server process. Create an instance with `start`."""

    def __init__(self, process: asyncio.subprocess.Process, recipe: ServerRecipe) -> None:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  both are pipes
        self._process = process
        self._recipe = recipe
        self._stdin = process.stdin
        self._client = LanguageClient("dap-ai", dap_ai.__version__)
        self._answer_requests()
        self._client.protocol.set_writer(self._stdin)  # pyright: ignore[reportArgumentType]  its write need not be awaited
        reading = run_async(Event(), process.stdout, self._client.protocol)
        self._reading = asyncio.get_running_loop().create_task(reading)
        self._reading.add_done_callback(_consume_error)
        self._exit = asyncio.get_running_loop().create_task(process.wait())
        self._ending: asyncio.Task[None] | None = None
        self._shown: dict[str, _Shown] = {}
        """Files that are open in the server, by path."""

    def _answer_requests(self) -> None:
        """Registers answers to the server's requests. A server without an answer may wait forever."""
        told = self._recipe.configuration

        def configuration(asked: types.ConfigurationParams) -> list[Any]:
            return [told.get(item.section or "") for item in asked.items]

        def nothing(asked: Any) -> None:
            del asked

        self._client.feature(types.WORKSPACE_CONFIGURATION)(configuration)
        for name in (types.CLIENT_REGISTER_CAPABILITY, types.WINDOW_WORK_DONE_PROGRESS_CREATE):
            self._client.feature(name)(nothing)

    @classmethod
    async def start(cls, recipe: ServerRecipe, root: str) -> Child:
        """Starts a server process and waits until it is ready.

        Raises OSError, ServerEnded. Raises ServerRefused if the server cannot use the Python interpreter.
        """
        process = await asyncio.create_subprocess_exec(
            *recipe.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **recipe.environ},
            start_new_session=True,  # Ctrl-C in the terminal ends an ask, not the language server
        )
        child = cls(process, recipe)
        try:
            await child._open(root)
        except BaseException:
            await child.end()
            raise
        return child

    @property
    def ended(self) -> bool:
        """Whether the server process has ended or is ending."""
        return self._exit.done() or self._ending is not None

    async def definitions(self, position: Position, timeout_s: float | None) -> list[SourceLine]:
        """Returns where the name is defined, else its type. Raises ServerEnded, ServerRefused, TimeoutError."""
        found = await self._defined(position, timeout_s)
        if any(_stamp(spot.path)[0] > self._shown[position.path].since for spot in found):
            self._close(position.path)  # an included file has changed: only reopening rereads it
            found = await self._defined(position, timeout_s)
        return found or await self.types(position, timeout_s)

    async def _defined(self, position: Position, timeout_s: float | None) -> list[SourceLine]:
        asked = self._client.text_document_definition(types.DefinitionParams(*self._place(position)))
        return _spots(await self._answer(asked, timeout_s))

    async def types(self, position: Position, timeout_s: float | None) -> list[SourceLine]:
        """Returns where the name's type is defined. Raises ServerEnded, ServerRefused, TimeoutError."""
        asked = self._client.text_document_type_definition(types.TypeDefinitionParams(*self._place(position)))
        return _spots(await self._answer(asked, timeout_s))

    async def about(self, position: Position, timeout_s: float | None) -> str:
        """Returns the editor's hover text for the name. Raises ServerEnded, ServerRefused, TimeoutError."""
        asked = self._client.text_document_hover(types.HoverParams(*self._place(position)))
        found = await self._answer(asked, timeout_s)
        contents = found.contents if isinstance(found, types.Hover) else None
        return contents.value if isinstance(contents, types.MarkupContent) else ""

    async def learn(self, position: Position, timeout_s: float | None) -> None:
        """Makes the server read the position's file. Raises ServerEnded, ServerRefused, TimeoutError."""
        document, _ = self._place(position)
        await self._answer(self._client.text_document_document_symbol(types.DocumentSymbolParams(document)), timeout_s)

    async def end(self) -> None:
        """Ends the process, by force after 0.5 s. May be called twice. Continues even if the caller is cancelled."""
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self._stdin.close()
        await asyncio.wait({self._exit}, timeout=_END_S)
        if not self._exit.done():
            self._kill()
        await asyncio.wait({self._exit})
        await asyncio.wait({self._reading}, timeout=_END_S)
        self._reading.cancel()

    def _kill(self) -> None:
        """Kills the process and its children, because the server may be the child of a start script."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    async def _open(self, root: str) -> None:
        """Initializes the server. Then requests a definition, which fails if the server cannot use the interpreter."""
        general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32])
        greeting = types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=general,
                workspace=types.WorkspaceClientCapabilities(configuration=bool(self._recipe.configuration)),
                text_document=types.TextDocumentClientCapabilities(
                    hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
                ),
            ),
            process_id=os.getpid(),
            root_uri=from_fs_path(root),
            initialization_options=dict(self._recipe.options),
        )
        await self._answer(self._client.initialize(greeting), None)
        self._client.initialized(types.InitializedParams())
        if self._recipe.probe:
            name, text = self._recipe.probe
            await self.definitions(Position(str(Path(root) / name), text, 1, len(text) - 2), None)

    def _place(self, position: Position) -> tuple[types.TextDocumentIdentifier, types.Position]:
        """Sends the server the current text of all open files, and returns the position in LSP's form."""
        for path in [path for path in self._shown if path != position.path]:
            self._refresh(path)
        self._show(position)
        spot = types.Position(position.line - 1, position.column)
        return types.TextDocumentIdentifier(_uri(position.path)), spot

    def _show(self, position: Position) -> None:
        shown = self._shown.get(position.path)
        if shown is None:
            self._tell_command(position)
            self._shown[position.path] = _Shown(1, position.text, _stamp(position.path), time.time())
            kind = types.LanguageKind(position.language)
            item = types.TextDocumentItem(_uri(position.path), kind, 1, position.text)
            self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        elif shown.text != position.text:
            self._change(position.path, shown, position.text)

    def _change(self, path: str, shown: _Shown, text: str) -> None:
        shown.version, shown.text, shown.stamp = shown.version + 1, text, _stamp(path)
        document = types.VersionedTextDocumentIdentifier(shown.version, _uri(path))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def _refresh(self, path: str) -> None:
        """Sends an open file's text again if the file has changed on disk. Closes a file that no longer exists."""
        shown = self._shown[path]
        if shown.stamp == (now := _stamp(path)):
            return
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            self._close(path)
            return
        shown.stamp = now
        if shown.text != text:
            self._change(path, shown, text)

    def _close(self, path: str) -> None:
        del self._shown[path]
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(_uri(path)))
        self._client.text_document_did_close(closed)

    def _tell_command(self, position: Position) -> None:
        tell = self._recipe.command
        if tell and (command := tell(position.path, position.language)):
            told = {"workingDirectory": command[0], "compilationCommand": command[1]}
            settings = {"compilationDatabaseChanges": {position.path: told}}
            self._client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))

    async def _answer(self, asked: Future[Any], timeout_s: float | None) -> Any:
        """Returns the server's answer. Raises ServerEnded, ServerRefused, TimeoutError.

        If this call is cancelled, the request stays pending, because pygls will still deliver its answer.
        """
        answer = asyncio.wrap_future(asked)
        answer.add_done_callback(_consume_error)
        done, _ = await asyncio.wait(
            {answer, self._exit}, timeout=timeout_s and timeout_s * slack(), return_when=asyncio.FIRST_COMPLETED
        )
        if answer in done:
            try:
                return answer.result()
            except JsonRpcException as error:
                raise ServerRefused(str(error)) from error
        if self._exit in done:
            raise ServerEnded(f"it ended with exit code {self._process.returncode}")
        raise TimeoutError


def _uri(path: str) -> str:
    return from_fs_path(path) or ""


def _stamp(path: str) -> tuple[float, int]:
    """Returns a file's modification time and size, or zeros if the file is unreadable."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return 0.0, 0
    return found.st_mtime, found.st_size


def _consume_error(answer: asyncio.Future[Any]) -> None:
    """Retrieves the exception of an answer, so that the event loop does not log it."""
    if not answer.cancelled():
        answer.exception()


def _spots(found: Any) -> list[SourceLine]:
    locations = [found] if isinstance(found, types.Location) else found or []
    spots = [
        SourceLine(path, location.range.start.line + 1)
        for location in locations
        if isinstance(location, types.Location) and (path := to_fs_path(location.uri))
    ]
    return list(dict.fromkeys(spots))
