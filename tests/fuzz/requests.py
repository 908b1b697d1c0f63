"""Every request that a client may send: DAP 1.71's, vendors', ours, adapters' own, and what nobody knows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple


class Known(NamedTuple):
    """What a client has learnt of its session: ids that may be right."""

    thread: int = 1
    frame: int = 1
    reference: int = 1
    program: str = "x"
    line: int = 1


Arguments = Callable[[Known], Any]
_THREAD: Arguments = lambda known: {"threadId": known.thread}  # noqa: E731  one line each is the table's form
_FRAME: Arguments = lambda known: {"frameId": known.frame}  # noqa: E731  the same
_NONE: Arguments = lambda _known: {}  # noqa: E731  the same


def _evaluate(expression: str, context: str) -> Arguments:
    return lambda known: {"expression": expression, "frameId": known.frame, "context": context}


_MEMORY: Arguments = lambda known: {"memoryReference": "0x1000", "offset": 0, "count": 16, "data": "AAAA"}  # noqa: E731

REQUESTS: list[tuple[str, Arguments]] = [
    ("initialize", lambda _: {"adapterID": "again"}),
    ("launch", lambda known: {"program": known.program}),
    ("attach", lambda _: {"pid": -1, "processId": -1}),
    ("configurationDone", _NONE),
    ("restart", _NONE),
    ("terminate", _NONE),
    ("breakpointLocations", lambda known: {"source": {"path": known.program}, "line": known.line}),
    ("setBreakpoints", lambda known: {"source": {"path": known.program}, "breakpoints": [{"line": known.line}]}),
    ("setFunctionBreakpoints", lambda _: {"breakpoints": [{"name": "main"}]}),
    ("setExceptionBreakpoints", lambda _: {"filters": []}),
    ("dataBreakpointInfo", lambda known: {"variablesReference": known.reference, "name": "x"}),
    ("setDataBreakpoints", lambda _: {"breakpoints": []}),
    ("setInstructionBreakpoints", lambda _: {"breakpoints": [{"instructionReference": "0x1000"}]}),
    ("continue", _THREAD),
    ("next", _THREAD),
    ("stepIn", _THREAD),
    ("stepOut", _THREAD),
    ("stepBack", _THREAD),
    ("reverseContinue", _THREAD),
    ("restartFrame", _FRAME),
    ("goto", lambda known: {"threadId": known.thread, "targetId": 1}),
    ("pause", _THREAD),
    ("stackTrace", _THREAD),
    ("scopes", _FRAME),
    ("variables", lambda known: {"variablesReference": known.reference}),
    ("setVariable", lambda known: {"variablesReference": known.reference, "name": "x", "value": "1"}),
    ("source", lambda _: {"sourceReference": 1}),
    ("threads", _NONE),
    ("terminateThreads", lambda known: {"threadIds": [known.thread]}),
    ("modules", lambda _: {"startModule": 0, "moduleCount": 2}),
    ("loadedSources", _NONE),
    ("evaluate", _evaluate("1+1", "watch")),
    ("evaluate", _evaluate("nonsense(((", "hover")),
    ("evaluate", _evaluate("1", "clipboard")),
    ("evaluate", _evaluate("1", "an unknown context")),
    ("evaluate", _evaluate("help", "repl")),
    ("evaluate", _evaluate("??stop", "repl")),
    ("evaluate", _evaluate("??why", "repl")),
    ("setExpression", lambda known: {"expression": "x", "value": "1", "frameId": known.frame}),
    ("stepInTargets", _FRAME),
    ("gotoTargets", lambda known: {"source": {"path": known.program}, "line": known.line}),
    ("completions", lambda known: {"text": "a", "column": 2, "frameId": known.frame}),
    ("exceptionInfo", _THREAD),
    ("readMemory", _MEMORY),
    ("writeMemory", _MEMORY),
    ("disassemble", lambda _: {"memoryReference": "0x1000", "instructionCount": 2}),
    ("locations", lambda _: {"locationReference": 1}),
    ("cancel", lambda _: {"requestId": 1}),
    ("cancel", lambda _: {"progressId": "dap-ai-ask-1"}),
    ("runInTerminal", lambda _: {"cwd": "/", "args": ["true"]}),
    ("startDebugging", lambda _: {"request": "attach", "configuration": {}}),
    ("ask", lambda _: {"question": "why?"}),
    ("askTool", lambda _: {"name": "stack", "arguments": {}}),
    ("askModelDelta", lambda _: {"requestId": "dap-ai-model-1", "text": "x"}),
    ("askModelEnd", lambda _: {"requestId": "dap-ai-model-1", "calls": [{"name": "stack"}]}),
    ("askApprove", lambda _: {"approvalId": "dap-ai-approval-1", "allow": True}),
    ("askNobody", _NONE),
    ("setDebuggerProperty", lambda _: {"skipSuspendOnBreakpointException": []}),
    ("debugpySystemInfo", _NONE),
    ("pydevdAuthorize", lambda _: {"debugServerAccessToken": "x"}),
    ("compileUnits", lambda _: {"moduleId": "x"}),
    ("moduleSymbols", lambda _: {"moduleId": "x"}),
    ("_testGetTargetBreakpoints", _NONE),
    ("vendor/special", lambda _: {"x": [1, {"y": None}]}),
]

_ODD: list[Any] = [None, "", "x", -1, 0, 2**31, 2**63, 1e300, True, [], {}, [{}], {"threadId": {}}, "\u0000é\ud83d"]


def draw(rnd: random.Random, known: Known) -> tuple[str, Any]:
    """A request, with arguments that make sense three times out of four."""
    command, arguments = rnd.choice(REQUESTS)
    sensible = arguments(known)
    match rnd.randrange(8):
        case 0:
            return command, rnd.choice(_ODD)
        case 1 if sensible:
            return command, sensible | {rnd.choice(list(sensible)): rnd.choice(_ODD)}
        case _:
            return command, sensible
