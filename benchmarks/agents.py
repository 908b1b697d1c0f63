"""What recording an agent costs: an event on the wire, a commit of a workspace, the bytes of a growing history.

    .venv/bin/python benchmarks/agents.py [--only wire] [--queries N] [--files N] [--json FILE]

The wire: the same requests to a server that answers at once, straight, through the endpoint, and through one with a
table of breakpoints, none of which is met (it reads answers whole before it passes them on), by turns, on one open
connection each; a query has four events (query, response, call, result). The workspace: a directory of small files of
which one changes each time, beside a copy of it. The history: fifty cycles, each two messages of 2,000 characters.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from dap_ai.debuggees.runs.live.endpoint_process import SWITCH_S
from dap_ai.debuggees.runs.live.gate.gate import AgentGate
from dap_ai.debuggees.runs.live.gate.gated_query import GateService
from dap_ai.debuggees.runs.live.gate.orders import BreakpointRow, BreakpointTable
from dap_ai.debuggees.runs.live.gate.stop_table import LIVE
from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.live.wire.endpoint_server import Endpoint
from dap_ai.debuggees.runs.live.wire.routes import Upstream
from dap_ai.debuggees.runs.live.workspace.repository import Repository
from dap_ai.debuggees.runs.store import FILE, Recording

EVENTS = 4
"""Of a query: itself, the response, its call, the call's result."""
CALL = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
MESSAGE = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}
FUNCTIONS = ("tool:edit_*", "agent:reviewer", "llm")
USAGE = {"prompt_tokens": 9, "completion_tokens": 9}
ANSWER = json.dumps({"model": "m", "choices": [{"index": 0, "message": MESSAGE}], "usage": USAGE}).encode()


