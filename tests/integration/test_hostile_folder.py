"""Every command of dap_ai in a folder full of shadows of what it imports: none of them runs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from dap_ai.agent.language.language_messages import Position, Workspace
from dap_ai.agent.language.language_servers import LanguageServer
from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.transport.client import DapClient
from tests.chat.endpoint import Endpoint, Reply
from tests.conftest import ROOT
from tests.hostile_folder import HostileFolder
from tests.integration import native
from tests.integration.notebook import kernel
from tests.patience import at_worst
from tests.runs_told import written

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="programs played by scripts")]
LIMIT_S = at_worst(90.0)
DAP_AI = str(Path(sys.executable).with_name("dap-ai"))
PYTEST = str(Path(sys.executable).with_name("pytest"))
AGENT = str(ROOT / "tests" / "agents" / "tiny.py")
FAILS = "def total(prices):\n    return sum(prices) / len(prices)\n\n\ntotal([])\n"
HOLDS = "import dap_ai\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    dap_ai.post_mortem(options={options!r})\n"
WAITS = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.05)\n"
TELLS = """\
import os, site, sys
variables = {name: value for name, value in sorted(os.environ.items()) if name.startswith("PYTHON")}
print("told:", os.getcwd(), variables, sys.flags, site.ENABLE_USER_SITE, site.getusersitepackages())
"""
TESTS = "def test_total():\n    assert [][0]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    native.adapters()  # looked up, and remembered, while PATH is as it was
    return HostileFolder(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs and a run of the user's own, in a folder of their own."""
    place = tmp_path_factory.mktemp("elsewhere")
    written(place / "run.traj.json")
    texts = {"fails": FAILS, "waits": WAITS, "test_it": TESTS, "holds": HOLDS.format(options=["--json"])}
    for name, text in texts.items():
        (place / f"{name}.py").write_text(text, encoding="utf-8")
    return place


