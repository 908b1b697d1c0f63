"""Reader of Aider's chat history (`.aider.chat.history.md`), a Markdown file with all chats of a folder.

Lines that start with `####` are the user's, lines that start with `>` are Aider's output, and all other lines are the
model's answer. Each edit block (SEARCH/REPLACE) of an answer is a step. An answer without edit blocks is one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dap_ai.debuggees.runs.readers.base import Reader, glance
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import lines
from dap_ai.debuggees.runs.run_model import Event, Ref, Run, TokenUsage

NAME = "aider"
_STARTED = re.compile(rb"^# aider chat started at ", re.MULTILINE)
_START = "# aider chat started at "
_SEARCH, _DIVIDER, _REPLACE = (
    re.compile(mark) for mark in (r"<{5,9} SEARCH\s*\Z", r"={5,9}\s*\Z", r">{5,9} REPLACE\s*\Z")
)
_MAX_PATH_CHARS = 400
_TOKENS = re.compile(r"Tokens: ([\d.,]+)(k?) sent, (?:([\d.,]+)(k?) cache hit, )?(?:.{0,80}?, )?([\d.,]+)(k?) received")
_COST = re.compile(r"Cost: \$(\d{1,9}(?:\.\d{1,9})?) message")
_MODEL = re.compile(r"^(?:Main m|M)odel: (\S+)", re.MULTILINE)
_APPLIED = "Applied edit to "
_COMMIT = re.compile(r"^Commit ([0-9a-f]{6,40}) ")
_FAILED = ("LLM did not conform", "SearchReplaceNoExactMatch", "The LLM did not", "# 1 SEARCH/REPLACE", "litellm.")


class _Block(NamedTuple):
    """Consecutive lines of one speaker in a chat. `first` and `last` are 1-based line numbers in the file."""

    sort: str
    """Speaker of the lines: `start` (header of a chat), `user`, `program` or `model`."""
    first: int
    last: int
    text: str

    @property
    def ref(self) -> Ref:
        return Ref("", (self.first, self.last))


class _Edit(NamedTuple):
    """One edit block of an answer. `first` and `last` are 0-based line numbers within the answer."""

    first: int
    last: int
    path: str
    search: str | None
    """Text to replace. None if `replace` is the text of the whole file."""
    replace: str


def _sniff(path: Path) -> tuple[float, str]:
    seen = glance(path)
    if seen.kind in ("text", "document", "lines") and _STARTED.search(seen.head):
        return 0.95, "a chat of aider"
    return 0.0, "no '# aider chat started at'"


def _read(path: Path) -> Run:
    chat = _Chat()
    for block in _blocks(path):
        chat.take(block)
    chat.close()
    cost = sum(event.usage.cost_usd or 0.0 for event in chat.timeline.events if event.usage)
    return finished(path, NAME, chat.timeline, by_time=False, task=chat.task, cost_usd=cost if chat.has_cost else None)


def _blocks(path: Path) -> Iterator[_Block]:
    """Yields the blocks of the file. A blank line belongs to the block before."""
    block: _Block | None = None
    fence = False
    for number, line in lines(path):
        text = (line or b"").decode("utf-8", "replace").rstrip("\r")
        sort = "model" if fence and block and block.sort == "model" else _sort_of(text)
        if text.startswith("```") and sort in ("model", ""):
            fence = not fence
        elif sort in ("start", "user"):
            fence = False
        plain = text.rstrip()  # lines of the user and of Aider end with two blanks
        said = {"user": plain[5:], "program": plain[2:], "start": plain[len(_START) :]}.get(sort, text)
        if block is not None and sort in ("", block.sort) and sort != "start":
            block = _Block(block.sort, block.first, number if text.strip() else block.last, f"{block.text}\n{said}")
            continue
        if block is not None:
            yield block
        block = _Block(sort, number, number, said) if sort else None
    if block is not None:
        yield block


def _sort_of(text: str) -> str:
    """Return the speaker of a line, with the values of `_Block.sort`; empty for a blank line."""
    if text.startswith(_START):
        return "start"
    if text.startswith("#### "):
        return "user"
    if text == ">" or text.startswith("> "):
        return "program"
    return "model" if text.strip() else ""


class _Chat:
    """Converts the blocks of a chat history to events, in file order."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.task = ""
        self.has_cost = False
        self._is_whole = False
        self._at: float | None = None
        self._response: Event | None = None
        self._waiting: dict[str, list[str]] = {}

    def take(self, block: _Block) -> None:
        """Add the events of one block to the timeline."""
        text = block.text.strip("\n")
        if block.sort == "start":
            self.close()
            self._at = epoch_s(text.strip().replace(" ", "T"))
            self.timeline.add("note", block.ref, at=self._at, text=f"{_START}{text}")
        elif block.sort == "user" and text.startswith("/"):
            self.close()
            self.timeline.add("note", block.ref, text=text)
        elif block.sort == "user":
            self.close()
            self.timeline.add("task", block.ref, text=text)
            self.task = self.task or text
        elif block.sort == "model":
            self._answers(block, text)
        else:
            self._program(block, text)

    def _answers(self, block: _Block, text: str) -> None:
        self.timeline.new_cycle(MAIN)
        said = block.text.split("\n")
        edits = list(_edits(said)) or (list(_whole_files(said)) if self._is_whole else [])
        step = 0 if edits else self.timeline.message_step()
        self._response = self.timeline.add("response", block.ref, text=text, step=step)
        for number, edit in enumerate(edits):
            call_id = f"{block.first}-{number}"
            self._waiting.setdefault(edit.path, []).append(call_id)
            ref = Ref("", (block.first + edit.first, block.first + edit.last))
            given = {"path": edit.path, "search": edit.search, "replace": edit.replace}
            tool = "edit"
            if edit.search is None:
                tool, given = "write", {"path": edit.path, "content": edit.replace}
            self.timeline.call(ref, tool, given, call_id=call_id)

    def _program(self, block: _Block, text: str) -> None:
        """Add the events of Aider's output: model, tokens, applied edits, commits, errors and command output."""
        if model := _MODEL.search(text):
            self.timeline.agent(MAIN, model=model[1])
            self._is_whole = " with whole edit format" in text
        if self._response is not None and (usage := _usage(text)):
            self._response.usage = usage
            self._response.more = [*self._response.more, block.ref]
            self.has_cost = self.has_cost or usage.cost_usd is not None
        for offset, line in enumerate(text.split("\n")):
            ref = Ref("", (block.first + offset, block.first + offset))
            path = line.strip().removeprefix(_APPLIED)
            if line.startswith(_APPLIED) and self._waiting.get(path):
                for call_id in self._waiting.pop(path):
                    self.timeline.result(ref, line.strip(), call_id=call_id, status="ok")
            elif found := _COMMIT.match(line):
                self.timeline.add("change", ref, text=line.strip(), native_id=found[1])
        kind = "error" if text.startswith(_FAILED) else "note"
        self.timeline.add(kind, block.ref, text=text)

    def close(self) -> None:
        """End the current chat. Edits that Aider has not confirmed stay without a result."""
        self._waiting.clear()
        self._response = None


