"""What a snapshot costs over a plain evaluate, by the size of the debuggee, and what an editor notices meanwhile.

    python benchmarks/snapshot.py [--sizes 50,1000,4000] [--runs N] [--python PATH] [--json FILE]

The real proxy and the real debugpy; both kinds of evaluate are made by one ask and in turn, so that whatever else the
machine does hits both. Then the client sends `threads`, and `continue` at one stop after the other, alone and while
snapshots run one after another. Sizes are megabytes of touched memory beside the interpreter's own. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show, spread

sys.path.insert(0, str(ROOT))
from dap_ai.protocol.contracts.debugger import Debugger, Sink
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from tests.integration.live import Live, live

PROGRAM = """\
import sys
import threading

held = b"x" * (int(sys.argv[1]) << 20)
threading.Thread(target=threading.Event().wait, daemon=True).start()
x = 6
while True:
    x += 1
"""
STOP_LINE = 1 + PROGRAM.splitlines().index("    x += 1")
SIZES = "50,1000,4000"
RUNS = ((4000, 50), (1000, 100), (0, 300))
"""From how many megabytes on, how many runs."""
WARM_UP = 3
CALMLY_S = 0.005
"""Once to seven times of it pass before a request of the editor, so that it hits snapshots in all their phases."""


class Asker:
    """An agent that does what it is told by the benchmark, as one ask."""

    def __init__(self) -> None:
        self.work: Callable[[Debugger, int], Awaitable[None]] = _nothing

    async def answer(self, _ask: AcceptedAsk, debugger: Debugger, _sink: Sink) -> Answer:
        """Works until it is done, or the stop is over."""
        if debugger.stop is None:
            return Answer()
        stack = await debugger.request("stackTrace", {"threadId": debugger.stop.thread_id})
        with contextlib.suppress(NotStopped, RequestFailed):
            await self.work(debugger, stack["stackFrames"][0]["id"])
        return Answer()

    async def close(self) -> None:
        """Nothing to give back."""


async def _nothing(debugger: Debugger, frame_id: int) -> None:
    pass


async def plain(debugger: Debugger, frame_id: int) -> None:
    """What every debugger does."""
    await debugger.request("evaluate", {"expression": "x * 7", "frameId": frame_id, "context": "clipboard"})


async def copy(debugger: Debugger, frame_id: int) -> None:
    """The same in a snapshot. Raises RuntimeError if there is none."""
    result = await debugger.snapshot(SnapshotQuery(frame_id, "x * 7"))
    if result.status != "ok":
        raise RuntimeError(result.status)


async def endless(debugger: Debugger, frame_id: int) -> None:
    """One snapshot after another."""
    while True:
        await copy(debugger, frame_id)


async def taken_ms(work: Callable[[], Awaitable[Any]]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1000


class Session:
    """The program, stopped at each turn of its loop; one client and one agent."""

    def __init__(self, it: Live, asker: Asker) -> None:
        self._live = it
        self._asker = asker
        self._ended = asyncio.Event()
        self.thread_id = 0
        it.client.on_event(self._on_event)

    async def start(self, program: Path, megabytes: int, python: str) -> None:
        """Returns at the first stop."""
        await self._live.launch(program, lines=(STOP_LINE,), args=[str(megabytes)], python=[python])
        self.thread_id = (await self._live.stopped())["threadId"]

    async def ask(self, work: Callable[[Debugger, int], Awaitable[None]]) -> None:
        """Lets the agent begin with some work."""
        self._asker.work = work
        self._ended.clear()
        await self._live.request("ask", {"question": "?"})

    async def end(self) -> None:
        """Waits for the end of the agent's work."""
        await asyncio.wait_for(self._ended.wait(), 120)

    async def threads(self) -> None:
        """As an editor does it."""
        await self._live.request("threads")

    async def go_on(self) -> None:
        """To where the `continue` is answered; `next_stop` must follow."""
        await self._live.request("continue", {"threadId": self.thread_id})

    async def next_stop(self) -> None:
        """The program stands again."""
        await self._live.stopped()

    def _on_event(self, name: str, _body: dict[str, Any]) -> None:
        if name == "askEnded":
            self._ended.set()


