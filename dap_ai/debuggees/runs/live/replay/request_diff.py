"""Compares a replayed request with the recorded one, and finds their first difference. Does no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from dap_ai.system.texts import code

Kind = Literal["passing", "text", "shape"]
"""Kind of a difference: `passing` (times, durations, random names), `text` (other text in the same structure) or
`shape` (another structure)."""
_AROUND, _SHOWN = 24, 60
_PASSING = re.compile(
    r"""\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b
    |\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b
    |\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+\d{0,2}\s*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\s+\d{1,4}
    |\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\b
    |\b\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|min|minutes?)\b
    |\b1[5-9]\d{8}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b
    |\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b
    |\b0x[0-9a-fA-F]{4,}\b
    |\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b
    |(?:/private)?(?:/tmp|/var/folders|/var/tmp)/[^\s"':,;)\]]+
    |\b(?:localhost|127\.0\.0\.1):\d+
    |\bpid[ =:]*\d+
    """,
    re.VERBOSE,
)
_CALLED = ("role", "type", "tool_call_id", "call_id", "tool_use_id", "id", "name")
"""Keys whose values are compared as structure, not as text."""


class RequestDifference(NamedTuple):
    """The first difference between a request and the recorded one."""

    kind: Kind
    """Kind of the heaviest difference in the whole request."""
    place: str
    """Place of the difference: `message 4 (tool)`, `the tools`, ..."""
    recorded: str
    now: str
    """Excerpt of the current text around the first differing character; `recorded` is the excerpt of the recorded
    text."""

    @property
    def words(self) -> str:
        """The difference as one line of text."""
        weight = {"passing": " (a time or a random name)", "text": "", "shape": ""}[self.kind]
        return f"{self.place}: recorded {self.recorded or 'nothing'}, now {self.now or 'nothing'}{weight}"


def difference(then: Sequence[Any], now: Sequence[Any], tools: tuple[Any, Any]) -> RequestDifference | None:
    """Return the first of the heaviest differences between two queries; None if the queries are equal.

    `then` and `now` are the decoded messages, `tools` both offered tools.
    """
    found = list(_differences(then, now))
    if tools[0] != tools[1]:
        found.insert(0, RequestDifference("text", "the tools", *_around(_text(tools[0]), _text(tools[1]))))
    if not found:
        return None
    heaviest = max((each.kind for each in found), key=("passing", "text", "shape").index)
    return next(each for each in found if each.kind == heaviest)


def plain(text: str) -> str:
    """Replace times, ids and other text that differs in every run by `~`."""
    return _PASSING.sub("~", text.replace("\\n", "\n").replace("\\t", "\t"))  # JSON inside a string


def _differences(then: Sequence[Any], now: Sequence[Any]) -> Iterator[RequestDifference]:
    for place, (old, new) in enumerate(zip(then, now, strict=False), 1):
        if old != new:
            yield _of_message(place, old, new)
    at = min(len(then), len(now))
    if len(then) != len(now):
        old, new = (_cut(_text(each[at])) if len(each) > at else "" for each in (then, now))
        counts = f"{len(now)} messages instead of {len(then)}"
        yield RequestDifference("shape", f"{counts}, message {at + 1}", old, new)


def _of_message(place: int, old: Any, new: Any) -> RequestDifference:
    role = _role(new) or _role(old)
    name = f"message {place}" + (f" ({role})" if role else "")
    if _skeleton(old) != _skeleton(new):
        return RequestDifference("shape", name, *_around(_text(old), _text(new)))
    kind: Kind = "passing" if plain(_text(old)) == plain(_text(new)) else "text"
    for before, after in zip(_texts(old), _texts(new), strict=False):
        if before == after or (kind == "text" and plain(before) == plain(after)):
            continue
        if sorted(before.splitlines()) == sorted(after.splitlines()):
            name += ", the same lines in another order"
        return RequestDifference(kind, name, *_around(before, after))
    return RequestDifference(kind, name, *_around(_text(old), _text(new)))


def _skeleton(value: Any) -> Any:
    """Return a message's structure without strings, except its roles and the calls that it makes or answers."""
    if isinstance(value, list):
        return [_skeleton(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return {
            key: found[key] if key in _CALLED and not isinstance(found[key], (list, dict)) else _skeleton(found[key])
            for key in sorted(found)
            if found[key] is not None
        }
    return None


def _texts(value: Any) -> Iterator[str]:
    """Yield each string of a message in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts(each)
    elif isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        for key in sorted(found):
            yield from _texts(found[key])
    else:
        yield str(value)


def _text(value: Any) -> str:
    return "\n".join(_texts(value)) if value is not None else ""


def _role(value: Any) -> str:
    row = cast("Mapping[str, Any]", value if isinstance(value, dict) else {})
    return str(row.get("role") or row.get("type") or "")


def _around(old: str, new: str) -> tuple[str, str]:
    """Return excerpts of both texts around the first differing character."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = max(0, at - _AROUND)
    return _cut(old[start:], led=start > 0), _cut(new[start:], led=start > 0)


def _cut(text: str, *, led: bool = False) -> str:
    shown = " ".join(text[:_SHOWN].split())
    before, after = "…" if led else "", "…" if len(text) > _SHOWN else ""
    return code(f"{before}{shown}{after}") if shown else ""
