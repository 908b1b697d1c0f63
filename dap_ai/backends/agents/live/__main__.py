"""The endpoint's process: it outlives whoever started it for as long as the agent runs. See talk.py."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

import msgspec
import psutil

from dap_ai.backends.agents.live.talk import Agent, Begin, End, Line, Ready, Told
from dap_ai.backends.agents.live.wire.recorder import Recorder
from dap_ai.backends.agents.live.wire.routes import named
from dap_ai.backends.agents.live.wire.serving import Endpoint
from dap_ai.runs.store import Recording
from dap_ai.threads import run

_LOOK_S = 0.5
"""How often it looks for an agent whose starter has been killed."""


class _Process:
    def __init__(self, begin: Begin, stdin: asyncio.StreamReader) -> None:
        self._begin, self._stdin = begin, stdin
        folder = Path(begin.folder)
        self._recording = Recording(folder, begin.head)
        upstreams = named(dict(begin.upstreams))
        self._recorder = Recorder(self._recording, upstreams)
        self._endpoint = Endpoint(begin.token, upstreams, self._recorder, self._recording.queries + 1)
        self._agent: Agent | None = None

    async def run(self) -> None:
        """Until the agent has ended."""
        listener = socket.socket(fileno=self._begin.fd)
        listener.setblocking(False)
        server = await self._endpoint.listen(listener)
        _say(Ready())
        ended = await self._until_ended()
        server.close()
        await self._endpoint.end()
        self._recorder.event({"end": ended and ended.exit_code, "at": time.time()})
        await asyncio.to_thread(self._recorder.close)
        totals = self._recorder.totals
        notes = [f"not all could be recorded: {totals.lost}"] if totals.lost else []
        _say(Told(totals.queries, totals.failed, totals.input_tokens, totals.output_tokens, totals.cost_usd, 0, notes))
        self._recording.close()

    async def _until_ended(self) -> End | None:
        """How the agent has ended; None where who knew it was killed."""
        while line := await self._stdin.readline():
            said = msgspec.json.decode(line, type=Line)
            self._agent = said.agent or self._agent
            if said.end is not None:
                return said.end
        while self._agent is not None and _runs(self._agent):  # noqa: ASYNC110  another process tells no event
            await asyncio.sleep(_LOOK_S)
        return None


def _runs(agent: Agent) -> bool:
    """Whether that very process is there, and no zombie."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(agent.pid)
        return abs(process.create_time() - agent.created) < 1 and process.status() != psutil.STATUS_ZOMBIE
    return False


def _say(line: Ready | Told) -> None:
    """To who has started us, if it is still there."""
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
        sys.stdout.buffer.flush()


async def _main() -> None:
    loop = asyncio.get_running_loop()
    stdin = asyncio.StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    begin = msgspec.json.decode(await stdin.readline(), type=Begin)
    work = asyncio.ensure_future(_Process(begin, stdin).run())
    await work


def main() -> None:
    """Ended by its stdin. A terminal's signals are the agent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    run(_main())


if __name__ == "__main__":
    main()
