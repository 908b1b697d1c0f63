"""A running kernel of a notebook: stopped in a cell through the bridge, asked about from outside, and never harmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from jupyter_client.manager import start_new_kernel

from dap_ai.backends.jupyter import JupyterBackend
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.wiring import proxy_of
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient
from tests.patience import patient
from tests.processes import command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a kernel that is held needs Unix sockets")
CELL = """\
def total(rows):
    result = 0
    for row in rows:
        result += row
    return result

print(total([3, 4, -9]))
"""
FAILING = "prices = [{'v': 3}, {'v': None}]\ntotal = 0\nfor price in prices:\n    total += price['v']\n"
REPLY_S = 60


class Notebook:
    """A kernel, and the front end that runs its cells."""

    def __init__(self) -> None:
        manager, client = start_new_kernel(kernel_name="python3")
        self.manager: Any = manager
        self.client: Any = client
        self.file = Path(manager.connection_file)
        self._seq = 0

    def run(self, code: str) -> dict[str, Any]:
        """The reply to a cell, at its end. A kernel drops what comes while it still clears up after a cell that failed."""
        while True:
            reply = self.client.execute(code, reply=True, timeout=REPLY_S)["content"]
            if reply["status"] not in ("aborted", "abort"):
                return reply

    def begin(self, code: str) -> str:
        return self.client.execute(code)

    def ended(self, request: str) -> dict[str, Any]:
        while True:
            reply = self.client.get_shell_msg(timeout=REPLY_S)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def debug(self, command: str, **arguments: Any) -> dict[str, Any]:
        """As JupyterLab's own debugger does it."""
        self._seq += 1
        content = {"type": "request", "seq": self._seq, "command": command, "arguments": arguments}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            reply = self.client.get_control_msg(timeout=REPLY_S)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return reply["content"]

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    made = Notebook()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def editor(notebook: Notebook) -> AsyncIterator[DapClient]:
    client = await opened(notebook)
    try:
        yield client
    finally:
        await client.close()


async def opened(notebook: Notebook) -> DapClient:
    backend = JupyterBackend(str(notebook.file))
    return await proxy_of(resolve({}), backend=backend).open_in_process()


async def attached(client: DapClient) -> None:
    await client.initialize("python")
    attaching = client.send("attach", {})
    await client.wait_event("initialized")
    await client.request("configurationDone")
    answer = await attaching
    assert answer.success


async def stopped_in(client: DapClient, notebook: Notebook, line: int) -> tuple[int, str]:
    """The thread that has stopped, and the request of the cell that runs."""
    path = (await client.request("dumpCell", {"code": CELL}))["sourcePath"]
    found = await client.request("setBreakpoints", {"source": {"path": path}, "breakpoints": [{"line": line}]})
    assert found["breakpoints"][0]["verified"]
    running = notebook.begin(CELL)
    _, body = await client.wait_event("stopped")
    return body["threadId"], running


@pytest.mark.anyio
async def test_an_editor_stops_in_a_cell_asks_and_goes_on(notebook: Notebook, editor: DapClient) -> None:
    await attached(editor)
    thread, running = await stopped_in(editor, notebook, line=5)
    (top, *_) = (await editor.request("stackTrace", {"threadId": thread}))["stackFrames"]
    said = await editor.request("ask", {"question": "what is result?", "threadId": thread})
    _, ended = await editor.wait_event("dapAi.askEnded", "askEnded")
    evaluated = await editor.request("ask", {"question": "what does total([1, 1]) return?"})
    _, again = await editor.wait_event("dapAi.askEnded", "askEnded")
    await editor.request("continue", {"threadId": thread})

    assert (top["name"], top["line"]) == ("total", 5)
    assert "`result` is `-2`" in ended["answer"], (said, ended)
    assert "`total([1, 1])` evaluates to `2`" in again["answer"], (evaluated, again)
    assert notebook.ended(running)["status"] == "ok"
    await editor.request("disconnect", {"terminateDebuggee": True})
    assert notebook.run("6 * 7")["status"] == "ok"
    assert notebook.debug("debugInfo")["body"]["isStarted"] is False


