"""What an editor brings along: how it reaches `dap-ai serve`, and the terminal that it lets programs run in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

from tests.dialects.dialect import Dialect
from tests.dialects.editor import WAIT_S, Editor

TOKEN = "sesame"


class Terminal:
    """The editor's terminal, for one program."""

    async def run(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The request `runInTerminal`."""
        environment = {name: value for name, value in (arguments.get("env") or {}).items() if value is not None}
        self._process = await asyncio.create_subprocess_exec(
            *arguments["args"],
            cwd=arguments.get("cwd") or None,
            env={**os.environ, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        return {"processId": self._process.pid}

    async def printed(self) -> bytes:
        """All that the program has written, once it has ended."""
        return (await asyncio.wait_for(self._process.communicate(), WAIT_S))[0]


@contextlib.asynccontextmanager
async def over_stdio(dialect: Dialect, *serve: str) -> AsyncIterator[Editor]:
    """An editor that has started `dap-ai serve` itself. When it is done, so is the process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dap_ai", "serve", *serve),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stdin is not None and process.stdout is not None
    editor = Editor(dialect, process.stdout, process.stdin)
    try:
        yield editor
    finally:
        await editor.close()
        try:
            await asyncio.wait_for(process.wait(), WAIT_S)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
            raise


@contextlib.asynccontextmanager
async def over_tcp(dialect: Dialect, *serve: str) -> AsyncIterator[Editor]:
    """An editor that connects to a `dap-ai serve --listen` that its user has started, with TOKEN in DAP_AI_TOKEN."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dap_ai", "serve", "--listen", "127.0.0.1:0", *serve),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "DAP_AI_TOKEN": TOKEN},
    )
    assert process.stderr is not None
    editor = None
    try:
        line = (await asyncio.wait_for(process.stderr.readline(), WAIT_S)).decode()
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
        assert found, line
        editor = Editor(dialect, *await asyncio.open_connection("127.0.0.1", int(found[1])))
        yield editor
    finally:
        if editor is not None:
            await editor.close()
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), WAIT_S)
