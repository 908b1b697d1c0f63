"""What running free costs: a real agent's whole process, plain, under `dap-ai record`, and in the debugger.

    .venv/bin/python benchmarks/agent_free.py [--rounds N] [--calls N] [--think S] [--json FILE]

mini-swe-agent (`python3 dev.py agents` sets it up) before a scripted model that answers at once or, as real ones do,
after the seconds of `--think`; by turns. In the debugger there is a breakpoint of each kind, none of which is ever met.
Seconds of wall and of processors, of all processes below; ratios to the plain run; more milliseconds an event (query,
response, call and result a cycle). The debugger's wall time is from `configurationDone` to the agent's end, its
processors' includes its own start.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _dap import DAP_AI, ROOT, machine, show

sys.path.insert(0, str(ROOT))

from dap_ai.backends.agents.live.gate.stops import LIVE
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import session
from tests.integration.real_agents import MODELS, program, surroundings

NEVER = "tool == 'no such tool'"
END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
FLAGS = ["-m", "openai/gpt-4o", "-t", "Go.", "-y", "--exit-immediately", "-o", "own.json"]


def plain(command: list[str], work: Path, env: dict[str, str], before: tuple[str, ...] = ()) -> float:
    """Seconds."""
    start = time.perf_counter()
    around = {**os.environ, **env}
    subprocess.run([*before, *command], cwd=work, env=around, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - start


def recorded(command: list[str], work: Path, env: dict[str, str]) -> float:
    """The same."""
    return plain(command, work, env, (*map(str, DAP_AI), "record", "--out", str(work.parent / "recording"), "--"))


def debugged(command: list[str], work: Path, env: dict[str, str]) -> float:
    """The same."""
    filters = [{"filterId": name, "condition": NEVER} for name in LIVE]
    functions = [{"name": name, "condition": NEVER} for name in ("tool:edit_*", "agent:reviewer", "llm")]
    with session(env) as live:
        live.launch(command, work, filters=filters, functions=functions)
        start = time.perf_counter()
        if live.over() != 0:
            raise SystemExit("the agent has failed")
        return time.perf_counter() - start


WAYS: dict[str, Callable[[list[str], Path, dict[str, str]], float]] = {
    "plain": plain, "dap-ai record": recorded, "in the debugger": debugged,
}  # fmt: skip


def once(way: str, calls: int, think_s: float) -> tuple[float, float]:
    """Seconds of wall and of processors."""
    commands = ["true"] * calls + [END]
    script = [Reply("", calls=[("bash", {"command": each})], delay_s=think_s) for each in commands]
    with tempfile.TemporaryDirectory() as folder, Endpoint(script, models=MODELS) as model:
        work = Path(folder) / "work"
        work.mkdir()
        command = [str(program("mini-swe-agent", "mini")), *FLAGS]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = WAYS[way](command, work, surroundings(model.url, Path(folder) / "home"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert len(model.requests) == calls + 1, len(model.requests)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=25)
    parser.add_argument("--think", type=float, default=0.0)
    parser.add_argument("--json", type=Path)
    flags = parser.parse_args()
    load, events = os.getloadavg()[0], 4 * (flags.calls + 1)
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(flags.rounds):
        for way, times in found.items():
            times.append(once(way, flags.calls, flags.think))
    rows = list[dict[str, Any]]()
    base = [statistics.median(each) for each in zip(*found["plain"], strict=True)]
    plain_s = [wall for wall, _ in found["plain"]]
    for way, times in found.items():
        wall, used = (statistics.median(each) for each in zip(*times, strict=True))
        row = {"way": way, "wall s": wall, "ratio": wall / base[0], "processors s": used, "its ratio": used / base[1]}
        more = (wall - base[0]) * 1000 / events
        rows.append({**row, "least wall s": min(each[0] for each in times), "more ms an event": more})
    print(f"load {load:.1f}, {flags.rounds} rounds, {events} events; plain: {min(plain_s):.2f} to {max(plain_s):.2f} s")
    cells = [[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row.values()] for row in rows]
    show("running free", list(rows[0]), cells)
    if flags.json:
        flags.json.write_text(json.dumps({"machine": machine(), "load": load, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
