"""A Debugger that masks the secrets in the program's data when it reads them, before any text is cut or cited.

Its users (tools, the analyst, the confirmation of evidence) never hold a secret. Equal secrets still compare equal.
Paths, names and structure stay unchanged, because files are opened by them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import Any, cast

import msgspec

from dap_ai.agent.guard.masked_values import ValueMasker, label, label_of, opened
from dap_ai.agent.guard.pass_through import PassingSession
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.placeholders import fillers
from dap_ai.agent.masking.secret_names import secret_name
from dap_ai.protocol.contracts.debugger import Action, ActionResult, Consent, RawDebugger
from dap_ai.protocol.contracts.inspection import ExpressionResult, FrameFacts, Inspection, Node, Query
from dap_ai.protocol.contracts.question import HistoryItem, StopEvent
from dap_ai.protocol.contracts.snapshot_messages import Hidden, SnapshotQuery, SnapshotResult
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.protocol.wire.safe import Raw, Safe, SafeFields, as_it_is, put, replaced
from dap_ai.system.texts import code

MAX_HIDDEN = 200
_MIN_HIDDEN_CHARS = 6
_MASKED_REPLIES = frozenset({"variables", "exceptionInfo", "evaluate"})
"""DAP commands whose responses contain values. Responses to other commands contain paths and lines."""
_DERIVED = (
    "refused: it works on {name}, which holds a secret; a secret's value is masked, and nothing may be computed from "
    "it here: use the name alone"
)


class MaskedDebugger(PassingSession):
    """Debugger wrapper that masks the secrets in everything the debugger returns."""

    def __init__(self, debugger: RawDebugger, masker: Masker, *, hiding: bool) -> None:
        """`hiding` forbids computing with secrets.

        Snapshots contain none, and the inspector only reads stored values.
        """
        super().__init__(debugger)
        self._debugger = debugger
        self._masker = masker
        self._hiding = hiding
        self._learned_epoch = -1
        self._values = ValueMasker(masker)

    @property
    def stop(self) -> StopEvent | None:
        """The stop, with masked values of the user's edits and of data breakpoints."""
        stop = super().stop
        if stop is None or not (stop.edits or stop.hit):
            return stop
        edits = [self._values.edit(edit) for edit in stop.edits or ()]
        hit = [self._values.watched(each) for each in stop.hit or ()]
        return msgspec.structs.replace(stop, edits=edits, hit=hit)

    async def request(self, command: str, arguments: Mapping[str, Any]) -> SafeFields:
        """Sends a DAP request and masks the values in its response."""
        body = opened(await self._debugger.request(command, arguments))
        return self._masker.mask_fields(body) if command in _MASKED_REPLIES else SafeFields(body)

    async def inspect(self, query: Query) -> Inspection:
        """Inspects frames and masks the result.

        At the first inspection of a stop, also learns the program's secrets.
        """
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

    def _inspection(
        self, read: Raw[Inspection], query: Query, refused: Sequence[Sequence[ExpressionResult | None]]
    ) -> Inspection:
        found = opened(read)
        for facts, row in zip(found.frames, refused, strict=False):
            answers = iter(facts.values)
            if facts.values or (any(row) and not facts.error):
                facts.values = [
                    no or next(answers, ExpressionResult(error="refused", text="it was not read")) for no in row
                ]
        self._learn(found)
        labels = [[label(node) for node in frame.expressions] for frame in query.frames]
        for facts, names in zip_longest(found.frames, labels[: len(found.frames)], fillvalue=()):
            if isinstance(facts, FrameFacts):
                self._values.frame(facts, names)
        for exception in found.exceptions:
            self._values.exception(exception)
        text = self._values.text
        for thread in found.threads:
            put(thread, name=text(thread.name), waiting=text(thread.waiting), wants=text(thread.wants))
        if fault := found.fault:
            put(fault, code=text(fault.code), instruction=text(fault.instruction))
        put(found, argv=[*map(as_it_is, found.argv[:1]), *(text(part) for part in found.argv[1:])])
        return found

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """Evaluates in a snapshot and masks the result.

        If secrets are hidden, the snapshot contains placeholders instead.
        """
        shown: dict[str, Safe] = {}
        for node in (query.follow.node, query.follow.when) if query.follow else ():
            if node and (refused := self._refused(node)):
                return SnapshotResult(f"unavailable: {refused.text.removeprefix('refused: ')}")
        if self._hiding:
            hidden = self._hidden_in_copies(shown)
            query = msgspec.structs.replace(query, hidden=hidden)
        return self._values.result(await self._debugger.snapshot(query), query, shown)

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        """Performs an action and masks its result."""
        done = opened(await self._debugger.act(action, frame_id))
        return replaced(done, result=self._values.text(done.result))

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """Asks the user for consent to an action, which is not masked: the user must see what they allow."""
        return await self._debugger.approve(kind, as_it_is(action), self._values.text(reason), self._values.text(now))

    def output_tail(self) -> Sequence[tuple[str, Safe]]:
        """Returns the end of the program's output, masked. Joins its pieces first, because a secret may span two."""
        pieces = groupby(opened(self._debugger.output_tail()), key=lambda piece: piece[0])
        return [(category, self._values.text("".join(text for _, text in group))) for category, group in pieces]

    def caught(self) -> Caught | None:
        """Returns the exception that the program caught, with its message masked. None if there is no exception."""
        caught = opened(self._debugger.caught())
        return replaced(caught, message=self._values.text(caught.message)) if caught else None

    def history(self) -> Sequence[HistoryItem]:
        """Returns the session's history with masked texts."""
        return [
            replaced(h, text=self._values.text(h.text), result=self._values.value_text(label_of(h.text), h.result))
            for h in opened(self._debugger.history())
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
                self._values.learn_table(variable.value)

    def _hidden_in_copies(self, shown: dict[str, Safe]) -> list[Hidden]:
        known = sorted(self._masker.known(), key=len, reverse=True)[:MAX_HIDDEN]
        known = [secret for secret in known if len(secret) >= _MIN_HIDDEN_CHARS]
        placeholders: list[Safe] = [self._masker.placeholder(secret) for secret in known]
        made = fillers([(placeholder, len(secret)) for secret, placeholder in zip(known, placeholders, strict=True)])
        shown.update(zip(made, placeholders, strict=True))
        return [Hidden(secret, filler) for secret, filler in zip(known, made, strict=True)]

    def _refused(self, node: Node) -> ExpressionResult | None:
        """Returns a refusal if the expression would compute with a secret, else None."""
        if not self._hiding or (is_path(node) and not self._is_character(node)):
            return None
        name = next((n for n in names_in(node) if n in self._values.holders or _is_sure(n)), "")
        return ExpressionResult(error="refused", text=_DERIVED.format(name=code(name))) if name else None

    def _is_character(self, node: Node) -> bool:
        if node[0] != "s" or not isinstance(node[2][1], int):
            return False
        name = label(node[1])
        return name in self._values.strings or _is_sure(name)


def _is_sure(name: str) -> bool:
    found = secret_name(name)
    return found is not None and found.sure and found.strong


def is_path(node: Node) -> bool:
    """Whether an expression only locates a value, by names, attributes, constant keys and indices, or `len`."""
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
    """Yields the names, attributes and string constants of an expression."""
    if isinstance(node, dict):
        node = list(cast("dict[str, Any]", node).values())
    if not isinstance(node, list):
        return
    parts = cast("list[Any]", node)
    if parts[:1] in (["n"], ["c"], ["a"]) and isinstance(parts[-1], str):
        yield parts[-1]
    for part in parts:
        yield from names_in(part)
