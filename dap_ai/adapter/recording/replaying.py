"""Replays a recorded session against a new Session: equal events must have equal effects.

A replay needs no debuggee, network, agent or clock, because the recording contains their results.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from dap_ai.adapter.recording.journal import JournalError, Row, check_effect, event_of, options_of, row_of, rules_of
from dap_ai.adapter.session.session import Session
from dap_ai.protocol.contracts.backend import BackendRules

_PLACEHOLDER = re.compile(r"<secret:(?:part:)?[0-9a-f]+>")
_COMPARED = ("message", "raw", "data")


class Numbered(NamedTuple):
    """A line of a recording with its number, which is 1-based."""

    line: int
    row: Row


class ReplayDifference(NamedTuple):
    """The first effect that differs from the recording.

    `expected` is None if the recording has no such effect. `got` is None if the new session has no such effect.
    """

    event: Numbered
    expected: Numbered | None
    got: Row | None
    where: str
    """Path of the difference, such as `message.body.threads[0].name`; empty if the whole effect differs."""


class Replay:
    """The replay of one recorded session. It stops comparing after the first difference."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        """Create the session from the recording's header. Raises JournalError."""
        self._rules = rules_of(header)
        self._session = Session(cast("BackendRules", self._rules), options_of(header))
        self._event: Numbered | None = None
        self._got: deque[Row] = deque()
        self.events = 0
        self.effects = 0
        self.difference: ReplayDifference | None = None
        self.is_whole = False
        """Whether the recording contains the session's end. It does not if the proxy was killed."""

    def feed(self, line: Numbered) -> None:
        """Process the next line of the recording. Raises JournalError."""
        if self.difference is not None:
            return
        if "event" in line.row:
            event = event_of(line.row)
            self._expect_no_more()
            if self.difference is None:
                self.events += 1
                self._event = line
                self._got.extend(row_of(effect) for effect in self._session.receive(event))
        elif "effect" in line.row:
            check_effect(line.row)
            self._compare(line)
        elif "rules" in line.row:
            self._rules.then = rules_of(line.row)
            self._rules = self._rules.then
        elif "ended" in line.row:
            self._expect_no_more()
            self.is_whole = True
        else:
            raise JournalError("neither an event nor an effect")

    def _compare(self, expected: Numbered) -> None:
        if self._event is None:
            raise JournalError("an effect before the first event")
        got = self._got.popleft() if self._got else None
        where = "" if got is None else _difference(self._event.row, expected.row, got)
        if where is None:
            self.effects += 1
        else:
            self.difference = ReplayDifference(self._event, expected, got, where)

    def _expect_no_more(self) -> None:
        if self._event is not None and self._got:
            self.difference = ReplayDifference(self._event, None, self._got[0], "")


def _difference(event: Row, expected: Row, got: Row) -> str | None:
    """Return the path of the first difference between two effects, or None if they are equal."""
    if expected["effect"] != got["effect"]:
        return ""
    if got["effect"] == "Log" and (_is_altered(event) or _PLACEHOLDER.search(str(expected))):
        return None  # it quotes the beginning of the message, whose length differs if it was masked
    one, other = ({name: row[name] for name in _COMPARED if name in row} for row in (expected, got))
    if "omitted_bytes" in expected or "omitted_bytes" in got:
        one, other = _without_content(one, got["effect"]), _without_content(other, got["effect"])
    return next(_differences(one, other, ""), None)


def _is_altered(event: Row) -> bool:
    return "raw" in event and ("omitted_bytes" in event or _PLACEHOLDER.search(event["raw"]) is not None)


def _without_content(row: Row, effect: str) -> Row:
    if "message" not in row or effect == "ToAgent":
        return {name: value for name, value in row.items() if name != "message"}
    return row | {"message": {k: v for k, v in row["message"].items() if k not in ("arguments", "body")}}


def _differences(expected: Any, got: Any, where: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(got, dict):
        one, other = cast("Row", expected), cast("Row", got)
        for name in dict.fromkeys([*one, *other]):
            below = f"{where}.{name}" if where else str(name)
            if name in one and name in other:
                yield from _differences(one[name], other[name], below)
            else:
                yield below
    elif isinstance(expected, list) and isinstance(got, list | tuple):
        items, others = cast("list[Any]", expected), cast("Sequence[Any]", got)
        for index, (item, other_item) in enumerate(zip(items, others, strict=False)):
            yield from _differences(item, other_item, f"{where}[{index}]")
        if len(items) != len(others):
            yield f"{where}[{min(len(items), len(others))}]"
    elif expected != got and not _same_but_secrets(f"{expected}", f"{got}"):
        yield where


def _same_but_secrets(expected: str, got: str) -> bool:
    """Whether two texts differ only in secrets, where one text may have a placeholder instead of the secret."""
    return _fits(expected, got) or _fits(got, expected)


def _fits(pattern: str, text: str) -> bool:
    """Whether `text` equals `pattern` if any text may stand in place of the pattern's placeholders."""
    first, *parts = _PLACEHOLDER.split(pattern)
    if not parts or not text.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1]:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(text) - len(parts[-1]) >= at and text.endswith(parts[-1])
