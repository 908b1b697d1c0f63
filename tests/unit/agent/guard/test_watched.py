"""What the user reads of a copy's end, among the steps."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dap_ai.agent.guard.watched_debugger import Watched
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from tests.unit.agent.harness import Heard, Stopped


@pytest.mark.parametrize(
    ("error", "effects", "told"),
    [
        ("PermissionError: [Errno 1] Operation not permitted", ["os.fork"], "not known: a copy may not do this: `os.fork`"),
        ("PermissionError: a snapshot makes no process", [], "not known: a copy may not reach outside itself"),
        ("PermissionError: [Errno 13] Permission denied: '/etc/x'", [], "-> PermissionError: [Errno 13]"),
        ("ValueError: no", ["os.fork"], "-> ValueError: no"),
    ],
)  # fmt: skip
def test_what_only_a_copy_is_refused_does_not_look_like_a_finding(error: str, effects: list[str], told: str):
    result = SnapshotResult("raised", error=error, effects=effects)
    heard, stopped = Heard(), Stopped([], copy=lambda _: result)
    debugger: Any = stopped
    asyncio.run(Watched(debugger, heard).snapshot(SnapshotQuery(1, expression="f()")))
    assert told in heard.text("tool")
    assert ("not known" in heard.text("tool")) == result.was_refused
