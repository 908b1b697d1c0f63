"""Keeps a followed expression's values per subject (a call, an object or a module), with an upper limit."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import sys
from typing import Any, Callable, ClassVar, Iterator

from ...inspector.interpreter.node_interpreter import NodeInterpreter
from ...inspector.interpreter.operations import truth_of
from ...inspector.stored.plain import EvaluationRaised, MissingName, RefusedOperation
from ...inspector.stored.statics import MISSING, forget, module_namespace, names_of, text_of
from ...inspector.stored.values import ValueDescriber
from .marks import PLAIN, Marker, identity

_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: a function's code
_KEPT = 100
"""Maximum number of first changes kept, and of last changes."""
_KEPT_AS_IT_IS = 1000
"""Size in bytes up to which a value is kept; of a larger value only its text is kept."""


def names_in(node: Any) -> Iterator[str]:
    """Yields the names in a Node (an expression), including those in its comprehensions."""
    if type(node) is dict:
        node = list(node.values())
    if type(node) is list:
        if node[:1] == ["n"]:
            yield node[1]
        else:
            for part in node:
                for name in names_in(part):
                    yield name


class SubjectReader(NodeInterpreter):
    """Evaluates a Node (an expression) in a frame's current state, without running code of the program."""

    def __init__(self, describer: ValueDescriber) -> None:
        super().__init__(describer, None, {}, "compute")

    def read(self, node: Any, frame: Any, names: dict[str, Any], module: dict[str, Any]) -> Any:
        """Returns the expression's value; MISSING if it has none. Raises RefusedOperation.

        `names` take precedence over the names of `frame`, which may be None.
        """
        self._frame, self._locals, self._module = frame, names, module
        try:
            if node[0] == "n":
                return self._name(node[1])
            forget()  # the cache of classes is valid only while the program does not run
            self._begin()
            return self._evaluate(node)
        except (MissingName, EvaluationRaised):
            return MISSING
        finally:
            self._frame = None

    def _name(self, name: str) -> Any:
        for scope in (*reversed(self._scopes), self._locals):
            if name in scope:
                return scope[name]
        if self._frame is not None:
            scope = self._frame.f_locals
            if name in scope:
                return scope[name]
            code = self._frame.f_code
            if code.co_flags & _OPTIMIZED and name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
                raise MissingName(name)
        if name in self._module:
            return self._module[name]
        found = names_of(module_namespace(sys.modules["builtins"])).get(name, MISSING)
        if found is MISSING:
            raise MissingName(name)
        return found

    _forms: ClassVar[dict[str, Callable[..., Any]]] = {**NodeInterpreter._forms, "n": _name}


class RunLine:
    """A line that has run, with how it was entered."""

    __slots__ = ("entries", "file", "function", "line", "passed")

    def __init__(self, file: str, function: str, line: int, entries: list[int], passed: bool = False) -> None:
        self.file, self.function, self.line, self.entries, self.passed = file, function, line, entries, passed


class SubjectChange:
    """A change to a new value. `spot`: the line that made it; `event`: the run's event count at that time."""

    __slots__ = ("event", "number", "spot", "value")

    def __init__(self, number: int, value: Any, spot: RunLine | None, event: int) -> None:
        self.number, self.value, self.spot, self.event = number, value, spot, event


