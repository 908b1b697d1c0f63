"""Everything that the agent gives a provider to answer one question."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import find
from dap_ai.agent.guard.watched_debugger import Watched
from dap_ai.agent.loop.conversation import Conversation
from dap_ai.agent.loop.transcript_file import Transcript
from dap_ai.agent.tools.base import ToolContext
from dap_ai.protocol.contracts.debugger import Sink
from dap_ai.protocol.contracts.question import AcceptedAsk
from dap_ai.protocol.wire.ask_messages import Category, ToolStep
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.report import Section
from dap_ai.settings.configuration import Settings


class TextSink:
    """Sink wrapper that records the answer's text. Providers write the answer only through this sink."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._pieces: list[Section] = []

    @property
    def text(self) -> str:
        """The answer so far, ending with one newline. Empty if there is no text yet."""
        return "".join(piece.text for piece in self._pieces).rstrip() + "\n" if self._pieces else ""

    @property
    def sections(self) -> list[Section]:
        """The answer so far in parts, without empty parts. Adjacent pieces of the same kind are one part."""
        grouped = [list(pieces) for _, pieces in groupby(self._pieces, lambda piece: piece.kind)]
        parts = [Section(pieces[0].kind, "".join(piece.text for piece in pieces).strip()) for pieces in grouped]
        return [part for part in parts if part.text]

    def say(self, section: Section) -> None:
        """Sends a whole part of the answer, as paragraphs of its own, and records it. Ignores an empty part."""
        if section.text:
            self._pieces.append(Section(section.kind, f"{section.text}\n\n"))
            self._sink.emit("answer", f"{section.text}\n\n")

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Sends a text to the wrapped sink. Records texts that are part of the answer."""
        if category == "answer":
            self._pieces.append(Section("text", text))
        self._sink.emit(category, text, tool)

    @contextmanager
    def attempt(self) -> Generator[None]:
        """Runs a `with` block. If the block raises, discards the answer text it has recorded."""
        said = len(self._pieces)
        try:
            yield
        except BaseException:
            del self._pieces[said:]
            raise


@dataclass
class Work:
    """State of one question in progress."""

    ask: AcceptedAsk
    bench: ToolContext | None
    """Tool context. None if nothing is stopped; then only the conversation and the output are available."""
    record: Transcript
    debugger: Watched
    sink: TextSink
    conversation: Conversation
    settings: Settings
    reader: StopReader
    ends: float = math.inf
    """Deadline of the answer, on the clock of `time.monotonic()`."""
    caught: StopSnapshot | None = None
    """Snapshot of an exception that the program caught and reported, without values. Used if nothing is stopped."""

    @property
    def left_s(self) -> float:
        """Seconds until the deadline of the answer."""
        return self.ends - time.monotonic()

    @property
    def case(self) -> StopSnapshot | None:
        """The snapshot of the current stop, or None. Replaced when the agent resumes the program."""
        return self.bench.case if self.bench else None

    async def read(self, expressions: list[str]) -> None:
        """Evaluates further expressions and adds the values to the snapshot. Raises NotStopped.

        Evaluates each in the focus frame, and in the nearest caller that has a variable of the expression's first name.
        """
        if self.case is None or self.case.focus is None or not self.debugger.current:
            return
        wanted = {self.case.focus.frame.id: expressions}
        for text in expressions:
            if (owner := _owner(self.case, text)) and owner is not self.case.focus:
                wanted.setdefault(owner.frame.id, []).append(text)
        try:
            await self.reader.more(self.case, wanted)
        except NotStopped:
            raise
        except RequestFailed as error:
            self.case.notes.append(f"could not be read: {error.user_text}")

    async def context(self) -> str:
        """Returns the Markdown description of the stop; empty if nothing is stopped. Raises NotStopped."""
        case = self.case
        return await kind_of(case).first_context(case, self.debugger, self.settings.budget_tokens) if case else ""


def _owner(case: StopSnapshot, expression: str) -> FramePlace | None:
    """Returns the nearest frame that has a variable of the expression's first name, or None."""
    name = re.search(r"\w+", expression)
    return next((place for place in case.callers if name and find(place.facts, name[0])), None)
