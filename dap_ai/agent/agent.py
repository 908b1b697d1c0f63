"""The loop in which a model investigates: ask it, do what it calls, tell it what came of it, until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from dap_ai.agent.model import Call, Message, Model, ModelError, Reasoning, Reply, Schema, Text
from dap_ai.agent.prices import cost_usd
from dap_ai.agent.prompts import wording
from dap_ai.agent.shrinking import shrink
from dap_ai.protocol.ask import Usage
from dap_ai.protocol.debugger import Sink
from dap_ai.protocol.lending import EDITOR

_THINKING_S = 2.0
"""A status tells at most so often that the model is thinking."""
_CUT = {"length": "it has reached its limit of tokens", "content_filter": "the endpoint's filter stopped it"}


class Toolbox(Protocol):
    """The tools that a model may call in one ask."""

    @property
    def schemas(self) -> Sequence[Schema]:
        """What the model is told of them."""
        ...

    @property
    def reported(self) -> bool:
        """The model has called `report`, and nothing of it was refused: with text beside it, the answer is complete."""
        ...

    async def call(self, call: Call) -> str:
        """The result for the model; a refusal or a mistake is a result too."""
        ...


class Record(Protocol):
    """Where a conversation is written while it is made."""

    def keep(self, message: Message, reply: Reply | None = None) -> None:
        """Writes one message, at once; `reply`: what it cost."""
        ...


@dataclass
class Budget:
    """What one ask may cost; 0 means without limit."""

    calls: int = 60
    tokens: int = 400_000
    seconds: float = 250.0
    usd: float = 0.0
    began: float = field(default_factory=time.monotonic)
    waited_s: Callable[[], float] = lambda: 0.0
    """Of that time, how long the user was waited for: it does not count."""

    def used_up(self, usage: Usage) -> str:
        """Which limit is reached; empty: none."""
        spent = time.monotonic() - self.began - self.waited_s()
        limits = (
            (self.calls, usage.tool_calls, "tool calls"),
            (self.tokens, usage.input_tokens + usage.output_tokens, "tokens"),
            (self.seconds, spent, "seconds"),
            (self.usd, usage.cost_usd, "dollars"),
        )
        return next((f"{most:g} {what}" for most, used, what in limits if most and used >= most), "")


@dataclass
class Talk:
    """What the loop works on: the messages grow, the usage counts."""

    model: Model
    messages: list[Message]
    toolbox: Toolbox
    budget: Budget
    sink: Sink
    usage: Usage
    record: Record
    limit: str = ""
    """The budget that ended it."""
    mask: Callable[[Message], Message] = lambda message: message
    """Takes the secrets out of a message."""


async def investigate(talk: Talk) -> str:
    """The model's answer; its text goes to the sink as it comes. Raises ModelError."""
    answer, nudged = "", False
    while True:
        talk.limit = talk.budget.used_up(talk.usage)
        if talk.limit:
            return answer + await _last_words(talk)
        reply = await _query(talk, talk.toolbox.schemas)
        add(talk, reply.message(), reply)
        answer += _paragraph(talk, reply.text)
        for call in reply.calls:
            add(talk, {"role": "tool", "tool_call_id": call.id, "content": await _result(talk, call)})
        if answer.strip() and (not reply.calls or _is_end(talk, reply)):
            return answer
        if not reply.calls:
            if nudged:
                raise ModelError("request", f"{talk.model.name} answers with nothing: try again, or another --model.")
            nudged = True
            add(talk, {"role": "user", "content": wording("empty")})


async def _last_words(talk: Talk) -> str:
    """What the model says when its budget is used up. Calls are not made, nor kept: they would have no result."""
    add(talk, {"role": "user", "content": wording("budget", limit=talk.limit)})
    reply = await _query(talk, [])
    text = reply.text
    if not text.strip():
        text = f"The budget of this question is used up ({talk.limit}), and the model came to no answer."
        talk.sink.emit("answer", text)
    add(talk, {"role": "assistant", "content": text}, reply)
    return _paragraph(talk, text)


async def _result(talk: Talk, call: Call) -> str:
    limit = talk.budget.used_up(talk.usage)
    return f"Not run: the budget is used up ({limit})." if limit else await talk.toolbox.call(call)


def _paragraph(talk: Talk, text: str) -> str:
    """The text up to an empty line, which goes to the sink where it is missing: what follows is another paragraph."""
    if not text or text.endswith("\n\n"):
        return text
    gap = "\n" if text.endswith("\n") else "\n\n"
    talk.sink.emit("answer", gap)
    return text + gap


def add(talk: Talk, message: Message, reply: Reply | None = None) -> None:
    """Appends a message to the conversation and to its record."""
    message = talk.mask(message)
    talk.messages.append(message)
    talk.record.keep(message, reply)


def _is_end(talk: Talk, reply: Reply) -> bool:
    """Whether an answer came together with its report: nothing is left to ask."""
    return bool(reply.text.strip()) and {c.name for c in reply.calls} == {"report"} and talk.toolbox.reported


async def _query(talk: Talk, tools: Sequence[Schema]) -> Reply:
    try:
        return await _stream(talk, tools)
    except ModelError as error:
        if error.trouble != "overflow" or not shrink(talk.messages):
            raise
        talk.sink.emit("status", "the conversation is too long for the model: its older parts are shortened")
        return await _stream(talk, tools)


async def _stream(talk: Talk, tools: Sequence[Schema]) -> Reply:
    thought, told, reply = 0, 0.0, Reply()
    async with aclosing(talk.model.stream(talk.messages, tools)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Text):
                talk.sink.emit("answer", piece.text)
            elif isinstance(piece, Reasoning):
                thought += len(piece.text)
                if time.monotonic() - told > _THINKING_S:
                    told = time.monotonic()
                    talk.sink.emit("status", f"the model is thinking ({thought} characters)")
            else:
                reply = piece
    if reply.finish in _CUT:
        talk.sink.emit("status", f"the model's reply is cut off ({_CUT[reply.finish]})")
    usage = talk.usage
    usage.model = usage.model or reply.model
    usage.model_calls += 1
    usage.input_tokens += reply.input_tokens
    usage.output_tokens += reply.output_tokens
    if talk.model.provider != EDITOR:  # its user pays for it in another way
        usage.cost_usd += cost_usd(reply.model or talk.model.name, reply)
    return reply
