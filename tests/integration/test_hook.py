"""The hook in processes that are no agents, or odd ones: whatever happens, the program goes on as without it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.live.hook import gate_connection
from dap_ai.debuggees.runs.live.wire.routes import HOOK

FRAMEWORK = """
class MultiStepAgent:
    name = None
    def run(self, task):
        return self.execute_tool_call("shell", {"command": task})

class ToolCallingAgent(MultiStepAgent):
    tools, managed_agents = {"shell": 1, "other": 2}, {}
    def execute_tool_call(self, tool_name, arguments):
        return "ran %s %s" % (tool_name, arguments["command"])
"""
USE = "from smolagents.agents import ToolCallingAgent; print(ToolCallingAgent().run('ls'))"
PYTHONS = sorted(Path(__file__).parents[2].glob(".venvs/py3.*/bin/python")) or [Path(sys.executable)]


class Gate:
    """Says `go`, or what `verdicts` has for that kind; keeps what was announced."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.verdicts: dict[str, Any] = {}
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                gate.seen.append(said)
                body = json.dumps(gate.verdicts.get(said["kind"], {"do": "go"})).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/T/gate"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kinds(self) -> list[str]:
        return [said["kind"] for said in self.seen]

    def notes(self) -> list[str]:
        return [said["text"] for said in self.seen if said["kind"] == "note"]


@pytest.fixture
def gate() -> Generator[Gate]:
    found = Gate()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "smolagents").mkdir()
    (tmp_path / "smolagents" / "__init__.py").touch()
    (tmp_path / "smolagents" / "agents.py").write_text(FRAMEWORK)
    return tmp_path


def ran(code: str, gate: str, place: Path, python: Path | str = sys.executable, **env: str) -> str:
    """What a program prints that runs with the hook; it says nothing on stderr, and ends well."""
    path = os.pathsep.join(filter(None, (str(HOOK), env.pop("PYTHONPATH", ""), str(place))))
    environ = {**os.environ, "DAP_AI_GATE": gate, "PYTHONPATH": path, **env}
    done = subprocess.run([python, "-c", code], env=environ, capture_output=True, text=True, cwd=place)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parts[-3])
def test_a_call_and_its_result_are_told_in_each_python(python: Path, gate: Gate, place: Path):
    assert ran(USE, gate.url, place, python) == "ran shell ls\n"
    assert gate.kinds() == ["hello", "call", "result"]
    call, result = gate.seen[1:]
    assert (call["tool"], call["arguments"], result["text"]) == ("shell", {"command": "ls"}, "ran shell ls")
    names = [frame["name"] for frame in call["frames"]]
    assert names[:2] == ["run", "<module>"]


def test_another_tool_other_arguments_and_another_result(gate: Gate, place: Path):
    gate.verdicts["call"] = {"do": "edit", "tool": "other", "arguments": {"command": "pwd"}, "call_id": "hook-7"}
    gate.verdicts["result"] = {"do": "edit", "text": ""}
    assert ran(USE, gate.url, place) == "\n"
    assert (gate.seen[2]["text"], gate.seen[2]["call_id"]) == ("ran other pwd", "hook-7")


def test_a_result_in_the_tools_place(gate: Gate, place: Path):
    gate.verdicts["call"] = {"do": "answer", "text": "nothing there"}
    assert ran(USE, gate.url, place) == "nothing there\n"


def test_what_cannot_be_done_is_told_and_the_call_goes_on(gate: Gate, place: Path):
    gate.verdicts["call"] = {"do": "edit", "tool": "nowhere"}
    assert ran(USE, gate.url, place) == "ran shell ls\n"
    assert "nowhere is no tool of this agent" in gate.notes()[0]


def test_a_gate_that_is_gone_or_speaks_nonsense_changes_nothing(gate: Gate, place: Path):
    assert ran(USE, "http://127.0.0.1:9/T/gate", place) == "ran shell ls\n"
    assert ran(USE, "nonsense", place) == "ran shell ls\n"
    gate.verdicts = {"hello": [1], "call": "what", "result": 7}
    assert ran(USE, gate.url, place) == "ran shell ls\n"


def test_a_framework_of_another_version_is_left_alone_and_that_is_told(gate: Gate, place: Path):
    changed = FRAMEWORK.replace("tool_name, arguments", "tool_name, inputs").replace("arguments[", "inputs[")
    (place / "smolagents" / "agents.py").write_text(changed)
    assert ran(USE, gate.url, place) == "ran shell ls\n"
    told = "smolagents.agents.ToolCallingAgent.execute_tool_call has no parameter arguments"
    assert [told in text for text in gate.notes()] == [True]
    assert "call" not in gate.kinds()


def test_an_exception_of_a_tool_is_the_agents_own(gate: Gate, place: Path):
    (place / "smolagents" / "agents.py").write_text(FRAMEWORK.replace('arguments["command"])', "1 / 0)"))
    code = USE.replace("print(", "import contextlib\nwith contextlib.suppress(ZeroDivisionError): print(")
    assert ran(code, gate.url, place) == ""
    assert (gate.seen[-1]["status"], gate.seen[-1]["text"]) == ("error", "ZeroDivisionError: division by zero")


def test_the_users_own_sitecustomize_runs_too(gate: Gate, place: Path):
    (place / "own").mkdir()
    (place / "own" / "sitecustomize.py").write_text("import os; os.environ['OWN'] = 'ran'")
    code = "import os, sys, sitecustomize; print(os.environ['OWN'], 'own' in sitecustomize.__file__)"
    assert ran(code, gate.url, place, PYTHONPATH=str(place / "own")) == "ran True\n"


def test_a_program_that_imports_no_framework_tells_nothing_and_imports_nothing_more(gate: Gate, place: Path):
    code = "import sys; print([name for name in ('json', 'socket', 'asyncio') if name in sys.modules])"
    assert ran(code, gate.url, place) == "[]\n"
    assert gate.seen == []


def test_a_fork_has_a_connection_of_its_own(gate: Gate, place: Path):
    code = f"{USE}\nimport os\npid = os.fork()\n{USE}\nif pid: os.waitpid(pid, 0)"
    assert ran(code, gate.url, place).count("ran shell ls") >= 3
    assert gate.kinds().count("call") == 3


def test_only_the_task_at_the_stop_waits(monkeypatch: pytest.MonkeyPatch):
    """The first is held until 200 others have passed."""
    passed, held = [], asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            said = await reader.readexactly(length)
            if said == b"held":
                await held.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said))

    async def one(body: bytes) -> None:
        passed.append(await gate_connection.post_async(body))
        if len(passed) == 200:
            held.set()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        monkeypatch.setenv("DAP_AI_GATE", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/T/gate")
        await asyncio.gather(one(b"held"), *(one(b"free %d" % n) for n in range(200)))
        server.close()

    asyncio.run(main())
    assert (len(passed), passed[-1]) == (201, b"held")
