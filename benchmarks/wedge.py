"""Which single request wedges or ends a debug adapter: alone, and through dap_ai.

    python benchmarks/wedge.py [--adapter NAME ...] [--command "NATIVE-ADAPTER ..."] [--state STATE ...]
                               [--request NAME ...] [--side alone|dap_ai] [--all] [--json FILE]

Each request is sent to a session in each state: before `initialize`, after it, while breakpoints are set, running,
stopped, after the program's end, and with a core file. Then `threads` must be answered, well or not, within a second.
Verdicts: `wedges`, nothing is answered any more; `dies`, the adapter has ended; `silent`, the request itself has no
answer within PATIENCE_S but others do. Adapters that are not installed are named and left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from _dap import DAP_AI, DEBUGPY_ADAPTER, ROOT, Json, machine, show
from _requests import CHANGING, LATE, PARTING, requests

sys.path.insert(0, str(ROOT))
from tests.integration import native
from tests.processes import end_tree

STATES = ("created", "initialized", "configuring", "running", "stopped", "ended", "core")
SIDES = ("alone", "dap_ai")
START_S = 20.0
PATIENCE_S = {"alone": 2.0, "dap_ai": 12.0}
"""Through dap_ai a request that the adapter does not know may take ten seconds to be answered for it."""
PROBE_S = 1.0
"""But for the first requests of all: before `initialize` they wait for the adapter to start."""

PYTHON_PROGRAM = """\
import time


def nap(steps):
    values = [2, 3, 5, 7]
    print("awake", flush=True)  # the stop
    for _ in range(steps):
        time.sleep(0.1)
    return values


