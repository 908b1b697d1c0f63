"""Writes real runs on native programs into docs/native.md, each between its markers: benchmarks/native_transcripts.py.

A core file made on the spot, a report of AddressSanitizer, an attach to a deadlocked process, a Rust panic: what a user
types, and what dap-ai prints, by program analysis, without key or network. Numbers that differ from run to run stay as
they came.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _dap import ROOT

sys.path.insert(0, str(ROOT))
from tests.integration import native
from tests.integration.native_examples import build_example

PAGE = ROOT / "docs" / "native.md"
END = "<!-- end -->"
_RUN_S = 120
_WAIT_S = 2.0


def core(folder: Path) -> str:
    """A crash outside of any debugger, looked at afterwards."""
    shutil.copy(build_example("ledger", folder), folder / "club")
    (folder / "ledger").unlink()
    if native.core_of(folder / "club", folder) is None:
        raise SystemExit("this machine writes no core file beside the program: see /proc/sys/kernel/core_pattern")
    file = next(folder.glob("core*"))
    file.rename(folder / "core")
    crash = "$ ulimit -c unlimited; ./club\nSegmentation fault (core dumped)\n"
    return crash + ask(folder, "--core core club")


def sanitizer(folder: Path) -> str:
    """A source file, compiled with a sanitizer."""
    shutil.copy(ROOT / "examples" / "native" / "playlist.c", folder)
    return ask(folder, "--sanitize address playlist.c")


def deadlock(folder: Path) -> str:
    """A process that hangs."""
    program = build_example("accounts", folder)
    with subprocess.Popen([program], stdout=subprocess.DEVNULL) as process:
        time.sleep(_WAIT_S)  # its threads sleep for a twentieth of a second, then wait for each other
        text = ask(folder, f"--pid {process.pid}")
        process.kill()
    return text


def panic(folder: Path) -> str:
    """A program in Rust."""
    shutil.copy(ROOT / "examples" / "native" / "timetable.rs", folder)
    return ask(folder, "timetable.rs")


RUNS: dict[str, Callable[[Path], str]] = {"core": core, "sanitizer": sanitizer, "deadlock": deadlock, "panic": panic}


def ask(folder: Path, arguments: str) -> str:
    """The command, then what it printed on stderr and stdout, in the order of its own printing."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "DAP_AI_"))}
    folders = {str(Path(argv[0]).parent) for argv in native.adapters().values()}
    environ["PATH"] = os.pathsep.join([*sorted(folders), environ["PATH"]])
    command = [sys.executable, "-m", "dap_ai", "ask", *arguments.split()]
    done = subprocess.run(
        command,
        check=False,  # its exit code is printed
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_RUN_S,
    )
    printed = re.sub(r"^\$ .*?\n", "", done.stdout).replace(f"{folder}/", "")
    return f"$ dap-ai ask {arguments}\n{printed.rstrip()}\n"


def main() -> None:
    """Replaces what stands between the markers."""
    for name, run in RUNS.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made).resolve() / "work"
            folder.mkdir()
            shown = run(folder)
        begin = f"<!-- {name}: made by benchmarks/native_transcripts.py -->"
        before, found, rest = PAGE.read_text(encoding="utf-8").partition(begin)
        if not found:
            raise SystemExit(f"{PAGE} has no place for {name}")
        after = rest.partition(END)[2]
        quoted = "\n".join(f"    {line}".rstrip() for line in shown.splitlines())
        PAGE.write_text(f"{before}{begin}\n\n{quoted}\n\n{END}{after}", encoding="utf-8")
        print(f"{PAGE.name}: {name}")


if __name__ == "__main__":
    main()