async def instant(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A model that answers at once."""
    while not reader.at_eof():
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
        except asyncio.IncompleteReadError:
            break
        await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER))
        writer.write(ANSWER)


def held_nowhere(recorder: EndpointRecorder) -> AgentGate:
    """A gate with a breakpoint of each kind, none of which is ever met."""
    gate = AgentGate(lambda _: None, recorder)
    never = "tool == 'no such tool'"
    filters = [BreakpointRow(n, "filter", {"filterId": name, "condition": never}) for n, name in enumerate(LIVE, 1)]
    functions = [
        BreakpointRow(n, "function", {"name": name, "condition": never}) for n, name in enumerate(FUNCTIONS, 100)
    ]
    budget = BreakpointRow(200, "filter", {"filterId": "budget", "condition": "spent.tokens > 10_000_000_000"})
    gate.table(BreakpointTable([*filters, *functions, budget]))
    return gate


def in_process(role: str, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """This file as another process that serves; the port."""
    process = subprocess.Popen([sys.executable, __file__, "--serve", role, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


async def serve(role: str, folder: str, port: int) -> None:
    if role == "model":
        server = await asyncio.start_server(instant, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
    else:
        known = {"openai": Upstream("openai", f"http://127.0.0.1:{port}/v1")}
        recorder = EndpointRecorder(Recording(Path(folder), {"started": "", "command": []}), known)
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)
        endpoint = Endpoint("token", known, recorder)
        if role == "gate":
            endpoint.gate = GateService(held_nowhere(recorder), endpoint.numbers)
        sys.setswitchinterval(SWITCH_S)
        server = await endpoint.serve(listener)
        print(listener.getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def asking(port: int, path: str, size: int) -> Callable[[], float]:
    """Milliseconds of one more request on one connection, whose history is so many characters."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * size}]})

    def ask() -> float:
        start = time.perf_counter()
        connection.request("POST", path, body)
        connection.getresponse().read()
        return (time.perf_counter() - start) * 1000

    return ask


def wire(queries: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        model, port = in_process("model")
        (Path(folder) / "a").mkdir()
        endpoint, through = in_process("endpoint", str(Path(folder) / "a"), str(port))
        gated, held = in_process("gate", str(Path(folder) / "b"), str(port))
        try:
            for size in (2_000, 100_000, 2_000_000):
                ways = (
                    asking(port, "/v1/chat/completions", size),
                    asking(through, "/token/openai/v1/chat/completions", size),
                    asking(held, "/token/openai/v1/chat/completions", size),
                )
                count = queries if size < 1_000_000 else max(10, queries // 10)
                for ask in ways:
                    ask()
                before = sum(psutil.Process(endpoint.pid).cpu_times()[:2])
                times = [[ask() for ask in ways] for _ in range(count)]
                used = (sum(psutil.Process(endpoint.pid).cpu_times()[:2]) - before) * 1000 / count
                alone, both, table = (statistics.median(each) for each in zip(*times, strict=True))
                least = min(row[1] for row in times) - min(row[0] for row in times)
                row = {"what": f"a query of {size:,} characters", "straight ms": alone, "through ms": both}
                row |= {"more ms": both - alone, "at best ms": least, "at best ms an event": least / EVENTS}
                least = min(row[2] for row in times) - min(row[0] for row in times)
                row |= {"with a table more ms": table - alone, "at best ms an event with it": least / EVENTS}
                rows.append(row | {"processor ms, recording included": used})
        finally:
            for process in (endpoint, gated, model):
                process.terminate()
                process.wait()
                assert process.stdout is not None
                process.stdout.close()
    return rows


def workspace(files: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary) / "work"
        for number in range(files):
            path = top / f"p{number % 20}" / f"s{number % 200}" / f"{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {number}\n" + "x = 1\n" * (number % 200))
        (Path(temporary) / "r").mkdir()
        followed = Repository(top, Path(temporary) / "r" / "workspace.git")
        first = timed(followed.begin)
        commits, nothing = list[float](), list[float]()
        before = sum(os.times()[:4])
        for number in range(20):
            (top / "p1" / "s1" / "1.py").write_text(f"changed = {number}\n")
            commits.append(timed(lambda: followed.commit("changed")))
            nothing.append(timed(lambda: followed.commit("unchanged")))
        used = (sum(os.times()[:4]) - before) / 20
        copied = timed(lambda: shutil.copytree(top, Path(temporary) / "copy"))
        return [
            {"what": f"the first state of {files:,} files", "s": first},
            {"what": "a commit of one changed file", "s": statistics.median(commits), "worst s": max(commits)},
            {"what": "processors for both", "s": used},
            {"what": "nothing has changed", "s": statistics.median(nothing), "worst s": max(nothing)},
            {"what": "a copy of the directory", "s": copied},
        ]


def history() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        recording = Recording(Path(folder), {"started": "", "command": []})
        messages, sizes, whole = list[bytes](), [(Path(folder) / FILE).stat().st_size], 0
        for cycle in range(50):
            for role in ("assistant", "user"):
                messages.append(json.dumps({"role": role, "content": f"{cycle} " + os.urandom(1000).hex()}).encode())
            last = recording.conversation(messages)
            recording.event({"query": cycle, "at": time.time(), "last": last, "messages": len(messages)})
            sizes.append((Path(folder) / FILE).stat().st_size)
            whole += sum(map(len, messages))
        recording.close()
        bytes_ = (sizes[-1] - sizes[0]) / 50
        return [
            {
                "what": "bytes a cycle, of which new",
                "stored": bytes_,
                "new": 4000,
                "whole payload each time": whole / 50,
            }
        ]


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--files", type=int, default=18_800)
    parser.add_argument("--only", default="", choices=["", "wire", "workspace", "history"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", nargs="+")
    flags = parser.parse_args()
    if flags.serve:
        role, folder, port = [*flags.serve, "", "0"][:3]
        threading.current_thread().name = role
        asyncio.run(serve(role, folder, int(port)))
        return
    load = os.getloadavg()[0]
    parts: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "wire": lambda: wire(flags.queries),
        "workspace": lambda: workspace(flags.files),
        "history": history,
    }
    found: dict[str, Any] = {name: part() for name, part in parts.items() if flags.only in ("", name)}
    print(f"load {load:.1f} on {os.cpu_count()} processors")
    for name, rows in found.items():
        print(f"\n{name}")
        for row in rows:
            print(
                "  "
                + "  ".join(
                    f"{key}: {value:,.3f}" if isinstance(value, float) else f"{key}: {value}"
                    for key, value in row.items()
                )
            )
    if flags.json:
        flags.json.write_text(json.dumps({"load": load, **found}, indent=1))


if __name__ == "__main__":
    main()
