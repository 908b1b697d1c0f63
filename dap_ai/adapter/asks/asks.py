"""Running asks (questions), and the messages that carry an answer to the client.

An ask never delays its response: dap_ai responds at once and streams the answer. There are two channels:

    request    `ask`: events `askOutput` and `askEnded` (only to a client that sent it, or requests `askEvents`), and
               DAP's progress events if the client shows progress
    console    `??`: `output` events of category "console", whole lines of plain text

A piece of the answer waits at most FLUSH_S for the next piece, and waiting pieces are sent together. An answer
therefore takes linear time and few messages, however small its pieces are.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from dap_ai.adapter.asks.ask_console import CATEGORY
from dap_ai.adapter.asks.plain_text import PlainText, plain_line
from dap_ai.adapter.state.effects import AgentOutput, CancelTimer, Effect, SetTimer
from dap_ai.adapter.state.outbox import Message
from dap_ai.protocol.contracts.question import AcceptedAsk, Answer
from dap_ai.protocol.wire.ask_messages import AskEnded, AskOutput, EndReason
from dap_ai.protocol.wire.report import Report
from dap_ai.protocol.wire.visible import visible

FLUSH_S = 0.04
FLUSH = "asks.flush:"
LIMIT = "asks.limit:"
_STARTS = "looking at the program"
"""First progress message. It omits the question, which may contain a secret and is not masked yet."""

Channel = Literal["request", "console"]


class AskState(msgspec.Struct):
    """A running ask: a question and its answer up to now."""

    ask: AcceptedAsk
    channel: Channel
    events: bool
    """Whether to send `askOutput` and `askEnded` events."""
    progress: bool
    """Whether to send DAP's progress events."""
    guest: str = ""
    """The guest that asks; empty if the session's own client asks."""
    pieces: list[str] = []
    """The pieces of the answer so far."""
    sent: int = 0
    """Number of pieces of the answer that were sent."""
    plain: PlainText = msgspec.field(default_factory=PlainText)
    category: str = CATEGORY
    """Output category of the answer's console lines."""
    is_decided: bool = False
    """Whether the console has just shown the user's decision on an action, so that the next status repeats it."""


class AskRecord(NamedTuple):
    """A copy of the state of `Asks` at one moment."""

    running: dict[str, AskState]
    conversations: dict[str, str]
    consoles: dict[str, str]


