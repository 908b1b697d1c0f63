"""Reads a run by the mapping in a layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.json_documents import document
from dap_ai.debuggees.runs.json_spans import escaped
from dap_ai.debuggees.runs.layouts.layout_model import Layout, Means, search
from dap_ai.debuggees.runs.readers.base import glance
from dap_ai.debuggees.runs.readers.content_blocks import readable, strings, text_of
from dap_ai.debuggees.runs.readers.json_lines import objects
from dap_ai.debuggees.runs.readers.json_shapes import arguments, command, status_of, table, text, whole
from dap_ai.debuggees.runs.readers.run_assembly import finished
from dap_ai.debuggees.runs.readers.timeline import MAIN, Timeline
from dap_ai.debuggees.runs.readers.times import epoch_s
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Ref, Run


class LayoutReading(NamedTuple):
    """A run, and how much of the file's text the layout maps."""

    run: Run
    reached: int
    """Number of characters of text that the layout's expressions select."""
    total: int
    """Number of characters of all strings in the file."""
    missed: Sequence[tuple[str, int]]
    """Paths of strings that no expression selects, with number of characters, largest first.

    `[]` stands for any index.
    """


def read(path: Path, layout: Layout) -> LayoutReading:
    """Read the run at `path` with a layout. Raises CannotRead if this fails or the layout finds no event."""
    timeline = Timeline()
    telling = _EventBuilder(timeline, layout)
    for ref, value in _values(path, layout, timeline):
        telling.document(ref, value)
    if not telling.found:
        raise CannotRead(f"{path}: the layout {layout.name!r} finds no event in it")
    run = finished(path, f"layout:{layout.name}", timeline, by_time=bool(layout.fields.time), task=telling.task)
    return LayoutReading(run, telling.total - telling.missed.total(), telling.total, telling.missed.most_common())


def values_of(path: Path) -> tuple[Any, bool]:
    """Return a file's JSON value, and whether the file is JSON Lines. Raises CannotRead.

    The value of a JSON Lines file is the list of the lines' values.
    """
    found = [dict(row) for _, row in objects(path, Timeline())] if glance(path).kind == "lines" else []
    return (found, True) if found else (document(path)[0], False)


def texts_in(path: Path) -> tuple[Sequence[tuple[str, int]], bool]:
    """Return the paths of a file's strings with the number of characters, and whether the file is JSON Lines.

    In a path, `[]` stands for any index. Paths in JSON Lines are relative to the line. The largest strings are first.
    Raises CannotRead.
    """
    value, is_lines = values_of(path)
    chars = Counter[str]()
    for one in value if is_lines else [value]:
        for place, said in _placed_strings(one):
            chars[place] += len(said)
    return chars.most_common(), is_lines


def _values(path: Path, layout: Layout, timeline: Timeline) -> Iterator[tuple[Ref, Any]]:
    if layout.kind == "lines":
        yield from objects(path, timeline)
        return
    value, problems = document(path)
    timeline.problems.extend(problems)
    yield Ref(), value