def _edits(said: Sequence[str]) -> Iterator[_Edit]:
    """Yields the SEARCH/REPLACE blocks of an answer: path, optional fence, text to find, and replacement."""
    opened = divided = -1
    for at, line in enumerate(said):
        if _SEARCH.match(line):
            opened, divided = at, -1
        elif _DIVIDER.match(line) and opened >= 0 and divided < 0:
            divided = at
        elif _REPLACE.match(line) and divided >= 0:
            first = _path_line(said, opened)
            path = said[first].strip().strip("*`")[:_MAX_PATH_CHARS]
            search, replace = said[opened + 1 : divided], said[divided + 1 : at]
            yield _Edit(first, at, path, _lines_of(search), _lines_of(replace))
            opened = divided = -1


def _whole_files(said: Sequence[str]) -> Iterator[_Edit]:
    """Yields the files of an answer in Aider's whole edit format: a line with the path, then the file in a fence."""
    opened = -1
    for at, line in enumerate(said):
        if not line.startswith("```"):
            continue
        if opened < 0:
            opened = at
            continue
        path = said[opened - 1].strip().strip("*`") if opened else ""
        if path and " " not in path and len(path) <= _MAX_PATH_CHARS:
            yield _Edit(opened - 1, at, path, None, _lines_of(said[opened + 1 : at]))
        opened = -1


def _path_line(said: Sequence[str], opened: int) -> int:
    """Return the 0-based number of the line with an edit's path.

    The path is on the line before the edit block, or before the block's fence.
    """
    before = opened - 1
    if before > 0 and said[before].startswith("```"):
        before -= 1
    return max(before, 0)


def _lines_of(found: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in found)


def _usage(text: str) -> TokenUsage | None:
    """Parse the token usage and cost of a message. Returns None if the text has no token counts.

    Expects e.g. `Tokens: 2.5k sent, 172 received. Cost: $0.01 message, $0.02 session.` and ignores the session's cost.
    """
    found = _TOKENS.search(text)
    if not found:
        return None
    cost = _COST.search(text)
    sent, cached, received = (_tokens(found[at], found[at + 1]) for at in (1, 3, 5))
    return TokenUsage(
        sent, cached, received, float(cost[1]) if cost and cost[1].count(".") <= 1 and cost[1] != "." else None
    )


def _tokens(digits: str | None, thousands: str | None) -> int | None:
    try:
        value = float((digits or "").replace(",", ""))
    except ValueError:
        return None
    return round(value * 1000) if thousands else round(value)


reader = Reader(NAME, "a chat history of aider", _sniff, _read)
