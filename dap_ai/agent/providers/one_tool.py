"""A question that one tool answers, without a model."""

from __future__ import annotations

from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.table import run
from dap_ai.protocol.contracts.asking import Answer
from dap_ai.protocol.contracts.debugger import Sink
from dap_ai.protocol.contracts.tools import Arguments
from dap_ai.protocol.wire.ask import Usage

OFFLINE = "offline"
"""Who has answered, as in `usage.provider`."""


async def use(call: Arguments, bench: Bench, sink: Sink) -> Answer:
    """What one tool gives, as the answer."""
    result = await run(bench, call)
    if result.status:
        sink.emit("status", result.status)
    sink.emit("answer", result.text.rstrip() + "\n")
    return Answer(suspects=result.suspects, fixes=result.fixes, usage=Usage(provider=OFFLINE))
