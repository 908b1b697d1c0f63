"""The six editors of docs/editors.md, and older releases of two of them that are stricter."""

from __future__ import annotations

from dataclasses import replace

from dap_ai.adapter.state.client_info import DEFINED_EVENTS
from tests.dialects.dialect import Dialect

_LINES = {"linesStartAt1": True, "columnsStartAt1": True, "pathFormat": "path"}

VS_CODE = Dialect(
    name="vscode",
    initialize={
        "clientID": "vscode",
        "clientName": "Visual Studio Code",
        "adapterID": "debugpy",
        **_LINES,
        "locale": "en",
        "supportsVariableType": True,
        "supportsVariablePaging": True,
        "supportsRunInTerminalRequest": True,
        "supportsProgressReporting": True,
        "supportsInvalidatedEvent": True,
        "supportsMemoryReferences": True,
        "supportsArgsCanBeInterpretedByShell": True,
        "supportsMemoryEvent": True,
        "supportsStartDebuggingRequest": True,
        "supportsANSIStyling": True,
    },
    timeout_s=30,
    empty={},
    configuration=("breakpoints", "functions", "exceptions", "done"),
    stack=({"startFrame": 0, "levels": 1}, {"startFrame": 1, "levels": 19}),
    asks=True,
    goodbye={"restart": False, "terminateDebuggee": True},
)

NVIM_DAP = Dialect(
    name="nvim-dap",
    initialize={
        "clientID": "neovim",
        "clientName": "neovim",
        "adapterID": "nvim-dap",
        **_LINES,
        "locale": "en_US",
        "supportsRunInTerminalRequest": True,
        "supportsVariableType": True,
        "supportsProgressReporting": True,
        "supportsStartDebuggingRequest": True,
    },
    timeout_s=30,
    stack=({"startFrame": 0},),
    asks=True,
    goodbye={"restart": False, "terminateDebuggee": True},
)

DAPE = Dialect(
    name="dape",
    initialize={
        "clientID": "dape",
        "adapterID": "python",
        **_LINES,
        "supportsRunInTerminalRequest": True,
        "supportsArgsCanBeInterpretedByShell": True,
        "supportsProgressReporting": True,
        "supportsStartDebuggingRequest": True,
    },
    timeout_s=10,
    configuration=("exceptions", "breakpoints", "functions", "done"),
    stack=({"startFrame": 0, "levels": 1},),
    shown=frozenset({"stdout", "stderr", "console", "output"}),
    asks=True,
    goodbye={"restart": False, "terminateDebuggee": True},
)

VIMSPECTOR = Dialect(
    name="vimspector",
    initialize={
        "clientID": "vimspector",
        "clientName": "vimspector",
        "adapterID": "dap-ai",
        **_LINES,
        "locale": "en_GB",
        "supportsVariableType": True,
        "supportsVariablePaging": False,
        "supportsRunInTerminalRequest": True,
        "supportsMemoryReferences": True,
        "supportsStartDebuggingRequest": True,
    },
    timeout_s=15,
)

VIMSPECTOR_OLD = replace(VIMSPECTOR, name="vimspector-old", first_seq=0, unknown_event="shown")
"""Until its first `seq` became 1; a message for an event without a handler stays on the screen."""

HELIX = Dialect(
    name="helix",
    initialize={
        "clientID": "hx",
        "clientName": "helix",
        "adapterID": "dap-ai",
        **_LINES,
        "locale": "en-us",
        "supportsVariableType": True,
        "supportsVariablePaging": False,
        "supportsRunInTerminalRequest": True,
        "supportsMemoryReferences": False,
        "supportsProgressReporting": True,
        "supportsInvalidatedEvent": False,
    },
    timeout_s=20,
    response_seq=False,
    nulls=True,
    empty={},
    configuration=("breakpoints", "done"),  # exception filters are set by a key, once the session runs
    console_context=None,
    one_line=True,
    goodbye=None,
)

_HELIX_OLD_EVENTS = DEFINED_EVENTS - {"progressStart", "progressUpdate", "progressEnd", "invalidated"}

HELIX_OLD = replace(
    HELIX,
    name="helix-old",
    initialize={**HELIX.initialize, "supportsProgressReporting": False},
    first_seq=0,
    unknown_event="ends",
    events=_HELIX_OLD_EVENTS,
)
"""Until 25.01: an event that it cannot parse ends its reading for good."""

ZED = Dialect(
    name="zed",
    initialize={
        "clientID": "zed",
        "clientName": "Zed",
        "adapterID": "Debugpy",
        **_LINES,
        "locale": "en-US",
        "supportsVariableType": True,
        "supportsVariablePaging": False,
        "supportsRunInTerminalRequest": True,
        "supportsMemoryReferences": True,
        "supportsProgressReporting": False,
        "supportsInvalidatedEvent": False,
        "supportsMemoryEvent": False,
        "supportsArgsCanBeInterpretedByShell": False,
        "supportsStartDebuggingRequest": True,
        "supportsANSIStyling": True,
    },
    timeout_s=12,
    nulls=True,
    empty={},
)

CURRENT = (VS_CODE, NVIM_DAP, DAPE, VIMSPECTOR, HELIX, ZED)
ALL = (*CURRENT, VIMSPECTOR_OLD, HELIX_OLD)