nap(600)
"""
PYTHON_LINE = 6


class Ended(Exception):  # noqa: N818  a state, not a mistake
    """The stream has ended."""


class Probe:
    """A client that waits for nothing longer than it is told."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._seq = 0
        self._messages: queue.Queue[Json | None] = queue.Queue()
        self.events: list[Json] = []
        self._responses: dict[int, Json] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, command: str, arguments: Mapping[str, Any] | None = None) -> int:
        """A request; its seq."""
        self._seq += 1
        message: Json = {"seq": self._seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = dict(arguments)
        body = json.dumps(message).encode()
        with contextlib.suppress(OSError):  # seen as the end of the stream
            stdin = self._process.stdin
            stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))  # type: ignore[union-attr]
            stdin.flush()  # type: ignore[union-attr]
        return self._seq

    def response(self, seq: int, timeout_s: float) -> Json:
        """The response, failed or not. Raises TimeoutError, Ended."""
        self._until(lambda: seq in self._responses, timeout_s)
        return self._responses.pop(seq)

    def request(self, command: str, arguments: Mapping[str, Any] | None = None, timeout_s: float = START_S) -> Json:
        """The body of a request's response. Raises TimeoutError, Ended."""
        return self.response(self.send(command, arguments), timeout_s).get("body") or {}

    def event(self, *names: str) -> Json:
        """The body of the first event of these names. Raises TimeoutError, Ended."""
        self._until(lambda: any(event["event"] in names for event in self.events), START_S)
        return next(event for event in self.events if event["event"] in names).get("body") or {}

    def close(self) -> None:
        """Ends the adapter and all that it started."""
        self.send("disconnect", {"terminateDebuggee": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        end_tree(self._process)

    def _until(self, done: Any, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not done():
            try:
                message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError from None
            if message is None:
                self._messages.put(None)
                raise Ended
            if message["type"] == "response":
                self._responses[message["request_seq"]] = message
            elif message["type"] == "event":
                self.events.append(message)

    def _read(self) -> None:
        stdout = self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            while line := stdout.readline():  # type: ignore[union-attr]
                length = 0
                while line.strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                    line = stdout.readline()  # type: ignore[union-attr]
                if length:
                    self._messages.put(json.loads(stdout.read(length)))  # type: ignore[union-attr]
        self._messages.put(None)


class Bench:
    """An adapter and the program that it debugs."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.name = name
        self.command = command
        self.is_python = name == "debugpy"
        if self.is_python:
            self.source = self.program = folder / "nap.py"
            self.source.write_text(PYTHON_PROGRAM, encoding="utf-8")
            self.line = PYTHON_LINE
            self.quick = folder / "quick.py"
            self.quick.write_text("print(1)\n", encoding="utf-8")
            self.core = None
        else:
            self.source = native.SOURCES / "sleeps.c"
            self.line = native.lines("sleeps")["awake"]
            self.program = native.build("sleeps", folder)
            self.quick = native.build("loop", folder)
            self.crash = native.build("crash", folder)
            self.core = native.core_of(self.crash, folder)

    def argv(self, side: str) -> list[str]:
        """What starts it: alone, or behind dap_ai."""
        if side == "alone":
            return self.command
        backend = "debugpy" if self.is_python else shlex.join(self.command)
        return [*DAP_AI, "serve", "--backend", backend]

    def states(self) -> list[str]:
        """Those that it can be brought to."""
        return [state for state in STATES if state != "core" or self.core]

    def requests(self, known: Json) -> dict[str, tuple[str, Json | None]]:
        """What is sent to it: see _requests."""
        return requests(self.program, self.source, self.line, known)

    def open(self, side: str, state: str) -> tuple[Probe, Json]:
        """A session in that state, and what requests may name there."""
        probe = Probe(self.argv(side))
        try:
            return probe, self._bring(probe, state)
        except BaseException:
            probe.close()
            raise

    def _bring(self, probe: Probe, state: str) -> Json:
        known: Json = {"thread": 1, "frame": 1, "variables": 1}
        if state == "created":
            return known
        probe.request("initialize", {"adapterID": "x", "clientID": "wedge", "pathFormat": "path"})
        if state == "initialized":
            return known
        if state == "core":
            self._started(probe, "attach", {"program": str(self.crash), "coreFile": str(self.core)})
        else:
            program = self.quick if state == "ended" else self.program
            more = {"console": "internalConsole", "python": [sys.executable]} if self.is_python else {}
            self._started(probe, "launch", {"program": str(program), **more}, configure=state != "configuring")
        if state == "ended":
            probe.event("terminated")
        if state in ("stopped", "running", "core"):
            known["thread"] = probe.event("stopped")["threadId"]
            frame = probe.request("stackTrace", {"threadId": known["thread"]})["stackFrames"][0]
            known["frame"] = frame["id"]
            known["address"] = frame.get("instructionPointerReference", "0x0")
            scopes = probe.request("scopes", {"frameId": known["frame"]})["scopes"]
            known["variables"] = scopes[0]["variablesReference"]
        if state == "running":
            probe.request("continue", {"threadId": known["thread"]})
        return known

    def _started(self, probe: Probe, command: str, arguments: Json, *, configure: bool = True) -> None:
        started = probe.send(command, arguments)
        probe.event("initialized")
        places = {"source": {"path": str(self.source)}, "breakpoints": [{"line": self.line}]}
        probe.request("setBreakpoints", places)
        if configure:
            probe.request("configurationDone")
            probe.response(started, START_S)


def verdict(probe: Probe, side: str, command: str, arguments: Json | None, probe_s: float) -> str:
    """What one request does: "" if it is answered and so is what follows."""
    answered = True
    seq = probe.send(command, arguments)
    try:
        response = probe.response(seq, 0.2 if command in LATE else PATIENCE_S[side])
        if response.get("message") == "backendDied":
            return "dies"
        if command in PARTING:
            return ""
    except TimeoutError:
        answered = command in LATE
    except Ended:
        return "" if command in PARTING else "dies"
    try:
        last = probe.response(probe.send("threads"), probe_s)
    except TimeoutError:
        return "wedges"
    except Ended:
        return "dies"
    if last.get("message") == "backendDied":
        return "dies"
    return "" if answered else "silent"


def try_all(bench: Bench, side: str, state: str, wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The verdict of every request in one state."""
    probe, known = bench.open(side, state)
    try:
        for name in bench.requests(known):
            if wanted and name not in wanted:
                continue
            if probe is None:
                probe, known = bench.open(side, state)
            command, arguments = bench.requests(known)[name]
            found = verdict(probe, side, command, arguments, START_S if state == "created" else PROBE_S)
            yield name, found
            if found or command in CHANGING:
                probe.close()
                probe = cast("Probe", None)
    finally:
        if probe is not None:
            probe.close()


def installed() -> dict[str, list[str]]:
    """Command lines of the adapters that this machine has, by name."""
    return {"debugpy": DEBUGPY_ADAPTER, **native.adapters()}


def main() -> None:
    """Prints a table for each adapter; ends with 1 if anything wedges through dap_ai."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--command", default="", help="a native adapter of your own instead of those that are found")
    parser.add_argument("--state", action="append", default=[], choices=STATES, help="only this one; may be repeated")
    parser.add_argument("--request", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--side", action="append", default=[], choices=SIDES, help="only this one; may be repeated")
    parser.add_argument("--all", action="store_true", help="show harmless requests too")
    parser.add_argument("--json", type=Path, help="write the verdicts there as well")
    options = parser.parse_args()
    adapters = {options.command: shlex.split(options.command)} if options.command else installed()
    found: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, command in adapters.items():
            if options.adapter and name not in options.adapter:
                continue
            place = Path(folder) / str(len(found))
            place.mkdir()
            bench = Bench(name, command, place.resolve())
            states = [state for state in bench.states() if not options.state or state in options.state]
            by_side = found[name] = {side: dict[str, dict[str, str]]() for side in options.side or SIDES}
            for side, by_state in by_side.items():
                for state in states:
                    print(f"{name}, {side}, {state} ...", file=sys.stderr, flush=True)
                    by_state[state] = dict(try_all(bench, side, state, options.request))
            report(name, found[name], everything=options.all)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "verdicts": found}, indent=2) + "\n", "utf-8")
    bad = [
        verdict for by_side in found.values() for by in by_side.get("dap_ai", {}).values() for verdict in by.values()
    ]
    sys.exit(1 if any(bad) else 0)


def report(name: str, by_side: Mapping[str, Mapping[str, Mapping[str, str]]], *, everything: bool) -> None:
    """Prints one adapter's table: a line for each request that does harm in any state."""
    columns = [(side, state) for side, by_state in by_side.items() for state in by_state]
    names = next(iter(next(iter(by_side.values())).values()))
    rows = [[request, *(by_side[side][state].get(request, "") or "." for side, state in columns)] for request in names]
    rows = [row for row in rows if everything or set(row[1:]) != {"."}]
    show(f"{name}: {len(names)} requests", ["request", *(f"{side}: {state}" for side, state in columns)], rows)
    for side, by_state in by_side.items():
        count = sum(bool(verdict) for by in by_state.values() for verdict in by.values())
        print(f"  {side}: {count} of {sum(map(len, by_state.values()))} do harm")


if __name__ == "__main__":
    main()
