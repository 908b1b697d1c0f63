"""What it costs to read recorded runs of agents: many files, the largest, memory, and 200 MB of spans.

    python benchmarks/runs.py [--json FILE] [--files 500] [--spans-mb 200]

The files are trajectories of mini-SWE-agent made from the sample of the tests, 67 kB to 2 MB with a median of 180 kB,
as public ones have. Each figure is the best of three, in a process of its own. Beside them: `json.loads` and the
regular expressions for commands and exit codes, which is the least that any reader does. Memory is what the process has
at its highest above what it had before.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show

sys.path.insert(0, str(ROOT))
from dap_ai.debuggees.runs.opening import open_run, readers
from dap_ai.debuggees.runs.run_model import steps_of

SAMPLE = ROOT / "tests" / "unit" / "debuggees" / "runs" / "samples" / "mini-swe-agent" / "v1.traj.json"
GOALS = {"files_s": 3.0, "largest_s": 0.5}
SMALLEST, LARGEST = 67_000, 2_000_000
ROUNDS = 3
_COMMANDS = re.compile(r"```bash\s*\n(.*?)\n```", re.DOTALL)
_CODES = re.compile(r"<returncode>(\d+)</returncode>")
_PROSE = "the state of this node is kept in a table beside its parent so that no lookup has to walk up again"
_WORDS = _PROSE.split()


def trajectory(size: int, random_: random.Random) -> bytes:
    """One run of about so many bytes: the sample's first step again and again, with other texts."""
    value = json.loads(SAMPLE.read_text())
    start, reply, result = value["messages"][:2], *value["messages"][2:4]
    messages = list(start)
    written = len(json.dumps(value))
    while written < size:
        step = [json.loads(json.dumps(one)) for one in (reply, result)]
        step[0]["content"] = f"THOUGHT: {prose(random_, 40)}\n\n```bash\nsed -n '1,40p' src/{prose(random_, 1)}.py\n```"
        step[0]["extra"]["response"]["choices"][0]["message"]["content"] = step[0]["content"]
        lines = random_.randint(5, 120)
        said = "\n".join(f'{at}: {prose(random_, 8)} = "{prose(random_, 2)}"' for at in range(lines))
        step[1]["content"] = f"<returncode>0</returncode>\n<output>\n{said}\n</output>"
        messages += step
        written += len(json.dumps(step, indent=2))
    value["messages"] = [*messages, *value["messages"][-2:]]
    return json.dumps(value, indent=2).encode()


def prose(random_: random.Random, words: int) -> str:
    return " ".join(random_.choices(_WORDS, k=words))


def sizes(count: int, random_: random.Random) -> Iterator[int]:
    """Sizes as public runs have them, the largest among them."""
    yield LARGEST
    for _ in range(count - 1):
        yield round(min(max(random_.lognormvariate(12.1, 0.6), SMALLEST), LARGEST))


def spans(path: Path, megabytes: int) -> int:
    """An OTLP document of that size: model calls whose prompts say the same again; how many spans."""
    random_, count = random.Random(2), 0  # noqa: S311  words, no secrets
    with path.open("w", encoding="utf-8") as file:
        file.write('{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"x"},"spans":[')
        while file.tell() < megabytes * 1_000_000:
            file.write(",\n" if count else "")
            file.write(json.dumps(span(count, random_)))
            count += 1
        file.write("]}]}]}")
    return count


def span(number: int, random_: random.Random) -> dict[str, Any]:
    start = 1_700_000_000_000_000_000 + number * 1_000_000
    said = {"openinference.span.kind": "LLM", "input.value": prose(random_, 900), "output.value": prose(random_, 60)}
    return {
        "traceId": "0" * 31 + "1",
        "spanId": f"{number:016x}",
        "name": "chat",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 500_000),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in said.items()],
    }


def open_all(paths: list[Path]) -> dict[str, float]:
    readers()
    began = time.perf_counter()
    steps = sum(open_run(path).steps for path in paths)
    return {"seconds": time.perf_counter() - began, "steps": steps}


