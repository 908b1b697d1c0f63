"""Readers of terminal recordings, which are asciicasts or plain text.

A recording can contain stream-json lines among other output. One stream-json object can span several records of a cast,
and one record can contain several lines. In a recording without stream-json, typed input becomes calls, and the output
up to the next input becomes the call's result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.readers.content_blocks import number, text_of
from dap_ai.debuggees.runs.readers.json_shapes import array, decoded, table
from dap_ai.debuggees.runs.readers.stream_json import StreamMessages
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.run_files import CannotRead, lines
from dap_ai.debuggees.runs.run_model import Ref

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_OBJECT = '{"type":'
_TYPES = frozenset({"system", "assistant", "user", "result", "stream_event"})
_TOOL = "terminal"


class Printed(NamedTuple):
    """A piece of terminal input or output.

    `line` is the 1-based line in the file. `at` is in seconds since 1970, or since the start of the recording if the
    file does not record a date. For plain text, `at` is None.
    """

    line: int
    at: float | None
    is_input: bool
    text: str


class TerminalLine(NamedTuple):
    """A whole line of terminal output. `first` and `last` are the 1-based lines of the file that contain it."""

    first: int
    last: int
    at: float | None
    text: str


def records(path: Path, name: str, timeline: Timeline) -> Iterator[Printed]:
    """Yields the input and output records of an asciicast, version 2 or 3. Raises CannotRead for any other file."""
    started: float | None = None
    clock, is_relative = 0.0, False
    for place, line in lines(path):
        ref = Ref(name, (place, place))
        value = decoded(line or b"")  # half of a surrogate pair at the end of a record is replaced
        if started is None:
            header = table(value)
            if header.get("version") not in (2, 3):
                raise CannotRead(f"{name or path}: is no asciicast of version 2 or 3")
            started, is_relative = number(header.get("timestamp"), 0.0), header["version"] == 3
            continue
        record = array(value)
        at = number(record[0]) if len(record) == 3 else None
        if at is None or not isinstance(record[2], str):
            if line and line.strip():
                timeline.problem(ref, "is no record of an asciicast", "no record of a cast")
            continue
        clock = clock + at if is_relative else at
        if record[1] in ("o", "i"):
            yield Printed(place, started + clock, record[1] == "i", record[2])


def texts(path: Path) -> Iterator[Printed]:
    """Yields the lines of a plain-text terminal log."""
    for place, line in lines(path):
        yield Printed(place, None, is_input=False, text=(line or b"").decode("utf-8", "replace") + "\n")


class TerminalRecording:
    """Converts a terminal recording to events of a timeline."""

    def __init__(self, timeline: Timeline, messages: StreamMessages, name: str) -> None:
        self._timeline = timeline
        self._messages = messages
        self._name = name
        self._noise: list[TerminalLine] = []

    def tell(self, printed: list[Printed]) -> int:
        """Add stream-json messages and other output to the timeline; return the number of messages."""
        found = 0
        for line in _lines(printed):
            message = _message(line.text)
            if message is None:
                self._noise.append(line)
                continue
            found += 1
            self._flush()
            self._messages.feed(self._ref(line.first, line.last), message, line.at, blocks_at=False)
        self._flush()
        return found

    def tell_typed(self, printed: list[Printed]) -> None:
        """Add typed input to the timeline as calls, and the output after each input as the call's result."""
        call_id = ""
        for number_, (typed, answer) in enumerate(_turns(printed)):
            if typed:
                call_id = f"typed-{number_}"
                keys = "".join(piece.text for piece in typed)
                self._timeline.new_cycle("main")
                self._timeline.call(
                    self._ref(typed[0].line, typed[-1].line), _TOOL, {"keystrokes": keys}, call_id=call_id,
                    at=typed[0].at, text=keys.rstrip("\r\n"),
                )  # fmt: skip
            if not answer:
                continue
            text = "".join(piece.text for piece in answer)
            ref = self._ref(answer[0].line, answer[-1].line)
            if typed:
                self._timeline.result(ref, text, call_id=call_id, at=answer[-1].at)
            else:
                self._timeline.add("note", ref, at=answer[0].at, text=text)

    def _flush(self) -> None:
        """Add the output since the last stream-json object as one note."""
        if self._noise and any(line.text.strip() for line in self._noise):
            first, last = self._noise[0], self._noise[-1]
            text = "\n".join(line.text for line in self._noise)
            self._timeline.add("note", self._ref(first.first, last.last), at=first.at, text=text)
        self._noise = []

    def _ref(self, first: int, last: int) -> Ref:
        return Ref(self._name, (first, last))


def _lines(printed: list[Printed]) -> Iterator[TerminalLine]:
    """Joins pieces of output and splits them at newlines. The last line may lack a newline.

    Typed input is skipped, because the terminal echoes it as output.
    """
    parts: list[str] = []
    first: Printed | None = None
    last = 0
    for piece in printed:
        if piece.is_input:
            continue
        pieces = piece.text.split("\n")
        for place, text in enumerate(pieces):
            first = first or piece
            last = piece.line
            parts.append(text)
            if place < len(pieces) - 1:
                yield TerminalLine(first.line, last, first.at, "".join(parts))
                parts, first = [], None
    if first is not None and any(parts):
        yield TerminalLine(first.line, last, first.at, "".join(parts))


def _message(text: str) -> Mapping[str, Any] | None:
    """Return the stream-json object in a line, or None. A prompt before the object and escape sequences are ignored."""
    start = text.find(_OBJECT)
    if start < 0:
        return None
    for candidate in (text[start:].rstrip(), _ESCAPES.sub("", text[start:]).rstrip()):
        if found := table(decoded(candidate)):
            return found if text_of(found.get("type")) in _TYPES else None
    return None


def _turns(printed: list[Printed]) -> Iterator[tuple[list[Printed], list[Printed]]]:
    """Yields pairs of typed input and the output up to the next input."""
    typed: list[Printed] = []
    answer: list[Printed] = []
    for piece in printed:
        if piece.is_input and answer and _is_sent(typed):
            yield typed, answer
            typed, answer = [], []
        (typed if piece.is_input else answer).append(piece)
    if typed or answer:
        yield typed, answer


def _is_sent(typed: list[Printed]) -> bool:
    """Return whether the typed input ends with Enter, Ctrl+C or Ctrl+D, or is empty."""
    return not typed or typed[-1].text.endswith(("\r", "\n", "\x03", "\x04"))
