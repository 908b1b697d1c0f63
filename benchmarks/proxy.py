"""What `dap-ai serve` costs or saves: each debug adapter alone and behind it, in turns, in one run.

    python benchmarks/proxy.py [--adapter NAME ...] [--section NAME ...] [--blocks 20] [--json FILE]

Sections: trips (round trips, small requests), attach (the same for debugpy, which a program listens for), pipelined,
start (to the response of `initialize`, and from there to the first stop), large (10,000 elements, a string of 1 MB),
output (100,000 lines), memory (of an idle proxy alone), ask (round trips while a question is answered, and without).
Both sides are open at the same time and asked in turn, so that whatever else the machine does hits both. In `trips`
and `attach` a turn is a block of ten requests back to back, as an editor sends them at a stop: debugpy answers a
request that comes after a pause at once, and those behind it late.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil
from _dap import DAP_AI, Client, Failed, Json, free_port, machine, running, show, spread
from _subjects import LINE_BYTES, LINES, SIDES, Subject, frame_called, subjects

BLOCK = 10
PIPELINED = 200
LARGE_S = 8.0
"""A kind of large request is repeated until it has taken so long."""
LARGE_RUNS = 5
IDLE_S = 1.0
ASK_CALLS = 10
TIMED_ASKS = 6
Times = dict[str, dict[str, list[float]]]
"""Milliseconds by what was measured and side."""


@contextlib.contextmanager
def both(subject: Subject) -> Generator[dict[str, tuple[Client, int]]]:
    """A stopped session of each side, and its thread."""
    with contextlib.ExitStack() as stack:
        sessions: dict[str, tuple[Client, int]] = {}
        for side in SIDES:
            sessions[side] = subject.stopped(side)
            stack.enter_context(sessions[side][0])
        yield sessions


@contextlib.contextmanager
def both_attached(subject: Subject) -> Generator[dict[str, tuple[Client, int]]]:
    """The same for programs that wait for debugpy to attach."""
    with contextlib.ExitStack() as stack:
        sessions: dict[str, tuple[Client, int]] = {}
        for side in SIDES:
            port = free_port()
            stack.enter_context(running([sys.executable, subject.programs["stop"], str(port)])).readline()
            client = Client.connect(port) if side == "alone" else Client.spawn([*DAP_AI, "serve"])
            stack.enter_context(client)
            where = {} if side == "alone" else {"connect": {"host": "127.0.0.1", "port": port}}
            stop = client.start("attach", {"justMyCode": False, **where}, filters=["uncaught"])
            sessions[side] = client, stop["threadId"]
        yield sessions


def small_requests(client: Client, thread_id: int) -> Mapping[str, Json]:
    """The requests that an editor makes at each stop, for the stop that is now."""
    frame_id = frame_called(client, thread_id, "outer")
    reference = client.request("scopes", {"frameId": frame_id})["scopes"][0]["variablesReference"]
    return {
        "threads": {},
        "stackTrace": {"threadId": thread_id, "levels": 20},
        "scopes": {"frameId": frame_id},
        "variables": {"variablesReference": reference},
        "evaluate": {"expression": "1+2", "frameId": frame_id, "context": "watch"},
    }


def timed(work: Callable[[], object]) -> float:
    """The milliseconds it takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def trips(subject: Subject, blocks: int, opened: Callable[[Subject], Any] = both) -> Times:
    """Round trips of small requests."""
    with opened(subject) as sessions:
        asked = {side: small_requests(*sessions[side]) for side in SIDES}
        taken: Times = {command: {side: [] for side in SIDES} for command in asked["alone"]}
        for _ in range(blocks):
            for command, by_side in taken.items():
                for side in SIDES:
                    once = partial(sessions[side][0].request, command, asked[side][command])
                    by_side[side] += [timed(once) for _ in range(BLOCK)]
        return taken


def attach(subject: Subject, blocks: int) -> Times:
    """Round trips after attach."""
    return trips(subject, blocks, both_attached) if subject.name == "debugpy" else {}


