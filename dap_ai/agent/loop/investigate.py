"""The agent loop: sends messages to the model, runs its tool calls and returns their results until it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import msgspec

from dap_ai.agent.case.value_texts import CHARS_PER_TOKEN
from dap_ai.agent.loop.conversation import shrink
from dap_ai.agent.loop.prices import cost_usd
from dap_ai.agent.loop.repeating import RepetitionFilter, Rounds, is_same
from dap_ai.agent.loop.toolbox import Toolbox
from dap_ai.agent.loop.transcript_file import Transcript
from dap_ai.agent.model_port import Message, Model, ModelError, Reasoning, Reply, Schema, Text, ToolCall
from dap_ai.agent.prompts import wording
from dap_ai.protocol.contracts.debugger import Sink
from dap_ai.protocol.wire.ask_messages import Usage
from dap_ai.protocol.wire.lent_replies import EDITOR
from dap_ai.protocol.wire.safe import SafeFields

_FIRST_WAIT_S = 5.0
"""Seconds to wait for the model before the first status message."""
_THINKING_S = 2.0
"""Minimum seconds between two status messages about a model that is thinking."""
_REPEATS = "repeats"
"""Finish reason of a reply that the loop cut off because it repeats itself."""
_STOPPED = "*The model repeats itself, and was stopped: what stands above is all that it found.*\n\n"
_WITHOUT_TOOLS = "*The model repeats itself: it answers without tools from here on.*\n\n"
_REPLY_TOKENS, _RESULT_TOKENS = 900, 1_000
"""Tokens to reserve for one reply and for one tool result."""
_CUT = {"length": "it has reached its limit of tokens", "content_filter": "the endpoint's filter stopped it"}


@dataclass
class AskBudget:
    """Limits of one question; 0 means no limit."""

    calls: int = 60
    tokens: int = 400_000
    seconds: float = 250.0
    usd: float = 0.0
    whole: int = 0
    """Maximum tokens including the last reply. The loop requests the last reply while it still fits."""
    began: float = field(default_factory=time.monotonic)
    waited_s: Callable[[], float] = lambda: 0.0
    """Function that returns the seconds spent waiting for the user's consent. This time does not count."""

    def used_up(self, usage: Usage, ahead: int = 0) -> str:
        """Returns the limit that is reached; empty if no limit is.

        `ahead` is the number of tokens to reserve within `whole`.
        """
        spent = time.monotonic() - self.began - self.waited_s()
        limits = (
            (self.calls, usage.tool_calls, "tool calls"),
            (self.tokens, usage.input_tokens + usage.output_tokens, "tokens"),
            (self.whole, usage.input_tokens + usage.output_tokens + ahead, "tokens"),
            (self.seconds, spent, "seconds"),
            (self.usd, usage.cost_usd, "dollars"),
        )
        return next((f"{most:g} {what}" for most, used, what in limits if most and used >= most), "")


@dataclass
class Talk:
    """State of one run of the loop. Messages and usage grow with each query."""

    model: Model
    messages: list[SafeFields]
    toolbox: Toolbox
    budget: AskBudget
    sink: Sink
    usage: Usage
    record: Transcript
    mask: Callable[[Message], SafeFields]
    """Function that masks the secrets in a message."""
    limit: str = ""
    """The limit that ended the loop; empty if no limit did."""
    sent_chars: int = 0
    """Characters of all messages and tool schemas sent so far."""

    def ahead(self, queries: int) -> int:
        """Estimates the tokens of `queries` more queries to the model; 0 before the first query.

        If the endpoint counts no tokens, the estimate includes the queries already made.
        """
        if not self.usage.model_calls:
            return 0
        counted = self.usage.input_tokens
        rate = counted / self.sent_chars if counted else 1 / CHARS_PER_TOKEN
        before = 0 if counted else int(rate * self.sent_chars)
        return before + queries * (int(rate * _size(self.messages, self.toolbox.schemas)) + _REPLY_TOKENS)


async def investigate(talk: Talk) -> str:
    """Runs the loop and returns the model's answer. Sends its text to the sink as it arrives. Raises ModelError."""
    answer, nudged, before, changes = "", False, Reply(), 0
    while True:
        talk.limit = talk.budget.used_up(talk.usage, talk.ahead(2))
        if talk.limit:
            nothing = f"The budget of this question is used up ({talk.limit}), and the model came to no answer."
            return answer + await _last_words(talk, wording("budget", limit=talk.limit), nothing)
        reply = await _query(talk, talk.toolbox.schemas, before.text)
        said = "" if reply.text == before.text else _paragraph(talk, reply.text)
        if reply.finish == _REPEATS or (is_same(reply, before) and talk.toolbox.changes == changes):
            return await _stopped(talk, answer + said, reply)
        add(talk, reply.message(), reply)
        answer, before, changes = answer + said, reply, talk.toolbox.changes
        for call in reply.calls:
            add(talk, {"role": "tool", "tool_call_id": call.id, "content": await _result(talk, call)})
        if answer.strip() and (not reply.calls or _is_end(talk, reply)):
            return answer
        if not reply.calls:
            if nudged:
                raise ModelError("request", f"{talk.model.name} answers with nothing: try again, or another --model.")
            nudged = True
            add(talk, {"role": "user", "content": wording("empty")})


