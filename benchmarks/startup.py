"""How long a five-line script that crashes takes to its first context: dap_ai, pdb, debugpy alone.

    python benchmarks/startup.py [--runs 11] [--json FILE]

The three run in turn. Each begins with a new process:
  pdb      `python -m pdb -c continue` to the prompt of its post-mortem session
  debugpy  its adapter, driven by a bare client, to `stopped`, and then to the exception, stack and variables
  dap_ai   `dap-ai ask --show-context` to its `stopped` line, and then to the first context
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from _dap import DAP_AI, DEBUGPY_ADAPTER, ROOT, Client, Failed, machine, show, spread

SCRIPT = """\
def share(total, people):
    return total / people


print(share(10, 0))
"""
Times = dict[str, float]


def start(command: list[str]) -> tuple[subprocess.Popen[bytes], BinaryIO]:
    """A new process and its output; errors are dropped."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
    )
    return process, cast("BinaryIO", process.stdout)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills it and closes its pipes."""
    process.kill()
    process.communicate()


def by_pdb(script: Path) -> Times:
    """Seconds to pdb's post-mortem prompt."""
    began = time.perf_counter()
    process, output = start([sys.executable, "-u", "-m", "pdb", "-c", "continue", str(script)])
    try:
        shown = b""
        while b"post mortem" not in shown or not shown.endswith(b"(Pdb) "):
            if not (piece := os.read(output.fileno(), 65536)):
                raise Failed(f"pdb ended: {shown.decode(errors='replace')[-200:]}")
            shown += piece
        return {"pdb: prompt": time.perf_counter() - began}
    finally:
        end(process)


def by_debugpy(script: Path) -> Times:
    """Seconds to debugpy's stop, and to what an editor shows there."""
    arguments = {"program": str(script), "console": "internalConsole", "python": [sys.executable]}
    began = time.perf_counter()
    with Client.spawn(DEBUGPY_ADAPTER) as client:
        thread_id = client.start("launch", arguments, filters=["uncaught"])["threadId"]
        stopped = time.perf_counter() - began
        client.request("exceptionInfo", {"threadId": thread_id})
        frame_id = client.request("stackTrace", {"threadId": thread_id})["stackFrames"][0]["id"]
        scope = client.request("scopes", {"frameId": frame_id})["scopes"][0]
        client.request("variables", {"variablesReference": scope["variablesReference"]})
        return {"debugpy: stopped": stopped, "debugpy: variables shown": time.perf_counter() - began}


def by_dap_ai(script: Path) -> Times:
    """Seconds to dap_ai's stop and to its first context."""
    began = time.perf_counter()
    process, output = start([*DAP_AI, "ask", "--json", "--show-context", "--python", sys.executable, str(script)])
    try:
        times: Times = {}
        for line in output:
            name = json.loads(line)["event"]
            if name in ("stopped", "context"):
                times[f"dap_ai: {name}"] = time.perf_counter() - began
            if name == "context":
                return {**times, "dap_ai: question to context": times["dap_ai: context"] - times["dap_ai: stopped"]}
        raise Failed("dap-ai ask ended without a context")
    finally:
        end(process)


def main() -> None:
    """Prints the medians, and how much later than debugpy alone dap_ai is ready."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11, help="of each (default: 11)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    ways: tuple[Callable[[Path], Times], ...] = (by_pdb, by_debugpy, by_dap_ai)
    taken: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder).resolve() / "share.py"
        script.write_text(SCRIPT, encoding="utf-8")
        for run in range(options.runs + 1):
            for way in ways:
                for name, seconds in way(script).items():
                    if run:  # the first fills the disk's cache
                        taken.setdefault(name, []).append(seconds * 1000)
    figures: dict[str, Any] = {name: spread(values) for name, values in taken.items()}
    rows = [[name, row["median_ms"], row["p99_ms"]] for name, row in figures.items()]
    show("from start, in milliseconds", ["", "median", "p99"], rows)
    later = figures["dap_ai: context"]["median_ms"] - figures["debugpy: variables shown"]["median_ms"]
    print(f"\n  dap_ai's context is there {later:+.0f} ms after debugpy alone has shown the variables")
    if options.json:
        figures = {"machine": machine(), "context_after_debugpy_ms": round(later, 1), **figures}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
