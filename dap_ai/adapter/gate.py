"""What may be forwarded to a debug adapter: by what it announced, by what is known of it, by the debuggee's state.

debugpy never answers a request that it did not announce, nor anything after it; lldb-dap 19 exits. So a request
whose capability flag was not announced is answered by the proxy. Requests without a flag, vendor requests included,
pass, but for those that the backend's own table denies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from dap_ai.adapter.state import DebuggeeState
from dap_ai.protocol.errors import DENIED_COMMAND, NOT_ADVERTISED, WRONG_STATE, ErrorEntry

CAPABILITY_OF: Mapping[str, str] = {
    "breakpointLocations": "supportsBreakpointLocationsRequest",
    "cancel": "supportsCancelRequest",
    "completions": "supportsCompletionsRequest",
    "dataBreakpointInfo": "supportsDataBreakpoints",
    "disassemble": "supportsDisassembleRequest",
    "exceptionInfo": "supportsExceptionInfoRequest",
    "goto": "supportsGotoTargetsRequest",
    "gotoTargets": "supportsGotoTargetsRequest",
    "loadedSources": "supportsLoadedSourcesRequest",
    "modules": "supportsModulesRequest",
    "readMemory": "supportsReadMemoryRequest",
    "restart": "supportsRestartRequest",
    "restartFrame": "supportsRestartFrame",
    "reverseContinue": "supportsStepBack",
    "setDataBreakpoints": "supportsDataBreakpoints",
    "setExpression": "supportsSetExpression",
    "setFunctionBreakpoints": "supportsFunctionBreakpoints",
    "setInstructionBreakpoints": "supportsInstructionBreakpoints",
    "setVariable": "supportsSetVariable",
    "stepBack": "supportsStepBack",
    "stepInTargets": "supportsStepInTargetsRequest",
    "terminate": "supportsTerminateRequest",
    "terminateThreads": "supportsTerminateThreadsRequest",
    "writeMemory": "supportsWriteMemoryRequest",
}
"""DAP's flag for each request that needs one. `configurationDone` is left out: every adapter survives it."""

_REVERSE = "it is a request that only debug adapters send"
_ALWAYS_DENIED = {"runInTerminal": _REVERSE, "startDebugging": _REVERSE}


class BackendRules(Protocol):
    """What a backend's recipe knows of its adapter."""

    @property
    def denied(self) -> Mapping[str, str]:
        """Commands that this adapter must never see, each with the reason."""
        ...

    @property
    def wedged_while_running(self) -> frozenset[str]:
        """Commands after which this adapter hangs if the thread they name runs."""
        ...

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """A request that the proxy sends by itself once the adapter is `initialized`; its response is dropped."""
        ...


class Refusal(NamedTuple):
    """An answer instead of a forward."""

    entry: ErrorEntry
    variables: dict[str, str]

    @property
    def text(self) -> str:
        """What a person reads."""
        return self.entry.text.format_map(self.variables)


class Gate:
    """`capabilities` is what the backend announced, as it grows by `capabilities` events."""

    def __init__(self, rules: BackendRules) -> None:
        self.rules = rules
        self.capabilities: dict[str, Any] = {}

    def refuse(self, command: str, thread_id: int, state: DebuggeeState) -> Refusal | None:
        """Why `command` of the client is not forwarded; None: it is."""
        why = self.rules.denied.get(command) or _ALWAYS_DENIED.get(command)
        if why:
            return Refusal(DENIED_COMMAND, {"command": command, "why": why})
        capability = CAPABILITY_OF.get(command)
        if capability and not self.capabilities.get(capability):
            return Refusal(NOT_ADVERTISED, {"command": command, "capability": capability})
        if command in self.rules.wedged_while_running and not state.thread_stopped(thread_id):
            return Refusal(WRONG_STATE, {"command": command})
        return None
