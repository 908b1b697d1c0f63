"""Masks the secrets in everything that goes to a model, to the user or to a file.

Data from the program is already masked as it is read (masked_debugger.py). This module masks source text, questions,
texts of a model or endpoint, and dap_ai's own errors. Masking twice changes nothing.

It also escapes invisible characters for the user (protocol/wire/visible.py), so that no answer can control a terminal
or hide text. File names and diffs stay unchanged, because they are opened and applied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import cast

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.guard.pass_through import PassingModel
from dap_ai.agent.masking.mask import MaskedSecret, MaskedStream, Masker
from dap_ai.agent.model_port import Message, Model, ModelError, Piece, Schema
from dap_ai.protocol.contracts.debugger import SafeSink
from dap_ai.protocol.contracts.question import Answer, NotAnswered, SafeAnswer
from dap_ai.protocol.wire.ask_messages import Category, SafeStep, ToolStep
from dap_ai.protocol.wire.ask_messages import Masked as MaskedRow
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.safe import Safe, SafeFields, SafeJson, as_it_is, put, replaced, safe_fields
from dap_ai.protocol.wire.value_path import PathNode
from dap_ai.protocol.wire.visible import hidden_in, visible

_STRUCTURE = frozenset({"role", "id", "tool_call_id", "type"})
"""Message fields that are not masked, because the endpoint needs them: ids look random but are not secrets."""
NOT_AS_IS = "it holds a masked secret: it cannot be applied as it is"
NOT_AS_TRIED = "it would write characters that do not show, which stand here as escapes: so it was not tried"


class MaskedModel(PassingModel):
    """Model wrapper that masks every message to the model. Sends nothing after the user has chosen another model."""

    def __init__(self, model: Model, masker: Masker) -> None:
        super().__init__(model)
        self._masker = masker
        self.is_chosen = True

    async def stream(self, messages: Sequence[Message], tools: Sequence[Schema]) -> AsyncGenerator[Piece]:
        """Streams the reply to the masked messages. Raises ModelError, also after another model was chosen."""
        if not self.is_chosen:
            raise ModelError("request", "Another model was chosen meanwhile.")
        sent = [masked_message(self._masker, message) for message in messages]
        async with aclosing(self._model.stream(sent, tools)) as pieces:
            async for piece in pieces:
                yield piece


class MaskedSink:
    """Sink wrapper that masks each text. Sends answers in whole lines, because a secret may span two pieces."""

    def __init__(self, sink: SafeSink, masker: Masker) -> None:
        self._sink = sink
        self._masker = masker
        self._stream = MaskedStream(masker)

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Masks a text and sends it to the sink. Before a tool step, sends all answer text that is held back."""
        if category == "answer":
            self._say(self._stream.feed(text))
            return
        if category == "tool":
            self.finish()
        self._sink.emit(category, visible(self._masker.mask(text)), tool and masked_step(self._masker, tool))

    def finish(self) -> None:
        """Sends the answer text that is still held back."""
        self._say(self._stream.finish())

    def _say(self, text: Safe) -> None:
        if text:
            self._sink.emit("answer", visible(text))


def masked_message(masker: Masker, message: Message) -> SafeFields:
    """Masks a message to a model or a row of a transcript."""
    return safe_fields(_fields(masker, message))


def _fields(masker: Masker, message: Mapping[str, object]) -> dict[Safe, SafeJson]:
    return {as_it_is(k): as_it_is(str(v)) if k in _STRUCTURE else _part(masker, v) for k, v in message.items()}


def _part(masker: Masker, value: object) -> SafeJson:
    if isinstance(value, str):
        return masker.mask(value)
    if isinstance(value, list):
        items = cast("list[dict[str, object] | str]", value)
        return [_fields(masker, each) if isinstance(each, dict) else _part(masker, each) for each in items]
    return masker.mask_json(value)


