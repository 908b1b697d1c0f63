"""The user's own model, which the client lends for one question: `ask {providers: ["editor"]}`.

This module never retries: the editor shows errors to its user and asks for confirmation itself.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

from dap_ai.agent.model_port import ModelError, Piece, Reasoning, Reply, Schema, Text, ToolCall, Trouble
from dap_ai.protocol.contracts.debugger import StoppedSession
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.lent_replies import EDITOR, LentReply
from dap_ai.protocol.wire.safe import SafeFields

_MAX_NAME_CHARS = 80
_UNNAMED = "a model without a name"
LENT_FAILED = ", which your editor lends, failed"
LENT = "the model that your editor lends"
NOT_ALLOWED = "You have not allowed it: allow it in your editor, or choose another model there."
_TROUBLES: Mapping[str, tuple[Trouble, str]] = {
    "noPermissions": ("request", NOT_ALLOWED),
    "notFound": ("model", "Your editor no longer has it: choose another one there."),
    "blocked": ("request", "Its provider does not answer this question."),
    "quota": ("busy", "Its quota is used up for now: wait, or choose another one in your editor."),
    "overflow": ("overflow", "The conversation is too long for it."),
    "silent": ("network", ""),
    "cancelled": ("request", "It was stopped in your editor."),
}


class EditorModel:
    """Model that the user's editor lends. Replies come through `session`."""

    provider = EDITOR

    def __init__(self, name: str, session: StoppedSession) -> None:
        self.name = " ".join(name.split())[:_MAX_NAME_CHARS] or _UNNAMED
        self._session = session

    @property
    def notice(self) -> str:
        """One line that names the model and the data that is sent to the model."""
        sent = "the question, source and values of the program are sent to it, secrets masked"
        return f"{LENT}: {self.name}; {sent}"

    def warm(self) -> None:
        """Does nothing, because no preparation is needed."""

    async def close(self) -> None:
        """Does nothing, because no resource stays open."""

    async def stream(self, messages: Sequence[SafeFields], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams one reply of the lent model. Raises ModelError."""
        text = ""
        try:
            async with aclosing(self._session.lent_model(messages, tools)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, LentReply):
                        yield _reply(piece, text, self.name)
                        return
                    if piece.reasoning:
                        yield Reasoning(piece.reasoning)
                    if piece.text:
                        text += piece.text
                        yield Text(piece.text)
        except RequestFailed as error:
            raise _error(self.name, error) from error


def _reply(lent: LentReply, text: str, name: str) -> Reply:
    """Converts the editor's reply to a Reply, with a unique id for each tool call."""
    calls: list[ToolCall] = []
    for call in lent.calls:
        taken = {made.id for made in calls}
        given = call.id if call.id and call.id not in taken else f"call_{secrets.token_hex(6)}"
        calls.append(ToolCall(given, call.name, call.arguments))
    return Reply(
        text=text,
        calls=calls,
        finish="tool_calls" if calls else "stop",
        input_tokens=lent.input_tokens,
        output_tokens=lent.output_tokens,
        model=lent.model or name,
    )


def _error(name: str, error: RequestFailed) -> ModelError:
    """Returns an error for the user, with the editor's reason and what to do."""
    trouble, advice = _TROUBLES.get(error.message, ("request", ""))
    said = error.user_text.rstrip(".") if error.user_text != error.message else ""
    failed = f"{name}{LENT_FAILED}{': ' if said else ''}{said}."
    return ModelError(trouble, f"{failed} {advice}".strip())
