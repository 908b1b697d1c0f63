"""Every request that a client can make, with good arguments and with bad ones."""

from __future__ import annotations

from pathlib import Path

from _dap import Json

PARTING = {"disconnect", "terminate"}
CHANGING = {
    "attach", "configurationDone", "continue", "disconnect", "goto", "initialize", "launch", "next", "pause", "restart",
    "restartFrame", "reverseContinue", "stepBack", "stepIn", "stepOut", "terminate", "terminateThreads",
}  # fmt: skip
"""After these the next request gets a session of its own."""
LATE = {"attach", "launch", "pause"}
"""Answered when something else has happened: only `threads` tells."""


def requests(program: Path, file: Path, line: int, known: Json) -> dict[str, tuple[str, Json | None]]:
    """Each request by a name of its own: all of DAP's, with good and with bad arguments, and some that are not."""
    thread = {"threadId": known["thread"]}
    frame = {"frameId": known["frame"]}
    source = {"path": str(file)}
    address = known.get("address", "0x0")
    plain: dict[str, Json | None] = {
        "attach": {"pid": 999999, "processId": 999999},
        "breakpointLocations": {"source": source, "line": line},
        "cancel": {"requestId": 1},
        "completions": {"text": "va", "column": 3, **frame},
        "configurationDone": None,
        "continue": thread,
        "dataBreakpointInfo": {"name": "values", "variablesReference": known["variables"]},
        "disassemble": {"memoryReference": address, "instructionCount": 4},
        "disconnect": {"terminateDebuggee": True},
        "evaluate": {"expression": "1 + 2", "context": "watch", **frame},
        "exceptionInfo": thread,
        "goto": {**thread, "targetId": 1},
        "gotoTargets": {"source": source, "line": line},
        "initialize": {"adapterID": "x"},
        "launch": {"program": str(program)},
        "loadedSources": {},
        "locations": {"locationReference": 1},
        "modules": {},
        "next": thread,
        "pause": thread,
        "readMemory": {"memoryReference": address, "count": 16},
        "restart": {},
        "restartFrame": frame,
        "reverseContinue": thread,
        "runInTerminal": {"args": ["true"], "cwd": "/"},
        "scopes": frame,
        "setBreakpoints": {"source": source, "breakpoints": [{"line": line}]},
        "setDataBreakpoints": {"breakpoints": []},
        "setExceptionBreakpoints": {"filters": []},
        "setExpression": {"expression": "values", "value": "1", **frame},
        "setFunctionBreakpoints": {"breakpoints": [{"name": "nap"}]},
        "setInstructionBreakpoints": {"breakpoints": []},
        "setVariable": {"variablesReference": known["variables"], "name": "no_such", "value": "1"},
        "source": {"source": {**source, "sourceReference": 1}, "sourceReference": 1},
        "stackTrace": thread,
        "startDebugging": {"request": "launch", "configuration": {}},
        "stepBack": thread,
        "stepIn": thread,
        "stepInTargets": frame,
        "stepOut": thread,
        "terminate": {},
        "terminateThreads": {"threadIds": [known["thread"]]},
        "threads": None,
        "variables": {"variablesReference": known["variables"]},
        "writeMemory": {"memoryReference": address, "data": "AA=="},
        "unknownRequest": {"x": 1},
        "ask": {"question": "why?"},
        "compileUnits": {"moduleId": "x"},
        "moduleSymbols": {"moduleId": "x"},
        "pydevdSystemInfo": {},
        "_testGetTargetBreakpoints": {},
    }
    odd: dict[str, tuple[str, Json | None]] = {
        "cancel of nothing": ("cancel", {}),
        "continue of no thread": ("continue", {"threadId": 424242}),
        "evaluate in repl": ("evaluate", {"expression": "help", "context": "repl", **frame}),
        "evaluate without frame": ("evaluate", {"expression": "1 + 2", "context": "hover"}),
        "exceptionInfo of no thread": ("exceptionInfo", {"threadId": 424242}),
        "next of no thread": ("next", {"threadId": 424242}),
        "next without arguments": ("next", None),
        "pause of no thread": ("pause", {"threadId": 424242}),
        "scopes of no frame": ("scopes", {"frameId": 424242}),
        "scopes without arguments": ("scopes", None),
        "setBreakpoints without source": ("setBreakpoints", {"breakpoints": []}),
        "source of nothing": ("source", {"sourceReference": 424242}),
        "stackTrace of no thread": ("stackTrace", {"threadId": 424242}),
        "stackTrace without arguments": ("stackTrace", None),
        "variables of nothing": ("variables", {"variablesReference": 424242}),
        "variables without arguments": ("variables", None),
    }
    return {name: (name, arguments) for name, arguments in plain.items()} | odd
