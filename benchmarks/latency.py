"""Round trips through `dap-ai serve` beside debugpy alone, for launch and for attach.

    python benchmarks/latency.py [--blocks 10] [--json FILE]

Both sessions are open at the same time on the same program and are asked in turn, so that whatever else the machine
does hits both. A turn is a block of ten requests back to back, as an editor sends them at a stop: debugpy answers a
request that comes after a pause at once, and those behind it late. debugpy alone is its own adapter: started by us
for launch, by `debugpy.listen` for attach.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from _dap import DAP_AI, DEBUGPY_ADAPTER, Client, free_port, machine, running, show, spread

PROGRAM = """\
import sys

if len(sys.argv) > 1:
    import debugpy

    debugpy.listen(("127.0.0.1", int(sys.argv[1])))
    print("listening", flush=True)
    debugpy.wait_for_client()


def price(order, rate):
    amount = order["count"] * order["price"]
    names = ["tea", "milk", "honey"]
    return amount * (1 + rate)


def main():
    orders = [{"count": 3, "price": 4.5}, {"count": 1, "price": 12.0}]
    return [price(order, 0.19) for order in orders]


main()
"""
STOP_LINE = 1 + PROGRAM.splitlines().index("    return amount * (1 + rate)")
BLOCK = 10
SIDES = ("debugpy", "dap_ai")


@contextlib.contextmanager
def launched(side: str, program: Path) -> Generator[tuple[Client, int]]:
    """A session that has launched the program, and the thread that stopped."""
    command = DEBUGPY_ADAPTER if side == "debugpy" else [*DAP_AI, "serve"]
    arguments = {"program": str(program), "console": "internalConsole", "python": [sys.executable]}
    with Client.spawn(command) as client:
        yield client, client.start("launch", arguments, {program: [STOP_LINE]})["threadId"]


@contextlib.contextmanager
def attached(side: str, program: Path) -> Generator[tuple[Client, int]]:
    """A session that has attached to the running program, and the thread that stopped."""
    port = free_port()
    with running([sys.executable, program, str(port)]) as output:
        output.readline()
        client = Client.connect(port) if side == "debugpy" else Client.spawn([*DAP_AI, "serve"])
        where = {} if side == "debugpy" else {"connect": {"host": "127.0.0.1", "port": port}}
        with client:
            yield client, client.start("attach", {"justMyCode": True, **where}, {program: [STOP_LINE]})["threadId"]


def requests(client: Client, thread_id: int) -> Mapping[str, Mapping[str, Any]]:
    """The requests that an editor makes at each stop, for the stop that is now."""
    frame_id = client.request("stackTrace", {"threadId": thread_id})["stackFrames"][0]["id"]
    reference = client.request("scopes", {"frameId": frame_id})["scopes"][0]["variablesReference"]
    return {
        "threads": {},
        "stackTrace": {"threadId": thread_id},
        "scopes": {"frameId": frame_id},
        "variables": {"variablesReference": reference},
        "evaluate": {"expression": "amount * 2", "frameId": frame_id, "context": "watch"},
    }


def measure(sessions: Mapping[str, tuple[Client, int]], blocks: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each command and side."""
    asked = {side: requests(*session) for side, session in sessions.items()}
    taken: dict[str, dict[str, list[float]]] = {command: {side: [] for side in SIDES} for command in asked["debugpy"]}
    for _ in range(blocks):
        for command, by_side in taken.items():
            for side in SIDES:
                for _ in range(BLOCK):
                    started = time.perf_counter()
                    sessions[side][0].request(command, asked[side][command])
                    by_side[side].append((time.perf_counter() - started) * 1000)
    return taken


def main() -> None:
    """Prints a table for launch and one for attach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=10, help="of ten round trips, for each command (default: 10)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": machine()}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder).resolve() / "orders.py"
        program.write_text(PROGRAM, encoding="utf-8")
        for way, session in (("launch", launched), ("attach", attached)):
            with session("debugpy", program) as alone, session("dap_ai", program) as through:
                taken = measure({"debugpy": alone, "dap_ai": through}, options.blocks)
            figures[way] = report(way, taken)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def report(way: str, taken: Mapping[str, Mapping[str, list[float]]]) -> dict[str, Any]:
    """Prints one table; its figures."""
    figures: dict[str, Any] = {}
    for command, by_side in taken.items():
        both = {side: spread(by_side[side]) for side in SIDES}
        figures[command] = {**both, "ratio": round(both["debugpy"]["median_ms"] / both["dap_ai"]["median_ms"], 1)}
    rows = [
        [command, *(row[side][key] for side in SIDES for key in ("median_ms", "p99_ms")), f"{row['ratio']:.0f}x"]
        for command, row in figures.items()
    ]
    columns = ["request", "debugpy", "p99", "dap_ai", "p99", "faster"]
    show(f"{way}: round trips in milliseconds (medians)", columns, rows)
    return figures


if __name__ == "__main__":
    main()
