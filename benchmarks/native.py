"""The first context of native crashes: its size, its cost in DAP requests, and the time from the crash to it.

    python benchmarks/native.py [EXAMPLE...] [--adapter NAME] [--runs N] [--json FILE]

Each example of examples/native, a program with containers of 10,000 elements, and one with a stack of 2,000 frames, is
run by `dap-ai serve` to its crash; the question comes at once. Requests are counted in a run of its own with a wire
log. Bytes are given with and without the lines that quote source; tokens are estimated as a quarter of the bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from _dap import DAP_AI, ROOT, Client, Failed, Json, machine, show
from context import BYTES_PER_TOKEN, without_source

sys.path.insert(0, str(ROOT))
from tests.integration import native
from tests.integration.native_examples import (
    ADAPTERS,
    DIAGNOSES,
    EXAMPLES,
    SANITIZER_OPTIONS,
    CannotBuild,
    backend_for,
    build_example,
    compile_command,
)

BIG = {
    "10,000 elements": r"""
#include <map>
#include <string>
#include <vector>

struct Order { int id; std::string customer; Order *next; };

static int total(const std::vector<Order> &orders, const std::map<int, std::string> &names, const int *amounts) {
    int sum = 0;
    for (const Order &order : orders) sum += amounts[order.id] + (int)names.at(order.id).size() + order.next->id;
    return sum;
}

int main() {
    static int amounts[10000];
    std::vector<Order> orders;
    std::map<int, std::string> names;
    for (int i = 0; i < 10000; i++) {
        orders.push_back({i, "customer " + std::to_string(i), nullptr});
        names[i] = std::to_string(i);
        amounts[i] = i;
    }
    return total(orders, names, amounts);
}
""",
    "2,000 frames": r"""
#include <cstdio>

struct Node { Node *next; int value; };

static int sum(const Node *node, int depth) {
    if (depth == 0) return node->next->value;
    return node->value + sum(node, depth - 1);
}

int main() {
    Node node = {nullptr, 3};
    std::printf("%d\n", sum(&node, 2000));
}
""",
}


class Subject(NamedTuple):
    """A program that crashes."""

    name: str
    program: Path
    source: Path


def subjects(wanted: list[str], folder: Path) -> Iterator[Subject]:
    """Those that can be built here; the others are named on the screen."""
    for name, diagnosis in DIAGNOSES.items():
        if diagnosis["stop"] != "deadlock" and (not wanted or name in wanted):
            try:
                yield Subject(name, build_example(name, folder), EXAMPLES / diagnosis["file"])
            except CannotBuild as error:
                print(f"{name} IS MISSING from these figures: {error}")
    for name, text in BIG.items():
        if not wanted or name in wanted:
            source = folder / f"{name.split()[1]}.cpp"
            source.write_text(text, encoding="utf-8")
            program = source.with_suffix("")
            subprocess.run(compile_command(source, program, []), check=True)
            yield Subject(name, program, source)


def measure(subject: Subject, backend: str, runs: int) -> Json:
    """The figures of one program; the time is the median of the runs, each in a session of its own."""
    taken: list[float] = []
    context = ""
    for _ in range(runs):
        context, milliseconds = _asked(subject, [*DAP_AI, "serve", "--backend", backend])
        taken.append(milliseconds)
    size = len(context.encode())
    return {
        "bytes": size,
        "beside_source_bytes": len(without_source(context, subject.source).encode()),
        "tokens": size // BYTES_PER_TOKEN,
        "requests": _requests(subject, backend),
        "milliseconds": round(statistics.median(taken), 1),
        "slowest_ms": round(max(taken), 1),
    }


def _asked(subject: Subject, command: list[str]) -> tuple[str, float]:
    with Client.spawn(command) as client:
        env = {**os.environ, **SANITIZER_OPTIONS}
        panics = ["rust_panic", "__rustc::rust_panic"] if subject.source.suffix == ".rs" else []
        stop = client.start("launch", {"program": str(subject.program), "env": env}, functions=panics)
        began = time.perf_counter()
        client.request("ask", {"threadId": stop["threadId"], "contextOnly": True})
        context: str = client.event("askEnded")["answer"]
        return context, (time.perf_counter() - began) * 1000


def _requests(subject: Subject, backend: str) -> int:
    """How many the agent sent to the adapter."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "wire.jsonl"
        _asked(subject, [*DAP_AI, "serve", "--backend", backend, "--log", str(log)])
        rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return sum(row.get("event") == "AgentRequest" for row in rows)


def main() -> None:
    """Prints a table for each adapter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", help="names (default: all)")
    parser.add_argument("--adapter", action="append", choices=ADAPTERS, help="(default: all)")
    parser.add_argument("--runs", type=int, default=5, help="sessions for each program (default: 5)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    figures: Json = {"machine": machine()}
    with tempfile.TemporaryDirectory() as folder:
        built = list(subjects(options.examples, Path(folder).resolve()))
        for adapter in options.adapter or ADAPTERS:
            if adapter not in native.adapters():
                print(f"{adapter} IS MISSING from these figures: it is not installed")
                continue
            backend = backend_for(adapter, os.environ.__setitem__)
            rows: list[list[object]] = []
            for subject in built:
                try:
                    row = measure(subject, backend, options.runs)
                except (Failed, OSError) as error:
                    print(f"{adapter}, {subject.name}: NOT MEASURED: {str(error)[:200]}")
                    continue
                figures[f"{adapter}, {subject.name}"] = row
                rows.append([subject.name, *row.values()])
            columns = ["program", "bytes", "beside source", "tokens", "requests", "ms", "slowest ms"]
            show(f"the first context, {adapter}", columns, rows)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