def masked_step(masker: Masker, step: ToolStep) -> SafeStep:
    """Masks a tool step for display."""
    name, call = visible(masker.mask(step.name)), visible(masker.mask(step.call))
    return SafeStep(replaced(step, name=name, call=call, result=visible(masker.mask(step.result))))


def masked_answer(masker: Masker, answer: Answer) -> SafeAnswer:
    """Masks an answer in place and escapes its invisible characters."""
    put(answer, text=visible(masker.mask(answer.text)), error=visible(masker.mask(answer.error)))
    put(answer, gist=visible(masker.mask(answer.gist)), effect=visible(masker.mask(answer.effect)))
    for section in answer.sections:
        put(section, text=visible(masker.mask(section.text)))
    if answer.cause:
        cause = answer.cause
        spot, line_text = visible(masker.mask(cause.spot)), visible(masker.mask(cause.code))
        put(cause, spot=spot, code=line_text, reason=visible(masker.mask(cause.reason)))
    for cited in answer.evidence:
        value = visible(masker.mask_value(cited.expression, cited.value))
        put(cited, expression=visible(masker.mask(cited.expression)), value=value)
    for node in answer.path:
        _mask_node(masker, node)
    for suspect in answer.suspects:
        put(suspect, reason=visible(masker.mask(suspect.reason)))
    for fix in answer.fixes:
        diff, check = masker.mask(fix.diff), visible(masker.mask(fix.check))
        said: list[Safe] = [visible(masker.mask(fix.result))]
        if diff != fix.diff:
            said.append(NOT_AS_IS)
        if _hides(diff):
            diff, fix.verified = visible(diff), False
            said.append(NOT_AS_TRIED)
        put(fix, check=check, diff=diff, result="; ".join(filter(None, said)))
    return SafeAnswer(answer)


def _mask_node(masker: Masker, node: PathNode) -> None:
    value = visible(masker.mask_value(node.expression, node.value))
    put(node, value=value, note=visible(masker.mask(node.note)), function=visible(masker.mask(node.function)))
    for other in node.beside:
        shown = visible(masker.mask_value(other.expression, other.value))
        put(other, expression=visible(masker.mask(other.expression)), value=shown)
    put(node, expression=visible(masker.mask(node.expression)))


def _hides(diff: str) -> bool:
    """Whether a diff adds invisible characters, which the user could not see before applying it."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for line in diff.replace("\r\n", "\n").split("\n"):
        (after if line.startswith("+") else before).update(hidden_in(line[1:]) if line[:1] in ("+", "-") else ())
    return not after <= before


def not_answered(masker: Masker, error: Exception) -> NotAnswered:
    """Returns the masked reason why a question has no answer."""
    is_ours = not isinstance(error, RequestFailed)
    text = visible(masker.mask(f"{type(error).__name__}: {error}" if is_ours else error.user_text))
    return NotAnswered(text, stale=isinstance(error, NotStopped), is_ours=is_ours)


def learn_sources(masker: Masker, places: Iterable[FramePlace]) -> None:
    """Learns the secrets in the frames' source, so that the masker masks them in every later text."""
    for text in {place.source.path: place.source.text for place in places if place.source}.values():
        learn_text(masker, text)


def learn_text(masker: Masker, text: str) -> None:
    """Learns the secrets in one text. Does nothing if the masker has already seen this text."""
    if not masker.is_new(text):
        return
    for start, end in masker.secrets(text):
        masker.learn_text(text[start:end])


class Tally:
    """Counts the secrets that the masker masks after this object was created."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._before = {(row.placeholder, row.rule): row.times for row in masker.shown()}

    def rows(self) -> list[MaskedRow]:
        """Returns placeholder, rule and count of each masked secret, most frequent first."""
        rows: list[MaskedSecret] = []
        for row in self._masker.shown():
            times = row.times - self._before.get((row.placeholder, row.rule), 0)
            if times > 0:
                rows.append(row._replace(times=times))
        rows.sort(key=lambda row: -row.times)
        return [MaskedRow(row.placeholder, visible(row.rule), row.times) for row in rows]
