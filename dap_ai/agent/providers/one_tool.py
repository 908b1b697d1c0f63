"""A question that one tool answers, without a model."""

from __future__ import annotations

from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.table import run
from dap_ai.protocol.ask import Usage
from dap_ai.protocol.asking import Answer, ToolCall
from dap_ai.protocol.debugger import Sink

OFFLINE = "offline"
"""Who has answered, as in `usage.provider`."""


async def use(call: ToolCall, bench: Bench, sink: Sink) -> Answer:
    """What one tool gives, as the answer."""
    result = await run(bench, call)
    if result.status:
        sink.emit("status", result.status)
    text = result.text.rstrip() + "\n"
    sink.emit("answer", text)
    return Answer(text=text, suspects=result.suspects, fixes=result.fixes, usage=Usage(provider=OFFLINE))
