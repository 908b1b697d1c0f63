"""A Debugger behind the mask: what the program says is masked as it is read, before anything is cut or cited.

So whoever works with it (tools, the analyst, the second reading) never holds a secret, and equal secrets still compare
equal. Paths, names and structure stay as they are: files are opened by them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import Any, TypeVar, cast

import msgspec

from dap_ai.agent.guard.passing import PassingSession
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.masked_tables import mask_table, secret_cells
from dap_ai.agent.masking.names import secret_name
from dap_ai.agent.masking.placeholders import fillers
from dap_ai.protocol.contracts.asking import HistoryItem, Stop, ValueEdit, WatchedData
from dap_ai.protocol.contracts.debugger import Action, Consent, Done, RawDebugger
from dap_ai.protocol.contracts.inspection import ExceptionFacts, Fact, Field, FrameFacts, Inspection, Node, Query, Value
from dap_ai.protocol.contracts.rewinding import Rewound
from dap_ai.protocol.contracts.snapshot import Followed, Hidden, History, SnapshotQuery, SnapshotResult, Trace
from dap_ai.protocol.wire.caught import Caught
from dap_ai.protocol.wire.safe import Raw, Safe, SafeFields, as_it_is, put, replaced
from dap_ai.protocol.wire.visible import without_colours

MAX_HIDDEN = 200
_MIN_HIDDEN_CHARS = 6
_MASKED_REPLIES = frozenset({"variables", "exceptionInfo", "evaluate"})
"""DAP responses that hold values; the others hold paths and lines."""
_DERIVED = (
    "refused: it works on {name}, which holds a secret; a secret's value is masked, and nothing may be computed from "
    "it here: use the name alone"
)
_LAST_NAME = re.compile(r"[\w.\[\]'\"]*?(?:(?P<name>[^\W\d]\w*)|\[['\"](?P<key>[\w -]+)['\"]\])")
_SHORT = 4

T = TypeVar("T")


class MaskedDebugger(PassingSession):
    """See protocol.debugger.Debugger."""

    def __init__(self, debugger: RawDebugger, masker: Masker, *, hiding: bool) -> None:
        """`hiding`: nothing can be computed from a secret: copies have none, the walker only reads them as they are."""
        super().__init__(debugger)
        self._debugger = debugger
        self._masker = masker
        self._hiding = hiding
        self._learned_epoch = -1
        self._holders: set[str] = set()
        """Names whose value has a secret in it."""
        self._texts: set[str] = set()
        """Those of them whose value is a string."""

    @property
    def stop(self) -> Stop | None:
        """What was set in the debugger, and what a data breakpoint watches, masked."""
        stop = super().stop
        if stop is None or not (stop.edits or stop.hit):
            return stop
        edits = [self._edit(edit) for edit in stop.edits or ()]
        hit = [self._watched(each) for each in stop.hit or ()]
        return msgspec.structs.replace(stop, edits=edits, hit=hit)

    def _watched(self, watched: WatchedData) -> WatchedData:
        return msgspec.structs.replace(watched, before=self._value_text(label_of(watched.name), watched.before))

    def _edit(self, edit: ValueEdit) -> ValueEdit:
        name = label_of(edit.name)
        value, before = self._value_text(name, edit.value), self._value_text(name, edit.before)
        return msgspec.structs.replace(edit, value=value, before=before, typed=self._text(edit.typed))

    async def request(self, command: str, arguments: Mapping[str, Any]) -> SafeFields:
        """Its values masked."""
        body = _opened(await self._debugger.request(command, arguments))
        return self._masker.mask_fields(body) if command in _MASKED_REPLIES else SafeFields(body)

    async def inspect(self, query: Query) -> Inspection:
        """Masked; secrets are asked for once a stop, and learned."""
        stop = self.stop
        if stop and stop.epoch != self._learned_epoch:
            query = msgspec.structs.replace(query, secrets=True)
        refused = [[self._refused(node) for node in frame.expressions] for frame in query.frames]
        sent = query
        if any(any(row) for row in refused):
            frames = [
                msgspec.structs.replace(f, expressions=[n for n, no in zip(f.expressions, row, strict=True) if not no])
                for f, row in zip(query.frames, refused, strict=True)
            ]
            sent = msgspec.structs.replace(query, frames=frames)
        read = await self._debugger.inspect(sent)
        if stop and query.secrets:
            self._learned_epoch = stop.epoch
        return self._inspection(read, query, refused)

    def _inspection(self, read: Raw[Inspection], query: Query, refused: Sequence[Sequence[Fact | None]]) -> Inspection:
        found = _opened(read)
        for facts, row in zip(found.frames, refused, strict=False):
            answers = iter(facts.values)
            if facts.values or (any(row) and not facts.error):
                facts.values = [no or next(answers, Fact(error="refused", text="it was not read")) for no in row]
        self._learn(found)
        labels = [[label(node) for node in frame.expressions] for frame in query.frames]
        for facts, names in zip_longest(found.frames, labels[: len(found.frames)], fillvalue=()):
            if isinstance(facts, FrameFacts):
                self._frame(facts, names)
        for exception in found.exceptions:
            self._exception(exception)
        for thread in found.threads:
            put(
                thread, name=self._text(thread.name), waiting=self._text(thread.waiting), wants=self._text(thread.wants)
            )
        if fault := found.fault:
            put(fault, code=self._text(fault.code), instruction=self._text(fault.instruction))
        put(found, argv=[*map(as_it_is, found.argv[:1]), *(self._text(part) for part in found.argv[1:])])
        return found

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """Of a copy without the known secrets, if they are hidden."""
        shown: dict[str, Safe] = {}
        for node in (query.follow.node, query.follow.when) if query.follow else ():
            if node and (refused := self._refused(node)):
                return SnapshotResult(f"unavailable: {refused.text.removeprefix('refused: ')}")
        if self._hiding:
            hidden = self._hidden_in_copies(shown)
            query = msgspec.structs.replace(query, hidden=hidden)
        return self._result(await self._debugger.snapshot(query), query, shown)

    async def act(self, action: Action, frame_id: int = 0) -> Done:
        """Its result masked."""
        done = _opened(await self._debugger.act(action, frame_id))
        return replaced(done, result=self._text(done.result))

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """The action is shown as it would be done: who allows it must see it."""
        return await self._debugger.approve(kind, as_it_is(action), self._text(reason), self._text(now))

    def output_tail(self) -> Sequence[tuple[str, Safe]]:
        """Masked as a whole: a secret may come in two pieces."""
        pieces = groupby(_opened(self._debugger.output_tail()), key=lambda piece: piece[0])
        return [(category, self._text("".join(text for _, text in group))) for category, group in pieces]

    def caught(self) -> Caught | None:
        """Its message masked."""
        caught = _opened(self._debugger.caught())
        return replaced(caught, message=self._text(caught.message)) if caught else None

    def history(self) -> Sequence[HistoryItem]:
        """Masked."""
        return [
            replaced(h, text=self._text(h.text), result=self._value_text(label_of(h.text), h.result))
            for h in _opened(self._debugger.history())
        ]

    # -- what is known ----------------------------------------------------------------------------------------------

    def _learn(self, found: Inspection) -> None:
        masker = self._masker
        for secret in found.secrets:
            masker.learn(secret.name, secret.text)
        found.secrets = []
        for option, value in pairwise(found.argv):
            if option.startswith("-") and not value.startswith("-"):
                masker.learn(option.lstrip("-"), value)
        for frame in (*found.frames, *(frame for error in found.exceptions for frame in error.frames)):
            for variable in (*frame.arguments, *frame.locals):
                masker.learn(variable.name, variable.value.text)
                for field in variable.value.fields or ():
                    masker.learn(field.name, field.text)
                self._learn_table(variable.value)

    def _learn_table(self, value: Value) -> None:
        for name, text in secret_cells(value.table) if value.table else ():
            self._masker.learn(name, text)

    def _hidden_in_copies(self, shown: dict[str, Safe]) -> list[Hidden]:
        known = sorted(self._masker.known(), key=len, reverse=True)[:MAX_HIDDEN]
        known = [secret for secret in known if len(secret) >= _MIN_HIDDEN_CHARS]
        placeholders: list[Safe] = [self._masker.placeholder(secret) for secret in known]
        made = fillers([(placeholder, len(secret)) for secret, placeholder in zip(known, placeholders, strict=True)])
        shown.update(zip(made, placeholders, strict=True))
        return [Hidden(secret, filler) for secret, filler in zip(known, made, strict=True)]

    def _refused(self, node: Node) -> Fact | None:
        """Why an expression is not read while secrets are hidden."""
        if not self._hiding or (is_path(node) and not self._is_character(node)):
            return None
        name = next((n for n in names_in(node) if n in self._holders or _is_sure(n)), "")
        return Fact(error="refused", text=_DERIVED.format(name=f"`{name}`")) if name else None

    def _is_character(self, node: Node) -> bool:
        if node[0] != "s" or not isinstance(node[2][1], int):
            return False
        name = label(node[1])
        return name in self._texts or _is_sure(name)

    # -- masking ----------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> Safe:
        return as_it_is(text) if len(text) <= _SHORT else self._masker.mask(text)

    def _message(self, text: str) -> Safe:
        """What an exception says: a test runner may have coloured it."""
        return self._text(without_colours(text))

    def _value_text(self, name: str, text: str) -> Safe:
        if len(text) <= _SHORT and not secret_name(name):
            return as_it_is(text)
        masked = self._masker.mask_value(name, text) if name else self._masker.mask(text)
        if masked != text and name:
            self._holders.add(name)
        return masked

    def _value(self, name: str, value: Value) -> None:
        text = self._value_text(name, value.text)
        if value.text != text and value.kind in ("str", "bytes"):
            self._texts.add(name)
        put(value, text=text)
        if value.now:
            put(value, now=self._value_text(name, value.now))
        if value.note:
            put(value, note=self._text(value.note))
        if value.keys:
            put(value, keys=[self._text(key) for key in value.keys])
        self._fields(value.fields)
        if value.table is not None:
            self._learn_table(value)
            if mask_table(value.table, self._value_text) and name:
                self._holders.add(name)
        if name and any("<secret:" in field.text for field in value.fields or ()):
            self._holders.add(name)

    def _fields(self, fields: Iterable[Field] | None) -> None:
        for field in fields or ():
            put(field, text=self._value_text(field.name, field.text))

    def _fact(self, name: str, fact: Fact) -> None:
        put(fact, text=self._message(fact.text), now=self._message(fact.now))
        if fact.value is not None:
            self._value(name, fact.value)

    def _frame(self, facts: FrameFacts, names: Sequence[str]) -> None:
        put(facts, error=self._text(facts.error), expressions=[self._text(text) for text in facts.expressions])
        for variable in (*facts.arguments, *facts.locals):
            self._value(variable.name, variable.value)
        for name, fact in zip_longest(names[: len(facts.values)], facts.values, fillvalue=""):
            if isinstance(fact, Fact):
                self._fact(name, fact)

    def _exception(self, exception: ExceptionFacts) -> None:
        put(exception, message=self._message(exception.message), traceback=self._text(exception.traceback))
        put(exception, notes=[self._message(note) for note in exception.notes])
        for facts in exception.frames:
            self._frame(facts, facts.expressions)
        self._fields(exception.fields)
        for value in exception.arguments:
            self._value("", value)

    def _result(self, made: Raw[SnapshotResult], query: SnapshotQuery, shown: Mapping[str, Safe]) -> SnapshotResult:
        result = _unfilled(_opened(made), shown) if shown else _opened(made)
        if result.value is not None:
            self._value(label_of(query.expression), result.value)
        put(result, status=self._text(result.status), error=self._message(result.error))
        put(result, printed=self._text(result.printed), effects=[self._text(effect) for effect in result.effects])
        put(result, refusals=[self._text(refusal) for refusal in result.refusals])
        if result.raised is not None:
            put(result.raised, message=self._message(result.raised.message))
            for text, value in zip(query.watch, result.raised.watched, strict=False):
                if value is not None:
                    self._value(label_of(text), value)
        if result.trace is not None:
            self._trace(result.trace)
        if result.followed is not None:
            self._followed(label(query.follow.node) if query.follow else "", result.followed)
        if result.rewound is not None:
            self._rewound(result.rewound)
        if result.beside is not None:
            for test in result.beside.tests:
                put(test, name=self._text(test.name))
        return result

    def _followed(self, name: str, found: Followed) -> None:
        for moment in (*found.first, *found.last, found.when, found.before, found.earlier):
            if moment is not None:
                put(moment, text=self._value_text(name, moment.text))
        put(found, differs=self._text(found.differs), refused=self._text(found.refused))

    def _rewound(self, found: Rewound) -> None:
        put(found, differs=self._text(found.differs))
        for seen in found.seen:
            put(seen, error=self._message(seen.error))
            for shown in (*seen.parts, *([seen.value] if seen.value else [])):
                put(shown, value=self._value_text(shown.name, shown.value))
                put(shown, name=self._text(shown.name), type=self._text(shown.type))

    def _trace(self, trace: Trace) -> None:
        for line in trace.lines:
            for change in line.changes:
                put(change, texts=[self._value_text(change.name, text) for text in change.texts])
        for call in trace.calls:
            put(call, arguments=[self._argument(argument) for argument in call.arguments])
            put(call, result=self._text(call.result), raised=self._message(call.raised))
        if trace.history is not None:
            self._history(trace.history)

    def _history(self, history: History) -> None:
        for run in history.runs:
            put(run, arguments=[self._argument(argument) for argument in run.arguments])
            put(run, result=self._text(run.result), raised=self._message(run.raised))
        for value in history.values:
            put(value, text=self._value_text(value.name, value.text))

    def _argument(self, argument: str) -> Safe:
        name, _, text = argument.partition("=")
        return f"{self._text(name)}={self._value_text(name, text)}"


def _opened(read: Raw[T]) -> T:
    return cast("T", read)


def _unfilled(result: SnapshotResult, shown: Mapping[str, Safe]) -> SnapshotResult:
    """With the placeholder in place of what stood for the secret in the copy."""
    text = msgspec.json.encode(result).decode()
    for filler, placeholder in sorted(shown.items(), key=lambda pair: -len(pair[0])):
        if filler != placeholder:
            text = text.replace(filler, placeholder)
    return msgspec.json.decode(text, type=SnapshotResult)


def _is_sure(name: str) -> bool:
    found = secret_name(name)
    return found is not None and found.sure and found.strong


def is_path(node: Node) -> bool:
    """Whether an expression only says where a value is: names, attributes, constant keys and indices."""
    match node:
        case ["n", _]:
            return True
        case ["a", x, _] | ["->", x]:
            return is_path(x)
        case ["s", x, ["c", _]]:
            return is_path(x)
        case ["call", ["n", "len"], [x], *_]:
            return is_path(x)
        case _:
            return False


def names_in(node: Any) -> Generator[str]:
    """All names, attributes and constant texts of an expression."""
    if isinstance(node, dict):
        node = list(cast("dict[str, Any]", node).values())
    if not isinstance(node, list):
        return
    parts = cast("list[Any]", node)
    if parts[:1] in (["n"], ["c"], ["a"]) and isinstance(parts[-1], str):
        yield parts[-1]
    for part in parts:
        yield from names_in(part)


def label(node: Node) -> str:
    """The name under which an expression's value stands: `api_key` of `config.api_key` and of `config["api_key"]`."""
    match node:
        case ["n", str(name)] | ["a", _, str(name)] | ["s", _, ["c", str(name)]]:
            return name
        case ["s", x, ["c", int()]]:
            return label(x)
        case _:
            return ""


def label_of(expression: str) -> str:
    """The same for source text."""
    found = _LAST_NAME.fullmatch(expression.strip())
    return (found["name"] or found["key"] or "") if found else ""
