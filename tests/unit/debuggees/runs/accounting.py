"""How much of the text in a run's artefacts its events point to: what a test of a reader holds it to.

Text is every string value of a JSON document that is more than one short word (a word of up to 64 bytes is an id, a
time, a flag, a path), and all of a file that is no JSON. What stands in an artefact twice and is reached once is told
apart: many formats write results and replies several times.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import msgspec

from dap_ai.debuggees.runs.json_spans import JsonSyntaxError, Key, children, escaped, string_end
from dap_ai.debuggees.runs.refs import Artefact, artefact
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Ref, Run

Span = tuple[int, int]
_MOST_NAMED = 200
_MAX_WORD_BYTES = 64
_MOST_SOUGHT = 5_000
"""Texts that are looked for among what is reached; of more, the others count as not reached."""
_JSON_STARTS = (b"{", b"[")
_COLON = re.compile(rb"[ \t\r\n]*:")


class UnreferencedText(msgspec.Struct, frozen=True):
    """A place with text that no event points to."""

    ref: Ref
    text_bytes: int


class Account(msgspec.Struct, frozen=True):
    """Bytes of text in the artefacts, of those that events point to, of copies of these, and where the rest is."""

    text_bytes: int
    reached_bytes: int
    copied_bytes: int = 0
    rest: Sequence[UnreferencedText] = ()
    """The largest first, at most 200 of each artefact."""

    @property
    def share(self) -> float:
        """Of the text, what is reached, there or as a copy: 0 to 1; 1 where there is no text."""
        return (self.reached_bytes + self.copied_bytes) / self.text_bytes if self.text_bytes else 1.0


def account(run: Run) -> Account:
    """The account of a run, over its `artefacts`. One that cannot be read counts nothing: the run tells of it."""
    refs: dict[str, list[Ref]] = defaultdict(list)
    for event in run.events:
        for ref in (event.ref, *event.more):
            refs[ref.path].append(ref)
    pages = [page for name in dict.fromkeys(run.artefacts) if (page := _page(run, name, refs.get(name, [])))]
    said = b"\0".join(page.file.data[start:end] for page in pages for start, end in page.covered)
    for page in pages:
        page.look_for_copies(said)
    rest = [one for page in pages for one in page.rest()]
    return Account(
        sum(page.size(page.texts) for page in pages),
        sum(page.reached for page in pages),
        sum(page.copied for page in pages),
        sorted(rest, key=lambda one: -one.text_bytes),
    )


class _Page:
    """One artefact: its texts, what of them is covered by references, and what is missing."""

    def __init__(self, name: str, file: Artefact, refs: Iterable[Ref]) -> None:
        self.name = name
        self.file = file
        self.covered = _merged(span for ref in refs if (span := _span(file, ref)))
        self.documents = _documents(file)
        self.texts = [text for start, end in self.documents for text in _texts(file.data, start, end)]
        self.missing = [text for text in self.texts if not self._is_covered(text)]
        self.reached = self.size(self.texts) - self.size(self.missing)
        self.copied = 0

    @staticmethod
    def size(texts: Iterable[Span]) -> int:
        return sum(end - start for start, end in texts)

    def _is_covered(self, text: Span) -> bool:
        place = bisect.bisect_right(self.covered, (text[0], 1 << 62)) - 1
        return place >= 0 and self.covered[place][1] >= text[1]

    def look_for_copies(self, said: bytes) -> None:
        """Texts that stand, as they are, in one that is reached, are no longer missing."""
        sought = self.missing[:_MOST_SOUGHT]
        left = [(start, end) for start, end in sought if self.file.data[start:end] not in said]
        self.copied = self.size(sought) - self.size(left)
        self.missing = left + self.missing[_MOST_SOUGHT:]

    def rest(self) -> list[UnreferencedText]:
        """The highest places whose texts are all missing, and below those of which only some are."""
        rest = list[UnreferencedText]()
        texts, missing = _Sums(self.texts), _Sums(self.missing)
        for number, (start, end) in enumerate(self.documents, 1):
            waiting = [(Ref(self.name, (number, number) if len(self.documents) > 1 else None), start, end)]
            while waiting and len(rest) < _MOST_NAMED:
                ref, first, last = waiting.pop()
                lost = missing.within(first, last)
                below = _below(self.file.data, ref, first, last) if 0 < lost < texts.within(first, last) else []
                waiting += below
                if lost and not below:
                    rest.append(UnreferencedText(ref, lost))
        return rest


class _Sums:
    """Bytes of texts up to each, so that those within a place are a difference."""

    def __init__(self, texts: Sequence[Span]) -> None:
        self._starts = [start for start, _ in texts]
        self._sums = [0, *accumulate(end - start for start, end in texts)]

    def within(self, first: int, last: int) -> int:
        return self._sums[bisect.bisect_left(self._starts, last)] - self._sums[bisect.bisect_left(self._starts, first)]


def _page(run: Run, name: str, refs: Iterable[Ref]) -> _Page | None:
    try:
        return _Page(name, artefact(Path(run.root), Ref(name)), refs)
    except CannotRead:
        return None


def _span(file: Artefact, ref: Ref) -> Span | None:
    try:
        return file.span(ref)
    except CannotRead:
        return None


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, none within or beside another."""
    merged = list[Span]()
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _texts(data: bytes, start: int, end: int) -> list[Span]:
    """The texts of a document; all of what is no JSON."""
    document = data[start:end]
    if document.lstrip()[:1] not in _JSON_STARTS:
        return [(start, end)] if document.strip() else []
    return [(start + first, start + last) for first, last in strings(document) if _is_text(document[first:last])]


def strings(data: bytes) -> Iterator[Span]:
    """Start and end, without quotes, of each string that is a value: keys are left out. Ends where the data does."""
    at = data.find(b'"')
    while at >= 0:
        try:
            end = string_end(data, at)
        except JsonSyntaxError:
            return
        if not _COLON.match(data, end):
            yield at + 1, end - 1
        at = data.find(b'"', end)


def _is_text(string: bytes) -> bool:
    return len(string) > _MAX_WORD_BYTES or any(blank in string for blank in (b" ", b"\\n", b"\\t"))


def _documents(file: Artefact) -> list[Span]:
    """Each line where lines are documents, else the file."""
    lines = file.lines()
    first = [file.data[start:end].strip() for start, end in lines[:20]]
    rows = [line for line in first if line[:1] in _JSON_STARTS and line[-1:] in (b"}", b"]") and len(line) > 1]
    is_rows = len(lines) > 1 and len(rows) * 2 > len([line for line in first if line])
    return lines if is_rows else [(0, len(file.data))]


def _below(data: bytes, ref: Ref, start: int, end: int) -> list[tuple[Ref, int, int]]:
    """The values of a container, each with its place."""
    opening = start + end - start - len(data[start:end].lstrip())
    try:
        found: list[tuple[Key, int, int]] = list(children(data, opening))
    except JsonSyntaxError:
        return []
    return [(Ref(ref.path, ref.lines, f"{ref.pointer}/{escaped(str(key))}"), first, last) for key, first, last in found]
