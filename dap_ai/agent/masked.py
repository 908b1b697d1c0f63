"""The ways out: what goes to a model, to the user, to a file is masked here, whatever came before.

What the program says is masked as it is read (masked_debugger.py); here it is source text, a question, the words of a
model or of an endpoint, an error of ours. Masking twice changes nothing.

What goes to the user is made visible here too (protocol/visible.py): whatever an answer quotes, nothing in it acts on a
terminal or hides. Names of files, and a diff, stay as they are: they are opened and applied, not only read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from dap_ai.agent.mask import Masked, MaskedStream, Masker
from dap_ai.agent.model import Message, Model, Piece, Schema
from dap_ai.agent.passing import PassingModel
from dap_ai.agent.stack import Place
from dap_ai.protocol.ask import Category, ToolStep
from dap_ai.protocol.ask import Masked as MaskedRow
from dap_ai.protocol.asking import Answer
from dap_ai.protocol.debugger import Sink
from dap_ai.protocol.errors import NotStopped, RequestFailed
from dap_ai.protocol.visible import hidden_in, visible

_STRUCTURE = frozenset({"role", "id", "tool_call_id", "type"})
"""What an endpoint reads of a message, beside its text: ids look random, and are no secrets."""
NOT_AS_IS = "it holds a masked secret: it cannot be applied as it is"
NOT_AS_TRIED = "it would write characters that do not show, which stand here as escapes: so it was not tried"


class MaskedModel(PassingModel):
    """See agent.model.Model: what it is sent is masked."""

    def __init__(self, model: Model, masker: Masker) -> None:
        super().__init__(model)
        self._masker = masker

    async def stream(self, messages: Sequence[Message], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """The model's reply to the masked messages. Raises ModelError."""
        sent = [masked_message(self._masker, message) for message in messages]
        async with aclosing(self._model.stream(sent, tools)) as pieces:
            async for piece in pieces:
                yield piece


class MaskedSink:
    """See protocol.debugger.Sink: an answer goes on by whole lines, so that no secret is torn."""

    def __init__(self, sink: Sink, masker: Masker) -> None:
        self._sink = sink
        self._masker = masker
        self._stream = MaskedStream(masker)

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """A step comes after the text before it."""
        if category == "answer":
            self._say(self._stream.feed(text))
            return
        if category == "tool":
            self.finish()
        self._sink.emit(category, visible(self._masker.mask(text)), tool and masked_step(self._masker, tool))

    def finish(self) -> None:
        """Lets out what is held."""
        self._say(self._stream.finish())

    def _say(self, text: str) -> None:
        if text:
            self._sink.emit("answer", visible(text))


def masked_message(masker: Masker, message: Message) -> Message:
    """A message of a conversation, or a line of a transcript."""
    return {key: value if key in _STRUCTURE else _part(masker, value) for key, value in message.items()}


def _part(masker: Masker, value: Any) -> Any:
    if isinstance(value, str):
        return masker.mask(value)
    if isinstance(value, list):
        return [masked_message(masker, v) if isinstance(v, dict) else _part(masker, v) for v in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  JSON
    return masker.mask_json(value)


def masked_step(masker: Masker, step: ToolStep) -> ToolStep:
    """A step as it is shown."""
    name, call, result = (visible(masker.mask(text)) for text in (step.name, step.call, step.result))
    return msgspec.structs.replace(step, name=name, call=call, result=result)


def masked_answer(masker: Masker, answer: Answer) -> Answer:
    """The same answer, masked and made visible in place."""

    def mask(text: str) -> str:
        return visible(masker.mask(text))

    answer.text, answer.error = mask(answer.text), mask(answer.error)
    for cited in answer.evidence:
        value = visible(masker.mask_value(cited.expression, cited.value))
        cited.expression, cited.value = mask(cited.expression), value
    for suspect in answer.suspects:
        suspect.reason = mask(suspect.reason)
    for fix in answer.fixes:
        fix.check, fix.result, diff = mask(fix.check), mask(fix.result), masker.mask(fix.diff)
        if diff != fix.diff:
            fix.diff, fix.result = diff, f"{fix.result}; {NOT_AS_IS}" if fix.result else NOT_AS_IS
        if _hides(diff):
            fix.diff, fix.verified = visible(diff), False
            fix.result = f"{fix.result}; {NOT_AS_TRIED}" if fix.result else NOT_AS_TRIED
    return answer


def _hides(diff: str) -> bool:
    """Whether a diff writes more of what does not show than it takes away: the user could not see what they apply."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for line in diff.replace("\r\n", "\n").split("\n"):
        (after if line.startswith("+") else before).update(hidden_in(line[1:]) if line[:1] in ("+", "-") else ())
    return not after <= before


def masked_error(masker: Masker, error: Exception) -> Exception:
    """The error itself, if nothing in it is secret, else one that says the same, masked."""
    if isinstance(error, RequestFailed):
        text = visible(masker.mask(error.user_text))
        if text == error.user_text and visible(masker.mask(str(error))) == str(error):
            return error
        message = visible(masker.mask(error.message))
        return (
            NotStopped(error.command, text)
            if isinstance(error, NotStopped)
            else RequestFailed(error.command, message, text)
        )
    said = f"{type(error).__name__}: {error}"
    text = visible(masker.mask(said))
    return error if text == said and masker.mask(repr(error)) == repr(error) else RequestFailed("ask", "failed", text)


def learn_sources(masker: Masker, places: Iterable[Place]) -> None:
    """Secrets that stand in source text: from then on they are masked wherever they appear."""
    for text in {place.source.path: place.source.text for place in places if place.source}.values():
        learn_text(masker, text)


def learn_text(masker: Masker, text: str) -> None:
    """The same of one text."""
    for start, end in masker.secrets(text):
        masker.learn_text(text[start:end])


class Tally:
    """What has been masked since it was made."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._before = {(row.placeholder, row.rule): row.times for row in masker.shown()}

    def rows(self) -> list[MaskedRow]:
        """Most often first; never a secret itself."""
        rows: list[Masked] = []
        for row in self._masker.shown():
            times = row.times - self._before.get((row.placeholder, row.rule), 0)
            if times > 0:
                rows.append(row._replace(times=times))
        rows.sort(key=lambda row: -row.times)
        return [MaskedRow(row.placeholder, visible(row.rule), row.times) for row in rows]
