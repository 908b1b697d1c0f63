"""`dap-ai run open` as a process: what it prints connects, another may follow, Ctrl-C ends it."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import DapClient
from tests.patience import patient

pytestmark = pytest.mark.anyio
WAIT_S = patient(30.0)
RUN = Path(__file__).parents[2] / "examples/runs/discount.traj.json"
Start = Callable[..., "subprocess.Popen[bytes]"]
Ran = Callable[..., "subprocess.CompletedProcess[bytes]"]


def served(start_dap_ai: Start, *more: str, **environment: str) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    """The command, and where it serves RUN."""
    process = start_dap_ai("run", "open", str(RUN), "--json", *more, env={"DAP_AI_TOKEN": "", **environment})
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


async def stops(place: dict[str, Any], **launch: Any) -> dict[str, Any]:
    """An editor that comes and goes: why the run was held first."""
    client = DapClient(await open_tcp(place["host"], place["port"], WAIT_S))
    try:
        await client.initialize("dap-ai-agent")
        await client.request("launch", {"dapAiToken": place["token"], **launch}, WAIT_S)
        await client.request("configurationDone", {}, WAIT_S)
        stopped = (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]
        await client.request("disconnect", {}, WAIT_S)
        return stopped
    finally:
        await client.close()


async def test_one_editor_after_the_other_is_served_the_run_without_naming_it(start_dap_ai: Start):
    process, place = served(start_dap_ai)
    assert Path(place["run"]) == RUN
    for _ in range(2):
        assert (await stops(place))["reason"] == "entry"
    assert process.poll() is None


async def test_an_editor_may_name_another_run(start_dap_ai: Start, tmp_path: Path):
    _, place = served(start_dap_ai)
    with pytest.raises(RequestFailed, match="is not there"):
        await stops(place, run=str(tmp_path / "none.json"))


async def test_without_the_token_nobody_is_served(start_dap_ai: Start):
    _, place = served(start_dap_ai)
    with pytest.raises(RequestFailed, match="token"):
        await stops(place | {"token": "wrong"})


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 0), ("SIGTERM", 128 + 15)])
async def test_a_signal_ends_it_and_its_adapter_while_an_editor_is_there(
    start_dap_ai: Start, tmp_path: Path, number: str, code: int
):
    process, place = served(start_dap_ai, DAP_AI_SOCKETS=str(tmp_path))
    assert json.loads((tmp_path / f"listen-{place['port']}.json").read_text())["token"] == place["token"]
    client = DapClient(await open_tcp(place["host"], place["port"], WAIT_S))
    await client.initialize("dap-ai-agent")
    process.send_signal(getattr(signal, number))
    assert process.wait(WAIT_S) == code
    await client.close()
    assert list(tmp_path.iterdir()) == []
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()


async def test_a_port_that_is_taken_is_named(run_dap_ai: Ran):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_dap_ai("run", "open", RUN, "--port", str(port))
    assert done.returncode == 1
    assert f"port {port}: ".encode() in done.stderr


@pytest.mark.parametrize("path", ["none.json", "README.md"])
async def test_what_is_no_run_is_refused_as_by_the_other_commands(run_dap_ai: Ran, path: str):
    opened = run_dap_ai("run", "open", RUN.parents[2] / path)
    assert (opened.returncode, opened.stdout) == (2, b"")
    assert opened.stderr == run_dap_ai("run", "steps", RUN.parents[2] / path).stderr


async def test_a_token_of_the_users_own_is_not_shown(start_dap_ai: Start):
    process = start_dap_ai("run", "open", str(RUN), env={"DAP_AI_TOKEN": "sesame-open"})
    assert process.stdout is not None
    told = b""
    while b"Another editor" not in told and (line := process.stdout.readline()):
        told += line
    assert b"${env:DAP_AI_TOKEN}" in told
    assert b'os.getenv("DAP_AI_TOKEN")' in told
    assert b'(getenv "DAP_AI_TOKEN")' in told
    assert b"sesame" not in told
