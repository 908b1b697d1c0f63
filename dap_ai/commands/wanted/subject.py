"""What is asked about, Python or native, and so which debugger is behind the proxy; sources are compiled here."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from dap_ai.backends import UnknownBackendError
from dap_ai.backends.discovery import discover
from dap_ai.commands.wanted import native_program
from dap_ai.commands.wanted.native_program import Adapter, NativeProgram
from dap_ai.commands.wanted.program import Program, find_program
from dap_ai.config import Resolved
from dap_ai.protocol.inspection import Binary

_PREFERRED = ("lldb", "gdb")
_FOR_PYTHON = "debugpy"


def is_native(words: Sequence[str], module: str | None, pid: int | None, core: str | None) -> bool:
    """Whether what the user names is machine code, or is compiled to it first. Raises UsageError: it is not there."""
    if core is not None:
        return True
    if pid is not None:
        return not native_program.runs_python(pid)
    if module or not words:
        return False
    path = Path(words[0])
    if not path.exists():
        find_program(words[0])
    return native_program.is_source(path) or native_program.is_native(path)


def backend_for(resolved: Resolved, *, native: bool) -> str | None:
    """The backend that must take the place of the one that is set; None: that one serves. Raises UsageError."""
    chosen, source = resolved.settings.backend, resolved.sources["backend"]
    if native and chosen == _FOR_PYTHON:
        if source == "flag":
            raise click.UsageError("--backend debugpy debugs Python, and this is native: --backend lldb, or gdb.")
        return _first_installed()
    if not native and chosen in _PREFERRED:
        if source == "flag":
            raise click.UsageError(f"--backend {chosen} debugs native programs, and this is Python: leave it out.")
        return _FOR_PYTHON
    return None


def adapter_of(backend_name: str) -> Adapter:
    """Which of the two ways to be launched an adapter has."""
    return "gdb" if "gdb" in Path(backend_name).name else "lldb"


def prepared(
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    adapter: Adapter,
    *,
    sanitize: Sequence[str],
    tell: Callable[[str], None],
) -> NativeProgram:
    """The program that `words` name, made from its source if need be; what the user must know of it is told.

    Raises UsageError, StartError with the compiler's words.
    """
    path = Path(words[0])
    if is_source := native_program.is_source(path):
        executable = _compiled(path, sanitize, tell)
    elif sanitize:
        raise click.UsageError("--sanitize is for source files: a program has been compiled with one, or without.")
    else:
        executable = native_program.find_native(words[0])
    binary = _binary_of(executable)
    for line in remarks(binary, path.name) if binary else ():
        tell(line)
    if note := native_program.stdin_note():
        tell(note)
    sanitizers = {*sanitize, *(binary.sanitizers if binary else ())}
    options = _sanitizer_options(sanitizers, env, adapter)
    return NativeProgram(executable, tuple(words[1:]), cwd, env, words[0] if is_source else "", options)


def remarks(binary: Binary, name: str) -> list[str]:
    """What of the file keeps answers poor, and what to do about it."""
    if binary.stripped:
        return [f"{name} is stripped: functions have no names, lines and variables are unknown. Compile with -g -O0."]
    if not binary.debug_info:
        return [f"{name} has no debug information: lines and variables are unknown. Compile with -g -O0."]
    if binary.optimised:
        return [f"{name} is optimised: variables may be missing, and lines out of order. Compile with -g -O0."]
    return []


def panics(program: NativeProgram | Program | None, pid: int | None) -> bool:
    """Whether it is Rust's, whose errors end in a panic."""
    path = program.path if program else f"/proc/{pid}/exe" if pid else ""
    from dap_ai.backends.native import elf  # noqa: PLC0415  only a native program needs it

    return bool(path) and elf.is_rust(path)


def _compiled(path: Path, sanitize: Sequence[str], tell: Callable[[str], None]) -> str:
    from dap_ai.backends.native import build  # noqa: PLC0415  only a source needs it

    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="dap-ai-"))
    tell(f"compiling {path} with {_flags(*build.plan(path, Path(folder), sanitize))}")
    return str(build.compile_source(path, Path(folder), sanitize))


def _flags(argv: Sequence[str], output: Path) -> str:
    """The compiler's command line without the names of the files."""
    words = list(argv)
    at = words.index(str(output))
    return shlex.join([Path(words[0]).name, *words[1 : at - 1], *words[at + 2 :]])


def _binary_of(path: str) -> Binary | None:
    from dap_ai.backends.native import elf  # noqa: PLC0415  only a native program needs it

    return elf.binary_of(path)


def _sanitizer_options(sanitizers: Iterable[str], env: Mapping[str, str], adapter: Adapter) -> dict[str, str]:
    from dap_ai.backends.native import recipe  # noqa: PLC0415  only a native program needs it

    # lldb gives the program a terminal, on which reports would be coloured.
    more = "color=never" if adapter == "lldb" else ""
    return recipe.sanitizer_options(sorted(sanitizers), env, aborts=adapter == "gdb", more=more)


def _first_installed() -> str:
    """Raises UsageError with what to install."""
    advice = ""
    for name in _PREFERRED:
        try:
            discover(name)
        except UnknownBackendError as error:  # noqa: PERF203  two rounds
            advice = advice or str(error)
        else:
            return name
    raise click.UsageError(f"this is native, and there is no debugger for it: {advice}")
