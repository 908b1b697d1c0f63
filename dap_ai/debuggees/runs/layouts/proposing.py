"""A layout for a file that no reader knows, found by its shape: names of fields, kinds of values, where the text is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dap_ai.debuggees.runs.documents import document
from dap_ai.debuggees.runs.layouts import words
from dap_ai.debuggees.runs.layouts.layout import BadLayout, Calls, Fields, Layout, Means, search
from dap_ai.debuggees.runs.layouts.shapes import Leaf, Listed, leaves, lists
from dap_ai.debuggees.runs.readers.base import glance
from dap_ai.debuggees.runs.readers.blocks import strings
from dap_ai.debuggees.runs.readers.json_lines import objects
from dap_ai.debuggees.runs.readers.shapes import array, table
from dap_ai.debuggees.runs.readers.timeline import Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s

_MOST_ROLES = 20
_MAX_ROLE_CHARS = 40
_MOST_TRIED = 6
"""Lists of a file that are looked at as its events."""
_MIN_NOTE_SHARE = 0.005
"""Of the text of all events: a field with less is left out."""


def propose(path: Path, name: str = "proposed") -> Layout:
    """The layout that fits best. Raises CannotRead and BadLayout: there is nothing like events in the file."""
    value, is_lines = values_of(path)
    found = lists(value)
    if is_lines:
        found = [_in_a_line(one) for one in found]
    if not found:
        raise BadLayout(f"{path}: has no list of objects that could be events")
    total = sum(map(len, strings(value))) or 1
    likely = sorted(found, key=lambda listed: -_score(listed, total))[:_MOST_TRIED]
    layout, best = max(((_layout(one, name), one) for one in likely), key=lambda pair: _told(*pair) / total)
    if best.expression == "@":
        return layout
    task, notes = _beside(table(value[0] if is_lines else value), best.expression, total)
    return msgspec.structs.replace(layout, kind="lines" if is_lines else "document", task=task, notes=notes)


def _in_a_line(listed: Listed) -> Listed:
    """A list of all lines' values, as a line has it: the lines themselves, or a list within each."""
    return Listed(listed.expression.removeprefix("[]").removeprefix(".") or "@", listed.objects, listed.chars)


def _told(layout: Layout, listed: Listed) -> int:
    """Characters that the layout has a place for, apart from notes; half for what it cannot say more of."""
    groups = [(listed.objects, msgspec.structs.asdict(layout.fields))]
    inner = [table(one) for event in listed.objects for one in array(search(layout.calls.each, event))]
    groups.append((inner if layout.calls.each else listed.objects, msgspec.structs.asdict(layout.calls)))
    told = 0
    for objects_, group in groups:
        expressions = [value for key, value in group.items() if isinstance(value, str) and value and key != "each"]
        told += sum(len(said) for one in objects_ for value in expressions for said in strings(search(value, one)))
    has_sense = bool(layout.fields.role or layout.calls.tool or layout.calls.arguments)
    return told if has_sense else told // 2


def values_of(path: Path) -> tuple[Any, bool]:
    """A document's value, or the list of the values of a file's lines, and whether it is one of lines.

    Raises CannotRead.
    """
    if glance(path).kind == "lines":
        found = [dict(row) for _, row in objects(path, Timeline())]
        if found:
            return found, True
    return document(path)[0], False


def _score(listed: Listed, total: int) -> float:
    """How much a list looks like the events of a run: it holds the text, and its objects have roles, tools, times."""
    fields = leaves(listed.objects)
    signs = sum(
        max((words.rank(what, leaf.name) for leaf in fields), default=0.0)
        for what in ("role", "text", "tool", "arguments", "result", "time")
    )
    has_role = 1.0 if _role(fields) is not None else 0.0
    return (listed.chars / total) * (1 + signs + 2 * has_role) + min(len(listed.objects), 10) / 50


