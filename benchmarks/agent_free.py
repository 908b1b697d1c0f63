"""What running free costs: real agents' whole processes, plain, under `dap-ai record`, and in the debugger.

    .venv/bin/python benchmarks/agent_free.py [--agent NAME]... [--rounds N] [--calls N] [--think S] [--json FILE]

Each of the agents that `python3 dev.py agents` has set up, before a scripted model that answers at once or, as real
ones do, after the seconds of `--think`; by turns. aider makes no calls: it asks once. In the debugger there is a
breakpoint of each kind, none of which is ever met. Seconds of wall and of processors, of all processes below; ratios to
the median of the plain runs. The debugger's wall time is from `configurationDone` to the agent's end, its processors'
includes its own start. `running`: from the first query to the last, as the model sees them, without start and end.
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
from typing import Any, NamedTuple

from _dap import DAP_AI, ROOT, machine, show

sys.path.insert(0, str(ROOT))

from _free_agents import FREE

from dap_ai.debuggees.runs.live.gate.stop_table import LIVE
from tests.chat.endpoint import Endpoint
from tests.integration.live_agents import session
from tests.integration.real_agents import MODELS, surroundings

NEVER = "tool == 'no such tool'"


class Took(NamedTuple):
    """Seconds."""

    wall: float
    running: float
    processors: float


Times = dict[str, list[Took]]
"""By way, of each round."""


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
    "plain": plain, "recorded": recorded, "debugged": debugged,
}  # fmt: skip


def once(name: str, way: str, calls: int, think_s: float) -> Took:
    """Raises SystemExit where it did not ask as often as it should."""
    agent = FREE[name]
    script = agent.script(calls, think_s)
    with tempfile.TemporaryDirectory() as folder, Endpoint(script, models=MODELS, endless=True) as model:
        work = Path(folder) / "work"
        work.mkdir()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        env = {**surroundings(model.url, Path(folder) / "home"), **agent.env}
        wall = WAYS[way](list(map(str, agent.command())), work, env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if len(model.requests) < len(script):
            raise SystemExit(f"{name}, {way}: {len(model.requests)} queries of {len(script)}")
    running = model.requests[-1].at - model.requests[0].at
    return Took(wall, running, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured(name: str, flags: argparse.Namespace) -> Times:
    """One uncounted run before, which warms the disk."""
    once(name, "plain", flags.calls, 0.0)
    found: Times = {way: [] for way in WAYS}
    for _ in range(flags.rounds):
        for way, times in found.items():
            times.append(once(name, way, flags.calls, flags.think))
    return found


def row_of(name: str, times: Times) -> dict[str, Any]:
    """Medians over the plain median, beside what plain runs differ by."""
    row: dict[str, Any] = {"agent": name, "plain s": statistics.median(each.wall for each in times["plain"])}
    for field, title in (("wall", ""), ("running", "running, "), ("processors", "processors, ")):
        found = {way: sorted(getattr(each, field) for each in rounds) for way, rounds in times.items()}
        plain = statistics.median(found["plain"])
        if plain == 0:  # it asks once
            row |= {f"{title}{way}": "" for way in ("plain", "recorded", "debugged")}
            continue
        row[f"{title}plain"] = f"{found['plain'][0] / plain:.2f} to {found['plain'][-1] / plain:.2f}"
        row |= {f"{title}{way}": statistics.median(found[way]) / plain for way in ("recorded", "debugged")}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", action="append", choices=list(FREE), help="only this one (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=8)
    parser.add_argument("--think", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    flags = parser.parse_args()
    load, rows = os.getloadavg()[0], list[dict[str, Any]]()
    for name in flags.agent or FREE:
        rows.append(row_of(name, measured(name, flags)))
        print({key: round(cell, 2) if isinstance(cell, float) else cell for key, cell in rows[-1].items()}, flush=True)
    how = f"{flags.rounds} rounds, {flags.calls} calls, {flags.think} s a query"
    print(f"load {load:.1f} to {os.getloadavg()[0]:.1f}, {how}")
    show("running free", list(rows[0]), [list(row.values()) for row in rows])
    if flags.json:
        flags.json.write_text(json.dumps({"machine": machine(), "load": load, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