def pipelined(subject: Subject, blocks: int) -> Times:
    """Milliseconds a request, of many that are sent at once."""
    del blocks

    def burst(client: Client) -> None:
        for seq in [client.send("threads") for _ in range(PIPELINED)]:
            client.response(seq)

    taken: Times = {"a pipelined threads": {side: [] for side in SIDES}}
    with both(subject) as sessions:
        for _ in range(3):
            for side in SIDES:
                taken["a pipelined threads"][side].append(timed(lambda side=side: burst(sessions[side][0])) / PIPELINED)
    return taken


def start(subject: Subject, blocks: int) -> Times:
    """From nothing to the response of `initialize`, and from there to the stop. The first run is not counted."""
    taken: Times = {name: {side: [] for side in SIDES} for name in ("to initialize", "launch to stop")}
    for run in range(1 + max(3, blocks // 2)):
        for side in SIDES:
            began = time.perf_counter()
            with subject.spawn(side) as client:
                client.initialize()
                initialized = time.perf_counter()
                client.begin("launch", subject.arguments("stop"), filters=subject.filters)
                client.event("stopped")
                stopped = time.perf_counter()
            if run:
                taken["to initialize"][side].append((initialized - began) * 1000)
                taken["launch to stop"][side].append((stopped - initialized) * 1000)
    return taken


def large(subject: Subject, blocks: int) -> Times:
    """Large values."""
    del blocks
    taken: Times = {}
    with both(subject.whole()) as sessions:
        asked: dict[str, dict[str, tuple[str, Json]]] = {}
        for side, (client, thread_id) in sessions.items():
            ask = {"frameId": frame_called(client, thread_id, "inner"), "context": "watch"}
            reference = client.request("evaluate", {**ask, "expression": "numbers"})["variablesReference"]
            asked[side] = {
                "10,000 elements": ("variables", {"variablesReference": reference}),
                "1 MB string": ("evaluate", {**ask, "expression": "text", "context": subject.whole_text}),
            }
        for name in asked["alone"]:
            taken[name] = {side: [] for side in SIDES}
            began = time.perf_counter()
            while len(taken[name]["alone"]) < LARGE_RUNS and time.perf_counter() - began < LARGE_S:
                for side in SIDES:
                    once = partial(sessions[side][0].request, *asked[side][name])
                    taken[name][side].append(timed(once))
    return taken


def output(subject: Subject, blocks: int) -> Times:
    """Microseconds a line, from the first of LINES to the last."""
    taken: Times = {"a line, in µs": {side: [] for side in SIDES}}
    for _ in range(max(1, min(5, blocks // 4))):
        for side in SIDES:
            taken["a line, in µs"][side].append(_printed(subject, side))
    return taken


def _printed(subject: Subject, side: str) -> float:
    with subject.spawn(side) as client:
        client.initialize()
        client.begin("launch", subject.arguments("output"), filters=subject.filters)
        first = last = 0.0
        come = 0
        while (event := client.next_event())["event"] != "terminated":
            body: Json = event.get("body") or {}
            if event["event"] == "output" and body.get("category", "stdout") == "stdout":
                last = time.perf_counter()
                first = first or last
                come += len(body["output"].replace("\r", ""))
        if come < LINES * LINE_BYTES * 0.9:  # gdb alone sends the last of it after `terminated`, or never
            raise Failed(f"{side}: only {come} bytes of output have come")
        return (last - first) * 1e6 * LINE_BYTES / come


def memory(subject: Subject, blocks: int) -> Json:
    """Megabytes of a proxy that has answered `initialize` and waits."""
    del blocks
    with subject.spawn("dap_ai") as client:
        client.initialize()
        time.sleep(IDLE_S)
        info = psutil.Process(client.pid).memory_full_info()
        return {"rss_mb": round(info.rss / 1e6, 1), "pss_mb": round(getattr(info, "pss", info.uss) / 1e6, 1)}


def ask(subject: Subject, blocks: int) -> Times:
    """Round trips through dap_ai without a question, and while the offline analyst or a scripted model works."""
    taken: Times = {}
    for provider in ("offline", "scripted"):
        with tempfile.TemporaryDirectory() as folder, _answering(provider, Path(folder)):
            client, thread_id = subject.stopped("dap_ai")
            with client:
                _in_flight(client, thread_id, blocks, taken, provider)
    return taken


def _in_flight(client: Client, thread_id: int, blocks: int, taken: Times, provider: str) -> None:
    requests = small_requests(client, thread_id)
    times = {name: taken.setdefault(f"{name}, {provider}", {"quiet": [], "asking": []}) for name in requests}

    def block(kind: str) -> None:
        for name, arguments in requests.items():
            times[name][kind].append(timed(partial(client.request, name, arguments)))
            time.sleep(0.005)  # an editor that is not always busy: the question goes on between its requests

    for _ in range(TIMED_ASKS):
        for _ in range(blocks):
            block("quiet")
        client.request("ask", {"question": "why?", "threadId": thread_id})
        while not client.passed("askEnded"):
            block("asking")


@contextlib.contextmanager
def _answering(provider: str, folder: Path) -> Generator[None]:
    """Settings under which this provider answers."""
    replies = folder / "replies.jsonl"
    calls = [
        {"text": "", "calls": [{"name": "evaluate", "arguments": {"expression": f"n + {n}"}}]} for n in range(ASK_CALLS)
    ]
    rows: list[Json] = [*calls, {"text": "That is all.", "calls": []}] * (TIMED_ASKS * 2)
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    before = dict(os.environ)
    os.environ |= {"DAP_AI_CONFIG": os.devnull, "DAP_AI_PROVIDER": provider}
    if provider == "scripted":
        os.environ["DAP_AI_REPLAY"] = str(replies)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


SECTIONS: Mapping[str, Callable[[Subject, int], Any]] = {
    "trips": trips, "attach": attach, "pipelined": pipelined, "start": start, "large": large, "output": output,
    "memory": memory, "ask": ask,
}  # fmt: skip


def report(title: str, taken: Times) -> Json:
    """Prints one table; its figures."""
    figures: Json = {}
    rows: list[Sequence[object]] = []
    for name, by_side in taken.items():
        if not all(by_side.values()):
            continue
        (first, one), (second, two) = ((side, spread(times)) for side, times in by_side.items())
        more = {key: round(two[key] - one[key], 3) for key in ("median_ms", "p99_ms")}
        ratio = round(one["median_ms"] / two["median_ms"], 2)
        figures[name] = {first: one, second: two, "added": more, "times_as_fast": ratio}
        rows.append(
            [
                name,
                *(
                    s[key]
                    for key in more
                    for s in (
                        one,
                        two,
                    )
                ),
                *more.values(),
                ratio,
                one["runs"],
            ]
        )
    if rows:
        one, two = next(iter(taken.values()))
        columns = ["ms", one, two, f"p99 {one}", f"p99 {two}", "added", "added p99", "times as fast", "runs"]
        show(title, columns, rows)
    return figures


def main() -> None:
    """Prints a table for each adapter and section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--adapter", action="append", default=[], help="as in the tables, say 'lldb-dap 19' (default: all)"
    )
    parser.add_argument("--section", action="append", choices=SECTIONS, help="(default: all)")
    parser.add_argument("--blocks", type=int, default=20, help="of ten round trips, for each command (default: 20)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    figures: Json = {"machine": machine()}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/pycache"  # both sides start from compiled modules
        for subject in subjects(options.adapter, Path(folder).resolve()):
            figures[subject.name] = mine = {}
            for section in options.section or SECTIONS:
                try:
                    mine[section] = _measured(subject, section, options.blocks)
                except (Failed, OSError, KeyError) as error:  # noqa: PERF203  sections take seconds
                    mine[section] = {"error": str(error)[:300]}
                    print(f"\n{subject.name}, {section}: NOT MEASURED: {str(error)[:300]}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _measured(subject: Subject, section: str, blocks: int) -> Json:
    taken = SECTIONS[section](subject, blocks)
    if section == "memory":
        show(f"{subject.name}, idle proxy", ["MB", *taken], [["", *taken.values()]])
        return taken
    return report(f"{subject.name}, {section}", taken)


if __name__ == "__main__":
    main()
