"""One process of jedi-language-server and the conversation with it. The only owner of pygls and lsprotocol.

It ends where its stdin does, so that none is left behind whatever becomes of this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from concurrent.futures import Future
from pathlib import Path
from threading import Event
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path, to_fs_path

import dap_ai
from dap_ai.agent.language.server import Ended, Position, Refused, Spot, Workspace

_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from jedi_language_server.cli import cli; cli()"
"""Without the current folder on its path: no file of a workspace is ever imported."""
_END_S = 0.5

logging.getLogger("pygls").setLevel(logging.CRITICAL)  # stderr is the user's terminal


class Child:
    """A language server that runs; made by `start`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  both are pipes
        self._process = process
        self._stdin = process.stdin
        self._client = LanguageClient("dap-ai", dap_ai.__version__)
        self._client.protocol.set_writer(self._stdin)  # pyright: ignore[reportArgumentType]  its write need not be awaited
        reading = run_async(Event(), process.stdout, self._client.protocol)
        self._reading = asyncio.get_running_loop().create_task(reading)
        self._reading.add_done_callback(_seen)
        self._exit = asyncio.get_running_loop().create_task(process.wait())
        self._ending: asyncio.Task[None] | None = None
        self._shown: dict[str, tuple[int, str]] = {}
        """Version and text of each open file."""

    @classmethod
    async def start(cls, workspace: Workspace) -> Child:
        """One that is ready to answer. Raises OSError, Ended, and Refused if the interpreter cannot be asked."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,  # Ctrl-C in the terminal ends an ask, not the language server
        )
        child = cls(process)
        try:
            await child._open(workspace)
        except BaseException:
            await child.end()
            raise
        return child

    @property
    def ended(self) -> bool:
        """Whether the process has ended, or is about to."""
        return self._exit.done() or self._ending is not None

    async def definitions(self, position: Position, timeout_s: float | None) -> list[Spot]:
        """Where the name is defined, else its type. Raises Ended, Refused, TimeoutError."""
        document = types.TextDocumentIdentifier(self._show(position.path, position.text))
        spot = types.Position(position.line - 1, position.column)
        asked = self._client.text_document_definition(types.DefinitionParams(document, spot))
        found = _spots(await self._answer(asked, timeout_s))
        if found:
            return found
        asked = self._client.text_document_type_definition(types.TypeDefinitionParams(document, spot))
        return _spots(await self._answer(asked, timeout_s))

    async def end(self) -> None:
        """Ends the process, kindly at first. Again, or cancelled, it ends all the same."""
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self._stdin.close()
        await asyncio.wait({self._exit}, timeout=_END_S)
        if not self._exit.done():
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await asyncio.wait({self._exit})
        await asyncio.wait({self._reading}, timeout=_END_S)
        self._reading.cancel()

    async def _open(self, workspace: Workspace) -> None:
        """The handshake, and one definition: only that tells whether the debuggee's interpreter can be asked."""
        general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32])
        greeting = types.InitializeParams(
            capabilities=types.ClientCapabilities(general=general),
            process_id=os.getpid(),
            root_uri=from_fs_path(workspace.root),
            initialization_options={
                "diagnostics": {"enable": False},
                "workspace": {"environmentPath": workspace.python or None, "extraPaths": workspace.import_path},
            },
        )
        await self._answer(self._client.initialize(greeting), None)
        self._client.initialized(types.InitializedParams())
        probe = Position(str(Path(workspace.root) / "dap_ai_probe.py"), "import sys\n", 1, 7)
        await self.definitions(probe, None)

    def _show(self, path: str, text: str) -> str:
        """The URI of a file whose text the language server knows."""
        uri = from_fs_path(path) or ""
        version, known = self._shown.get(uri, (0, ""))
        if version and known == text:
            return uri
        version += 1
        self._shown[uri] = version, text
        if version == 1:
            item = types.TextDocumentItem(uri, types.LanguageKind.Python, version, text)
            self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            document = types.VersionedTextDocumentIdentifier(version, uri)
            change = types.TextDocumentContentChangeWholeDocument(text)
            self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return uri

    async def _answer(self, asked: Future[Any], timeout_s: float | None) -> Any:
        """Raises Ended, Refused, TimeoutError. Cancelled, it leaves the answer to come: pygls wants to deliver it."""
        answer = asyncio.wrap_future(asked)
        answer.add_done_callback(_seen)
        done, _ = await asyncio.wait({answer, self._exit}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if answer in done:
            try:
                return answer.result()
            except JsonRpcException as error:
                raise Refused(str(error)) from error
        if self._exit in done:
            raise Ended(f"it ended with exit code {self._process.returncode}")
        raise TimeoutError


def _seen(answer: asyncio.Future[Any]) -> None:
    """Nobody may be left to be told of a failure; the event loop need not be."""
    if not answer.cancelled():
        answer.exception()


def _spots(found: Any) -> list[Spot]:
    locations = [found] if isinstance(found, types.Location) else found or []
    spots = [
        Spot(path, location.range.start.line + 1)
        for location in locations
        if isinstance(location, types.Location) and (path := to_fs_path(location.uri))
    ]
    return list(dict.fromkeys(spots))
