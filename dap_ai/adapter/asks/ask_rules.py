"""Decides whether dap_ai accepts a question now, and which stop the question is about. Has no side effects."""

from __future__ import annotations

import msgspec

from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.state.debuggee import DebuggeeState, Phase
from dap_ai.adapter.state.forwarding_rules import Refusal
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.ask_messages import LEVELS, AskArguments, Earlier, Level
from dap_ai.protocol.wire.dap_messages import StoppedBody
from dap_ai.protocol.wire.errors import ASK_IN_PROGRESS, BAD_ASK, ENDED, NOT_STARTED, NOT_STOPPED, STALE_FRAME
from dap_ai.protocol.wire.visible import without_colours

MAX_QUESTION_CHARS = 20_000
MAX_EARLIER_CHARS = 200_000
MAX_EARLIER_FRAMES = 1000
RELATIVE = "relative:"
"""Prefix of a guest id under which a related session forwards its client's questions."""


def refuse(
    arguments: AskArguments, asks: Asks, state: DebuggeeState, guest: str = "", *, knows_caught: bool = False
) -> Refusal | None:
    """Return why a question is refused, or None if the question is accepted.

    `guest` is empty if the session's own client asks. While nothing is stopped, a follow-up in the client's own
    conversation is accepted, because conversation, source and output suffice to answer. So is a question about a caught
    exception (`knows_caught`).
    """
    if len(arguments.question) > MAX_QUESTION_CHARS:
        return Refusal(BAD_ASK, {"reason": f"The question is longer than {MAX_QUESTION_CHARS} characters."})
    conversation_id = arguments.conversation_id
    if arguments.earlier is not None:
        return _refuse_earlier(arguments, state, guest)
    if conversation_id is not None:
        if asks.conversations.get(conversation_id) != guest:
            return Refusal(BAD_ASK, {"reason": f"There is no conversation {conversation_id}."})
        running = asks.in_conversation(conversation_id)
        if running is not None:
            return Refusal(ASK_IN_PROGRESS, {"askId": running.ask.ask_id})
    if not state.stopped:
        if conversation_id is not None or knows_caught:
            return None
        if state.phase is Phase.RUNNING:
            return Refusal(NOT_STOPPED, {})
        return Refusal(ENDED if state.phase is Phase.ENDED else NOT_STARTED, {})
    if arguments.frame_id is not None and arguments.frame_id not in state.frames:
        return Refusal(STALE_FRAME, {"frameId": str(arguments.frame_id)})
    if arguments.thread_id is not None and not state.thread_stopped(arguments.thread_id):
        return Refusal(NOT_STOPPED, {})
    return None


def _refuse_earlier(arguments: AskArguments, state: DebuggeeState, guest: str) -> Refusal | None:
    """Return why a question that continues an ended session's conversation is refused, or None if it is accepted."""
    earlier = arguments.earlier or Earlier()
    chars = len(earlier.output) + sum(len(turn.question) + len(turn.answer) for turn in earlier.turns)
    if guest or arguments.conversation_id is not None or state.phase is not Phase.CREATED:
        return Refusal(BAD_ASK, {"reason": "`earlier` begins a conversation on a connection that nothing runs on."})
    if earlier.caught and not 0 < len(earlier.caught.frames) <= MAX_EARLIER_FRAMES:
        return Refusal(BAD_ASK, {"reason": f"`caught` has no frames, or more than {MAX_EARLIER_FRAMES}."})
    if chars > MAX_EARLIER_CHARS:
        return Refusal(BAD_ASK, {"reason": f"`earlier` is longer than {MAX_EARLIER_CHARS} characters."})
    return None


def stop_of(arguments: AskArguments, state: DebuggeeState) -> StopEvent | None:
    """Return the stop of the question's frame or thread, else the newest stop. None if nothing is stopped."""
    newest = state.last_stop()
    if newest is None:
        return None
    thread_id = newest.thread_id
    if arguments.thread_id is not None:
        thread_id = arguments.thread_id
    if arguments.frame_id is not None:
        thread_id = state.frames[arguments.frame_id] or thread_id
    why = state.stops.get(thread_id) or StoppedBody(reason="pause", thread_id=thread_id)
    return StopEvent(
        epoch=state.epoch,
        thread_id=thread_id,
        frame_id=arguments.frame_id,
        reason=why.reason,
        description=without_colours(why.description),
        text=without_colours(why.text),
        stopped_threads=tuple(state.stops),
        edits=tuple(state.edits) or msgspec.UNSET,
        hit=tuple(state.hit) or msgspec.UNSET,
    )


def has_joined(guest: str) -> bool:
    """Whether this guest is a client that joined the session, and not a related session."""
    return bool(guest) and not guest.startswith(RELATIVE)


def highest(allowed: Level, *, joined: bool) -> Level:
    """Return the highest level that a client may use. A client that has joined may change nothing."""
    return lower("compute", allowed) if joined else allowed


def lower(asked: Level | None, allowed: Level) -> Level:
    """Return the requested level, or the allowed level if that is lower or no level is requested."""
    return LEVELS[min(LEVELS.index(asked or allowed), LEVELS.index(allowed))]
