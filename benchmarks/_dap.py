"""A bare DAP client, and what the benchmarks share. Standard library only.

One thread writes a request and reads until its response is there, so that a measured round trip holds no thread
switch of the client's own.
"""

from __future__ import annotations

import contextlib
import json
import platform
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, cast

ROOT = Path(__file__).parents[1]
DAP_AI = [str(Path(sys.executable).with_name("dap-ai.exe" if sys.platform == "win32" else "dap-ai"))]
DEBUGPY_ADAPTER = [sys.executable, "-m", "debugpy.adapter"]
DEADLINE_S = 120.0

Json = dict[str, Any]


class Failed(Exception):  # noqa: N818  DAP's word: a request that failed
    """A response with `success: false`, or a stream that ended."""


class Client:
    """One connection to a debug adapter. Whatever has not ended after DEADLINE_S is killed, so nothing blocks."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, process: subprocess.Popen[bytes] | None = None) -> None:
        self._reader = reader
        self._writer = writer
        self._process = process
        self._seq = 0
        self._responses: dict[int, Json] = {}
        self._events: deque[Json] = deque()
        self._watchdog = threading.Timer(DEADLINE_S, self._abort)
        self._watchdog.daemon = True
        self._watchdog.start()

    @classmethod
    def spawn(cls, command: Sequence[str]) -> Client:
        """Starts an adapter that speaks on its standard streams."""
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        )
        return cls(cast("BinaryIO", process.stdout), cast("BinaryIO", process.stdin), process)

    @classmethod
    def connect(cls, port: int) -> Client:
        """Connects to an adapter that listens on loopback; waits for it to listen."""
        link = connect(port)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(link.makefile("rb"), cast("BinaryIO", link.makefile("wb")))

    def send(self, command: str, arguments: Mapping[str, Any] | None = None) -> int:
        """Sends a request; its seq."""
        self._seq += 1
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": dict(arguments or {})}
        body = json.dumps(message).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._writer.flush()
        return self._seq

    def response(self, seq: int) -> Json:
        """The body of a request's response. Raises Failed, also when another pending request has failed."""
        while seq not in self._responses:
            self._receive()
        return self._responses.pop(seq).get("body") or {}

    def request(self, command: str, arguments: Mapping[str, Any] | None = None) -> Json:
        """A request and its response's body. Raises Failed."""
        return self.response(self.send(command, arguments))

    def event(self, name: str) -> Json:
        """The body of the next event of that name; those before it are dropped."""
        while True:
            while self._events:
                event = self._events.popleft()
                if event["event"] == name:
                    return event.get("body") or {}
            self._receive()

    def passed(self, name: str) -> bool:
        """Whether an event of that name has come; it and those before it are dropped."""
        while self._events:
            if self._events.popleft()["event"] == name:
                return True
        return False

    @property
    def pid(self) -> int:
        """Of the process that was started for this connection; 0: there is none."""
        return self._process.pid if self._process else 0

    def next_event(self) -> Json:
        """The next event, whole."""
        while not self._events:
            self._receive()
        return self._events.popleft()

    def start(
        self,
        command: str,
        arguments: Mapping[str, Any],
        breakpoints: Mapping[Path, Sequence[int]] | None = None,
        filters: Sequence[str] = (),
        functions: Sequence[str] = (),
    ) -> Json:
        """From `initialize` to the first stop, whose body it returns."""
        self.initialize()
        self.begin(command, arguments, breakpoints, filters, functions)
        return self.event("stopped")

    def initialize(self) -> Json:
        """The adapter's capabilities."""
        return self.request("initialize", {"adapterID": "python", "clientID": "benchmark", "pathFormat": "path"})

    def begin(
        self,
        command: str,
        arguments: Mapping[str, Any],
        breakpoints: Mapping[Path, Sequence[int]] | None = None,
        filters: Sequence[str] = (),
        functions: Sequence[str] = (),
    ) -> None:
        """From `launch` or `attach` to its response, configuration included."""
        starting = self.send(command, arguments)
        self.event("initialized")
        for file, lines in (breakpoints or {}).items():
            places = [{"line": line} for line in lines]
            self.request("setBreakpoints", {"source": {"path": str(file)}, "breakpoints": places})
        if functions:
            self.request("setFunctionBreakpoints", {"breakpoints": [{"name": name} for name in functions]})
        self.request("setExceptionBreakpoints", {"filters": list(filters)})
        self.request("configurationDone")
        self.response(starting)

    def close(self) -> None:
        """Ends the debuggee and the adapter."""
        with contextlib.suppress(Failed, OSError, ValueError):
            self.request("disconnect", {"terminateDebuggee": True})
        self._watchdog.cancel()
        for stream in (self._writer, self._reader):
            with contextlib.suppress(OSError):
                stream.close()
        if self._process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Client:  # noqa: PYI034  Self needs 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self) -> None:
        length = 0
        while (line := self._reader.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not line:
            raise Failed("the adapter closed the connection")
        message: Json = json.loads(self._reader.read(length))
        if message["type"] == "response":
            if not message["success"]:
                raise Failed(f"{message['command']}: {message.get('message')} {message.get('body')}")
            self._responses[message["request_seq"]] = message
        elif message["type"] == "event":
            self._events.append(message)

    def _abort(self) -> None:
        if self._process:
            self._process.kill()
        else:
            self._reader.close()


def connect(port: int) -> socket.socket:
    """A connection to a port of this machine, once something listens there. Raises OSError after DEADLINE_S."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:  # noqa: PERF203  it waits anyway
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def free_port() -> int:
    """A port that nothing listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def running(command: Sequence[str | Path]) -> Generator[BinaryIO]:
    """What a process prints, both streams in one; it is killed in the end."""
    words = [str(word) for word in command]
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT
    )
    output = cast("BinaryIO", process.stdout)
    try:
        yield output
    finally:
        process.kill()
        process.wait()
        output.close()


def spread(milliseconds: Sequence[float]) -> Json:
    """Median and 99th percentile of a series."""
    ordered = sorted(milliseconds)
    return {
        "median_ms": round(statistics.median(ordered), 3),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 3),
        "runs": len(ordered),
    }


def machine() -> Json:
    """What the figures were made with."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "debugpy": version("debugpy"),
        "dap_ai": version("dap-ai"),
    }


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table: the first column to the left, the others to the right."""
    cells = [
        list(columns),
        *([f"{value:.2f}" if isinstance(value, float) else str(value) for value in row] for row in rows),
    ]
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    print(f"\n{title}")
    for row in cells:
        print(
            "  "
            + row[0].ljust(widths[0])
            + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        )
