"""The first context of each example: its size, its cost in round trips, and how long it takes.

    python benchmarks/context.py [EXAMPLE...] [--large] [--json FILE]

`dap-ai serve` attaches to the example through a relay of ours that counts the requests which pass to debugpy, so the
figures are of the real thing and are not its own word for it. Bytes are given with and without the lines that quote
the program's source; tokens are estimated as a quarter of the bytes.

`--large` measures programs of the standard library's size instead (see _large.py): the first context and the whole
offline answer, asked at the very moment of the stop and one second after it, as a person would who has seen the stack
in an editor. Beside the seconds by the clock stand those of a processor, of all processes together: on a machine that
does something else too they alone tell anything.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import json
import os
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import _large
import psutil
from _dap import DAP_AI, ROOT, Client, connect, free_port, machine, running, show

BYTES_PER_TOKEN = 4
PERSON_S = 1.0
"""So long after a stop a person asks at the earliest."""
BARS_S = {"a module of 6,400 lines": 0.3, "a project of 500 files": 0.5}
"""Of the first context of each large program, asked by a person."""
BAR_OF_ANSWER_S = 5.0
COLUMNS = ("example", "bytes", "beside source", "tokens", "round trips", "ms")
LARGE_COLUMNS = ("program", "context, s", "processor, s", "bar", "whole answer, s", "processor, s", "bar")
QUOTED = re.compile(r"^\W*(\d+)[\s|:>*→]*(.*)$")


class Relay:
    """Passes one connection on to a port, byte for byte, and counts the requests of the client."""

    def __init__(self, port: int) -> None:
        self.requests = 0
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """No connection is taken any more."""
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            adapter = connect(self._port)
            for link in (client, adapter):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pass, args=(client, adapter, True), daemon=True).start()
            self._pass(adapter, client, counting=False)

    def _pass(self, source: socket.socket, destination: socket.socket, counting: bool) -> None:
        with contextlib.suppress(OSError), source, destination:
            while data := source.recv(1 << 16):
                if counting:
                    self.requests += data.count(b"Content-Length:")
                destination.sendall(data)


@contextlib.contextmanager
def stopped(program: Path) -> Generator[tuple[Client, int, Relay]]:
    """The program, stopped at its failure behind dap_ai; the thread that stopped; the relay in between."""
    port = free_port()
    command = [sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client", program]
    relay = Relay(port)
    with running(command), Client.spawn([*DAP_AI, "serve"]) as client:
        arguments = {"connect": {"host": "127.0.0.1", "port": relay.port}}
        yield client, client.start("attach", arguments, filters=["uncaught"])["threadId"], relay
    relay.close()


def without_source(context: str, program: Path) -> str:
    """The context without the numbered lines that quote the program."""
    source = program.read_text(encoding="utf-8").splitlines()

    def quotes(line: str) -> bool:
        found = QUOTED.match(line.rstrip())
        number = int(found[1]) if found else 0
        return found is not None and 0 < number <= len(source) and found[2].strip() == source[number - 1].strip()

    return "".join(line for line in context.splitlines(keepends=True) if not quotes(line))


def measure(program: Path) -> dict[str, Any]:
    """The figures of one program."""
    with stopped(program) as (client, thread_id, relay):
        before = relay.requests
        began = time.perf_counter()
        client.request("ask", {"threadId": thread_id, "contextOnly": True})
        context: str = client.event("askEnded")["answer"]
        milliseconds = (time.perf_counter() - began) * 1000
        round_trips = relay.requests - before
    size = len(context.encode())
    return {
        "bytes": size,
        "beside_source_bytes": len(without_source(context, program).encode()),
        "tokens": size // BYTES_PER_TOKEN,
        "round_trips": round_trips,
        "milliseconds": round(milliseconds, 1),
    }


class Took(NamedTuple):
    """What an answer took."""

    seconds: float
    processor_s: float


def asked(client: Client, thread_id: int, *, context_only: bool) -> Took:
    """Asks, and waits for the end of the answer."""
    began, used = time.perf_counter(), processor_s()
    client.request("ask", {"threadId": thread_id, "contextOnly": context_only})
    client.event("askEnded")
    return Took(round(time.perf_counter() - began, 2), round(processor_s() - used, 2))


def processor_s() -> float:
    """Of all processes that this one has started, and those that they have, also of what has ended there."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def large() -> dict[str, dict[str, Any]]:
    """The figures of the large programs, by name and moment of the question."""
    figures: dict[str, dict[str, Any]] = {}
    for name, make in zip(BARS_S, (_large.module, _large.project), strict=True):
        for moment, pause_s in (("at once", 0.0), ("by a person", PERSON_S)):
            with tempfile.TemporaryDirectory() as folder, stopped(make(Path(folder))) as (client, thread_id, _):
                if pause_s:
                    client.request("stackTrace", {"threadId": thread_id})  # as every editor does
                    time.sleep(pause_s)
                context = asked(client, thread_id, context_only=True)
                answer = asked(client, thread_id, context_only=False)
            figures[f"{name}, asked {moment}"] = {
                "context_s": context.seconds,
                "context_processor_s": context.processor_s,
                "context_bar_s": BARS_S[name] if pause_s else "-",
                "answer_s": answer.seconds,
                "answer_processor_s": answer.processor_s,
                "answer_bar_s": BAR_OF_ANSWER_S,
            }
    return figures


def with_bytecode() -> None:
    """dap_ai as an installer leaves it: what has to be compiled first is no measure of anything."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "dap_ai", quiet=1)


def main() -> None:
    """Prints one line an example."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", type=Path, help="programs (default: all of examples/)")
    parser.add_argument("--large", action="store_true", help="programs of thousands of lines and hundreds of files")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    with_bytecode()
    programs = [path.resolve() for path in options.examples] or sorted((ROOT / "examples").glob("*.py"))
    figures = large() if options.large else {program.stem: measure(program) for program in programs}
    rows = [[name, *row.values()] for name, row in figures.items()]
    columns = LARGE_COLUMNS if options.large else COLUMNS
    show("large programs" if options.large else "the first context", columns, rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
