"""What a text in the console may go on with: commands, numbers of steps, fields, keys of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from dap_ai.backends.agents.conditions import FIELDS, ConditionError, parsed, value_of
from dap_ai.backends.agents.console import Console
from dap_ai.backends.agents.facts import Facts
from dap_ai.protocol.wire.visible import visible
from dap_ai.runs.model import Event
from dap_ai.runs.titles import title

_MOST = 100
_WORD = re.compile(r"[\w.]*\Z")
_WITH_STEPS = re.compile(r"\s*(?:show|diff|changes)\s+(?:\d+\s+)?(\d*)")


def completions(text: str, console: Console, facts: Facts, event: Event | None) -> list[dict[str, Any]]:
    """DAP's CompletionItems for what stands before the caret; each replaces the word there."""
    return [item for item, _ in zip(_items(text, console, facts, event), range(_MOST), strict=False)]


def _items(text: str, console: Console, facts: Facts, event: Event | None) -> Iterator[dict[str, Any]]:
    if steps := _WITH_STEPS.fullmatch(text):
        yield from _numbers(steps[1], facts)
        return
    word = _WORD.search(text)
    whole = word[0] if word else ""
    before, dot, last = whole.rpartition(".")
    if dot:
        yield from (_item(name, last, "field") for name in _keys(before, facts, event) if name.startswith(last))
        return
    if whole == text.strip():
        for name, command in console.commands.items():
            if name.startswith(whole):
                yield _item(name, whole, "function", command.tells)
    yield from (_item(name, whole, "field") for name in FIELDS if name.startswith(whole))


def _numbers(start: str, facts: Facts) -> Iterator[dict[str, Any]]:
    for step, indices in facts.steps.items():
        if str(step).startswith(start):
            yield _item(str(step), start, "value", title(facts.run.events[indices[0]]))


def _keys(path: str, facts: Facts, event: Event | None) -> Sequence[str]:
    """What stands behind a dot: of the value that the path has at the held event."""
    if event is None:
        return ()
    try:
        value = value_of(parsed(path), event, facts)
    except ConditionError:
        return ()
    names = list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else []
    return [str(name) for name in names if str(name).isidentifier()]


def _item(label: str, typed: str, kind: str, detail: str = "") -> dict[str, Any]:
    more = {"detail": visible(detail)} if detail else {}
    return {"label": label, "length": len(typed), "type": kind} | more
