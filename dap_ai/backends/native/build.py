"""Compiles one source file into a program for debugging, with debug information and without optimisation."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dap_ai.protocol.contracts.backend import StartError
from dap_ai.system import programs
from dap_ai.system.texts import code

_COMPILE_S = 300.0
_SHOWN_LINES = 60
"""Maximum number of lines of a compiler's output to show; the first errors matter most."""
_FLAGS = ("-g", "-O0", "-fno-omit-frame-pointer", "-pthread")


class _Compiler(NamedTuple):
    variable: str
    """The environment variable that may name the compiler's command line."""
    programs: tuple[str, ...]
    """Names of compilers to look for on PATH, the preferred name first."""
    advice: str


_C = _Compiler("CC", ("cc", "gcc", "clang"), "your distribution's package gcc or clang")
_CXX = _Compiler("CXX", ("c++", "g++", "clang++"), "your distribution's package g++ or clang")
_RUST = _Compiler("RUSTC", ("rustc",), "rustup (rustup.rs), or your distribution's package rustc")
_BY_SUFFIX = {".c": _C, **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP"), _CXX), ".rs": _RUST}
SUFFIXES = frozenset(_BY_SUFFIX)
"""Suffixes of the source files that `compile_source` accepts."""


class Build(NamedTuple):
    """A compiler's command line, and the path of the program that it produces."""

    argv: list[str]
    output: Path


def find_compiler(suffix: str) -> list[str]:
    """Return the command line of the compiler for files with this suffix, such as `.c`. Raises StartError.

    Takes the compiler from CC, CXX or RUSTC, or else from PATH.
    """
    compiler = _BY_SUFFIX.get(suffix)
    if compiler is None:
        raise StartError(f"files *{suffix} are not compiled here, only {', '.join(sorted(SUFFIXES))}.")
    if chosen := shlex.split(os.environ.get(compiler.variable, ""), posix=os.name != "nt"):
        if found := programs.locate(chosen[0]):
            return [found, *chosen[1:]]
        raise StartError(f"{compiler.variable} is {chosen[0]}, and there is no such program.")
    for program in compiler.programs:
        if found := programs.locate(program):
            return [found]
    raise StartError(
        f"no compiler for *{suffix} on PATH ({', '.join(compiler.programs)}); install {compiler.advice}, "
        "or compile the program yourself, with debug information, and ask about that."
    )


def plan(path: Path, folder: Path, sanitize: Sequence[str] = ()) -> Build:
    """Return the command line that compiles the source file `path` into a program in `folder`. Raises StartError."""
    compiler = find_compiler(path.suffix)
    output = folder / (path.stem + (".exe" if os.name == "nt" else ""))
    source = os.path.abspath(path)  # noqa: PTH100  debug information contains this path; resolving links would change it
    if path.suffix == ".rs":
        if sanitize:
            raise StartError("only a nightly rustc has sanitizers: build the program with it yourself.")
        return Build([*compiler, "--edition", "2021", "-g", "-o", str(output), source], output)
    sanitizers = [f"-fsanitize={','.join(sanitize)}"] if sanitize else []
    return Build([*compiler, *_FLAGS, *sanitizers, "-o", str(output), source, "-lm"], output)


def compile_source(path: Path, folder: Path, sanitize: Sequence[str] = ()) -> Path:
    """Compile the source file `path` and return the path of the program in `folder`.

    `sanitize`: names such as `address`, `undefined`, `thread`. Raises StartError with the compiler's output.
    """
    if not path.is_file():
        raise StartError(f"there is no file {path}.")
    build = plan(path, folder, sanitize)
    shown = shlex.join(build.argv)
    try:
        done = subprocess.run(  # noqa: S603  the compiler that the user has, of the file that the user names
            build.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_COMPILE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise StartError(f"{path} was not compiled within {_COMPILE_S:.0f} s: {shown}") from error
    except OSError as error:
        raise StartError(f"{build.argv[0]} does not start: {error.strerror or error}.") from error
    if done.returncode or not build.output.is_file():
        raise StartError(f"{path} does not compile:\n{_shortened(done.stdout)}\n({code(shown)}){_hint(path)}")
    return build.output


def _shortened(text: str) -> str:
    lines = text.rstrip().splitlines()
    more = len(lines) - _SHOWN_LINES
    return "\n".join(lines[:_SHOWN_LINES] + ([f"... {more} more lines"] if more > 0 else []))


def _hint(path: Path) -> str:
    """Return advice if the file belongs to a project with its own build system; otherwise an empty string."""
    if path.suffix == ".rs":
        for folder in path.resolve().parents:
            if (folder / "Cargo.toml").is_file():
                return f"\nIt is part of a cargo project: `cargo build` in {folder}, then ask about target/debug/NAME."
    return ""