async def costs(session: Session, runs: int) -> dict[str, list[float]]:
    """Milliseconds of plain evaluates and of snapshots, in turn, after a few that do not count."""
    found: dict[str, list[float]] = {"first": [], "plain": [], "snapshot": []}
    failures: list[Exception] = []

    async def measure(debugger: Debugger, frame_id: int) -> None:
        try:
            found["first"].append(await taken_ms(lambda: copy(debugger, frame_id)))
            for number in range(runs + WARM_UP):
                both = [await taken_ms(lambda one=one: one(debugger, frame_id)) for one in (plain, copy)]
                if number >= WARM_UP:
                    found["plain"].append(both[0])
                    found["snapshot"].append(both[1])
        except (RuntimeError, NotStopped, RequestFailed) as failure:
            failures.append(failure)

    await session.ask(measure)
    await session.end()
    if failures:
        raise failures[0]
    return found


async def threads_ms(session: Session, runs: int, busy: bool) -> list[float]:
    """Milliseconds of `threads`, alone or while snapshots run."""
    if busy:
        await session.ask(endless)
    found: list[float] = []
    for number in range(runs):
        await asyncio.sleep(CALMLY_S * (1 + number % 7))
        found.append(await taken_ms(session.threads))
    if busy:
        await session.go_on()  # ends the stop, and with it the ask
        await session.next_stop()
        await session.end()
    return found


async def continue_ms(session: Session, runs: int, busy: bool) -> list[float]:
    """Milliseconds of `continue`, at one stop after the other."""
    found: list[float] = []
    for number in range(runs):
        if busy:
            await session.ask(endless)
        await asyncio.sleep(CALMLY_S * (1 + number % 7))
        found.append(await taken_ms(session.go_on))
        await session.next_stop()
        if busy:
            await session.end()
    return found


def write_program(folder: Path) -> Path:
    """The program in a folder."""
    program = folder.resolve() / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    return program


async def measure(megabytes: int, runs: int, python: str) -> dict[str, Any]:
    """All figures of one size."""
    asker = Asker()
    with tempfile.TemporaryDirectory() as folder:
        program = write_program(Path(folder))
        async with live(agent=asker) as it:
            session = Session(it, asker)
            await session.start(program, megabytes, python)
            cost = await costs(session, runs)
            editor = {
                f"{name} {'beside snapshots' if busy else 'alone'}": await ask(session, runs, busy)
                for name, ask in (("threads", threads_ms), ("continue", continue_ms))
                for busy in (False, True)
            }
    over = [snapshot - plain for snapshot, plain in zip(cost["snapshot"], cost["plain"], strict=True)]
    return {
        "plain": spread(cost["plain"]),
        "snapshot": spread(cost["snapshot"]),
        "over": spread(over),
        "first_ms": round(cost["first"][0], 1),
        "editor": {name: {**spread(times), "max_ms": round(max(times), 2)} for name, times in editor.items()},
    }


def report(figures: dict[int, dict[str, Any]]) -> None:
    """Prints both tables."""
    rows = [
        [f"{size} MB", *(part[key][kind] for key in ("plain", "snapshot", "over") for kind in ("median_ms", "p99_ms")),
         part["first_ms"], part["snapshot"]["runs"]]
        for size, part in figures.items()
    ]  # fmt: skip
    columns = ["debuggee", "plain", "p99", "snapshot", "p99", "over it", "p99", "the first", "runs"]
    show("evaluate: milliseconds (medians)", columns, rows)
    rows = [
        [f"{size} MB", name, times["median_ms"], times["p99_ms"], times["max_ms"]]
        for size, part in figures.items()
        for name, times in part["editor"].items()
    ]
    show("the editor's requests: milliseconds", ["debuggee", "request", "median", "p99", "max"], rows)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES, help=f"megabytes of the debuggee (default: {SIZES})")
    parser.add_argument("--runs", type=int, help="of each kind (default: 300, 100 from 1 GB on, 50 from 4 GB on)")
    parser.add_argument("--python", default=sys.executable, help="the debuggee's interpreter, with debugpy")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    figures: dict[int, dict[str, Any]] = {}
    for size in map(int, options.sizes.split(",")):
        runs = options.runs or next(runs for least, runs in RUNS if size >= least)
        figures[size] = asyncio.run(measure(size, runs, options.python))
    print(f"{os.cpu_count()} processors, Python {machine()['python']}, {machine()['system']}")
    report(figures)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
