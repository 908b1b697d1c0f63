"""Many sessions through one proxy leave nothing behind: the short form of benchmarks/soak.py, and one in this process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.session.session import Session
from tests.conftest import ROOT
from tests.integration.live import live
from tests.integration.survivors import Made
from tests.patience import at_worst

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are counted as Unix has them")
GROWTH_MIB = 12
"""Allocators keep some of what a crowd of sessions needed; a leak of one session is 0.5 MiB, so 24 would show."""
SESSIONS = 24
SESSIONS_HERE = 3
AT_ONCE = 5
TIMEOUT_S = at_worst(110)


def test_sessions_in_a_row_and_at_once_leave_nothing_in_the_proxy(tmp_path: Path):
    figures = tmp_path / "figures.json"
    command = [sys.executable, ROOT / "benchmarks" / "soak.py", "--sessions", SESSIONS, "--at-once", AT_ONCE]
    subprocess.run([*map(str, command), "--whole-every", "8", "--json", str(figures)], check=True, timeout=TIMEOUT_S)
    soaked = json.loads(figures.read_text(encoding="utf-8"))
    start, warm, *later = soaked["marks"].values()
    assert soaked["tracebacks"] == 0
    for mark in (warm, *later):
        assert mark["children"] == 0
        assert mark["sockets"] == start["sockets"]
        assert mark["descriptors"] <= warm["descriptors"]
        assert mark["threads"] <= warm["threads"] + AT_ONCE  # the loop's pool keeps a worker for each at once
        assert mark["rss_mib"] <= warm["rss_mib"] + GROWTH_MIB


@pytest.mark.anyio
async def test_ended_sessions_leave_no_task_and_no_session_object(
    debuggee: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    tasks = asyncio.all_tasks()
    sessions = Made(Session, monkeypatch)
    for _ in range(SESSIONS_HERE):
        async with live() as session:
            await session.launch(debuggee("crash").path)
            await session.stopped()
            await session.request("ask", {"question": "why?"})
            await session.event("askEnded")
            await session.request("disconnect", {"terminateDebuggee": True})
    del session
    assert await sessions.keepers() == ""
    assert sessions.count == SESSIONS_HERE
    assert asyncio.all_tasks() == tasks
