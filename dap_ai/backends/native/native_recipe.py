"""The common code of the recipes for lldb-dap and gdb.

An attach is to a running process, or to a core file and the program that left it. A program built with sanitizers gets
options to stop at a report, and not to look for leaks, because that fails in a debugged program.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from dap_ai.backends.native import cores, elf
from dap_ai.protocol.contracts.backend import AdapterStart, StartError

_OPTIONS = {
    "address": ("ASAN_OPTIONS", "detect_leaks=0", "abort_on_error=1"),
    "undefined": ("UBSAN_OPTIONS", "print_stacktrace=1", "halt_on_error=1:abort_on_error=1"),
    "thread": ("TSAN_OPTIONS", "", "halt_on_error=1:abort_on_error=1"),
}
"""By sanitizer: its environment variable, its options, and the options that turn a report into a signal."""


def attach_start(arguments: dict[str, Any]) -> AdapterStart:
    """Return the arguments of `attach` in the form that lldb-dap and gdb expect. Raises StartError.

    `pid` comes from `processId`, and `program` from the core file. A core file left by another program than the named
    one is an error.
    """
    prepared = dict(arguments)
    if "processId" in prepared:
        process_id = prepared.pop("processId")
        prepared.setdefault("pid", process_id)
    if core := prepared.get("coreFile"):
        if not cores.is_core(str(core)):
            raise StartError(f"{core} is no core file that can be read.")
        program = str(prepared.get("program") or cores.executable_of_core(str(core)))
        return (
            AdapterStart(prepared | {"program": program}, note=_origin(str(core), program))
            if program
            else AdapterStart(prepared)
        )
    if prepared.get("pid") is not None:
        prepared["pid"] = _live_process(prepared["pid"])
    return AdapterStart(prepared)


def _origin(core: str, program: str) -> str:
    """Return a note for the user if it is unknown whether `program` left the core file; otherwise an empty string.

    Raises StartError if another program left it.
    """
    found = cores.origin_of(core, program)
    if found.same is False:
        raise StartError(found.text)
    return found.text


def environment(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables in `env`, which may be an object or a list of `NAME=text`."""
    env: Any = arguments.get("env") or {}
    if not isinstance(env, Mapping):
        pairs = (str(each).partition("=") for each in env)
        env = {name: text for name, _, text in pairs}
    variables = cast("Mapping[Any, Any]", env)
    return {str(name): str(text) for name, text in variables.items() if text is not None}


def sanitizer_options_of(program: str, env: Mapping[str, str], *, aborts: bool) -> dict[str, str]:
    """Return environment variables that set the options of the sanitizers in the file `program`.

    `aborts`: a report must end the program by a signal.
    """
    binary = elf.binary_of(program)
    return sanitizer_options(binary.sanitizers if binary else (), env, aborts=aborts)


def sanitizer_options(
    sanitizers: Iterable[str], env: Mapping[str, str], *, aborts: bool, more: str = ""
) -> dict[str, str]:
    """Return environment variables that set options of these sanitizers.

    The user's own options, in `env` or our environment, take precedence. `aborts`: a report must end the program by a
    signal, because this debugger does not recognise reports. `more`: further options for each sanitizer.
    """
    options: dict[str, str] = {}
    for name in sanitizers:
        if name in _OPTIONS:
            variable, told, stop = _OPTIONS[name]
            parts = (told, stop if aborts else "", more, env.get(variable, os.environ.get(variable, "")))
            options[variable] = ":".join(filter(None, parts))
    return {variable: text for variable, text in options.items() if text}


def _live_process(process_id: Any) -> int:
    import psutil  # noqa: PLC0415  20 ms, needed only to attach by process id

    try:
        process = psutil.Process(int(process_id))
        tracer = _tracer_of(process.pid)
    except (ValueError, TypeError, OverflowError, psutil.NoSuchProcess) as error:
        raise StartError(f"There is no process {process_id}.") from error
    if tracer:
        raise StartError(f"Process {process_id} is being debugged already, by process {tracer}.")
    return process.pid


def _tracer_of(pid: int) -> int:
    """Return the id of the process that debugs process `pid`; 0 if it is not debugged, or that is unknown."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("TracerPid:")), 0)
    except (OSError, ValueError, IndexError):
        return 0
