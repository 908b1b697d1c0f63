"""Looks up single values in a traced run of the failure: arguments, results, and names that a line bound.

A trace has the values of a line in all its iterations. A value is attributed to one call of a function only where that
is certain: the call was the only or the last one, or the value was the same each time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.case.value_texts import MISSING, cut, literal_in
from dap_ai.debuggees.python.analysis.record.executions import executions
from dap_ai.debuggees.python.analysis.record.trace_record import grouped
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import header_lines
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, TracedCall, TracedLine
from dap_ai.protocol.wire.value_path import Known

OUTSIDE = -1
"""Call number of code that runs outside any recorded call: a module, or statements of a frame."""
_MAX_CALLS = 200
"""Maximum number of calls recorded in a run."""
_MAX_ROUND_CHARS, _TOLD_ROUNDS = 24, 5
"""`_TOLD_ROUNDS`: maximum values recorded per line, the first three and the last two."""

Calls = tuple[int, ...]
"""Indexes (0-based) of recorded calls of one function, in order; empty if unknown."""


class RecordedValue(NamedTuple):
    """A value as text, and the kind of source that it is known from."""

    text: str
    known: Known
    rounds: int = 1
    """Number of values that the text covers."""

    @property
    def is_fixed(self) -> bool:
        """Whether the value is immutable: a number, a string, or a tuple of these."""
        return self.text[:1] in ("'", '"') or self.text[:2] in ("b'", 'b"') or _is_fixed(literal_in(self.text))

    def at_stop(self) -> RecordedValue | None:
        """Return the value of a frame, marked as the value at the stop; None for a value from another source."""
        return RecordedValue(self.text, "stop") if self.known in ("frame", "stop") else None


def _is_fixed(x: object) -> bool:
    if isinstance(x, tuple):
        return all(map(_is_fixed, cast("tuple[object, ...]", x)))
    return x is not MISSING and not isinstance(x, list | dict | set)


class RecordedValues:
    """The calls and lines of a traced run; empty without a run."""

    def __init__(
        self,
        trace: RunTrace | None = None,
        own: FunctionScope | None = None,
        *,
        is_whole: bool = True,
        known: Known = "rerun",
        ran_no_more: bool = False,
    ) -> None:
        """Index a traced run; without a trace, no value is known.

        `own`: the scope whose statements were run. `is_whole`: whether the run began at the start of that scope.
        `known`: the source of the values. `ran_no_more`: whether no line of the user's code ran after the failure.
        """
        self.ran_no_more = ran_no_more
        self._known: Known = known
        self._is_whole = is_whole
        self._trace = trace or RunTrace()
        self._own = own
        self._lines = grouped(self._trace.lines, lambda row: (row.file,))
        self._of = grouped(range(len(self.calls)), lambda n: ((self.calls[n].file, self.calls[n].line),))

    @property
    def calls(self) -> list[TracedCall]:
        """All recorded calls, in order."""
        return self._trace.calls

    @property
    def has_all_calls(self) -> bool:
        """Whether every call was recorded."""
        return len(self.calls) < _MAX_CALLS and not self._trace.truncated

    def of(self, scope: FunctionScope) -> Calls:
        """Return the calls of a function; `(OUTSIDE,)` for the scope that was run itself."""
        if self._is_own(scope):
            return (OUTSIDE,)
        return tuple(self._of.get((scope.source.path, scope.first_line), ()))

    def within(self, scope: FunctionScope, calls: Calls) -> Calls:
        """Return the calls of a function that the given calls made directly."""
        return tuple(n for n in self.of(scope) if n != OUTSIDE and self.calls[n].caller in calls)

    def parent(self, call: int) -> int:
        """Return the index of the recorded call that made this call, or `OUTSIDE`."""
        return self.calls[call].caller if call != OUTSIDE else OUTSIDE

    def live(self, scope: FunctionScope, places: Sequence[FramePlace]) -> Calls:
        """Return the recorded call of a frame on the stack; empty if unknown.

        Calls without a result match the stop's frames, outermost first.
        """
        unfinished = [n for n in self.of(scope) if n == OUTSIDE or not self.calls[n].result]
        frames = [p for p in reversed(places) if p.source is scope.source and p.scope is scope.node]
        if scope.place not in frames or len(unfinished) != len(frames):
            return ()
        return (unfinished[frames.index(scope.place)],)

    def ran(self, scope: FunctionScope, statement: ast.stmt) -> bool | None:
        """Whether a statement's own lines ran; None if unknown."""
        if self._trace.lines_truncated or not self.of(scope) or (self._is_own(scope) and not self._is_whole):
            return None
        return any(True for _ in self._rows(scope, statement))

    def last_run(self, scope: FunctionScope, statement: ast.stmt) -> int:
        """Return the number of the line event of the statement's last run; 0 if it never ran."""
        return max((row.last for row in self._rows(scope, statement)), default=0)

    def times(self, scope: FunctionScope, statement: ast.stmt) -> int:
        """Return how often the statement ran."""
        return executions(self._rows(scope, statement), scope.source, statement)

    def is_last_call(self, scope: FunctionScope, calls: Calls) -> bool:
        """Whether `calls` is the function's last call, so that each line's last run belongs to it."""
        every = self.of(scope)
        return len(calls) == 1 and self.has_all_calls and every[-1:] == calls

    def argument(self, calls: Calls, parameter: str) -> RecordedValue | None:
        """Return the value that the calls received for a parameter, or None if unknown."""
        texts = [_given(self.calls[n], parameter) for n in calls if n != OUTSIDE]
        return self._folded([t for t in texts if t is not None]) if texts and None not in texts else None

    def result(self, calls: Calls) -> RecordedValue | None:
        """Return the value that the calls returned, or None if unknown."""
        texts = [self.calls[n].result for n in calls if n != OUTSIDE]
        return self._folded(texts) if texts and all(texts) else None

    def set_by(
        self, scope: FunctionScope, statement: ast.stmt, name: str, calls: Calls, *, every: bool
    ) -> RecordedValue | None:
        """Return the value that a statement bound to a name in these calls, or None.

        `every`: whether to join the values of all iterations.
        """
        if self._trace.truncated:
            return None
        changes = [c for row in self._rows(scope, statement) for c in row.changes if c.name == name and c.texts]
        if len(changes) != 1:
            return None
        texts, count = changes[0].texts, changes[0].count
        if len(texts) == 1:
            return RecordedValue(texts[0], self._known)
        if every and calls and set(calls) == set(self.of(scope)):
            return self._folded(texts, count)
        return RecordedValue(texts[-1], self._known) if self.is_last_call(scope, calls) else None

    def _folded(self, texts: Sequence[str], count: int = 0) -> RecordedValue:
        """Join the values of several iterations into one text; consecutive equal values appear once."""
        different = [t for n, t in enumerate(texts) if n == 0 or texts[n - 1] != t]
        rounds = max(count, len(texts))
        if len(different) == 1:
            return RecordedValue(different[0], self._known)
        shown = [cut(text, _MAX_ROUND_CHARS) for text in different]
        if len(shown) > _TOLD_ROUNDS or count > len(texts) == _TOLD_ROUNDS:
            shown = [*shown[:3], "...", *shown[-2:]]
        return RecordedValue(" -> ".join(shown), self._known, rounds)

    def _rows(self, scope: FunctionScope, statement: ast.stmt) -> Iterator[TracedLine]:
        lines = header_lines(statement)
        return (row for row in self._lines.get(scope.source.path, ()) if row.line in lines)

    def _is_own(self, scope: FunctionScope) -> bool:
        own = self._own
        return own is not None and own.source.path == scope.source.path and own.node is scope.node


def _given(call: TracedCall, parameter: str) -> str | None:
    head = f"{parameter}="
    return next((a[len(head) :] for a in call.arguments if a.startswith(head)), None)
