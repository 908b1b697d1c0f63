"""Assembles a model's reply from the chunks of a stream. Accepts the variants of different endpoints."""

from __future__ import annotations

import json
import secrets
from typing import Any, cast

from dap_ai.agent.model_port import Piece, Reasoning, Reply, Text, ToolCall

ANEW = "\n\n(The connection broke, and the model began anew.)\n\n"


class Assembly:
    """A reply that is being assembled from chunks.

    `shown` is the text that the user has already seen from an earlier, broken stream.
    """

    def __init__(self, shown: str = "") -> None:
        self.finished = False
        """Whether the endpoint has sent a finish reason."""
        self._shown = shown
        self._level = not shown
        """Whether the new stream has reached the end of the text that the user has already seen."""
        self._text: list[str] = []
        self._said = ""
        """Text that the stream has sent before reaching the end of the shown text."""
        self._calls: list[ToolCall] = []
        self._at: dict[int, ToolCall] = {}
        """Tool calls by the index in their first chunk."""
        self._usage: dict[str, Any] = {}
        self._finish = self._model = ""

    @property
    def shown(self) -> str:
        """Text that the user has already seen and that a retry must not repeat."""
        return "".join(self._text) if self._level else self._shown

    @property
    def empty(self) -> bool:
        """Whether the stream has sent neither text nor tool calls."""
        return not self._text and not self._calls

    def take(self, chunk: object) -> list[Piece]:
        """Adds one chunk. Returns the pieces that the user has not seen yet."""
        row = _table(chunk)
        self._usage = _table(row.get("usage")) or self._usage
        self._model = _text(row.get("model")) or self._model
        pieces: list[Piece] = []
        for choice in map(_table, _rows(row.get("choices"))[:1]):
            delta = _table(choice.get("delta"))
            thought = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
            if thought:
                pieces.append(Reasoning(thought))
            said = _text(delta.get("content")) or _text(delta.get("refusal"))
            if said and (new := self._say(said)):
                pieces.append(Text(new))
            for part in map(_table, _rows(delta.get("tool_calls"))):
                self._call(part)
            if finish := choice.get("finish_reason"):
                self.finished, self._finish = True, str(finish)
        return pieces

    def reply(self) -> Reply:
        """Returns the complete reply, with a unique id for each tool call."""
        usage, details = self._usage, _table(self._usage.get("prompt_tokens_details"))
        ids: set[str] = set()
        for call in self._calls:
            if not call.id or call.id in ids:
                call.id = f"call_{secrets.token_hex(6)}"
            ids.add(call.id)
        return Reply(
            text="".join(self._text),
            calls=self._calls,
            finish=self._finish,
            input_tokens=_count(usage, "prompt_tokens"),
            output_tokens=_count(usage, "completion_tokens"),
            cached_tokens=_count(details, "cached_tokens"),
            model=self._model,
        )

    def _say(self, text: str) -> str:
        """Adds text to the reply. Returns the part that the user has not seen yet."""
        self._text.append(text)
        if self._level:
            return text
        self._said += text
        if self._shown.startswith(self._said) and self._shown != self._said:
            return ""
        self._level = True
        return self._said.removeprefix(self._shown) if self._said.startswith(self._shown) else ANEW + self._said

    def _call(self, part: dict[str, Any]) -> None:
        call = self._call_of(part)
        call.id = call.id or _text(part.get("id"))
        function = _table(part.get("function"))
        name, arguments = _text(function.get("name")), function.get("arguments")
        if name != call.name:  # some endpoints repeat the name in every fragment
            call.name += name
        if arguments:
            call.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def _call_of(self, part: dict[str, Any]) -> ToolCall:
        """Returns the tool call to which a chunk's part belongs, by index if reliable, else by id and name."""
        index, call_id = part.get("index"), _text(part.get("id"))
        named = bool(_table(part.get("function")).get("name"))
        if isinstance(index, int):
            call = self._at.get(index)
            if call and not (named and call_id and call.id and call.id != call_id):  # some send each at index 0
                return call
        elif self._calls and not named and call_id in ("", self._calls[-1].id):
            return self._calls[-1]
        call = ToolCall("", "")
        self._calls.append(call)
        if isinstance(index, int):
            self._at[index] = call
        return call


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _rows(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    """Returns a value as text. Joins the texts of a list of parts."""
    return value if isinstance(value, str) else "".join(_text(_table(part).get("text")) for part in _rows(value))


def _count(of: dict[str, Any], name: str) -> int:
    return value if isinstance(value := of.get(name), int) else 0
