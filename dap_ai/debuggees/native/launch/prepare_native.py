"""Prepares native programs to debug: compiles source files and warns about properties that limit answers."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from dap_ai.debuggees.native.launch.native_program import Adapter, NativeProgram, find_native, is_source, stdin_note
from dap_ai.protocol.contracts.inspection import Binary


def adapter_of(backend_name: str) -> Adapter:
    """Return "gdb" or "lldb", depending on whose launch arguments the backend's adapter understands."""
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
    """Return the program that `words` name, compiled if it is a source file. Warnings for the user go to `tell`.

    Raises UsageError, or StartError with the compiler's messages.
    """
    path = Path(words[0])
    if compiled := is_source(path):
        executable = _compiled(path, sanitize, tell)
    elif sanitize:
        raise click.UsageError("--sanitize is for source files: a compiled program has a sanitizer already, or none.")
    else:
        executable = find_native(words[0])
    binary = _binary_of(executable)
    for line in remarks(binary, path.name) if binary else ():
        tell(line)
    if note := stdin_note():
        tell(note)
    sanitizers = {*sanitize, *(binary.sanitizers if binary else ())}
    options = _sanitizer_options(sanitizers, env, adapter)
    return NativeProgram(executable, tuple(words[1:]), cwd, env, words[0] if compiled else "", options)


def remarks(binary: Binary, name: str) -> list[str]:
    """Return warnings about properties of the executable that limit answers, with advice."""
    if binary.stripped:
        return [f"{name} is stripped: functions have no names, lines and variables are unknown. Compile with -g -O0."]
    if not binary.debug_info:
        return [f"{name} has no debug information: lines and variables are unknown. Compile with -g -O0."]
    if binary.optimised:
        return [f"{name} is optimised: variables may be missing, and lines out of order. Compile with -g -O0."]
    return []


def panics(program: NativeProgram | None, pid: int | None) -> bool:
    """Whether the program is written in Rust, whose errors end in a panic."""
    path = program.path if program else f"/proc/{pid}/exe" if pid else ""
    from dap_ai.backends.native import elf  # noqa: PLC0415  only a native program needs it

    return bool(path) and elf.is_rust(path)


def _compiled(path: Path, sanitize: Sequence[str], tell: Callable[[str], None]) -> str:
    from dap_ai.backends.native import build  # noqa: PLC0415  only a source needs it

    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="dap-ai-"))
    tell(f"compiling {path} with {_flags(*build.plan(path, Path(folder), sanitize))}")
    return str(build.compile_source(path, Path(folder), sanitize))


def _flags(argv: Sequence[str], output: Path) -> str:
    """Return the compiler's command line without the names of files."""
    words = list(argv)
    at = words.index(str(output))
    return shlex.join([Path(words[0]).name, *words[1 : at - 1], *words[at + 2 :]])


def _binary_of(path: str) -> Binary | None:
    from dap_ai.backends.native import elf  # noqa: PLC0415  only a native program needs it

    return elf.binary_of(path)


def _sanitizer_options(sanitizers: Iterable[str], env: Mapping[str, str], adapter: Adapter) -> dict[str, str]:
    from dap_ai.backends.native import native_recipe  # noqa: PLC0415  only a native program needs it

    # lldb runs the program on a terminal, where reports would be coloured.
    more = "color=never" if adapter == "lldb" else ""
    return native_recipe.sanitizer_options(sorted(sanitizers), env, aborts=adapter == "gdb", more=more)
