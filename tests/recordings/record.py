"""Records the sessions of this folder anew, with the real debugpy: `python -m tests.recordings.record [NAME]...`.

To be run when what the session says has changed on purpose; a difference that nobody meant is a bug.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
from dap_ai.agent.answering import Agent
from dap_ai.commands.shown.wirelog import SessionLog, WireLog
from dap_ai.settings.config import Settings

from dap_ai.agent.masking.mask import Masker
from tests.conftest import ROOT, TESTS, marked_lines
from tests.integration.live import Live
from tests.patience import at_worst

FOLDER = Path(__file__).parent
CRASH = TESTS / "debuggees" / "crash.py"
STEPS = TESTS / "debuggees" / "steps.py"
LIMIT_S = at_worst(60.0)


class Recorded(Live):
    """A session that writes a wire log."""

    def __init__(self, log: WireLog, agent: Any = None) -> None:
        super().__init__(agent=agent)
        self._log = log
        self.logs: list[SessionLog] = []

    def journal(self, session: Any) -> SessionLog:
        masker, failed = Masker(key=b"always the same"), self.logged.append
        log = SessionLog(self._log, "debugpy", session, masker=lambda: masker, known=tuple, failed=failed)
        self.logs.append(log)
        return log


async def answering(session: Recorded) -> None:
    """Up to the first words of the answer."""
    while (await session.event("askOutput"))["category"] != "answer":
        pass


async def answered_at_a_crash(session: Recorded) -> None:
    """Launch to an uncaught exception, the requests of an editor, a question, the answer."""
    await session.launch(CRASH, env={"API_KEY": "k9X2mQ7vL4pR8sT1wZ6y"})
    thread = (await session.stopped())["threadId"]
    frame = await session.top_frame(thread)
    scopes = (await session.request("scopes", {"frameId": frame}))["scopes"]
    await session.request("variables", {"variablesReference": scopes[0]["variablesReference"]})
    await session.request("evaluate", {"expression": "people", "frameId": frame, "context": "hover"})
    await session.request("ask", {"question": "why?", "level": "observe"})
    await session.event("askEnded")
    await session.request("disconnect", {"terminateDebuggee": True})


async def cancelled(session: Recorded) -> None:
    """A question that is cancelled before its answer."""
    session.echo.go_on.clear()
    await session.launch(CRASH)
    await session.stopped()
    ask = await session.request("ask", {"question": "why?"})
    await answering(session)
    await session.request("cancel", {"progressId": ask["askId"]})
    await session.event("askEnded")
    await session.request("disconnect", {"terminateDebuggee": True})


async def resumed(session: Recorded) -> None:
    """The user steps while the answer is made: it ends stale."""
    session.echo.go_on.clear()
    await session.launch(STEPS, (min(marked_lines(STEPS.read_text()).values()),))
    thread = (await session.stopped())["threadId"]
    await session.request("ask", {"question": "what now?"})
    await answering(session)
    await session.request("next", {"threadId": thread})
    await session.stopped()
    session.echo.go_on.set()
    await session.event("askEnded")
    await session.request("disconnect", {"terminateDebuggee": True})


async def adapter_died(session: Recorded) -> None:
    """The debug adapter is killed while an answer is made and a request waits."""
    session.echo.go_on.clear()
    await session.launch(CRASH)
    await session.stopped()
    await session.request("ask", {"question": "why?"})
    await answering(session)
    psutil.Process(session.processes[0].pid).suspend()
    late = session.client.send("threads")
    await session.processes[0].end()
    await asyncio.wait_for(late, LIMIT_S)
    await session.request("disconnect")


SCENES: dict[str, Callable[[Recorded], Awaitable[None]]] = {
    scene.__name__: scene for scene in (answered_at_a_crash, cancelled, resumed, adapter_died)
}


async def record(name: str, file: Path) -> None:
    """One session, as FILE."""
    agent = Agent(Settings(provider="offline")) if name == "answered_at_a_crash" else None
    session = Recorded(WireLog(file), agent)
    await session.open(supportsProgressReporting=True)
    try:
        await SCENES[name](session)
    finally:
        await session.client.close()
        for log in session.logs:
            log.finish()


def _without_places(text: str) -> str:
    """A recording tells nothing of the machine that it was made on."""
    for place, other in {sys.base_prefix: "/usr", str(ROOT): "/home/you/dap_ai", sys.prefix: "/usr"}.items():
        text = text.replace(place, other)
    return text


def main(names: list[str]) -> None:
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for name in names or SCENES:
        file = FOLDER / f"{name}.jsonl"
        file.unlink(missing_ok=True)
        asyncio.run(asyncio.wait_for(record(name, file), LIMIT_S))
        file.write_text(_without_places(file.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
