"""What listens while dap_ai debugs: by whom, where, and whether another user of the machine gets in. Linux.

    python benchmarks/listeners.py [--session NAME ...] [--json FILE]

The tree of processes is looked at every 5 ms from the start of a session to its end, so that a port is seen which is
open for a moment only. Run as root, it also lets another user knock at what listens at the stop: "turned away" is one
who was cut off before hearing a byte.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import _listening_agents
import psutil
from _dap import DAP_AI, ROOT, Client, Failed, free_port, machine, running

sys.path.insert(0, str(ROOT))
from tests.integration import native, users
from tests.integration.listening import Listener, listeners, watched
from tests.processes import command_line

INITIALIZE = b'{"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}}'
QUIET_S = 0.5
ASK_S = 60.0
FAMILY = ROOT / "tests" / "debuggees" / "family.py"
CRASHES = "def share(total, people):\n    return total / people\n\n\nshare(10, 0)\n"
SUBPROCESS = f"import subprocess, sys\nsubprocess.run([sys.executable, {str(FAMILY)!r}, 'alone'])\n"
SLEEPS = "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)\n"
CRASHES_IN_C = "int main(void)\n{\n    int *p = 0;\n    return *p;\n}\n"
Session = Generator[None]
"""Runs from its start to where most listens, yields, and is ended."""


@contextlib.contextmanager
def asked(*words: str | Path) -> Session:
    """`dap-ai ask`, to its end."""
    subprocess.run([*DAP_AI, "ask", *map(str, words)], capture_output=True, timeout=ASK_S, cwd=ROOT, check=False)
    yield


@contextlib.contextmanager
def served(
    how: str, arguments: dict[str, Any], *, backend: str = "debugpy", stops: bool = True, joined: bool = False
) -> Session:
    """`dap-ai serve` on stdio, stopped at the mistake or where a child process waits; a question is asked."""
    client = Client.spawn([*DAP_AI, "serve", "--backend", backend])
    with client:
        client.initialize()
        client.begin(how, arguments, filters=["uncaught"] if backend == "debugpy" else [])
        if arguments.get("subProcess"):
            client.event("debugpyAttach")
        elif stops:
            client.event("stopped")
            client.request("ask", {"question": "why"})
            client.event("askEnded")
        if joined:
            subprocess.run([*DAP_AI, "ask", "--join"], capture_output=True, timeout=ASK_S, check=False)
        yield


@contextlib.contextmanager
def attached(program: Path, how: str) -> Session:
    """The same for a program that runs already: `listen`, `connect` or `processId`."""
    port = free_port()
    if how == "listen":
        client = Client.spawn([*DAP_AI, "serve"])
        with client:
            client.initialize()
            client.send("attach", {"listen": {"host": "127.0.0.1", "port": port}})
            client.event("debugpyWaitingForServer")
            yield
        return
    listens = ["-m", "debugpy", "--listen", f"127.0.0.1:{port}"] if how == "connect" else []
    with running([sys.executable, *listens, program]) as output:
        pid = int(next(line for line in output if line.startswith(b"pid")).split()[1])
        where = {"processId": pid} if how == "processId" else {"connect": {"host": "127.0.0.1", "port": port}}
        with served("attach", where, stops=False):
            yield


def sessions(folder: Path) -> dict[str, Callable[[], contextlib.AbstractContextManager[None]]]:
    """By name, those that this machine can have."""
    crash, parent, sleeps = (folder / name for name in ("crash.py", "parent.py", "sleeps.py"))
    sleeps.write_text(SLEEPS, encoding="utf-8")
    crash.write_text(CRASHES, encoding="utf-8")
    parent.write_text(SUBPROCESS, encoding="utf-8")
    launch = {"program": str(crash), "console": "internalConsole"}
    tree = {"console": "internalConsole", "subProcess": True}
    found: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
        "ask": partial(asked, crash),
        "launch": partial(served, "launch", launch),
        "launch, joined": partial(served, "launch", launch, joined=True),
        "launch, multiprocessing": partial(served, "launch", {**tree, "program": str(FAMILY), "args": ["spawn"]}),
        "launch, subprocess": partial(served, "launch", {**tree, "program": str(parent)}),
    }
    for how in ("listen", "connect", "processId"):
        found[f"attach by {how}"] = partial(attached, sleeps, how)
    program = str(native.build(CRASHES_IN_C, folder))
    for name, command in native.adapters().items():
        found[name] = partial(served, "launch", {"program": program}, backend=" ".join(command))
        found[f"ask, {name}"] = partial(asked, "--backend", " ".join(command), program)
    return found | _listening_agents.sessions(folder)


def knocks(stranger: users.Stranger | None, listener: Listener) -> str:
    """What becomes of another user who comes there."""
    if stranger is None:
        return "not tried: needs root"
    said = f"Content-Length: {len(INITIALIZE)}\r\n\r\n{INITIALIZE.decode()}"
    attempt = stranger.attempt(listener.where, say=[said], wait_s=QUIET_S)
    return "turned away" if attempt["closed"] and not attempt["heard"] else "LET IN"


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", action="append", default=[])
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    rows: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        stranger = None if users.missing() else stack.enter_context(users.stranger_at_work())
        for name, opened in sessions(Path(folder)).items():
            if wanted.session and name not in wanted.session:
                continue
            seen: set[Listener] = set()
            now: set[Listener] = set()
            try:
                with watched([os.getpid()]) as seen, opened():
                    now = _others(listeners(_roots()))
                    rows += [_row(name, each, knocks(stranger, each)) for each in sorted(now)]
            except Failed as error:
                print(f"{name} IS MISSING: {error}")
            rows += [_row(name, each, "open for a moment") for each in sorted(_others(seen) - now)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row.values(), (26, 12, 6, 44, 0), strict=True)))
    if wanted.json:
        wanted.json.write_text(json.dumps({"machine": machine(), "listeners": rows}, indent=1), encoding="utf-8")


def _roots() -> list[int]:
    """This process, and the adapter of an agent's own Python, which debugpy makes nobody's child."""
    adapters = [each.pid for each in psutil.process_iter() if "--for-server" in command_line(each)]
    return [os.getpid(), *adapters]


def _others(found: set[Listener]) -> set[Listener]:
    """Without those of this script, which stands in a model's place."""
    return {each for each in found if each.program != Path(__file__).name}


def _row(session: str, listener: Listener, what: str) -> dict[str, str]:
    who, kind = listener.program, listener.kind
    return {"session": session, "who": who, "kind": kind, "where": listener.place, "another user": what}


if __name__ == "__main__":
    main()
