"""Questions from acceptance to answer: accepted -> running -> ended, and how the answer reaches the client.

An ask never holds its response: it answers at once and streams. Two channels:

    request    `ask`: events askOutput and askEnded (only to a client that has asked, or wants askEvents), and DAP's
               progress events where the client shows progress
    console    `??`: `output` events of category "console", whole lines of plain text

Text is coalesced: a piece of the answer waits at most FLUSH_S for the next one, so that an answer costs linear time
and few messages however small the pieces are.
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
from dap_ai.protocol.wire.visible import visible

FLUSH_S = 0.04
FLUSH = "asks.flush:"
LIMIT = "asks.limit:"
_STARTS = "looking at the program"
"""Not the question: a secret may stand in it, and it is not masked yet."""

Channel = Literal["request", "console"]


class AskState(msgspec.Struct):
    """An ask that has not ended."""

    ask: AcceptedAsk
    channel: Channel
    events: bool
    """Send askOutput and askEnded."""
    progress: bool
    """Send DAP's progress events."""
    guest: str = ""
    """The joined client that asks; empty: the session's own."""
    pieces: list[str] = []
    """The answer so far."""
    sent: int = 0
    """So many pieces of it were sent."""
    plain: PlainText = msgspec.field(default_factory=PlainText)
    category: str = CATEGORY
    """Of its lines in the console."""
    is_decided: bool = False
    """The console has just answered its request for confirmation, and said so: the next status repeats it."""


class AskRecord(NamedTuple):
    """How `Asks` stood at one time."""

    running: dict[str, AskState]
    conversations: dict[str, str]
    consoles: dict[str, str]


class Asks:
    """The asks of a session that are running, by id, and its conversations."""

    def __init__(self) -> None:
        self.running: dict[str, AskState] = {}
        self.conversations: dict[str, str] = {}
        """By id: the joined client whose it is; the session's own is the empty name."""
        self.consoles: dict[str, str] = {}
        """The conversation in each client's console; the session's own client is the empty name."""
        self.mark = ""
        """In every id: keeps those of sessions apart that share a client."""
        self._asks = 0
        self._conversations = 0

    def record(self) -> AskRecord:
        """How they stand, for `restore`."""
        return AskRecord(dict(self.running), dict(self.conversations), dict(self.consoles))

    def restore(self, record: AskRecord) -> tuple[set[str], set[str]]:
        """As they stood; the ids of asks that have begun since, which are forgotten, and of those that had ended."""
        begun, ended = self.running.keys() - record.running, record.running.keys() - self.running
        self.running = dict(record.running)
        self.conversations, self.consoles = dict(record.conversations), dict(record.consoles)
        return begun, ended

    def guest_of(self, ask_id: str) -> str:
        """Who asks: a joined client; empty: the session's own, or nobody any more."""
        state = self.running.get(ask_id)
        return state.guest if state else ""

    def new_conversation(self, guest: str) -> str:
        """The id of a fresh conversation with a client."""
        self._conversations += 1
        conversation_id = f"conversation-{self.mark}{self._conversations}"
        self.conversations[conversation_id] = guest
        return conversation_id

    def forget(self, guest: str) -> list[str]:
        """A joined client is gone: the conversations that it had, which end."""
        self.consoles.pop(guest, None)
        theirs = [conversation_id for conversation_id, owner in self.conversations.items() if owner == guest]
        for conversation_id in theirs:
            del self.conversations[conversation_id]
        return theirs

    def new_ask_id(self) -> str:
        """A fresh ask id; the prefix keeps it apart from an adapter's own progress ids."""
        self._asks += 1
        return f"dap-ai-ask-{self.mark}{self._asks}"

    def in_conversation(self, conversation_id: str) -> AskState | None:
        """The running ask of a conversation."""
        return next((s for s in self.running.values() if s.ask.conversation_id == conversation_id), None)

    def started(self, state: AskState) -> list[Message]:
        """The ask runs."""
        self.running[state.ask.ask_id] = state
        if not state.progress:
            return []
        start = {"progressId": state.ask.ask_id, "title": "dap_ai", "cancellable": True, "message": _STARTS}
        return [("progressStart", start)]

    def output(self, piece: AgentOutput) -> tuple[list[Message], list[Effect]]:
        """Something of the agent for the client."""
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
        """The text that waited."""
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
        """The ask's last messages; nothing if it has ended before. `why` is told where no answer is."""
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
        """What to cancel once an ask has ended."""
        return [CancelTimer(FLUSH + ask_id), CancelTimer(LIMIT + ask_id)]


def console_line(text: str, category: str = CATEGORY) -> Message:
    """Whole lines for the console."""
    return ("output", {"category": category, "output": visible(text)})


def _is_reported(state: AskState, piece: AgentOutput) -> bool:
    """Whether it is the status of a decision that the console itself has just been told of; once."""
    is_said = state.is_decided and piece.category == "status"
    state.is_decided = state.is_decided and not is_said
    return is_said