def parse_all(paths: list[Path]) -> dict[str, float]:
    """The least: JSON, and the commands and exit codes by regular expressions."""
    began, steps = time.perf_counter(), 0
    for path in paths:
        for message in json.loads(path.read_bytes())["messages"]:
            if message["role"] == "assistant":
                steps += len(_COMMANDS.findall(message["content"]))
            else:
                _CODES.search(message["content"])
    return {"seconds": time.perf_counter() - began, "steps": steps}


def to_steps(paths: list[Path]) -> dict[str, float]:
    readers()
    began = time.perf_counter()
    steps = len(steps_of(open_run(paths[0])))
    return {"seconds": time.perf_counter() - began, "steps": steps}


def shown(paths: list[Path]) -> dict[str, float]:
    """A run held in memory, and how much text its events hold."""
    readers()
    began = time.perf_counter()
    run = open_run(paths[0])
    text = sum(len(event.text) + len(event.reasoning) for event in run.events)
    return {"seconds": time.perf_counter() - began, "steps": run.steps, "text_mb": text / 1e6}


def apart(work: Callable[[list[Path]], dict[str, float]], paths: list[Path], rounds: int = ROUNDS) -> dict[str, float]:
    """The best of several, each in a fresh process, with the memory that it took."""
    context = multiprocessing.get_context("spawn")
    results = []
    for _ in range(rounds):
        with context.Pool(1) as pool:
            results.append(pool.apply(_measured, (work, paths)))
    return min(results, key=lambda result: result["seconds"])


def _measured(work: Callable[[list[Path]], dict[str, float]], paths: list[Path]) -> dict[str, float]:
    before, began = highest_kb(), time.process_time()
    result = work(paths)
    return result | {"processor_s": time.process_time() - began, "mb": (highest_kb() - before) / 1024}


def highest_kb() -> int:
    """The most memory that this process has had. What the kernel tells of a child begins with its parent's."""
    try:
        return int(re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[0])
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--spans-mb", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        random_ = random.Random(1)  # noqa: S311  the same
        paths = [Path(folder, f"{number:04d}.traj.json") for number in range(options.files)]
        for path, size in zip(paths, sizes(options.files, random_), strict=True):
            path.write_bytes(trajectory(size, random_))
        total_mb = sum(path.stat().st_size for path in paths) / 1e6
        traces = Path(folder, "spans.json")
        count = spans(traces, options.spans_mb)
        measured = {
            "files": apart(open_all, paths),
            "plain": apart(parse_all, paths),
            "largest": apart(to_steps, paths[:1]),
            "spans": apart(shown, [traces], rounds=1),
        }
    tell(measured, options, total_mb, count)


def tell(measured: dict[str, dict[str, float]], options: argparse.Namespace, total_mb: float, count: int) -> None:
    figures = {"machine": machine(), "files": options.files, "mb": round(total_mb, 1), "spans": count, **measured}
    rows = [
        [f"{options.files} files, {total_mb:.0f} MB, to runs", *_cells(measured["files"]), f"< {GOALS['files_s']:g} s"],
        ["the same, json and regular expressions", *_cells(measured["plain"]), "-"],
        ["the largest, 2 MB, to its steps", *_cells(measured["largest"]), f"< {GOALS['largest_s']:g} s"],
        [f"{count} spans, {options.spans_mb} MB, to a run", *_cells(measured["spans"]), "-"],
    ]
    show("recorded runs", ["what", "seconds", "of a processor", "steps", "memory MB", "goal"], rows)
    print(f"  of the spans' text, the run holds {measured['spans']['text_mb']:.0f} MB")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    met = measured["files"]["seconds"] < GOALS["files_s"] and measured["largest"]["seconds"] < GOALS["largest_s"]
    sys.exit(0 if met else 1)


def _cells(result: dict[str, float]) -> list[object]:
    return [result["seconds"], result["processor_s"], round(result["steps"]), round(result["mb"], 1)]


if __name__ == "__main__":
    main()
