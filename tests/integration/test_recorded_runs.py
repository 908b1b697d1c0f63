"""A recorded run behind the real proxy, in processes of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from dap_ai.backends.agents import backend
from dap_ai.commands.wiring import proxy_of
from dap_ai.config import Resolved, Settings
from dap_ai.protocol.wire.errors import RequestFailed
from tests.patience import patient

pytestmark = pytest.mark.anyio
RUN = Path(__file__).parent.parent / "unit/runs/samples/mini-swe-agent"


@pytest.fixture
def recorded() -> Path:
    return next(path for path in sorted(RUN.iterdir()) if path.name.endswith(".json"))


async def open_client():
    return await proxy_of(Resolved(Settings(backend="agents"), {})).open_in_process()


async def test_a_run_is_stepped_through_and_leaves_no_document(recorded: Path):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            await client.initialize("agents")
            await client.request("launch", {"run": str(recorded)})
            await client.request("configurationDone")
            assert (await client.wait_event("stopped"))[1]["reason"] == "entry"
            frame = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            document = Path(frame["source"]["path"])
            assert document.read_text(encoding="utf-8").splitlines()[frame["line"] - 1]
            await client.request("stepIn", {"threadId": 1})
            assert (await client.wait_event("stopped"))[1]["reason"] == "step"
            after = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            assert after["line"] == frame["line"] + 1
            await client.request("disconnect", {})
    finally:
        await client.close()
    with anyio.fail_after(patient(10)):
        while document.exists():
            await anyio.sleep(0.05)


async def test_a_path_without_a_run_is_refused_in_words(tmp_path: Path):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            await client.initialize("agents")
            with pytest.raises(RequestFailed, match="there"):
                await client.request("launch", {"run": str(tmp_path / "none.json")})
    finally:
        await client.close()


def test_the_adapter_runs_with_this_python():
    assert backend.command().argv[0] == sys.executable
