"""What the recipes of lldb-dap and gdb share.

An attach is to a process that is there, or to a core file and the program that left it. A program with sanitizers
is told to stop at a report, and not to look for leaks: that fails in a program that is being debugged.
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
"""Of each sanitizer: its variable, what it is told, and what makes a report a signal that a debugger stops at."""


def attach_start(arguments: dict[str, Any]) -> AdapterStart:
    """The arguments of `attach`, with `pid` and `program` where others tell them.

    Raises StartError, also where a core file is of another program than the one that is named.
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
    """What is not known of whether the program left the core file. Raises StartError where it did not."""
    found = cores.origin_of(core, program)
    if found.same is False:
        raise StartError(found.text)
    return found.text


def environment(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The variables that `env` adds, be it an object or a list of `NAME=text`."""
    env: Any = arguments.get("env") or {}
    if not isinstance(env, Mapping):
        pairs = (str(each).partition("=") for each in env)
        env = {name: text for name, _, text in pairs}
    variables = cast("Mapping[Any, Any]", env)
    return {str(name): str(text) for name, text in variables.items() if text is not None}


def sanitizer_options_of(program: str, env: Mapping[str, str], *, aborts: bool) -> dict[str, str]:
    """Variables for the sanitizers that `program` was built with; see sanitizer_options."""
    binary = elf.binary_of(program)
    return sanitizer_options(binary.sanitizers if binary else (), env, aborts=aborts)


def sanitizer_options(
    sanitizers: Iterable[str], env: Mapping[str, str], *, aborts: bool, more: str = ""
) -> dict[str, str]:
    """Variables for these sanitizers; what the user has set, in `env` or for us, comes last and so wins.

    `aborts`: at a report the program must end by a signal, because this debugger does not know of reports. `more`:
    what else each is told.
    """
    options: dict[str, str] = {}
    for name in sanitizers:
        if name in _OPTIONS:
            variable, told, stop = _OPTIONS[name]
            parts = (told, stop if aborts else "", more, env.get(variable, os.environ.get(variable, "")))
            options[variable] = ":".join(filter(None, parts))
    return {variable: text for variable, text in options.items() if text}


def _live_process(process_id: Any) -> int:
    import psutil  # noqa: PLC0415  20 ms that only an attach by process id needs

    try:
        process = psutil.Process(int(process_id))
        tracer = _tracer_of(process.pid)
    except (ValueError, TypeError, OverflowError, psutil.NoSuchProcess) as error:
        raise StartError(f"There is no process {process_id}.") from error
    if tracer:
        raise StartError(f"Process {process_id} is being debugged already, by process {tracer}.")
    return process.pid


def _tracer_of(pid: int) -> int:
    """The process that debugs this one; 0: none, or nobody knows."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("TracerPid:")), 0)
    except (OSError, ValueError, IndexError):
        return 0
