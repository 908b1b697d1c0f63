"""`dap-ai sessions` and `dap-ai ask --join` beside an editor: the real debugpy, the real command, two processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.io import sockets
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import ConnectionClosed, DapClient
from tests.e2e.test_terminal import DAP_AI, Screen
from tests.patience import at_worst
from tests.processes import end_tree

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")]
WAIT_S = at_worst(30.0)
NOTHING_STOPPED, USAGE, FAILED, INTERRUPTED = 1, 2, 3, 130

PROGRAM = """\
def share(total, people):
    return total / people


print(share(10, 5))
print(share(10, 0))
"""
RUNS_ON = "import threading\nthreading.Event().wait(60)\n"


class Editor:
    """A client of `dap-ai serve`, that notes every event it gets."""

    def __init__(self, client: DapClient, process: subprocess.Popen[bytes]) -> None:
        self.client = client
        self.process = process
        self.events: list[str] = []
        self.printed = ""
        client.on_event(self._note)

    def _note(self, name: str, body: dict[str, Any]) -> None:
        self.events.append(name)
        if body.get("category") == "stdout":
            self.printed += body["output"]

    async def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        return await self.client.request(command, arguments, WAIT_S)

    async def launch(self, program: Path, *lines: int) -> None:
        await self.client.initialize("debugpy", clientName="Ed 1.0")
        launch = {"program": str(program), "console": "internalConsole", "cwd": str(program.parent)}
        started = self.client.send("launch", launch)
        await self.event("initialized")
        breakpoints = [{"line": line} for line in lines]
        await self.request("setBreakpoints", source={"path": str(program)}, breakpoints=breakpoints)
        await self.request("setExceptionBreakpoints", filters=["uncaught"])
        await self.request("configurationDone")
        assert (await asyncio.wait_for(started, WAIT_S)).success

    async def event(self, *names: str) -> dict[str, Any]:
        return (await asyncio.wait_for(self.client.wait_event(*names), WAIT_S))[1]


Open = Callable[..., Any]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@contextlib.contextmanager
def a_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for sockets, whose name leaves room for theirs."""
    with tempfile.TemporaryDirectory(prefix="dap") as name:
        monkeypatch.setenv("DAP_AI_SOCKETS", str(Path(name) / "own"))
        yield Path(name) / "own"


@contextlib.contextmanager
def editors(folder: Path) -> Iterator[Open]:
    """`await editor(source, *lines)`: an editor whose program of that source runs, with breakpoints on these lines."""
    started: list[subprocess.Popen[bytes]] = []

    async def start(source: str, *lines: int, name: str = "shares.py") -> Editor:
        (folder / name).write_text(source)
        command = [sys.executable, "-m", "dap_ai", "serve", "--listen", "127.0.0.1:0", "--no-token"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        assert process.stderr
        line = process.stderr.readline().decode()
        found = re.search(r":(\d+)$", line.strip())
        assert found, line
        one = Editor(DapClient(await open_tcp("127.0.0.1", int(found[1]), WAIT_S)), process)
        await one.launch(folder / name, *lines)
        return one

    yield start
    for process in started:
        end_tree(process)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of this test's sockets."""
    with a_place(monkeypatch) as place:
        yield place


@pytest.fixture
def editor(place: Path, tmp_path: Path) -> Iterator[Open]:
    """See `editors`: of this test alone."""
    with editors(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Editor, Path]]:
    """An editor whose program has stopped, for all tests that leave it so; and the place of its socket."""
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        a_place(monkeypatch) as place,
        editors(tmp_path_factory.mktemp("join")) as start,
    ):
        ed = await start(PROGRAM, 2)
        await ed.event("stopped")
        yield ed, place


@pytest.fixture
def stopped(shared: tuple[Editor, Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Editor, Path]:
    """The same, at whose place the test's commands look."""
    monkeypatch.setenv("DAP_AI_SOCKETS", str(shared[1]))
    return shared


async def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "dap_ai", *arguments]
    return await asyncio.to_thread(subprocess.run, command, input=stdin, capture_output=True, timeout=WAIT_S)


async def listed() -> list[dict[str, Any]]:
    return json.loads((await run("sessions", "--json")).stdout)


async def test_where_no_editor_debugs_it_is_said_how_to_get_a_session(place: Path):
    done = await run("sessions")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"dap-ai serve" in done.stderr
    assert (await run("sessions", "--json")).stdout == b"[]\n"
    asked = await run("ask", "--join")
    assert asked.returncode == NOTHING_STOPPED
    assert b"dap-ai serve" in asked.stderr