@pytest.fixture(autouse=True)
def _nothing_ran(folder: HostileFolder, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test, in that folder, with a PATH that begins with it, and ends empty."""
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", os.environ["PATH"], ""]))
    monkeypatch.delenv("VIRTUAL_ENV")
    monkeypatch.setenv("DAP_AI_PROVIDER", "offline")
    yield
    assert not folder.marks()


def ran(*command: object, code: int | None = 0, stdin: str = "", **environment: str) -> str:
    """What a command has written."""
    environ = os.environ | environment
    words = [str(word) for word in command]
    done = subprocess.run(words, input=stdin, capture_output=True, text=True, env=environ, timeout=LIMIT_S)
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_folder_leaves_a_mark_of_what_python_imports_or_a_shell_starts_there(folder: HostileFolder):
    ran(sys.executable, "-c", "import json, msgspec, dap_ai")
    assert {"json", "msgspec", "dap_ai"} <= set(folder.marks())
    ran("/bin/sh", "-c", "git status", code=None)
    assert "program" in folder.marks()


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("sessions",),
        ("config",),
        ("doctor",),
        ("run", "list"),
        ("run", "show", "RUN", "1"),
        ("run", "onset", "RUN"),
        ("run", "scan", "RUN", "--jobs", "2", "--out", "OUT.jsonl"),
        ("run", "export", "RUN", "--to", "html", "-o", "OUT.html"),
        ("ask", "--run", "RUN"),
    ],
    ids=" ".join,
)
def test_a_command_that_reads(words: tuple[str, ...], elsewhere: Path, tmp_path: Path):
    run = str(elsewhere / "run.traj.json")
    ran(
        DAP_AI,
        *(word.replace("RUN", run).replace("OUT", str(tmp_path / "out")) for word in words),
        code=None,
    )


@pytest.mark.parametrize("version", ["3.8", "3.14"])
def test_asking_about_a_program(version: str, elsewhere: Path, python_versions: dict[str, Path]):
    if version not in python_versions:
        pytest.skip(f"no Python {version} here")
    python = python_versions[version]
    told = ran(DAP_AI, "ask", "--json", "--python", python, elsewhere / "fails.py")
    assert "ZeroDivisionError" in told


def test_the_program_keeps_its_folder_and_the_variables_of_python(elsewhere: Path, folder: HostileFolder):
    program = elsewhere / "tells.py"
    program.write_text(TELLS, encoding="utf-8")
    chosen = {"PYTHONPATH": str(elsewhere), "PYTHONHASHSEED": "7", "PYTHONOPTIMIZE": "1", "PYTHONUSERBASE": "/none"}
    chosen["PYTHONUNBUFFERED"] = "1"  # debugpy sets it
    plain = ran(sys.executable, program, **chosen)
    told = ran(DAP_AI, "ask", "--python", sys.executable, program, code=None, **chosen)
    assert next(line for line in told.splitlines() if line.startswith("told: ")) == plain.strip()
    assert str(folder.path) in plain and "'PYTHONHASHSEED': '7'" in plain


def test_debugging_a_program_at_the_prompt(elsewhere: Path):
    told = ran(DAP_AI, "debug", "-nx", "--python", sys.executable, elsewhere / "fails.py", stdin="n\nn\nq\n", code=None)
    assert "total" in told


def test_a_program_that_holds_itself(elsewhere: Path):
    assert "division by zero" in ran(sys.executable, elsewhere / "holds.py")


def test_pytest_with_the_plugin(elsewhere: Path):
    plugin = (
        "-p",
        "dap_ai.debuggees.python.hosts.testing.plugin",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--rootdir",
        elsewhere,
    )
    told = ran(PYTEST, *plugin, "--ask", elsewhere / "test_it.py", code=1)
    assert "IndexError" in told and "1 failed" in told


def test_recording_an_agent_and_running_it_again(tmp_path: Path):
    with Endpoint([Reply("I look.", calls=[("bash", {"command": "true"})]), Reply("Done.")] * 3) as model:
        known = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
        ran(DAP_AI, "record", "--out", tmp_path / "r", "--", sys.executable, AGENT, "Look.", **known)
        fork = ("run", "fork", tmp_path / "r", "--at", "1", "--say", "I am done.", "--out", tmp_path / "f")
        ran(DAP_AI, *fork, code=None, **known)
        ran(DAP_AI, "ask", "--agent", "--", sys.executable, AGENT, "Look.", **known)
    assert (tmp_path / "r").is_dir() and (tmp_path / "f").is_dir()


async def conversation(serve: tuple[str, ...], kind: str, launch: dict[str, Any]) -> str:
    """Launches by `dap-ai serve`, asks at the first stop; the answer."""
    process = await AdapterProcess.start(AdapterCommand([DAP_AI, "serve", *serve], {}), lambda _: None)
    client = DapClient(process.link)
    try:
        await client.initialize(kind)
        started = asyncio.create_task(client.request("launch", launch, LIMIT_S))
        await asyncio.wait_for(client.wait_event("initialized"), LIMIT_S)
        filters = {"filters": ["uncaught"]} if kind == "debugpy" else {"filters": []}
        await client.request("setExceptionBreakpoints", filters, LIMIT_S)
        await client.request("configurationDone", {}, LIMIT_S)
        await started
        stopped = (await asyncio.wait_for(client.wait_event("stopped"), LIMIT_S))[1]
        await client.request("ask", {"question": "why?", "threadId": stopped["threadId"]}, LIMIT_S)
        ended = (await asyncio.wait_for(client.wait_event("askEnded"), LIMIT_S))[1]
        await client.request("disconnect", {"terminateDebuggee": True}, LIMIT_S)
        return json.dumps(ended)
    finally:
        await client.close()
        await process.end()


async def test_serving_a_run_to_an_editor(elsewhere: Path):
    run = {"run": str(elsewhere / "run.traj.json")}
    assert "answer" in await conversation(("--backend", "agents"), "dap-ai-agent", run)


async def test_serving_a_program_to_an_editor_and_playing_the_log_again(elsewhere: Path, tmp_path: Path):
    launch = {"program": str(elsewhere / "fails.py"), "console": "internalConsole", "python": [sys.executable]}
    log = str(tmp_path / "wire.jsonl")
    assert "ZeroDivisionError" in await conversation(("--log", log), "debugpy", launch)
    ran(DAP_AI, "replay", log)


async def test_a_coding_agent(elsewhere: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAP_AI_PYTHON", sys.executable)
    parameters = StdioServerParameters(command=DAP_AI, args=["mcp"], cwd=Path.cwd(), env=dict(os.environ))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        run = {"path": str(elsewhere / "run.traj.json")}
        opened = await asyncio.wait_for(session.call_tool("run_open", run), LIMIT_S)
        program = {"question": "why?", "program": str(elsewhere / "fails.py")}
        answer = await asyncio.wait_for(session.call_tool("ask", program), LIMIT_S)
    assert not opened.is_error and not answer.is_error, (opened.content, answer.content)


async def test_a_language_server(elsewhere: Path, folder: HostileFolder):
    language = LanguageServer()
    language.workspace = Workspace(str(folder.path), sys.executable)
    place = elsewhere / "fails.py"
    try:
        asked = language.definitions(Position(str(place), place.read_text(encoding="utf-8"), 5, 0))
        assert [spot.line for spot in await asyncio.wait_for(asked, LIMIT_S)] == [1]
    finally:
        await language.close()


def test_attaching_to_a_process(elsewhere: Path):
    native.need_attach()
    with subprocess.Popen([sys.executable, elsewhere / "waits.py"], stdout=subprocess.PIPE, cwd=elsewhere) as waits:
        try:
            assert waits.stdout is not None and waits.stdout.readline() == b"ready\n"
            told = ran(DAP_AI, "ask", "--json", "--pid", waits.pid, code=None)
        finally:
            waits.send_signal(signal.SIGKILL)
    assert "waits.py" in told


@pytest.mark.parametrize("backend", ["lldb", "gdb"])
def test_a_native_program(backend: str, elsewhere: Path):
    (adapter,) = native.need("gdb" if backend == "gdb" else next(iter(native.lldb_daps()), "lldb-dap"))[:1]
    source = elsewhere / f"{backend}.c"
    source.write_text("int main(void) { int *p = 0; return *p; }\n", encoding="utf-8")
    setting = {"DAP_AI_GDB" if backend == "gdb" else "DAP_AI_LLDB_DAP": adapter}
    assert "SIGSEGV" in ran(DAP_AI, "ask", "--backend", backend, source, code=None, **setting)


def test_the_bridge_to_a_kernel(elsewhere: Path, folder: HostileFolder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(elsewhere)
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        monkeypatch.chdir(folder.path)
        told = ran(DAP_AI, "debug", "-nx", "--kernel", manager.connection_file, stdin="bt\nq\n", code=None)
        assert "The program runs" in told
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_notebook(elsewhere: Path, folder: HostileFolder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(elsewhere)
    with kernel() as cells:
        cells.run("%load_ext dap_ai")
        # By itself the kernel imports from the current folder, which is on its import path.
        cells.run(f"import os, sys; sys.path.remove(''); os.chdir({str(folder.path)!r})")
        assert cells.run("1 / 0").status == "error"
        assert "division by zero" in cells.run("%why").text
