"""What is known of debug adapters that have no recipe of their own: measured, by benchmarks/wedge.py.

An adapter is known by what it announces; before that, by the name of its program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Facts = Mapping[str, Any]
"""What is not as in dap_ai.protocol.contracts.backend.BackendRules, by name."""
_LLDB_ENDED = frozenset({"configurationDone", "continue"})
_LLDB_RUNS_CODE = frozenset({"exceptionInfo"})
"""lldb-dap 23 calls `__cxa_current_exception_type`, and after a sanitizer's report functions of its runtime."""
LLDB_DAP_19: Facts = {
    "denied": {"locations": "it came with lldb-dap 20"},
    "wedged_when_ended": _LLDB_ENDED,
    "scopes_shared": True,
    "vendor_requests": frozenset({"compileUnits", "_testGetTargetBreakpoints"}),
    "ends_without_arguments": True,
    "runs_code": _LLDB_RUNS_CODE,
}
"""lldb-dap up to 19, lldb-vscode before it: whatever they do not know ends them, and the debuggee with them."""
LLDB_DAP: Facts = {"wedged_when_ended": _LLDB_ENDED, "scopes_shared": True, "runs_code": _LLDB_RUNS_CODE}
"""lldb-dap from 20 on."""
GDB: Facts = {
    "told_of_client": frozenset({"supportsVariableType", "supportsVariablePaging", "supportsMemoryReferences"}),
}
"""Without these gdb leaves out the types, and sends all of a container."""

RUNS_BESIDE = frozenset(
    {
        # lldb-dap, CodeLLDB: lines of lldb, one of whose commands is `platform shell`
        *("preInitCommands", "initCommands", "targetCreateCommands", "preRunCommands", "postRunCommands"),
        *("launchCommands", "attachCommands", "processCreateCommands", "stopCommands", "exitCommands"),
        *("preTerminateCommands", "terminateCommands", "debuggerRoot"),
        # gdb: what stands behind `target remote`, a pipe too
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
"""Launch and attach arguments, of whatever adapter, that name what runs beside the debuggee: see Backend."""

_ANY: Facts = {}
_BY_CAPABILITY = {"__lldb": LLDB_DAP_19, "$__lldb_version": LLDB_DAP}
"""By a capability that no other adapter has."""
_BY_PROGRAM = {r"lldb-(dap|vscode)\b": LLDB_DAP_19, r"(.+-)?gdb\b": GDB}
"""By how the program's name begins; of several versions the one that bears least."""
_HOVERS = {
    r"lldb-(dap|vscode)\b": True,
    r"(.+-)?gdb\b": True,
    r"(codelldb|opendebugad7)\b": False,
}
"""Debuggers of native programs by their program's name, and whether their `hover` can change nothing: it calls no
function and assigns nothing."""


def of(argv: list[str], announced: frozenset[str] = frozenset()) -> Facts:
    """What is known of the adapter that this command line starts and that announces these capabilities."""
    for capability, facts in _BY_CAPABILITY.items():
        if capability in announced:
            return facts
    return next((facts for pattern, facts in _BY_PROGRAM.items() if re.match(pattern, _program(argv))), _ANY)


def hovers(argv: list[str]) -> bool | None:
    """Whether the `hover` of the adapter that this starts can change nothing; None: it debugs no native programs."""
    return next((safe for pattern, safe in _HOVERS.items() if re.match(pattern, _program(argv))), None)


def _program(argv: list[str]) -> str:
    return Path(argv[0]).name.lower() if argv else ""