async def test_a_stopped_session_is_listed_with_why_and_where(stopped: tuple[Editor, Path]):
    (session,) = await listed()
    assert session["program"].endswith("shares.py")
    assert (session["state"], session["client"], session["backend"]) == ("stopped", "Ed 1.0", "debugpy")
    assert session["stop"]["reason"] == "breakpoint"
    assert "shares.py:2 in share: return total / people" in session["place"]
    assert session["pid"] > 0
    table = (await run("sessions")).stdout.decode()
    row = next(line for line in table.splitlines() if line.startswith(session["id"]))
    assert re.search(
        r"shares\.py +debugpy +Ed 1\.0 +\d+ s +stopped: breakpoint at .*shares\.py:2 in share: return", row
    )


async def test_a_session_is_listed_without_the_secret_in_the_line_where_it_stands(editor: Open):
    ed = await editor('def log_in(password):\n    return password\n\n\nlog_in(password="t7Rk2mQ9vX4z")\n', 5)
    await ed.event("stopped")
    (session,) = await listed()
    shown = (await run("sessions")).stdout.decode()
    assert "log_in(password=" in session["place"] and "log_in(password=" in shown
    assert "t7Rk2mQ9vX4z" not in json.dumps(session) + shown


async def test_a_guest_asks_in_words_or_json_lines_about_the_stop_of_the_editor_which_notices_nothing(editor: Open):
    ed = await editor(PROGRAM)
    await ed.event("stopped")
    while "2.0\n" not in ed.printed:  # the program's own words may come after its stop
        await ed.event("output")
    ed.events.clear()
    done = await run("ask", "--join", "-q", "why did it crash?")
    assert done.returncode == 0, done.stderr
    assert b"people" in done.stdout
    assert b"The divisor `people` is `0`" in done.stdout
    assert b"joined" in done.stderr
    (session,) = await listed()
    done = await run("ask", "--json", "--join", session["id"], "-q", "why?")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    names = [line["event"] for line in lines]
    assert names.count("askEnded") == 1
    assert {"status", "stopped", "askOutput"} <= set(names)
    (ended,) = [line for line in lines if line["event"] == "askEnded"]
    assert ended["reason"] == "completed"
    assert any(suspect["line"] in (2, 6) for suspect in ended["suspects"])
    assert set(ed.events) <= {"module"}  # debugpy's own, for each file of a stack that is read
    frames = (await ed.request("stackTrace", threadId=(await ed.request("threads"))["threads"][0]["id"]))["stackFrames"]
    assert frames[0]["line"] == 2


async def test_two_guests_are_answered_at_the_same_time(stopped: tuple[Editor, Path]):
    done = await asyncio.gather(*(run("ask", "--join", "-q", f"evaluate total + {n}") for n in (1, 2)))
    assert [one.returncode for one in done] == [0, 0]
    assert b"11" in done[0].stdout
    assert b"12" in done[1].stdout


async def test_a_chat_is_one_conversation_and_export_keeps_it(stopped: tuple[Editor, Path], tmp_path: Path):
    file = tmp_path / "talk.md"
    done = await run("ask", "--join", "--chat", "--export", str(file), "-q", "why?", stdin=b"evaluate total\nstep\n\n")
    assert done.returncode == 0, done.stderr
    assert b"10" in done.stdout
    assert b"The editor controls" in done.stderr
    assert b"2 questions:" in done.stderr
    assert "## evaluate total" in file.read_text()
    assert [one["state"] for one in await listed()] == ["stopped"]


async def test_the_program_may_be_named_instead_of_the_session(stopped: tuple[Editor, Path], tmp_path: Path):
    with editors(tmp_path) as start:
        second = await start(PROGRAM, 2, name="other.py")
        await second.event("stopped")
        several = await run("ask", "--join")
        assert several.returncode == USAGE
        assert b"shares.py" in several.stderr
        assert b"other.py" in several.stderr
        done = await run("ask", "--join", "other.py", "-q", "evaluate total")
        assert done.returncode == 0, done.stderr
        assert b"other.py" in done.stderr
        await second.request("disconnect", terminateDebuggee=True)
        await second.client.close()
        while len(list(stopped[1].iterdir())) > 1:
            await asyncio.sleep(0.02)


