"""Rules for debug adapters that have no recipe, measured by benchmarks/wedge.py.

An adapter is identified by the capabilities that it announces, and by its program's name until then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Facts = Mapping[str, Any]
"""Rules of an adapter that differ from the defaults of contracts.backend.BackendRules, by name."""
_LLDB_ENDED = frozenset({"configurationDone", "continue"})
_LLDB_RUNS_CODE = frozenset({"exceptionInfo"})
"""Requests for which lldb-dap calls functions of the debuggee.

lldb-dap 23 calls `__cxa_current_exception_type`, and after a sanitizer's report also functions of the sanitizer's
runtime.
"""
LLDB_DAP_19: Facts = {
    "denied": {"locations": "it came with lldb-dap 20"},
    "wedged_when_ended": _LLDB_ENDED,
    "scopes_shared": True,
    "vendor_requests": frozenset({"compileUnits", "_testGetTargetBreakpoints"}),
    "ends_without_arguments": True,
    "runs_code": _LLDB_RUNS_CODE,
}
"""Rules for lldb-dap up to 19 (formerly lldb-vscode), which an unknown request ends together with the debuggee."""
LLDB_DAP: Facts = {"wedged_when_ended": _LLDB_ENDED, "scopes_shared": True, "runs_code": _LLDB_RUNS_CODE}
"""Rules for lldb-dap 20 and later."""
GDB: Facts = {
    "told_of_client": frozenset({"supportsVariableType", "supportsVariablePaging", "supportsMemoryReferences"}),
}
"""Rules for gdb: without these client capabilities gdb omits types and sends whole containers."""

RUNS_BESIDE = frozenset(
    {
        # lldb-dap, CodeLLDB: lldb commands, of which `platform shell` runs a shell
        *("preInitCommands", "initCommands", "targetCreateCommands", "preRunCommands", "postRunCommands"),
        *("launchCommands", "attachCommands", "processCreateCommands", "stopCommands", "exitCommands"),
        *("preTerminateCommands", "terminateCommands", "debuggerRoot"),
        # gdb: the argument of `target remote`, which may be a pipe to a command
        "target",
        # OpenDebugAD7
        *("MIMode", "miDebuggerPath", "miDebuggerArgs", "setupCommands", "postRemoteConnectCommands"),
        *("customLaunchSetupCommands", "launchCompleteCommand", "debugServerPath", "debugServerArgs"),
        *("pipeTransport", "sshTransport", "visualizerFile"),
        # debuggers of other languages
        *("python", "pythonPath", "runtimeExecutable", "runtimeArgs", "dlvToolPath", "dlvFlags", "buildFlags"),
        *("javaExec", "rdbgPath"),
    }
)
"""Launch and attach arguments, of any adapter, that name programs to run besides the debuggee."""

_ANY: Facts = {}
_BY_CAPABILITY = {"__lldb": LLDB_DAP_19, "$__lldb_version": LLDB_DAP}
"""Rules of an adapter by a capability that no other adapter announces."""
_BY_PROGRAM = {r"lldb-(dap|vscode)\b": LLDB_DAP_19, r"(.+-)?gdb\b": GDB}
"""Rules of an adapter by a pattern for the start of its program's name.

If versions differ, these are the rules of the least capable version.
"""
_HOVERS = {
    r"lldb-(dap|vscode)\b": True,
    r"(.+-)?gdb\b": True,
    r"(codelldb|opendebugad7)\b": False,
}
"""Whether an evaluation in the context `hover` has no side effects, by a pattern for the adapter's program name.

Without side effects means that it calls no function and assigns nothing.
"""


def of(argv: list[str], announced: frozenset[str] = frozenset()) -> Facts:
    """Return the rules for the adapter with the command line `argv` and the capabilities `announced`."""
    for capability, facts in _BY_CAPABILITY.items():
        if capability in announced:
            return facts
    return next((facts for pattern, facts in _BY_PROGRAM.items() if re.match(pattern, _program(argv))), _ANY)


def hovers(argv: list[str]) -> bool | None:
    """Return whether the context `hover` of `evaluate` has no side effects in this adapter.

    None if the adapter does not debug native programs.
    """
    return next((safe for pattern, safe in _HOVERS.items() if re.match(pattern, _program(argv))), None)


def _program(argv: list[str]) -> str:
    return Path(argv[0]).name.lower() if argv else ""
