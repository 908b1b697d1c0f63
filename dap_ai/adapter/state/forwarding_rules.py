"""Decides which requests go to a debug adapter, by its capabilities, its known defects, and the session's state.

debugpy never answers a request whose capability it did not announce, nor any later request; lldb-dap 19 exits. So the
proxy answers a request itself if its capability flag was not announced. Requests without a flag, vendor requests
included, are forwarded unless the backend's own table denies them. A core file never runs, but lldb-dap 19 claims that
it was resumed.

The proxy refuses only requests that this adapter could not answer: those it has not announced, those its table denies,
and those that would block it in the debuggee's state. In doubt the proxy forwards a request, because refusing a request
that the adapter would have answered is worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from dap_ai.adapter.state.debuggee import RESUMING, DebuggeeState, Phase
from dap_ai.protocol.contracts.backend import BackendRules
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_requests import DEFINED, has_needed
from dap_ai.protocol.wire.errors import (
    CORE_FILE,
    DENIED_COMMAND,
    NEEDS_ARGUMENTS,
    NOT_ADVERTISED,
    PROGRAM_ENDED,
    WRONG_STATE,
    ErrorEntry,
)

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
    "moduleSymbols": "supportsModuleSymbolsRequest",
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
"""Maps each request that needs a capability to the name of that capability, in DAP or lldb-dap.

Omits `configurationDone`, which every adapter survives.
"""

_REVERSE = "it is a request that only debug adapters send"
_UNKNOWN = "it does not know it"
_ALWAYS_DENIED = {"runInTerminal": _REVERSE, "startDebugging": _REVERSE}


class Refusal(NamedTuple):
    """The error with which dap_ai answers a request instead of forwarding it."""

    entry: ErrorEntry
    variables: dict[str, str]

    @property
    def text(self) -> str:
        """The error message for the user."""
        return self.entry.text.format_map(self.variables)


class ForwardingRules:
    """Decides which requests of a session are forwarded. `capabilities` maps announced capabilities to their values."""

    def __init__(self, rules: BackendRules) -> None:
        self.rules = rules
        self.capabilities: dict[str, bool] = {}

    def complete_initialize(self, arguments: bytes) -> bytes | None:
        """Return the client's `initialize` arguments plus arguments that this adapter needs. None if there are none."""
        if not self.rules.told_of_client:
            return None
        try:
            said = msgspec.json.decode(arguments or b"{}", type=dict[str, msgspec.Raw])
        except (msgspec.MsgspecError, RecursionError):
            return None
        return envelope.encode(said | dict.fromkeys(sorted(self.rules.told_of_client), msgspec.Raw(b"true")))

    def learn(self, capabilities: Mapping[str, msgspec.Raw]) -> None:
        """Record capabilities that the backend announced in its `initialize` response or later."""
        # Only `true` counts: a capability may also be a list or an object.
        self.capabilities.update({name: bytes(raw) == b"true" for name, raw in capabilities.items()})
        self.rules = self.rules.announced(self.capabilities)

    def refuse(
        self, command: str, thread_id: int, state: DebuggeeState, *, arguments: bytes | None = None
    ) -> Refusal | None:
        """Return why the request `command` is not forwarded, or None if it is forwarded.

        `arguments` are the client's unparsed arguments; None for requests of dap_ai itself.
        """
        # Permanent reasons before temporary ones: an editor told "not while it runs" would ask again at the stop.
        why = self.rules.denied.get(command) or _ALWAYS_DENIED.get(command)
        vendor = self.rules.vendor_requests
        if vendor is not None and command not in DEFINED and command not in vendor:
            why = _UNKNOWN
        if why:
            return Refusal(DENIED_COMMAND, {"command": command, "why": why})
        capability = CAPABILITY_OF.get(command)
        if capability and not self.capabilities.get(capability):
            return Refusal(NOT_ADVERTISED, {"command": command, "capability": capability})
        if arguments is not None and self.rules.ends_without_arguments and not has_needed(command, arguments):
            return Refusal(NEEDS_ARGUMENTS, {"command": command})
        if state.is_core and command in RESUMING:
            return Refusal(CORE_FILE, {"command": command})
        if command in self.rules.wedged_when_ended and state.phase is Phase.ENDED:
            return Refusal(PROGRAM_ENDED, {"command": command})
        # A resume needs any stopped thread: wrong knowledge of one thread must not lock the user out.
        stands = state.stopped if command in RESUMING else state.thread_stopped(thread_id)
        if command in self.rules.wedged_while_running and not stands:
            return Refusal(WRONG_STATE, {"command": command})
        return None