async def test_while_the_program_runs_there_is_nothing_to_ask_about(editor: Open):
    await editor(RUNS_ON, name="waits.py")
    done = await run("ask", "--join")
    assert done.returncode == NOTHING_STOPPED
    assert b"waits.py) is running. Pause it in the editor" in done.stderr


async def test_an_interrupt_cancels_the_question_and_leaves_the_session_as_it_is(
    stopped: tuple[Editor, Path], tmp_path: Path
):
    command = [sys.executable, "-m", "dap_ai", "ask", "--join", "--json", "-q", "evaluate __import__('time').sleep(20)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        while line := await asyncio.to_thread(process.stdout.readline):
            if json.loads(line)["event"] == "askOutput":
                break
        process.send_signal(signal.SIGINT)
        rest = await asyncio.to_thread(process.stdout.read)
        assert process.wait(WAIT_S) == INTERRUPTED
    assert b'"reason":"cancelled"' in rest
    assert [one["state"] for one in await listed()] == ["stopped"]


async def test_on_a_terminal_a_guest_chats_and_leaves_with_an_empty_line(stopped: tuple[Editor, Path]):
    screen = Screen([*DAP_AI, "ask", "--join", "--chat", "-q", "evaluate total"])
    try:
        await asyncio.to_thread(screen.wait_for, b"ask> ")
        screen.type(b"evaluate people\n")
        await asyncio.to_thread(screen.wait_for, b"ask> ", 2)
        screen.type(b"\n")
        assert await asyncio.to_thread(screen.end) == 0
    finally:
        screen.close()
    assert b"stopped: breakpoint" in screen.text
    assert [one["state"] for one in await listed()] == ["stopped"]


async def test_the_end_of_the_editor_ends_the_chat_of_a_guest_and_leaves_no_socket(editor: Open, place: Path):
    ed = await editor(PROGRAM, 2)
    await ed.event("stopped")
    command = [sys.executable, "-m", "dap_ai", "ask", "--join", "--chat", "--json", "-q", "evaluate total"]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **streams) as process:
        assert process.stdout
        lines = iter(process.stdout.readline, b"")
        assert await asyncio.to_thread(any, (b'"askEnded"' in line for line in lines)), "it ended without an answer"
        await ed.request("disconnect", terminateDebuggee=True)
        await ed.client.close()
        rest = await asyncio.to_thread(process.stdout.read)
        assert process.wait(WAIT_S) == 0
    assert b"the session has ended" in rest
    assert await listed() == []
    assert list(place.iterdir()) == []


async def test_a_session_that_was_killed_is_no_session(editor: Open, place: Path):
    ed = await editor(PROGRAM, 2)
    await ed.event("stopped")
    end_tree(ed.process)
    (left,) = place.iterdir()
    os.utime(left, (0, 0))
    assert await listed() == []
    assert list(place.iterdir()) == []


async def test_a_session_that_hangs_is_listed_as_such_and_holds_nobody_up(stopped: tuple[Editor, Path]):
    ed, _ = stopped
    ed.process.send_signal(signal.SIGSTOP)
    try:
        (session,) = await listed()
    finally:
        ed.process.send_signal(signal.SIGCONT)
    assert session["error"] == "does not answer"


async def test_the_observe_level_of_a_guest_evaluates_nothing(stopped: tuple[Editor, Path]):
    done = await run("ask", "--join", "--level", "observe", "-q", "evaluate share(4, 2)")
    assert b"2.0" not in done.stdout


async def test_neither_a_guest_that_leaves_nor_one_that_is_killed_in_its_question_moves_the_session(editor: Open):
    ed = await editor(PROGRAM, 2)
    await ed.event("stopped")
    assert (await run("ask", "--join", "-q", "why?")).returncode == 0
    assert [one["state"] for one in await listed()] == ["stopped"]
    command = [sys.executable, "-m", "dap_ai", "ask", "--join", "--json", "-q", "evaluate __import__('time').sleep(20)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        while line := await asyncio.to_thread(process.stdout.readline):
            if json.loads(line)["event"] == "askOutput":
                break
        process.kill()
    stopped = (await ed.request("threads"))["threads"][0]["id"]
    await ed.request("continue", threadId=stopped)
    assert (await ed.event("stopped"))["reason"] == "breakpoint"
    assert (await run("ask", "--join", "-q", "evaluate total")).returncode == 0


# -- another program, which speaks to the socket itself ---------------------------------------------------------------


async def guest_of(place: Path) -> DapClient:
    (session_id,) = sockets.session_ids(str(place))
    client = DapClient(await sockets.connect(session_id, str(place)))
    await client.initialize("any", clientName="another program")
    return client


async def test_an_ordinary_client_can_join_as_if_it_attached(stopped: tuple[Editor, Path]):
    client = await guest_of(stopped[1])
    await client.request("attach", {}, WAIT_S)
    name, _ = await asyncio.wait_for(client.wait_event("initialized", "stopped"), WAIT_S)
    assert name == "initialized"
    await client.request("configurationDone", {}, WAIT_S)
    _, stop = await asyncio.wait_for(client.wait_event("stopped"), WAIT_S)
    assert stop["reason"] == "breakpoint"
    frames = await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S)
    assert frames["stackFrames"][0]["name"] == "share"
    await client.close()


