"""What the hook in an agent's process costs: an event that nobody waits for, a query's events, Python's start.

    .venv/bin/python benchmarks/agent_hook.py [--events N] [--json FILE]

An event: an announcement by the hook's own code to the endpoint in another process, recording included there, and the
verdict back; in a thread and in a task. Beside it what AgentStepper's paper describes for the same event: a synchronous
WebSocket, the event and then its breakpoint with the whole payload, waited for (`pip install websockets`; its core's
work and its four model calls a cycle are left out, so it is better here than it is). By turns, on connections that are
open. A tool's call has a short payload in either; a query has its whole history, which the hook does not announce where
the wire has it: benchmarks/agents.py has what the wire costs.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.live.gate.gate import AgentGate
from dap_ai.debuggees.runs.live.gate.gated_query import GateService
from dap_ai.debuggees.runs.live.hook import gate_messages
from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.live.wire.endpoint_server import Endpoint
from dap_ai.debuggees.runs.live.wire.routes import HOOK
from dap_ai.debuggees.runs.store import Recording

CHANGED = {"dap-ai, each agent of tests/integration/test_real_agents.py": 0, "AgentStepper, by its paper": "39 to 42"}
CYCLE = 50
"""Queries of a run whose history grows."""


async def gate(folder: str) -> None:
    recorder = EndpointRecorder(Recording(Path(folder), {"started": "", "command": []}), {})
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    endpoint = Endpoint("token", {}, recorder)
    endpoint.gate = GateService(AgentGate(lambda _: None, recorder), itertools.count(1))
    server = await endpoint.serve(listener)
    print(listener.getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def core() -> None:
    """Says to each breakpoint that nothing was changed."""
    from websockets.asyncio.server import serve  # noqa: PLC0415  only where it is there

    async def answer(connection: Any) -> None:
        async for message in connection:
            said = json.loads(message)
            if said["message"] == "breakpoint":
                await connection.send(json.dumps(said))

    async with serve(answer, "127.0.0.1", 0, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


def in_process(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    process = subprocess.Popen([sys.executable, __file__, "--serve", *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, int(process.stdout.readline() or 0)


def seeds(port: int) -> Callable[[Any], None] | None:
    """An event as the seed's agent tells it; None: its library is not there."""
    try:
        from websockets.sync.client import connect  # noqa: PLC0415  the same
    except ImportError:
        return None
    connection = connect(f"ws://127.0.0.1:{port}", max_size=None).__enter__()  # ends with the core

    def tell(data: Any) -> None:
        event = {"uuid": str(uuid.uuid4()), "type": "TOOL_INVOCATION", "date": time.time()}
        connection.send(json.dumps({"message": "event", "data": event}))
        body = {"event_id": event["uuid"], "original": data, "modified": data}
        connection.send(json.dumps({"message": "breakpoint", "data": body}))
        json.loads(connection.recv())

    return tell


def timed(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return (time.perf_counter() - start) * 1000


def row(what: str, times: list[float]) -> dict[str, Any]:
    parts = statistics.quantiles(times, n=100)
    return {"what": what, "ms": statistics.median(times), "the quickest tenth ms": parts[9], "99 % ms": parts[98]}


def events(count: int, seed: Callable[[Any], None] | None) -> list[dict[str, Any]]:
    call = {"kind": "call", "agent": "main", "tool": "bash", "arguments": {"command": "ls -la"}, "call_id": ""}
    result = {"kind": "result", "agent": "main", "tool": "bash", "text": "x" * 2_000, "status": "ok"}

    async def in_task() -> list[float]:
        found = list[float]()
        for _ in range(count):
            start = time.perf_counter()
            verdict = await gate_messages.announce_async(call)
            await gate_messages.announce_async({**result, "call_id": verdict.get("call_id", "")})
            found.append((time.perf_counter() - start) * 500)

        return found

    def in_thread() -> None:
        verdict = gate_messages.announce(call)
        gate_messages.announce({**result, "call_id": verdict.get("call_id", "")})

    def as_seed() -> None:
        assert seed is not None
        seed({"tool": "bash", "args": {"command": "ls -la"}})
        seed({"results": "x" * 2_000})

    in_thread()
    both = [(timed(in_thread) / 2, timed(as_seed) / 2 if seed else 0.0) for _ in range(count)]
    rows = [row("an event by the hook, in a thread", [each[0] for each in both])]
    rows += [row("an event by the hook, in a task", asyncio.run(in_task()))]
    return rows + ([row("an event in the seed's style", [each[1] for each in both])] if seed else [])


def histories(seed: Callable[[Any], None] | None) -> list[dict[str, Any]]:
    """The run's queries with a history of 4,000 characters more each."""
    if seed is None:
        return [{"what": "the seed's style is not measured: pip install websockets"}]
    messages = list[dict[str, str]]()
    sent, times = 0, list[float]()
    for _ in range(CYCLE):
        messages += [{"role": "assistant", "content": "y" * 2_000}, {"role": "user", "content": "x" * 2_000}]
        prompt = {"messages": messages}
        times.append(timed(lambda: seed(prompt)))  # noqa: B023  called at once
        sent += 2 * len(json.dumps(prompt))
    what = f"{CYCLE} queries in the seed's style, the whole history each time"
    return [{"what": what, "ms a query": statistics.mean(times), "kB sent a query": sent / CYCLE / 1000}]


def starts() -> list[dict[str, Any]]:
    """Python's own start, without an agent, with and without the hook."""
    found: dict[str, list[float]] = {"without": [], "with": []}
    plain = {key: value for key, value in os.environ.items() if key not in ("DAP_AI_GATE", "PYTHONPATH")}
    hooked = {**plain, "DAP_AI_GATE": "http://127.0.0.1:9/token/gate", "PYTHONPATH": str(HOOK)}
    for _ in range(30):
        for name, environ in (("without", plain), ("with", hooked)):
            command = [sys.executable, "-c", ""]
            found[name].append(timed(lambda: subprocess.run(command, env=environ, check=True)))  # noqa: B023
    return [row(f"Python's start {name} the hook", each) for name, each in found.items()]


def measured(count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        endpoint, port = in_process("gate", folder)
        peer, other = in_process("core")
        os.environ["DAP_AI_GATE"] = f"http://127.0.0.1:{port}/token/gate"
        try:
            seed = seeds(other) if other else None
            found: dict[str, Any] = {"events": events(count, seed), "history": histories(seed)}
        finally:
            for process in (endpoint, peer):
                process.terminate()
                process.wait()
                assert process.stdout is not None
                process.stdout.close()
    lines = [{"what": f"lines changed in an agent: {name}", "lines": changed} for name, changed in CHANGED.items()]
    return {**found, "starts": starts(), "changes": lines}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", nargs="+")
    flags = parser.parse_args()
    if flags.serve:
        asyncio.run(gate(flags.serve[1]) if flags.serve[0] == "gate" else core())
        return
    load, found = os.getloadavg()[0], measured(flags.events)
    print(f"load {load:.1f} on {os.cpu_count()} processors")
    for name, rows in found.items():
        print(f"\n{name}")
        for each in rows:
            cells = (
                f"{key}: {value:,.3f}" if isinstance(value, float) else f"{key}: {value}" for key, value in each.items()
            )
            print("  " + "  ".join(cells))
    if flags.json:
        flags.json.write_text(json.dumps({"load": load, **found}, indent=1))


if __name__ == "__main__":
    main()
