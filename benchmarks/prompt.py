"""`dap-ai debug` beside pdb and gdb, each at its prompt on a terminal: start, step, print; and debugpy alone.

    python benchmarks/prompt.py [--runs 5] [--json FILE]

All run in turn, each in a new process, on the same two programs. POSIX only.
  start   from the command to the first prompt, the program held at its first line (gdb: at `main`)
  step    `n`, from Enter to the next prompt
  print   `p` of a local variable, the same way; dap_ai evaluates it in a copy or reads it, pdb and gdb in the program
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from _dap import DAP_AI, DEBUGPY_ADAPTER, ROOT, Client, machine, show
from _screen import Screen

PYTHON = """\
total = 0
for number in range(100000):
    total += number
    total -= 1
print(total)
"""
NATIVE = """\
int main(void) {
    long total = 0;
    for (int number = 0; number < 100000; number++) {
        total += number;
        total -= 1;
    }
    return total == 0;
}
"""
STEPS = 12
Times = dict[str, list[float]]


class Prompt(NamedTuple):
    """A debugger at a terminal: its command, its prompt, what it is told first."""

    name: str
    command: Sequence[str]
    prompt: str


def at_prompt(one: Prompt, environ: dict[str, str]) -> dict[str, float]:
    """Milliseconds of start, step and print in one session; the first ones of step and print are not counted."""
    screen = Screen(one.command, environ)
    try:
        start = screen.wait_for(one.prompt) - screen.began
        steps = [timed(screen, one, "n") for _ in range(STEPS)]
        prints = [timed(screen, one, "p total") for _ in range(STEPS)]
    finally:
        screen.close()
    return {
        "start": 1000 * start,
        "step": 1000 * statistics.median(steps[3:]),
        "print": 1000 * statistics.median(prints[1:]),
    }


def timed(screen: Screen, one: Prompt, line: str) -> float:
    """Seconds from Enter to the next prompt, which stands behind the line as it is shown again."""
    typed = screen.type(line)
    screen.wait_for(line)
    return screen.wait_for(one.prompt) - typed


def by_debugpy(script: Path) -> dict[str, float]:
    """Milliseconds to debugpy's stop at the first line, driven by a bare client."""
    began = time.perf_counter()
    arguments = {
        "program": str(script), "console": "internalConsole", "python": [sys.executable], "stopOnEntry": True,
    }  # fmt: skip
    with Client.spawn(DEBUGPY_ADAPTER) as client:
        client.start("launch", arguments)
        return {"start": 1000 * (time.perf_counter() - began)}


def subjects(folder: Path) -> tuple[dict[str, Callable[[], dict[str, float]]], list[str]]:
    """What is measured, by name; and what is missing here."""
    script, source, program = folder / "steps.py", folder / "steps.c", folder / "steps"
    script.write_text(PYTHON, encoding="utf-8")
    source.write_text(NATIVE, encoding="utf-8")
    environ = os.environ | {"TERM": "xterm", "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    prompts = [
        Prompt("pdb", [sys.executable, "-m", "pdb", str(script)], "(Pdb) "),
        Prompt("dap-ai debug, Python", [*DAP_AI, "debug", str(script)], "(dap-ai)"),
    ]
    gdb = next((str(path) for path in (ROOT / ".venvs/native/bin/gdb",) if path.exists()), shutil.which("gdb"))
    compiler = shutil.which("cc")
    missing = [name for name, found in (("gdb", gdb), ("cc", compiler)) if not found]
    if compiler:
        subprocess.run([compiler, "-g", "-O0", str(source), "-o", str(program)], check=True)
        prompts.append(Prompt("dap-ai debug, C (lldb)", [*DAP_AI, "debug", str(program)], "(dap-ai)"))
    if compiler and gdb:
        begin = ["-ex", "set prompt (held) ", "-ex", "set debuginfod enabled off", "-ex", "break main", "-ex", "run"]
        prompts.append(Prompt("gdb", [gdb, "-nx", "-q", *begin, str(program)], "(held) "))
    found: dict[str, Callable[[], dict[str, float]]] = {"debugpy alone": lambda: by_debugpy(script)}
    found |= {one.name: lambda one=one: at_prompt(one, environ) for one in prompts}
    return found, missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    times: dict[str, Times] = {}
    with tempfile.TemporaryDirectory() as folder:
        measured, missing = subjects(Path(folder))
        for _ in range(options.runs):
            for name, measure in measured.items():
                for what, ms in measure().items():
                    times.setdefault(name, {}).setdefault(what, []).append(ms)
    for name in missing:
        print(f"not measured: there is no {name} here")
    kinds = ("start", "step", "print")
    rows = [
        [
            name,
            *(f"{statistics.median(own[kind]):.1f}" if kind in own else "-" for kind in kinds),
            f"{min(own['start']):.1f}",
        ]
        for name, own in times.items()
    ]
    show(f"milliseconds, median of {options.runs} sessions", ["", *kinds, "quickest start"], rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "ms": times}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