FORBIDDEN: dict[str, dict[str, Any]] = {
    "continue": {"threadId": 1},
    "next": {"threadId": 1},
    "evaluate": {"expression": "1 + 1", "context": "repl"},
    "variables": {"variablesReference": 1},
    "setBreakpoints": {"source": {"path": "x.py"}, "breakpoints": []},
    "terminate": {},
    "restart": {},
    "setVariable": {"variablesReference": 1, "name": "total", "value": "0"},
    "askEverything": {},
}


async def test_a_guest_can_neither_move_nor_change_the_program(stopped: tuple[Editor, Path]):
    _, place = stopped
    client = await guest_of(place)
    answers = {name: await asyncio.wait_for(client.send(name, FORBIDDEN[name]), WAIT_S) for name in FORBIDDEN}
    assert [name for name, answer in answers.items() if answer.success] == []
    assert (await client.request("askSession", {}, WAIT_S))["state"] == "stopped"
    await client.close()


async def test_the_editor_going_on_is_told_to_a_guest(editor: Open, place: Path):
    ed = await editor(PROGRAM, 2)
    stopped = await ed.event("stopped")
    client = await guest_of(place)
    await client.request("attach", {}, WAIT_S)
    await asyncio.wait_for(client.wait_event("stopped"), WAIT_S)
    await ed.request("continue", threadId=stopped["threadId"])
    assert (await asyncio.wait_for(client.wait_event("continued", "stopped"), WAIT_S))[0] == "continued"
    assert (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]["reason"] == "breakpoint"
    await ed.request("disconnect", terminateDebuggee=True)
    await asyncio.wait_for(client.wait_event("terminated"), WAIT_S)
    await ed.client.close()
    with pytest.raises(ConnectionClosed):
        await asyncio.wait_for(client.wait_event("never"), WAIT_S)
    await client.close()


async def test_a_guest_that_asks_and_does_not_read_is_let_go_and_the_editor_notices_nothing(editor: Open, place: Path):
    ed = await editor(PROGRAM, 2)
    stopped = await ed.event("stopped")
    (path,) = place.iterdir()
    request = encode_frame(b'{"seq":1,"type":"request","command":"askSession"}')

    def flood() -> None:
        with socket.socket(socket.AF_UNIX) as guest:
            guest.settimeout(WAIT_S)
            guest.connect(str(path))
            while True:
                guest.sendall(request * 1000)

    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        await asyncio.to_thread(flood)
    assert (await ed.request("threads"))["threads"]
    await ed.request("continue", threadId=stopped["threadId"])
    assert (await ed.event("stopped"))["reason"] == "breakpoint"


async def test_with_sockets_switched_off_no_session_can_be_joined(
    editor: Open, place: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DAP_AI_SOCKETS", "off")
    ed = await editor(PROGRAM, 2)
    await ed.event("stopped")
    assert not place.exists()
    done = await run("sessions")
    assert done.returncode == 1
    assert b"the setting sockets is off" in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
async def test_another_user_of_the_machine_cannot_join(stopped: tuple[Editor, Path]):
    _, place = stopped
    (path,) = place.iterdir()
    place.chmod(0o755)
    path.chmod(0o777)
    place.parent.chmod(0o755)
    code = (
        "import os, socket; os.setgroups([]); os.setuid(65534); s = socket.socket(socket.AF_UNIX); "
        f"s.settimeout({WAIT_S}); s.connect({str(path)!r}); print(s.recv(1))"
    )
    done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], capture_output=True, timeout=WAIT_S)
    assert done.stdout == b"b''\n", done.stderr  # let through by the folder, turned away by the session