class TextValue:
    """The text of a value that is not kept itself."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Subject:
    """The call, object or module that a followed expression belongs to, with its values.

    `number`: the call's number, or 0. `frame`: the call's frame while the call runs.
    """

    __slots__ = ("before", "count", "first", "frame", "last", "mark", "names", "newest", "number", "when")

    def __init__(self, number: int, frame: Any, names: dict[str, Any]) -> None:
        self.number = number
        self.frame = frame
        self.names = names
        self.count = 0
        self.first: list[SubjectChange] = []
        self.last: Any = collections.deque(maxlen=_KEPT)
        self.mark: Any = MISSING
        self.newest: SubjectChange | None = None
        self.when: SubjectChange | None = None
        self.before: SubjectChange | None = None

    def add(self, change: SubjectChange) -> None:
        """Adds the newest change."""
        self.newest = change
        if len(self.first) < _KEPT:
            self.first.append(change)
        else:
            self.last.append(change)

    def end(self, event: int) -> None:
        """Removes the changes after this event count."""
        self.first = [change for change in self.first if change.event <= event]
        self.last = collections.deque((change for change in self.last if change.event <= event), _KEPT)
        self.newest = [*self.first, *self.last][-1] if self.first else None
        self.count = self.newest.number if self.newest else 0
        if self.when is not None and self.when.event > event:
            self.when = self.before = None


class SubjectValues:
    """Detects changes of a followed expression's value."""

    def __init__(self, describer: ValueDescriber, node: Any, when: Any, notes_start: bool) -> None:
        """`notes_start`: records the value before the first line, because it is not left from an earlier run."""
        self._notes_start = notes_start
        self._describer = describer
        self._marker = Marker(describer)
        self._reader = SubjectReader(describer)
        self._node = node
        self._when = when
        self.refused = ""
        self.first_when: tuple[Subject, SubjectChange] | None = None

    def look(self, subject: Subject, module: dict[str, Any], spot: RunLine | None, event: int) -> None:
        """Reads the expression for a subject and records a change; `spot` is the line that has just run."""
        try:
            x = self._reader.read(self._node, subject.frame, subject.names, module)
        except RefusedOperation as reason:
            self.refused = text_of(reason.args[0])
            return
        kind, mark = type(x), subject.mark
        if kind in PLAIN:
            if mark is x or (type(mark) is kind and mark == x):
                return
            subject.mark = x
            kept = x if kind not in (str, bytes, int) or sys.getsizeof(x) < _KEPT_AS_IT_IS else self._text_value(x)
        elif x is MISSING:
            if mark is MISSING:
                return
            subject.mark = kept = x
        else:
            seen = self._marker.mark(x)
            if type(mark) is _ObjectMark and mark.mark == seen:
                return
            kept = self._text_value(x)
            is_same = type(mark) is _ObjectMark and mark.identity == identity(x) and mark.text == kept.text
            subject.mark = _ObjectMark(identity(x), seen, kept.text)
            if is_same:
                return
        if spot is None and not self._notes_start:
            return
        subject.count += 1
        before, change = subject.newest, SubjectChange(subject.count, kept, spot, event)
        subject.add(change)
        if self._when is not None and subject.when is None and x is not MISSING and self._holds(subject, module):
            subject.when, subject.before = change, before
            if self.first_when is None:
                self.first_when = subject, change

    def _holds(self, subject: Subject, module: dict[str, Any]) -> bool:
        try:
            found = self._reader.read(self._when, subject.frame, subject.names, module)
            return found is not MISSING and truth_of(found)
        except (RefusedOperation, EvaluationRaised) as reason:
            self.refused = text_of(str(reason.args[0]))
            return False

    def _text_value(self, x: Any) -> TextValue:
        return TextValue(self._describer.text(x))

    def moment(self, change: SubjectChange | None, call: int) -> dict[str, Any] | None:
        """Returns the FollowedValue dict of a change, or None without a change."""
        if change is None:
            return None
        x = change.value
        text = "" if x is MISSING else x.text if type(x) is TextValue else self._describer.text(x)
        told: dict[str, Any] = {"text": text, "number": change.number, "call": call}
        if change.spot is not None:
            told.update({name: getattr(change.spot, name) for name in RunLine.__slots__})
        return told


class _ObjectMark:
    """A mutable object's last state, to detect changes; does not keep the object alive."""

    __slots__ = ("identity", "mark", "text")

    def __init__(self, identity: int, mark: Any, text: str) -> None:
        self.identity, self.mark, self.text = identity, mark, text