@pytest.mark.anyio
async def test_the_kernel_survives_a_bridge_that_is_killed_and_can_be_debugged_again(notebook: Notebook) -> None:
    first = await opened(notebook)
    await attached(first)
    _, running = await stopped_in(first, notebook, line=5)
    (bridge,) = [p for p in psutil.Process().children() if "dap_ai.backends.jupyter" in " ".join(command_line(p))]
    os.kill(bridge.pid, signal.SIGKILL)
    await first.wait_event("terminated")
    await first.close()

    second = await opened(notebook)
    try:
        await attached(second)
        assert notebook.ended(running)["status"] == "ok"
    finally:
        await second.close()
    assert notebook.run("1 + 1")["status"] == "ok"


@pytest.mark.anyio
async def test_another_debugger_is_not_disturbed_and_its_stop_can_be_asked_about(
    notebook: Notebook, run_dap_ai: Any
) -> None:
    notebook.debug("initialize", clientID="jupyterlab", adapterID="python")
    notebook.debug("attach")
    path = notebook.debug("dumpCell", code=CELL)["body"]["sourcePath"]
    notebook.debug("setBreakpoints", source={"path": path}, breakpoints=[{"line": 5}])
    notebook.debug("configurationDone")
    editor = await opened(notebook)
    with pytest.raises(RequestFailed, match="Another debugger is attached"):
        await editor.initialize("python")
    await editor.close()
    running = notebook.begin(CELL)
    while not (stopped := notebook.debug("debugInfo")["body"]["stoppedThreads"]):
        pass

    done = run_dap_ai("ask", "--kernel", str(notebook.file), "what", "is", "result?")

    assert "`result` is `-2`" in done.stdout.decode(), done.stderr
    assert notebook.debug("debugInfo")["body"]["stoppedThreads"] == stopped
    notebook.debug("continue", threadId=stopped[0])
    assert notebook.ended(running)["status"] == "ok"


def test_the_prompt_waits_for_a_cell_that_fails_and_lets_the_kernel_go_on(notebook: Notebook) -> None:
    command = [sys.executable, "-m", "dap_ai", "debug", "-nx", "--kernel", str(notebook.file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as prompt:
        said: list[str] = []

        def type_(text: str, until: str = "") -> None:
            assert prompt.stdin and prompt.stdout
            prompt.stdin.write(text.encode())
            prompt.stdin.flush()
            while until and until not in "".join(said[-1:]):
                said.append(prompt.stdout.readline().decode())
                assert said[-1], "".join(said)

        type_("bt\n", until="The program runs")
        failed = notebook.begin(FAILING)
        type_("", until="stopped:")
        type_("p price\n!mark = 3\nc &\nq\n")
        said.append(prompt.communicate(timeout=patient(30))[0].decode())
    assert notebook.ended(failed)["status"] == "error"
    assert "p price\n{'v': None}\n" in "".join(said)
    assert notebook.run("mark + 1")["status"] == "ok"


def test_the_last_error_of_a_kernel_is_asked_about_and_nothing_of_that_is_left_there(
    notebook: Notebook, run_dap_ai: Any
) -> None:
    def ask(*question: str) -> subprocess.CompletedProcess[bytes]:
        return run_dap_ai("ask", "--kernel", str(notebook.file), *question, timeout_s=patient(60))

    before = ask()
    assert notebook.run(FAILING)["status"] == "error"
    names = "[sorted(globals()), [n for n in list(__import__('sys').modules) if 'dap_ai' in n]]"
    notebook.run(f"_before = None\n_before = {names}")
    why, when = ask(), ask("when", "did", "total", "change?")
    typed = ("bt", "p price", "back", "c", "q")
    at_prompt = run_dap_ai(
        "debug", "-nx", "--kernel", str(notebook.file), *(part for line in typed for part in ("-c", line))
    ).stdout.decode()
    left = notebook.client.execute(
        "", silent=True, user_expressions={"same": f"{names} == _before, len(In)"}, reply=True, timeout=REPLY_S
    )
    busy = notebook.begin("import time; time.sleep(20)")
    refused = ask()
    notebook.manager.interrupt_kernel()

    assert "No cell of this kernel has failed so far" in before.stderr.decode()
    assert why.stdout.decode().startswith("`price['v']` is `None` at `In [1]:4`."), why.stderr
    assert "`total` took 2 values before this stop" in when.stdout.decode()
    assert "\n{'v': None}\n" in at_prompt
    assert "there is nothing to run again" in at_prompt
    same = left["content"]["user_expressions"]["same"]
    assert same.get("data", same) == {"text/plain": "(True, 3)"}
    assert "The kernel runs a cell" in refused.stderr.decode()
    assert notebook.ended(busy)["status"] == "error"
