"""The requests that DAP 1.71 defines, and their required arguments. Any other request is specific to one adapter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.protocol.wire.envelope import decode
from dap_ai.protocol.wire.errors import RemoteProtocolError

NEEDED: Mapping[str, Mapping[str, type]] = {
    "attach": {},
    "completions": {"text": str},
    "continue": {},
    "dataBreakpointInfo": {"name": str},
    "disassemble": {"memoryReference": str},
    "evaluate": {"expression": str},
    "exceptionInfo": {},
    "goto": {},
    "gotoTargets": {"source": dict},
    "initialize": {"adapterID": str},
    "launch": {},
    "locations": {},
    "modules": {},
    "next": {},
    "pause": {},
    "readMemory": {"memoryReference": str},
    "restartFrame": {},
    "reverseContinue": {},
    "runInTerminal": {"args": list, "cwd": str},
    "scopes": {},
    "setBreakpoints": {"source": dict},
    "setDataBreakpoints": {"breakpoints": list},
    "setExceptionBreakpoints": {"filters": list},
    "setExpression": {"expression": str, "value": str},
    "setFunctionBreakpoints": {"breakpoints": list},
    "setInstructionBreakpoints": {"breakpoints": list},
    "setVariable": {"name": str, "value": str},
    "source": {},
    "stackTrace": {},
    "startDebugging": {"configuration": dict, "request": str},
    "stepBack": {},
    "stepIn": {},
    "stepInTargets": {},
    "stepOut": {},
    "terminateThreads": {},
    "variables": {},
    "writeMemory": {"data": str, "memoryReference": str},
}
"""Requests that require `arguments`, with the names and types of their required fields. Numeric fields are omitted."""
DEFINED = frozenset(
    {
        *NEEDED,
        "breakpointLocations",
        "cancel",
        "configurationDone",
        "disconnect",
        "loadedSources",
        "restart",
        "terminate",
        "threads",
    }
)


def has_needed(command: str, arguments: bytes) -> bool:
    """Whether a request has all arguments that DAP requires. Numeric arguments are not checked."""
    needed = NEEDED.get(command)
    if needed is None:
        return True
    try:
        fields = decode(arguments or b"null", dict[str, Any])
    except RemoteProtocolError:
        return False
    return all(isinstance(fields.get(name), kind) for name, kind in needed.items())
