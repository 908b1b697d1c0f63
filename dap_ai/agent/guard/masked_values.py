"""Masks the values, frames and exceptions that a debugger returns, and the results of snapshots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar, cast

import msgspec

from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.masked_tables import mask_table, secret_cells
from dap_ai.agent.masking.secret_names import secret_name
from dap_ai.protocol.contracts.inspection import ExceptionFacts, ExpressionResult, Field, FrameFacts, Node, Value
from dap_ai.protocol.contracts.question import ValueEdit, WatchedData
from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import Followed, RunTrace, SnapshotQuery, SnapshotResult, StepHistory
from dap_ai.protocol.wire.safe import Raw, Safe, as_it_is, put
from dap_ai.protocol.wire.visible import without_colours

_LAST_NAME = re.compile(r"[\w.\[\]'\"]*?(?:(?P<name>[^\W\d]\w*)|\[['\"](?P<key>[\w -]+)['\"]\])")
_SHORT = 4

T = TypeVar("T")


class ValueMasker:
    """Masks the secrets in values, and remembers which variables hold secrets."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self.holders: set[str] = set()
        """Names of values that contain a secret."""
        self.strings: set[str] = set()
        """Names of strings and bytes that contain a secret."""

    def learn_table(self, value: Value) -> None:
        """Learns the secrets in the cells of a value's table."""
        for name, text in secret_cells(value.table) if value.table else ():
            self._masker.learn(name, text)

    def watched(self, watched: WatchedData) -> WatchedData:
        """Masks the previous value of a variable at which a data breakpoint stopped."""
        return msgspec.structs.replace(watched, before=self.value_text(label_of(watched.name), watched.before))

    def edit(self, edit: ValueEdit) -> ValueEdit:
        """Masks a value that was set in the debugger."""
        name = label_of(edit.name)
        value, before = self.value_text(name, edit.value), self.value_text(name, edit.before)
        return msgspec.structs.replace(edit, value=value, before=before, typed=self.text(edit.typed))

    def text(self, text: str) -> Safe:
        """Masks the secrets in a text. Leaves texts of up to 4 characters unchanged."""
        return as_it_is(text) if len(text) <= _SHORT else self._masker.mask(text)

    def message(self, text: str) -> Safe:
        """Masks an exception's message and removes terminal colours."""
        return self.text(without_colours(text))

    def value_text(self, name: str, text: str) -> Safe:
        """Masks the text of the value called `name`. Remembers the name if the value contains a secret."""
        if len(text) <= _SHORT and not secret_name(name):
            return as_it_is(text)
        masked = self._masker.mask_value(name, text) if name else self._masker.mask(text)
        if masked != text and name:
            self.holders.add(name)
        return masked

    def value(self, name: str, value: Value) -> None:
        """Masks the value called `name` in place."""
        text = self.value_text(name, value.text)
        if value.text != text and value.kind in ("str", "bytes"):
            self.strings.add(name)
        put(value, text=text)
        if value.now:
            put(value, now=self.value_text(name, value.now))
        if value.note:
            put(value, note=self.text(value.note))
        if value.keys:
            put(value, keys=[self.text(key) for key in value.keys])
        self._fields(value.fields)
        if value.table is not None:
            self.learn_table(value)
            if mask_table(value.table, self.value_text) and name:
                self.holders.add(name)
        if name and any("<secret:" in field.text for field in value.fields or ()):
            self.holders.add(name)

    def _fields(self, fields: Iterable[Field] | None) -> None:
        for field in fields or ():
            put(field, text=self.value_text(field.name, field.text))

    def _fact(self, name: str, fact: ExpressionResult) -> None:
        put(fact, text=self.message(fact.text), now=self.message(fact.now))
        if fact.value is not None:
            self.value(name, fact.value)

    def frame(self, facts: FrameFacts, names: Sequence[str]) -> None:
        """Masks a frame in place. `names` holds a name for each expression of the frame, empty for an unnamed value."""
        put(facts, error=self.text(facts.error), expressions=[self.text(text) for text in facts.expressions])
        for variable in (*facts.arguments, *facts.locals):
            self.value(variable.name, variable.value)
        for name, fact in zip_longest(names[: len(facts.values)], facts.values, fillvalue=""):
            if isinstance(fact, ExpressionResult):
                self._fact(name, fact)

    def exception(self, exception: ExceptionFacts) -> None:
        """Masks an exception in place."""
        put(exception, message=self.message(exception.message), traceback=self.text(exception.traceback))
        put(exception, notes=[self.message(note) for note in exception.notes])
        for facts in exception.frames:
            self.frame(facts, facts.expressions)
        self._fields(exception.fields)
        for value in exception.arguments:
            self.value("", value)

    def result(self, made: Raw[SnapshotResult], query: SnapshotQuery, shown: Mapping[str, Safe]) -> SnapshotResult:
        """Masks the result of a snapshot.

        In the snapshot, a filler text replaces each secret. `shown` maps these fillers to placeholders.
        """
        result = _unfilled(opened(made), shown) if shown else opened(made)
        if result.value is not None:
            self.value(label_of(query.expression), result.value)
        put(result, status=self.text(result.status), error=self.message(result.error))
        put(result, printed=self.text(result.printed), effects=[self.text(effect) for effect in result.effects])
        put(result, refusals=[self.text(refusal) for refusal in result.refusals])
        if result.raised is not None:
            put(result.raised, message=self.message(result.raised.message))
            for text, value in zip(query.watch, result.raised.watched, strict=False):
                if value is not None:
                    self.value(label_of(text), value)
        if result.trace is not None:
            self._trace(result.trace)
        if result.followed is not None:
            self._followed(label(query.follow.node) if query.follow else "", result.followed)
        if result.rewound is not None:
            self._rewound(result.rewound)
        if result.beside is not None:
            for test in result.beside.tests:
                put(test, name=self.text(test.name))
        return result

    def _followed(self, name: str, found: Followed) -> None:
        for moment in (*found.first, *found.last, found.when, found.before, found.earlier):
            if moment is not None:
                put(moment, text=self.value_text(name, moment.text))
        put(found, differs=self.text(found.differs), refused=self.text(found.refused))

    def _rewound(self, found: Rewound) -> None:
        put(found, differs=self.text(found.differs))
        for seen in found.seen:
            put(seen, error=self.message(seen.error))
            for shown in (*seen.parts, *([seen.value] if seen.value else [])):
                put(shown, value=self.value_text(shown.name, shown.value))
                put(shown, name=self.text(shown.name), type=self.text(shown.type))

    def _trace(self, trace: RunTrace) -> None:
        for line in trace.lines:
            for change in line.changes:
                put(change, texts=[self.value_text(change.name, text) for text in change.texts])
        for call in trace.calls:
            put(call, arguments=[self._argument(argument) for argument in call.arguments])
            put(call, result=self.text(call.result), raised=self.message(call.raised))
        if trace.history is not None:
            self._history(trace.history)

    def _history(self, history: StepHistory) -> None:
        for run in history.runs:
            put(run, arguments=[self._argument(argument) for argument in run.arguments])
            put(run, result=self.text(run.result), raised=self.message(run.raised))
        for value in history.values:
            put(value, text=self.value_text(value.name, value.text))

    def _argument(self, argument: str) -> Safe:
        name, _, text = argument.partition("=")
        return f"{self.text(name)}={self.value_text(name, text)}"


def opened(read: Raw[T]) -> T:
    """Returns the unmasked data of a `Raw` value, for masking."""
    return cast("T", read)


def _unfilled(result: SnapshotResult, shown: Mapping[str, Safe]) -> SnapshotResult:
    """Replaces the filler texts of a snapshot by the placeholders of the secrets."""
    text = msgspec.json.encode(result).decode()
    for filler, placeholder in sorted(shown.items(), key=lambda pair: -len(pair[0])):
        if filler != placeholder:
            text = text.replace(filler, placeholder)
    return msgspec.json.decode(text, type=SnapshotResult)


def label(node: Node) -> str:
    """Returns the last name of an expression: `api_key` for `config.api_key` and `config["api_key"]`.

    Returns an empty string for any other expression.
    """
    match node:
        case ["n", str(name)] | ["a", _, str(name)] | ["s", _, ["c", str(name)]]:
            return name
        case ["s", x, ["c", int()]]:
            return label(x)
        case _:
            return ""


def label_of(expression: str) -> str:
    """Returns the last name of an expression in source text; empty if the expression has no such name."""
    found = _LAST_NAME.fullmatch(expression.strip())
    return (found["name"] or found["key"] or "") if found else ""
