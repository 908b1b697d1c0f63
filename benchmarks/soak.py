"""Sessions in a row and at once through one `dap-ai serve`: what is left of them in the proxy.

    python benchmarks/soak.py [--sessions 500] [--at-once 20] [--whole-every 25] [--json FILE]

A short session is initialize and disconnect; a whole one launches a program that crashes, stops, asks by `??` and
disconnects. The figures are the proxy's own, when its adapters have gone: memory, descriptors, threads, sockets and
child processes. `warm` is after one whole and five short sessions: what has been loaded stays loaded.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import psutil
from _dap import DAP_AI, ROOT, Client, machine, show

PROGRAM = "def share(total, people):\n    return total / people\n\n\nshare(10, 0)\n"
SETTLE_S = 20.0
WARM_UP = 5
COLUMNS = ("rss_mib", "descriptors", "threads", "sockets", "children")


def short(port: int) -> None:
    """A session that an editor starts and gives up."""
    with Client.connect(port) as client:
        client.request("initialize", {"adapterID": "python"})


def whole(port: int, program: Path) -> None:
    """A session with a stop and a question."""
    launch = {"program": str(program), "console": "internalConsole", "python": [sys.executable], "askEvents": True}
    with Client.connect(port) as client:
        client.start("launch", launch, filters=["uncaught"])
        client.request("evaluate", {"expression": "?? why", "context": "repl"})
        client.event("askEnded")


class Proxy:
    """A running `dap-ai serve` on TCP."""

    def __init__(self) -> None:
        command = [*DAP_AI, "serve", "--listen", "127.0.0.1:0", "--no-token"]
        self._running = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT)
        self._stderr = cast("Any", self._running.stderr)
        self.port = int(self._stderr.readline().decode().rsplit(":", 1)[1])
        self._drain = ThreadPoolExecutor(1).submit(self._stderr.read)
        self.process = psutil.Process(self._running.pid)
        self.start = self.figures()

    def figures(self) -> dict[str, float]:
        """What it holds now."""
        process = self.process
        return {
            "rss_mib": round(process.memory_info().rss / 2**20, 1),
            "descriptors": process.num_fds(),
            "threads": process.num_threads(),
            "sockets": len(process.net_connections()),
            "children": len(process.children(recursive=True)),
        }

    def settled(self, descriptors: float = math.inf) -> dict[str, float]:
        """What it holds when its adapters have gone and no more descriptors are open, or after SETTLE_S."""
        until = time.monotonic() + SETTLE_S
        while (
            (now := self.figures())["children"]
            or now["sockets"] > self.start["sockets"]
            or now["descriptors"] > descriptors
        ):
            if time.monotonic() > until:
                break
            time.sleep(0.05)
        return now

    def close(self) -> str:
        """Ends it; what it has said on stderr."""
        self._running.terminate()
        self._running.wait(SETTLE_S)
        return self._drain.result(SETTLE_S).decode(errors="replace")


def soak(proxy: Proxy, program: Path, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Figures at each mark."""
    marks = {"start": proxy.start}
    whole(proxy.port, program)
    for _ in range(WARM_UP):
        short(proxy.port)
    marks["warm"] = proxy.settled()
    for number in range(1, options.sessions + 1):
        whole(proxy.port, program) if number % options.whole_every == 0 else short(proxy.port)
    marks[f"after {options.sessions} in a row"] = proxy.settled(marks["warm"]["descriptors"])
    with ThreadPoolExecutor(options.at_once) as crowd:
        list(crowd.map(lambda _: whole(proxy.port, program), range(options.at_once)))
    marks[f"after {options.at_once} at once"] = proxy.settled(marks["warm"]["descriptors"])
    return marks


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=500, help="in a row (default: 500)")
    parser.add_argument("--at-once", type=int, default=20, help="whole ones, in the end (default: 20)")
    parser.add_argument("--whole-every", type=int, default=25, help="of those in a row, each which is whole")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    proxy = Proxy()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder).resolve() / "crash.py"
        program.write_text(PROGRAM, encoding="utf-8")
        try:
            marks = soak(proxy, program, options)
        finally:
            said = proxy.close()
    rows = [[mark, *(figures[column] for column in COLUMNS)] for mark, figures in marks.items()]
    show(f"one proxy, {time.monotonic() - began:.0f} s", ["", *COLUMNS], rows)
    if options.json:
        figures = {"machine": machine(), "marks": marks, "tracebacks": said.count("Traceback")}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