def _layout(listed: Listed, name: str) -> Layout:
    """The layout of the events that were found."""
    picked = _Picked(leaves(listed.objects))
    role = picked.take_leaf(_role(picked.free))
    calls, in_list = _calls(picked)
    tool = None if in_list else picked.leaf_of(calls.tool or calls.arguments)
    time = picked.take("time", lambda leaf: leaf.share(lambda value: epoch_s(value) is not None) > 0.9)
    native = picked.take("id", lambda leaf: _is_unique(leaf, listed))
    code = picked.take("exit_code", _is_number, least=0.6)
    result = "" if in_list and calls.result else picked.take("result", _is_text)
    reasoning = picked.take("reasoning", _is_text)
    text = picked.take("text", _is_text) or picked.longest_text(lambda leaf: not _comes_with(leaf, tool))
    text, reasoning = (text, reasoning) if text else (reasoning, "")
    result = result or picked.longest_text(lambda leaf: _comes_with(leaf, tool))
    roles = _roles(role, listed, tool, result)
    call_id = calls.id if not in_list and "result" in roles.values() else ""
    agent, model = (picked.take(what, _is_name, least=0.5) for what in ("agent", "model"))
    least = _MIN_NOTE_SHARE * max(listed.chars, 1)
    notes = [leaf.expression for leaf in picked.outermost() if leaf.chars > least]
    spoken = role.expression if role else ""
    fields = Fields(native, spoken, text, reasoning, time, agent, model, result, code, call_id, notes)
    kind = "lines" if listed.expression == "@" else "document"
    return Layout(name, listed.expression, kind, fields=fields, calls=calls, roles=roles)


def _comes_with(leaf: Leaf, tool: Leaf | None) -> bool:
    """Whether a field is there only where a tool is called, and not always."""
    return tool is not None and leaf.at <= tool.at and len(tool.at) < tool.objects


def _no_more(_leaf: Leaf) -> float:
    return 0.0