class Asks:
    """A session's running asks (questions) by id, and its conversations."""

    def __init__(self) -> None:
        self.running: dict[str, AskState] = {}
        self.conversations: dict[str, str] = {}
        """Maps each conversation to its client. An empty string stands for the session's own client."""
        self.consoles: dict[str, str] = {}
        """Maps each client to the conversation in its console. An empty string stands for the session's own client."""
        self.mark = ""
        """Part of every id, which distinguishes sessions that share a client."""
        self._asks = 0
        self._conversations = 0

    def record(self) -> AskRecord:
        """Return a copy of the current state, which `restore` accepts."""
        return AskRecord(dict(self.running), dict(self.conversations), dict(self.consoles))

    def restore(self, record: AskRecord) -> tuple[set[str], set[str]]:
        """Restore a recorded state. Return (ids of asks begun since the record, ids of asks ended since then)."""
        begun, ended = self.running.keys() - record.running, record.running.keys() - self.running
        self.running = dict(record.running)
        self.conversations, self.consoles = dict(record.conversations), dict(record.consoles)
        return begun, ended

    def guest_of(self, ask_id: str) -> str:
        """Return the guest that asked. Empty if the session's own client asked, or the ask has ended."""
        state = self.running.get(ask_id)
        return state.guest if state else ""

    def new_conversation(self, guest: str) -> str:
        """Start a conversation with a client and return its id."""
        self._conversations += 1
        conversation_id = f"conversation-{self.mark}{self._conversations}"
        self.conversations[conversation_id] = guest
        return conversation_id

    def forget(self, guest: str) -> list[str]:
        """Forget a guest that has left. Return the ids of its conversations, which end."""
        self.consoles.pop(guest, None)
        theirs = [conversation_id for conversation_id, owner in self.conversations.items() if owner == guest]
        for conversation_id in theirs:
            del self.conversations[conversation_id]
        return theirs

    def new_ask_id(self) -> str:
        """Return a new ask id. Its prefix distinguishes it from an adapter's progress id."""
        self._asks += 1
        return f"dap-ai-ask-{self.mark}{self._asks}"

    def in_conversation(self, conversation_id: str) -> AskState | None:
        """Return the ask that runs in a conversation, or None."""
        return next((s for s in self.running.values() if s.ask.conversation_id == conversation_id), None)

    def started(self, state: AskState) -> list[Message]:
        """Register an ask that starts, and return its first messages."""
        self.running[state.ask.ask_id] = state
        if not state.progress:
            return []
        start = {"progressId": state.ask.ask_id, "title": "dap_ai", "cancellable": True, "message": _STARTS}
        return [("progressStart", start)]

    def output(self, piece: AgentOutput) -> tuple[list[Message], list[Effect]]:
        """Return the messages to send and the effects to carry out for a piece of the agent's output."""
        state = self.running.get(piece.ask_id)
        if state is None:
            return [], []
        if piece.category == "answer":
            state.pieces.append(piece.output)
            return [], [SetTimer(FLUSH + piece.ask_id, FLUSH_S)] if len(state.pieces) - state.sent == 1 else []
        messages = self.flush(piece.ask_id)
        if state.events:
            messages.append(("askOutput", AskOutput(piece.ask_id, piece.category, piece.output, piece.tool)))
        if state.channel == "console" and piece.output.strip() and not _is_reported(state, piece):
            line = plain_line(piece.output.strip().replace("\n", " "))
            messages.append(console_line(f"· {line}\n", state.category))
        if state.progress and piece.output.strip():
            update = {"progressId": piece.ask_id, "message": piece.output.strip().split("\n")[0][:120]}
            messages.append(("progressUpdate", update))
        return messages, []

    def flush(self, ask_id: str) -> list[Message]:
        """Return the messages for the answer's text that has not been sent yet."""
        state = self.running.get(ask_id)
        if state is None or state.sent == len(state.pieces):
            return []
        text = "".join(state.pieces[state.sent :])
        state.sent = len(state.pieces)
        messages: list[Message] = []
        if state.events:
            messages.append(("askOutput", AskOutput(ask_id, "answer", text)))
        if state.channel == "console" and (plain := state.plain.feed(text)):
            messages.append(console_line(plain, state.category))
        return messages

    def ended(self, ask_id: str, reason: EndReason, answer: Answer | None, why: str = "") -> list[Message]:
        """End an ask and return its last messages. Return no messages if the ask has ended before.

        If there is no answer, the client gets the text `why`.
        """
        state = self.running.get(ask_id)
        if state is None:
            return []
        messages = self.flush(ask_id)
        del self.running[ask_id]
        answer, why = answer or Answer(), visible(why)
        text = answer.text or "".join(state.pieces)
        if why and not text.strip():
            text = why
        if state.events:
            messages.append(
                (
                    "askEnded",
                    AskEnded(
                        ask_id=ask_id,
                        conversation_id=state.ask.conversation_id,
                        reason=reason,
                        stale=answer.stale,
                        answer=text,
                        usage=answer.usage,
                        evidence=answer.evidence,
                        suspects=answer.suspects,
                        fixes=answer.fixes,
                        path=answer.path or msgspec.UNSET,
                        gist=answer.gist or msgspec.UNSET,
                        error=visible(answer.error) or (why if reason == "failed" else ""),
                        trouble=answer.trouble or msgspec.UNSET,
                        masked=answer.masked,
                        report=Report(effect=answer.effect, sections=answer.sections, cause=answer.cause)
                        if answer.sections
                        else msgspec.UNSET,
                    ),
                )
            )
        if state.channel == "console":
            rest = state.plain.finish()
            closing = "" if reason == "completed" else f"[{reason}{': ' + why if why else ''}]\n"
            if rest or closing:
                messages.append(console_line(rest + closing, state.category))
        if state.progress:
            messages.append(("progressEnd", {"progressId": ask_id}))
        return messages

    def timers(self, ask_id: str) -> list[Effect]:
        """Return the effects that cancel the timers of an ended ask."""
        return [CancelTimer(FLUSH + ask_id), CancelTimer(LIMIT + ask_id)]


def console_line(text: str, category: str = CATEGORY) -> Message:
    """Return an `output` event that shows whole lines in the console."""
    return ("output", {"category": category, "output": visible(text)})


def _is_reported(state: AskState, piece: AgentOutput) -> bool:
    """Whether this status repeats a decision that the console has just shown. True once per decision."""
    is_said = state.is_decided and piece.category == "status"
    state.is_decided = state.is_decided and not is_said
    return is_said
