"""What a recorded run costs in a debugger: to its first stop, a step, and runs of 200 MB that are not held.

    python benchmarks/recorded_runs.py [--json FILE] [--run PATH ...] [--megabytes 200]

Each run is opened by the debug adapter in a process of its own (`python -m dap_ai.debuggees.runs`) over its pipes, as
a client does. Seconds to the first stop include the start of the process; memory is the process's highest, with the
pages of a file that is mapped. `--run` names runs of yours; without one, a trajectory of 2 MB is made.
A session of Claude Code and traces of spans, as lines and as one OTLP document, are made at the size that is asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show
from runs import LARGEST, prose, trajectory

sys.path.insert(0, str(ROOT))

GOALS = {"first_stop_s": 0.5, "step_ms": 20.0}
STEPS = 200
FILTERS = ["apiError", "pattern"]
"""What editors tick by themselves."""


class Adapter:
    """A client of the adapter's process, one request at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dap_ai.debuggees.runs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        self._seq = 0
        self.stops: list[dict[str, Any]] = []

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The response's body."""
        self._seq += 1
        self._write({"seq": self._seq, "type": "request", "command": command, "arguments": arguments})
        for message in self._messages():
            if message["type"] == "event" and message["event"] == "stopped":
                self.stops.append(message["body"])
            if message["type"] == "response":
                if not message["success"]:
                    raise RuntimeError(message)
                return message.get("body") or {}
        raise EOFError

    def stopped(self) -> dict[str, Any]:
        """The next stop, which comes after the response."""
        for message in self._messages():
            if message.get("event") == "stopped":
                return message["body"]
        raise EOFError

    def memory_mb(self) -> float:
        """The most that the process has held at once."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024

    def processor_s(self) -> float:
        """Seconds of a processor so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Says good-bye, and waits for its end."""
        self.request("disconnect")
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _messages(self) -> Iterator[dict[str, Any]]:
        while header := self._process.stdout.readline():
            length = int(header.split(b":")[1])
            self._process.stdout.readline()
            yield json.loads(self._process.stdout.read(length))


def measure(run: Path) -> dict[str, float]:
    """One run: to the first stop, steps with what an editor asks at each, the end and back."""
    began = time.perf_counter()
    adapter = Adapter()
    adapter.request("initialize", adapterID="agents")
    adapter.request("launch", run=str(run))
    adapter.request("setExceptionBreakpoints", filters=FILTERS)
    adapter.request("configurationDone")
    thread = adapter.stopped()["threadId"]
    first = time.perf_counter() - began
    opened, processor = adapter.memory_mb(), adapter.processor_s()
    steps, looks = [], []
    run_md = adapter.request("stackTrace", threadId=thread)["stackFrames"][0]["source"]
    lines = adapter.request("breakpointLocations", source=run_md, line=1, endLine=STEPS)["breakpoints"]
    for _ in lines[1:]:
        began = time.perf_counter()
        adapter.request("stepIn", threadId=thread)
        stop = adapter.stopped()
        steps.append(time.perf_counter() - began)
        thread, began = stop["threadId"], time.perf_counter()
        look(adapter, thread)
        looks.append(time.perf_counter() - began)
    adapter.request("goto", threadId=1, targetId=0)
    adapter.stopped()
    adapter.request("setExceptionBreakpoints", filters=[])
    asked = [{"name": "tool:nothing", "condition": '"nowhere" in args.command'}]
    adapter.request("setFunctionBreakpoints", breakpoints=asked)
    began = time.perf_counter()
    adapter.request("continue", threadId=1)
    thread = adapter.stopped()["threadId"]
    through = time.perf_counter() - began
    look(adapter, thread)
    highest = adapter.memory_mb()
    adapter.close()
    ms = sorted(step * 1000 for step in steps)
    return {
        "mb": size_mb(run), "first_stop_s": first, "processor_s": processor,
        "first_step_ms": steps[0] * 1000, "step_ms": statistics.median(ms), "worst_step_ms": ms[-1],
        "look_ms": statistics.median(looks) * 1000 if looks else 0.0, "through_s": through, "opened_mb": opened,
        "highest_mb": highest,
    }  # fmt: skip


def size_mb(run: Path) -> float:
    files = [run] if run.is_file() else [file for file in run.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def look(adapter: Adapter, thread: int) -> None:
    """What an editor asks at each stop: threads, the stack, the first frame's scopes and the first scope's values."""
    adapter.request("threads")
    frames = adapter.request("stackTrace", threadId=thread)["stackFrames"]
    scopes = adapter.request("scopes", frameId=frames[0]["id"])["scopes"]
    adapter.request("variables", variablesReference=scopes[0]["variablesReference"])


# -- runs that nobody has recorded -----------------------------------------------------------------------------------


def session(path: Path, megabytes: int) -> None:
    """A session log of Claude Code of that size: a call and a long result, again and again."""
    random_, number = random.Random(3), 0  # noqa: S311  words, no secrets
    pool = prose(random_, 20_000)
    with path.open("w", encoding="utf-8") as file:
        file.write(line(0, "user", "make the tests pass"))
        while file.tell() < megabytes * 1_000_000:
            number += 1
            call = {
                "type": "tool_use",
                "id": f"t{number}",
                "name": "Bash",
                "input": {"command": f"sed -n 1,40p f{number}.py"},
            }
            said = {"type": "text", "text": f"{number}: {excerpt(pool, random_, 400)}"}
            result = {
                "type": "tool_result",
                "tool_use_id": f"t{number}",
                "content": f"{number}: {excerpt(pool, random_, 5_000)}",
            }
            file.write(line(3 * number, "assistant", [said], f"m{number}"))
            file.write(line(3 * number + 1, "assistant", [call], f"m{number}"))
            file.write(line(3 * number + 2, "user", [result]))


def excerpt(pool: str, random_: random.Random, chars: int) -> str:
    at = random_.randrange(len(pool) - chars)
    return pool[at : at + chars]


def line(number: int, kind: str, content: Any, ident: str = "") -> str:
    message = {"role": kind, "content": content} | ({"id": ident, "model": "claude-x"} if ident else {})
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + number))
    fields = {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}",
        "sessionId": "s",
        "isSidechain": False,
    }
    return json.dumps({**fields, "timestamp": at, "message": message}) + "\n"


def span_lines(path: Path, megabytes: int) -> None:
    """The spans of `runs.py` with other texts, one a line."""
    write_spans(path, megabytes, "", "\n", "")


def span_document(path: Path, megabytes: int) -> None:
    """The same as one OTLP document."""
    write_spans(path, megabytes, '{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"x"},"spans":[', ",", "]}]}]}")


def write_spans(path: Path, megabytes: int, head: str, between: str, end: str) -> None:
    random_, number = random.Random(2), 0  # noqa: S311  the same
    pool = prose(random_, 20_000)
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        while file.tell() < megabytes * 1_000_000:
            file.write(between if number else "")
            made = span(number, random_, pool)
            file.write(json.dumps(made))
            number += 1
        file.write(end)


def span(number: int, random_: random.Random, pool: str) -> dict[str, Any]:
    start = 1_700_000_000_000_000_000 + number * 1_000_000
    said = {
        "openinference.span.kind": "LLM", "input.value": f"{number}: {excerpt(pool, random_, 5_000)}",
        "output.value": f"{number}: {excerpt(pool, random_, 400)}",
    }  # fmt: skip
    return {
        "traceId": "0" * 31 + "1", "spanId": f"{number:016x}", "name": "chat", "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 500_000),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in said.items()],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", type=Path, nargs="*", default=[])
    parser.add_argument("--megabytes", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.traj.json")
        made.write_bytes(trajectory(LARGEST, random.Random(1)))  # noqa: S311  the same
        small = {path.name: path for path in options.run} or {"made, mini-swe-agent": made}
        large = {"Claude Code, lines": session, "spans, lines": span_lines, "spans, OTLP document": span_document}
        measured = {name: measure(path) for name, path in small.items()}
        for name, make in large.items():
            path = Path(folder, "large.json" if "document" in name else "large.jsonl")
            make(path, options.megabytes)
            measured[f"made, {name}"] = measure(path)
            path.unlink()
    tell(measured, options)


def tell(measured: dict[str, dict[str, float]], options: argparse.Namespace) -> None:
    rows = [[name, *(round(value, 2) for value in row.values())] for name, row in measured.items()]
    heads = [
        "run",
        "MB",
        "first stop s",
        "of a processor",
        "first step ms",
        "step ms",
        "worst ms",
        "look ms",
        "through s",
        "opened MB",
        "highest MB",
    ]
    show("recorded runs in the debugger", heads, rows)
    print(f"  goals: first stop < {GOALS['first_stop_s']:g} s; a step, also the first, < {GOALS['step_ms']:g} ms")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **measured}, indent=2) + "\n", encoding="utf-8")
    quick = all(row["first_stop_s"] < GOALS["first_stop_s"] for row in measured.values())
    steps = (row[step] for row in measured.values() for step in ("first_step_ms", "step_ms"))
    sys.exit(0 if quick and all(step < GOALS["step_ms"] for step in steps) else 1)


if __name__ == "__main__":
    main()
