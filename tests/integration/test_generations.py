"""Trees of real processes, of any depth and start method: each generation is a session of the same family."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.adapter.io.proxy_server import Proxy
from dap_ai.transport.byte_links import open_tcp
from dap_ai.transport.client import DapClient
from tests.integration.live import WAIT_S, Live
from tests.patience import patient

PROGRAM = Path(__file__).parents[1] / "debuggees" / "generations.py"
LINE = next(n for n, text in enumerate(PROGRAM.read_text().splitlines(), 1) if "@bp work" in text)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="no fork, no forkserver"),
]


class Session:
    """One process of the tree, and its client; `depth` 0 is the program that was launched."""

    def __init__(self, tree: Tree, depth: int, configuration: dict[str, Any]) -> None:
        self.tree = tree
        self.depth = depth
        self.configuration = configuration
        self.stopped = asyncio.Event()
        self.ended = asyncio.Event()
        self.output = ""
        self.exit_code: int | None = None

    async def run(self, client: DapClient, command: str, **initialize: Any) -> None:
        self.client = client
        client.on_event(self._on_event)
        client.reverse["startDebugging"] = self._on_start_debugging
        await client.initialize("debugpy", **initialize)
        started = client.send(command, self.configuration)
        await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
        breakpoints = {"source": {"path": str(PROGRAM)}, "breakpoints": [{"line": LINE}]}
        await client.request("setBreakpoints", breakpoints, WAIT_S)
        await client.request("configurationDone", None, WAIT_S)
        response = await asyncio.wait_for(started, WAIT_S)
        assert response.success, response.content
        await asyncio.wait_for(self.ended.wait(), 2 * WAIT_S)
        await client.request("disconnect", {}, WAIT_S)
        await client.close()

    def _on_event(self, name: str, body: dict[str, Any]) -> None:
        match name:
            case "debugpyAttach":
                self.tree.grow(self, body)
            case "stopped":
                self.stopped.set()
                if self.tree.goes_on:
                    self.tree.spawn(self.client.request("continue", {"threadId": body["threadId"]}, WAIT_S))
            case "output" if body.get("category") in ("stdout", "stderr"):
                self.output += body["output"]
            case "exited":
                self.exit_code = body["exitCode"]
            case "terminated":
                self.ended.set()
            case _:
                pass

    async def _on_start_debugging(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.tree.grow(self, arguments["configuration"])
        return {}


class Tree:
    """A client that follows each process that it hears of, as VS Code does; its breakpoint is in `work`."""

    def __init__(
        self,
        kind: Sequence[str],
        *,
        program: Path = PROGRAM,
        goes_on: bool = True,
        front_door: bool = False,
        **initialize: Any,
    ) -> None:
        self.live = Live()
        self.proxy = Proxy(self.live)  # type: ignore[arg-type]
        self.goes_on = goes_on
        self._front_door = front_door
        self._initialize = initialize
        self._tasks: list[asyncio.Task[Any]] = []
        launch = {"program": str(program), "args": list(kind), "subProcess": True, "console": "internalConsole"}
        self.root = Session(self, 0, launch | {"python": [sys.executable]})
        self.sessions = [self.root]

    @contextlib.asynccontextmanager
    async def begun(self) -> AsyncIterator[Tree]:
        client = await self.proxy.open_in_process()
        self.spawn(self.root.run(client, "launch", **self._initialize))
        try:
            yield self
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for session in reversed(self.sessions):
                if hasattr(session, "client"):
                    await session.client.close()

    async def run(self) -> None:
        """To the end of every session. Raises what any of them raised."""
        async with self.begun():
            while self._tasks:
                done, pending = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                self._tasks = list(pending)
                for task in done:
                    task.result()

    def spawn(self, work: Any) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    def grow(self, parent: Session, configuration: dict[str, Any]) -> None:
        child = Session(self, parent.depth + 1, configuration)
        self.sessions.append(child)
        self.spawn(self._attach(child))

    async def _attach(self, child: Session) -> None:
        connect = child.configuration["connect"]
        if self._front_door:
            client = await self.proxy.open_in_process()
        else:
            client = DapClient(await open_tcp(connect["host"], connect["port"], WAIT_S))
        await child.run(client, "attach", **self._initialize)

    async def stopped_session(self) -> Session:
        """One that has come to `work`."""
        while True:
            for session in self.sessions:
                if session.stopped.is_set():
                    return session
            waits = [asyncio.ensure_future(session.stopped.wait()) for session in self.sessions]
            await asyncio.wait([*waits, *self._tasks], timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()

    @property
    def depth_of_work(self) -> int:
        return max((session.depth for session in self.sessions if session.stopped.is_set()), default=-1)


def outcome_without_a_debugger(kind: Sequence[str], program: Path = PROGRAM) -> tuple[int, list[str]]:
    command = [sys.executable, str(program), *kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patient(60.0), check=False)
    return done.returncode, sorted((done.stdout + done.stderr).splitlines())


DEPTHS = {
    ("process", "spawn", "2"): 2,
    ("process", "fork", "2"): 2,
    ("process", "forkserver", "2"): 4,
    ("pool", "spawn"): 1,
    ("pool", "forkserver"): 2,
    ("executor", "forkserver"): 2,
    ("chain", "4"): 4,
    ("forks", "3"): 3,
    ("replaced", "3"): 3,
    ("reloader",): 1,
    ("mixed", "call,spawn,fork,forkserver"): 5,
}
"""Kinds of trees, and how deep in each the processes stand that come to the breakpoint."""


@pytest.mark.parametrize("kind", DEPTHS, ids=" ".join)
async def test_a_tree_of_any_depth_ends_as_without_a_debugger_and_stops_at_its_last_generation(kind: tuple[str, ...]):
    tree = Tree(kind)
    await asyncio.wait_for(tree.run(), 2 * WAIT_S)
    assert tree.depth_of_work == DEPTHS[kind]
    assert (tree.root.exit_code, sorted(tree.root.output.splitlines())) == outcome_without_a_debugger(kind)


async def test_a_client_that_starts_sessions_itself_is_led_through_the_proxy_to_a_grandchild():
    tree = Tree(("process", "fork", "2"), supportsStartDebuggingRequest=True)
    await asyncio.wait_for(tree.run(), 2 * WAIT_S)
    assert tree.depth_of_work == 2


async def test_grandchildren_may_come_by_the_front_door():
    tree = Tree(("process", "fork", "2"), front_door=True)
    await asyncio.wait_for(tree.run(), 2 * WAIT_S)
    assert tree.depth_of_work == 2


async def test_the_end_of_the_first_session_ends_every_generation():
    tree = Tree(("chain", "2"), goes_on=False)
    async with tree.begun():
        last = await asyncio.wait_for(tree.stopped_session(), 2 * WAIT_S)
        pids = [session.configuration["subProcessId"] for session in tree.sessions[1:]]
        processes = [psutil.Process(pid) for pid in pids]
        assert last.depth == len(processes) == 2
        await tree.root.client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        _, alive = psutil.wait_procs(processes, timeout=WAIT_S)
        assert not alive


async def test_ranks_that_are_held_are_named_by_their_numbers():
    tree = Tree(("ranks", "2"), goes_on=False)
    async with tree.begun():
        await asyncio.wait_for(tree.stopped_session(), 2 * WAIT_S)
        while sum(session.stopped.is_set() for session in tree.sessions) < 2:
            await asyncio.sleep(0.05)
        answer = await asyncio.wait_for(tree.root.client.send("ask", {"question": "why?"}), WAIT_S)
        assert not answer.success
        assert "rank 0, generations.py (process " in str(answer.content)
        assert "rank 1, generations.py (process " in str(answer.content)


# -- children that run another Python ---------------------------------------------------------------------------------

RUNS = """
import subprocess, sys
for command in sys.argv[1:]:
    done = subprocess.run(command.split("|"), capture_output=True, text=True)
    print(done.returncode, done.stdout, done.stderr)
