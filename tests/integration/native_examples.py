"""The native examples, built: what `examples/native/diagnoses.toml` says of each, and the program made of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.integration import native
from tests.patience import at_worst

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLES = ROOT / "examples" / "native"
DIAGNOSES: dict[str, dict[str, Any]] = tomllib.loads((EXAMPLES / "diagnoses.toml").read_text(encoding="utf-8"))
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0",
    "UBSAN_OPTIONS": "abort_on_error=1:halt_on_error=1:print_stacktrace=1",
}
"""With these a report stops the program under every debugger."""
_COMPILERS = {".c": ("gcc", "cc", "clang"), ".cpp": ("g++", "c++", "clang++"), ".rs": ("rustc",)}
_COMPILE_S = at_worst(120)


ADAPTERS = ("lldb-dap 19", "lldb-dap 22", "lldb-dap 23", "gdb")


def backend_for(adapter: str, setenv: Callable[[str, str], object]) -> str:
    """The backend that starts the adapter called so in native.adapters(); skips the test where there is none."""
    program = native.need(adapter)[0]
    backend, variable = ("gdb", "DAP_AI_GDB") if adapter == "gdb" else ("lldb", "DAP_AI_LLDB_DAP")
    setenv(variable, program)
    return backend


class CannotBuild(Exception):  # noqa: N818  names what cannot be done here
    """There is no compiler for it; the text says which."""


def build_example(name: str, folder: Path) -> Path:
    """The program of an example, made in `folder`. Raises CannotBuild."""
    source = EXAMPLES / DIAGNOSES[name]["file"]
    program = folder / name
    command = compile_command(source, program, DIAGNOSES[name].get("sanitize", []))
    done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S)
    if done.returncode:
        raise CannotBuild(f"{source.name} does not compile here: {done.stderr.strip().splitlines()[-1]}")
    return program


def compile_command(source: Path, program: Path, sanitize: list[str]) -> list[str]:
    """How a source file becomes a program with debug information. Raises CannotBuild."""
    names = _COMPILERS[source.suffix]
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise CannotBuild(f"no {names[0]} here")
    if source.suffix == ".rs":
        return [compiler, "-g", "-o", str(program), str(source)]
    sanitizers = [f"-fsanitize={','.join(sanitize)}"] if sanitize else []
    return [compiler, "-g", "-O0", "-fno-omit-frame-pointer", "-pthread", *sanitizers, "-o", str(program), str(source)]


def built(name: str, folder: Path) -> Path:
    """The same for a test, which is skipped where it cannot be built."""
    try:
        return build_example(name, folder)
    except CannotBuild as error:
        pytest.skip(str(error))