async def _last_words(talk: Talk, why: str, nothing: str = "") -> str:
    """Tells the model `why` this reply is the last, requests it without tools, and returns it.

    Ignores tool calls in the reply. Returns `nothing` for an empty reply. Raises ModelError if the query fails, or if
    both the reply and `nothing` are empty.
    """
    add(talk, {"role": "user", "content": why})
    reply = await _query(talk, [])
    text = reply.text
    if not text.strip():
        text = nothing
        if not text:
            raise _repeats(talk)
        talk.sink.emit("answer", text)
    add(talk, {"role": "assistant", "content": text}, reply)
    return _paragraph(talk, text)


async def _stopped(talk: Talk, answer: str, reply: Reply) -> str:
    """Ends the loop for a model that repeats itself, and returns its answer.

    If the model still calls tools, first requests a last reply without tools. Raises ModelError if there is no answer.
    """
    if reply.finish != _REPEATS and "report" not in {call.name for call in reply.calls}:
        talk.record.keep(reply.message(), reply)
        talk.sink.emit("answer", _WITHOUT_TOOLS)
        return answer + _WITHOUT_TOOLS + await _last_words(talk, wording("repeats"))
    if not answer.strip():
        raise _repeats(talk)
    add(talk, {"role": "assistant", "content": reply.text or answer}, reply)
    talk.sink.emit("answer", _STOPPED)
    return answer + _STOPPED


def _repeats(talk: Talk) -> ModelError:
    return ModelError("request", f"{talk.model.name} repeats itself: try again, or another --model.")


async def _result(talk: Talk, call: ToolCall) -> str:
    limit = talk.budget.used_up(talk.usage, talk.ahead(1) + _RESULT_TOKENS)
    return f"Not run: the budget is used up ({limit})." if limit else await talk.toolbox.call(call)


def _show(talk: Talk, text: str) -> None:
    if text:
        talk.sink.emit("answer", text)


def _paragraph(talk: Talk, text: str) -> str:
    """Returns the text with an empty line at its end. If the line was missing, also sends it to the sink."""
    if not text or text.endswith("\n\n"):
        return text
    gap = "\n" if text.endswith("\n") else "\n\n"
    talk.sink.emit("answer", gap)
    return text + gap


def add(talk: Talk, message: Message, reply: Reply | None = None) -> None:
    """Appends a message to the conversation and to the transcript."""
    safe = talk.mask(message)
    talk.messages.append(safe)
    talk.record.keep(safe, reply)


def _size(messages: Sequence[SafeFields], tools: Sequence[Schema]) -> int:
    """Returns the length of a request's messages and tool schemas as JSON."""
    return len(msgspec.json.encode(messages)) + len(msgspec.json.encode(tools))


def _is_end(talk: Talk, reply: Reply) -> bool:
    """Whether a reply contains both an answer and an accepted report, so that the loop can end."""
    return bool(reply.text.strip()) and {c.name for c in reply.calls} == {"report"} and talk.toolbox.reported


async def _query(talk: Talk, tools: Sequence[Schema], before: str = "") -> Reply:
    """Queries the model. If the conversation is too long for the model, shortens it and retries once.

    `before` is the text of the previous reply, which the user does not see again.
    """
    try:
        return await _stream(talk, tools, before)
    except ModelError as error:
        if error.trouble != "overflow" or not shrink(talk.messages):
            raise
        talk.sink.emit("status", "the conversation is too long for the model: its older parts are shortened")
        return await _stream(talk, tools, before)


async def _say_waiting(talk: Talk) -> None:
    """Sends status messages about the wait for the model, at growing intervals."""
    waited_s = 0.0
    while True:
        pause_s = max(_FIRST_WAIT_S, waited_s)
        await asyncio.sleep(pause_s)
        waited_s += pause_s
        talk.sink.emit("status", f"waiting for {talk.model.name or 'the model'} ({waited_s:.0f} s)")


@asynccontextmanager
async def _cancelled(task: asyncio.Task[None]) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        task.cancel()


async def _stream(talk: Talk, tools: Sequence[Schema], before: str) -> Reply:
    thought, told, said, reply = 0, 0.0, "", Reply()
    talk.sent_chars += _size(talk.messages, tools)
    held, rounds = RepetitionFilter(before), Rounds()
    waiting = asyncio.create_task(_say_waiting(talk))
    async with aclosing(talk.model.stream(talk.messages, tools)) as pieces, _cancelled(waiting):
        async for piece in pieces:
            waiting.cancel()
            if not isinstance(piece, Reply) and rounds.take(piece.text):
                reply = Reply(said, finish=_REPEATS)
                break
            if isinstance(piece, Text):
                said += piece.text
                _show(talk, held.take(piece.text))
            elif isinstance(piece, Reasoning):
                thought += len(piece.text)
                if time.monotonic() - told > _THINKING_S:
                    told = time.monotonic()
                    talk.sink.emit("status", f"the model is thinking ({thought} characters)")
            else:
                reply = piece
    _show(talk, held.end())
    if reply.finish in _CUT:
        talk.sink.emit("status", f"the model's reply is cut off ({_CUT[reply.finish]})")
    usage = talk.usage
    usage.model = reply.model or usage.model
    usage.model_calls += 1
    usage.input_tokens += reply.input_tokens
    usage.output_tokens += reply.output_tokens
    if talk.model.provider != EDITOR:  # its user does not pay per token
        usage.cost_usd += await asyncio.to_thread(cost_usd, reply.model or talk.model.name, reply)
    return reply
