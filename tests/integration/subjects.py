"""Every real debug adapter that this machine has, each with the same two programs: one that crashes, one that goes on."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.backends.discovery import discover
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.transport.client import DapClient
from tests.conftest import TESTS
from tests.integration import native
from tests.patience import at_worst

NAMES = ["debugpy", "lldb-dap 19", "lldb-dap 22", "lldb-dap 23", "gdb"]
WAIT_S = at_worst(30.0)


class Subject(NamedTuple):
    """An adapter and what it debugs."""

    name: str
    argv: list[str]
    """As for `--backend`; of debugpy its name alone."""
    crashes: dict[str, Any]
    """Launch arguments of a program that ends in a crash."""
    goes_on: dict[str, Any]
    """Launch arguments of one that runs for a minute."""
    ends: dict[str, Any]
    """Launch arguments of one that ends at once, and well."""
    filters: list[str]
    """Of exceptions, so that the crash stops."""

    @property
    def command(self) -> AdapterCommand:
        """The adapter alone."""
        return discover("debugpy").command() if self.name == "debugpy" else AdapterCommand(self.argv, {})


def subject(name: str, folder: Path) -> Subject:
    """The adapter that is called so; native programs are built in `folder`. Skips the test where it is missing."""
    if name == "debugpy":
        base = {"console": "internalConsole", "python": [sys.executable]}
        programs = [
            base | {"program": str(TESTS / "debuggees" / f"{each}.py")} for each in ("crash", "runs_on", "steps")
        ]
        return Subject(name, ["debugpy"], *programs, ["uncaught"])
    argv = native.need(name)
    programs = [{"program": str(native.build(each, folder))} for each in ("crash", "sleeps", "loop")]
    return Subject(name, argv, *programs, [])


async def start(client: DapClient, arguments: dict[str, Any], filters: list[str]) -> None:
    """Launch up to the end of the configuration; whatever order the adapter likes."""
    started = client.send("launch", arguments)
    initialized = asyncio.ensure_future(client.wait_event("initialized"))
    await asyncio.wait_for(initialized, WAIT_S)
    await client.request("setExceptionBreakpoints", {"filters": filters}, WAIT_S)
    await client.request("configurationDone", {}, WAIT_S)
    message = await asyncio.wait_for(started, WAIT_S)
    assert message.success, message.content


async def until_stopped(client: DapClient) -> int:
    """The thread that has stopped."""
    name, body = await asyncio.wait_for(client.wait_event("stopped", "terminated"), WAIT_S)
    assert name == "stopped"
    return body["threadId"]