class _EventBuilder:
    """Converts the JSON values of a file to events, in order."""

    def __init__(self, timeline: Timeline, layout: Layout) -> None:
        self.task = ""
        self.found = 0
        self.total = 0
        self.missed = Counter[str]()
        self._timeline = timeline
        self._layout = layout
        self._texts: set[str] = set()
        self._pointers: Mapping[int, str] = {}

    def document(self, ref: Ref, value: Any) -> None:
        """Add the events of the whole document, or of one line of JSON Lines."""
        layout = self._layout
        pointers = self._pointers = _pointers(value)
        self._texts.clear()
        task = self._take(value, layout.task)
        if task is not None and not self.task:
            self.task = readable(task)
            self._timeline.add("task", self._place(ref, value, layout.task, pointers), text=self.task)
        for note in layout.notes:
            if (found := self._take(value, note)) not in (None, "", [], {}):
                place = self._place(ref, value, note, pointers)
                self._timeline.add("note", place, text=readable(found))
        events = search(layout.events, value)
        for event in events if isinstance(events, list) else [events]:  # pyright: ignore[reportUnknownVariableType]
            if not isinstance(event, dict):
                continue
            pointer = pointers.get(id(event))  # pyright: ignore[reportUnknownArgumentType]
            if pointer is None:
                self._timeline.problem(
                    ref, "an event that the layout has made up stands nowhere in the file", "made up"
                )
                continue
            self.found += 1
            place, before = Ref(ref.path, ref.lines, ref.pointer + pointer), len(self._timeline.events)
            self._event(place, table(event))
            if len(self._timeline.events) == before:  # keep an event without fields known to the layout
                self._timeline.add("note", place)
        self._account(value)

    def _place(self, ref: Ref, value: Any, expression: str, pointers: Mapping[int, str]) -> Ref:
        """Return a ref to the object that an expression selects, or to the closest object around the selected value."""
        while expression:
            pointer = pointers.get(id(search(expression, value)))
            if pointer is not None:
                return Ref(ref.path, ref.lines, ref.pointer + pointer)
            expression = expression.rpartition(".")[0]
        return ref

    def _take(self, value: Any, expression: str) -> Any:
        """Return the value that an expression selects, and count the value's strings as selected."""
        found: Any = search(expression, value)
        self._texts.update(strings(found))
        return found

    def _event(self, ref: Ref, event: Mapping[str, Any]) -> None:
        fields, layout = self._layout.fields, self._layout
        role = readable(self._take(event, fields.role))
        means = layout.roles.get(role, "note") if fields.role else None
        said = _EventHead(
            ref,
            epoch_s(self._take(event, fields.time)),
            self._agent(event),
            readable(self._take(event, fields.id)),
            _text(self._take(event, fields.text)),
            _text(self._take(event, fields.reasoning)),
        )
        calls = [] if means in ("task", "result") else list(self._calls(event))
        self._says(said, means, has_calls=bool(calls))
        for call in calls:
            place = self._pointers.get(id(call))
            self._called(said._replace(ref=ref if place is None else Ref(ref.path, ref.lines, place)), call)
        self._brings(event, said, means)
        for note in fields.notes:
            if found := _text(self._take(event, note)):
                self._timeline.add("note", ref, agent=said.agent, at=said.at, text=found, native_id=said.native_id)

    def _agent(self, event: Mapping[str, Any]) -> str:
        name = text_of(self._take(event, self._layout.fields.agent)).strip()
        model = text_of(self._take(event, self._layout.fields.model))
        if not name:
            return self._timeline.agent(MAIN, model=model)
        return self._timeline.agent(name, "" if self._timeline.has_agent(name) else MAIN, model)

    def _says(self, said: _EventHead, means: Means | None, *, has_calls: bool) -> None:
        """Add the event's own text and reasoning, without its calls and results."""
        if means == "result" or not (said.text or said.reasoning or means in ("response", "note", "end")):
            return
        if means in (None, "response", "call"):
            if means == "call" and not has_calls and not said.reasoning:
                return
            self._timeline.new_cycle(said.agent)
            step = 0 if has_calls else self._timeline.message_step()
            self._timeline.add(
                "response", said.ref, agent=said.agent, at=said.at, text=said.text, reasoning=said.reasoning,
                native_id=said.native_id, step=step,
            )  # fmt: skip
        else:
            words = "\n".join(filter(None, (said.reasoning, said.text)))
            self._timeline.add(means, said.ref, agent=said.agent, at=said.at, text=words, native_id=said.native_id)
            self.task = self.task or (said.text if means == "task" else "")

    def _calls(self, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yields the calls of an event.

        If the event has no list of calls but has a tool or arguments, yields the event itself.
        """
        calls = self._layout.calls
        if not (calls.tool or calls.arguments):
            return
        found = search(calls.each, event) if calls.each else [event]
        for call in map(table, found if isinstance(found, list) else [found]):  # pyright: ignore[reportUnknownArgumentType]
            values = (search(expression, call) for expression in (calls.tool, calls.arguments))
            if any(value not in (None, "", {}, []) for value in values):
                yield call

    def _called(self, said: _EventHead, call: Mapping[str, Any]) -> None:
        calls = self._layout.calls
        given = self._take(call, calls.arguments)
        found, _ = arguments(given)
        known = found if found is not None else {"input": given} if given is not None else {}
        call_id = readable(self._take(call, calls.id))
        self._timeline.call(
            said.ref, readable(self._take(call, calls.tool)), known, call_id=call_id, agent=said.agent, at=said.at,
            text=command(found) or text_of(given), native_id=said.native_id,
        )  # fmt: skip
        result, code = self._take(call, calls.result), whole(self._take(call, calls.exit_code))
        if result is not None or code is not None:
            self._result(said, _text(result), call_id, code)

    def _brings(self, event: Mapping[str, Any], said: _EventHead, means: Means | None) -> None:
        """Add the result that an event contains, or the event itself as a result."""
        fields = self._layout.fields
        result, code = self._take(event, fields.result), whole(self._take(event, fields.exit_code))
        call_id = readable(self._take(event, fields.call_id))
        if means == "result":
            words = "\n".join(filter(None, (said.text, _text(result))))
            self._result(said, words, call_id, code)
        elif result not in (None, "") or code is not None:
            self._result(said, _text(result), call_id, code)

    def _result(self, said: _EventHead, words: str, call_id: str, code: int | None) -> None:
        self._timeline.result(
            said.ref, words, call_id=call_id, agent=said.agent, at=said.at, exit_code=code, status=status_of(code),
            native_id=said.native_id,
        )  # fmt: skip

    def _account(self, value: Any) -> None:
        """Count the characters of a value's strings, and separately of the strings that no expression selected."""
        for place, said in _placed_strings(value):
            self.total += len(said)
            if said not in self._texts:
                self.missed[place] += len(said)


class _EventHead(NamedTuple):
    """Fields that an event shares with its calls and results."""

    ref: Ref
    at: float | None
    agent: str
    native_id: str
    text: str
    reasoning: str


def _text(value: Any) -> str:
    """Return a value as text: a string, the joined texts of content parts, or JSON. Empty for an empty value."""
    return text(value) or (readable(value) if value not in (None, [], {}) else "")


def _pointers(value: Any) -> dict[int, str]:
    """Return the JSON pointer of each object and list in a value, by `id()`.

    JMESPath expressions return the same objects, so their pointers can be looked up.
    """
    found: dict[int, str] = {}
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        top, pointer = waiting.pop()
        if isinstance(top, dict):
            found[id(top)] = pointer  # pyright: ignore[reportUnknownArgumentType]
            waiting += [(inner, f"{pointer}/{escaped(key)}") for key, inner in table(top).items()]  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(top, list):
            found[id(top)] = pointer  # pyright: ignore[reportUnknownArgumentType]
            waiting += [(inner, f"{pointer}/{at}") for at, inner in enumerate(top)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return found


def _placed_strings(value: Any) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each string in a value. In a path, `[]` stands for any index."""
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        top, place = waiting.pop()
        if isinstance(top, str):
            yield place, top
        elif isinstance(top, dict):
            waiting += [(inner, f"{place}.{key}" if place else str(key)) for key, inner in table(top).items()]  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(top, list):
            waiting += [(inner, f"{place}[]") for inner in top]  # pyright: ignore[reportUnknownVariableType]
