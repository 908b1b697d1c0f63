"""Inspects a run for the AI debugger with DAP requests: which run it is, and at which event it is stopped."""

from __future__ import annotations

from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import FrameFacts, Inspection, Query, Value, Variable

KIND = "run"
_SHOWN = ("kind", "step", "tool", "status", "exit_code")


class RunInspector:
    """Inspector of stopped runs; implements dap_ai.protocol.contracts.backend.StopInspector."""

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """Return an inspection whose `argv` is the run's path and the current event's index.

        Raises RequestFailed and NotStopped.
        """
        if not query.frames:
            return Inspection([], kind=KIND)

        async def text_of(expression: str) -> str:
            arguments = {"expression": expression, "frameId": query.frames[0].frame_id, "context": "hover"}
            return str((await request("evaluate", arguments)).get("result", ""))

        held = [Variable(name, Value(await text_of(name), "")) for name in _SHOWN]
        frames = [FrameFacts(frame.frame_id, "", "", 0) for frame in query.frames]
        frames[0].locals = [variable for variable in held if variable.value.text not in ("", "null", "None")]
        argv = [await text_of("run.path"), await text_of("index")]
        return Inspection(frames, kind=KIND, argv=argv, against=await text_of("run.against"))