class _Picked:
    """The fields of the events: each is one thing only."""

    def __init__(self, fields: Sequence[Leaf]) -> None:
        self._all = list(fields)
        self.free = list(fields)

    def take(
        self, what: str, fits: Callable[[Leaf], bool], *, least: float = 0.3, more: Callable[[Leaf], float] = _no_more
    ) -> str:
        """The expression of the field that sounds most like this and fits; "" where none does.

        `more` is added to how much a name sounds like it.
        """
        ranked = [(words.rank(what, leaf.name) + more(leaf), -len(leaf.path), leaf) for leaf in self.free]
        found = [(rank, depth, leaf) for rank, depth, leaf in ranked if rank >= least and fits(leaf)]
        leaf = max(found, key=lambda entry: entry[:2])[2] if found else None
        return leaf.expression if self.take_leaf(leaf) and leaf else ""

    def take_leaf(self, leaf: Leaf | None) -> Leaf | None:
        """The field is taken, with all that is below it or around it."""
        if leaf is not None:
            self.free = [one for one in self.free if not _overlap(one.path, leaf.path)]
        return leaf

    def longest_text(self, fits: Callable[[Leaf], bool]) -> str:
        """The expression of the field with the most text among those that fit; "" where none does."""
        texts = [leaf for leaf in self.free if leaf.is_text and fits(leaf)]
        found = max(texts, key=lambda leaf: leaf.chars, default=None)
        return found.expression if self.take_leaf(found) and found else ""

    def outermost(self) -> list[Leaf]:
        """The free fields that are within no other free one."""
        free = {leaf.path for leaf in self.free}
        return [leaf for leaf in self.free if not any(leaf.path[:at] in free for at in range(1, len(leaf.path)))]

    def leaf_of(self, expression: str) -> Leaf | None:
        """The field of an expression, taken or not."""
        return next((leaf for leaf in self._all if expression and leaf.expression == expression), None)


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _role(fields: Sequence[Leaf]) -> Leaf | None:
    """The field that says who speaks, or what happens: few short values, in most events, that sound like roles."""
    best, best_rank = None, 0.35
    for leaf in fields:
        values = set(leaf.texts)
        if not values or len(leaf.texts) < 0.7 * leaf.objects or len(leaf.path) > 3:
            continue
        known = sum(words.role_meaning(value) is not None for value in values) / len(values)
        most = _MOST_ROLES if known >= 0.6 else min(_MOST_ROLES, leaf.objects // 2 + 1)
        if len(values) > most or max(map(len, values)) > _MAX_ROLE_CHARS:
            continue
        rank = words.rank("role", leaf.name) + known - 0.1 * len(leaf.path) + (0.2 if len(values) > 1 else -0.3)
        if rank > best_rank:
            best, best_rank = leaf, rank
    return best


def _calls(picked: _Picked) -> tuple[Calls, bool]:
    """Where the calls are, and whether that is a list within each event."""
    for leaf in sorted(picked.free, key=lambda leaf: -words.rank("calls", leaf.name)):
        values = [table(one) for value in leaf.values for one in array(value)]
        inner = [one for one in values if one]
        if inner and len(inner) == len(values):
            calls = _call_fields(_Picked(leaves(inner)), least=0.3)
            if calls.tool and (calls.arguments or calls.result):
                picked.take_leaf(leaf)
                return msgspec.structs.replace(calls, each=f"{leaf.expression}[]"), True
    return _call_fields(picked, least=0.6, is_event=True), False


def _call_fields(picked: _Picked, *, least: float, is_event: bool = False) -> Calls:
    """The fields of a call; of an event that is one, without those that other events may have too."""
    tool = picked.take("tool", _is_name, least=least)
    named = picked.leaf_of(tool)
    free = picked.free
    arguments = picked.take(
        "arguments", lambda leaf: leaf.chars > 0, more=lambda leaf: _like_arguments(leaf, named, free)
    )
    if is_event:
        native = picked.take("call_id", _is_name, least=0.7) if tool else ""
        return Calls(id=native, tool=tool, arguments=arguments)
    code = picked.take("exit_code", _is_number, least=0.6)
    result = picked.take("result", lambda leaf: bool(leaf.values))
    native = picked.take("id", _is_name)
    return Calls(id=native, tool=tool, arguments=arguments, result=result, exit_code=code)


def _like_arguments(leaf: Leaf, tool: Leaf | None, fields: Sequence[Leaf]) -> float:
    """Arguments are mostly an object, there wherever a tool is, with fields that sound like arguments."""
    if leaf.share(lambda value: isinstance(value, dict)) <= 0.9:
        return 0.0
    inner = (other for other in fields if other.path[:-1] == leaf.path)
    sounds = any(words.rank("arguments", other.name) >= 0.3 for other in inner)
    return 0.8 if sounds and tool is not None and leaf.at == tool.at else 0.3


def _roles(role: Leaf | None, listed: Listed, tool: Leaf | None, result: str) -> Mapping[str, Means]:
    """What each role means: by its name; else by what its events hold; else by where it comes first."""
    if role is None:
        return {}
    at = _reader(role)
    counted = Counter(value for one in listed.objects if isinstance(value := at(one), str))
    meanings: dict[str, Means | None] = {value: words.role_meaning(value) for value in counted}
    unknown = [value for value, means in meanings.items() if means is None]
    with_tool = {at(one) for one in listed.objects if tool is not None and _reader(tool)(one) not in (None, "", {})}
    for value in unknown:
        if value in with_tool:
            meanings[value] = "response"
    left = [value for value in unknown if meanings[value] is None]
    if left and "task" not in meanings.values() and left[0] == at(listed.objects[0]):
        meanings[left.pop(0)] = "task"
    if left and "response" not in meanings.values() and "call" not in meanings.values():
        most = max(left, key=counted.__getitem__)
        left.remove(most)
        meanings[most] = "response"
    if left and not result and "result" not in meanings.values():
        meanings[max(left, key=counted.__getitem__)] = "result"
    return {value: means or "note" for value, means in meanings.items()}


def _reader(leaf: Leaf) -> Callable[[Mapping[str, Any]], Any]:
    def read(one: Mapping[str, Any]) -> Any:
        value: Any = one
        for key in leaf.path:
            value = table(value).get(key)
        return value

    return read


def _beside(value: Mapping[str, Any], events: str, total: int) -> tuple[str, list[str]]:
    """The task, and what else has text beside the events: both outside of the list's own branch."""
    branch = events.split("[]", maxsplit=1)[0]
    fields = [leaf for leaf in leaves([value]) if not _is_branch(leaf.expression, branch)]
    picked = _Picked(fields)
    task = picked.take("task", _is_text)
    notes = [leaf.expression for leaf in picked.outermost() if leaf.chars > _MIN_NOTE_SHARE * total]
    return task, notes


def _is_branch(expression: str, branch: str) -> bool:
    """Whether a field holds the list of events, or is within it."""
    return f"{branch}.".startswith(f"{expression}.") or f"{expression}.".startswith(f"{branch}.")


def _is_text(leaf: Leaf) -> bool:
    return leaf.is_text


def _is_name(leaf: Leaf) -> bool:
    return leaf.is_name


def _is_number(leaf: Leaf) -> bool:
    """Whether a field's values are whole numbers."""
    return leaf.share(lambda value: type(value) is int) > 0.9


def _is_unique(leaf: Leaf, listed: Listed) -> bool:
    """Whether each event has a value, and no two the same."""
    simple = [value for value in leaf.values if isinstance(value, (str, int))]
    return len(simple) == len(listed.objects) == len(set(simple))