"""
CHILD = "import sys; print(sys.version_info[:2], sys.argv, sys.flags)"


@pytest.fixture
def programs(tmp_path: Path) -> tuple[Path, Path]:
    """One that runs the commands that it is given, and one that tells of its Python."""
    runs, child = tmp_path / "runs.py", tmp_path / "child.py"
    runs.write_text(RUNS, encoding="utf-8")
    child.write_text(CHILD, encoding="utf-8")
    return runs, child


async def outcome_in_a_tree(kind: Sequence[str], program: Path) -> tuple[Tree, tuple[int | None, list[str]]]:
    tree = Tree(kind, program=program)
    await asyncio.wait_for(tree.run(), 2 * WAIT_S)
    return tree, (tree.root.exit_code, sorted(tree.root.output.splitlines()))


async def test_nothing_is_printed_into_a_child_that_runs_another_python(
    programs: tuple[Path, Path], python_versions: dict[str, Path]
):
    runs, child = programs
    pythons = [*map(str, python_versions.values()), "/usr/bin/python3"]
    commands = [f"{python}|{options}{child}|a" for python, options in zip(pythons, cycle(["", "-S|", "-I|", "-E|"]))]
    tree, outcome = await outcome_in_a_tree(commands, runs)
    assert outcome == outcome_without_a_debugger(commands, runs)
    assert len(tree.sessions) == 1 + len(commands)


async def test_a_child_whose_python_cannot_run_debugpy_runs_as_without_a_debugger(
    programs: tuple[Path, Path], tmp_path: Path
):
    runs, child = programs
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "socket.py").write_text("raise ImportError('no sockets here')\n", encoding="utf-8")
    scripts = {
        "python3": f'#!/bin/sh\nPYTHONPATH={tmp_path}/broken exec {sys.executable} "$@"\n',
        "python-config": '#!/bin/sh\necho "$@"\n',
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    commands = [f"{tmp_path}/python3|{child}|a", f"{tmp_path}/python3|-c|{CHILD}", f"{tmp_path}/python-config|x"]
    tree, outcome = await outcome_in_a_tree(commands, runs)
    assert outcome == outcome_without_a_debugger(commands, runs)
    assert len(tree.sessions) == 1
