"""Records the last steps of a traced run, with the values each gave to names, for slices.

The record is bounded: of a long run only the last steps are kept, because the failure is at the end.

Steps and values are kept in ring buffers, because the causes of a failure are mostly near it. A slice needs three facts
about a step: its run (activation) and line, the values that it gave to names, and the step that called its run. Numbers
are never reused, so a reference to a dropped step finds no other step.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
from typing import Any

from ...inspector.stored.statics import text_of
from ...inspector.stored.values import ValueDescriber

_MAX_STEPS, _MAX_VALUES, _MAX_RUNS = 6000, 2500, 1500
_PRUNED_AT = 2 * _MAX_RUNS


class StepRecorder:
    """Records the steps (lines) and runs (calls of a function or module) of a trace, both numbered from 1."""

    def __init__(self, describer: ValueDescriber) -> None:
        self.count = 0
        """The number of steps so far, including dropped steps."""
        self._describer = describer
        self._steps: Any = collections.deque(maxlen=_MAX_STEPS)
        self._values: Any = collections.deque(maxlen=_MAX_VALUES)
        self._runs: dict[int, list[Any]] = {}
        self._begun = 0
        self._stack: list[int] = []

    def begin(self, code: Any, arguments: list[str]) -> int:
        """Records a run that the current step calls; returns the run's number.

        `code`: an object with `file`, `name` and `code`.
        """
        self._begun += 1
        caller = self._stack[-1] if self._stack else 0
        # The last step of the run on top of the stack, which makes the call.
        at = self._runs[caller][6] if caller in self._runs else 0
        self._runs[self._begun] = [self._begun, code, caller, at, "", "", 0, arguments]
        # At twice the limit: pruning examines all runs, so it must not happen at each call.
        if len(self._runs) > _PRUNED_AT:
            self._prune()
        return self._begun

    def enter(self, run: int) -> None:
        """Marks a run as active, because it starts or is resumed."""
        self._stack.append(run)

    def leave(self, run: int, result: str = "", raised: str = "") -> None:
        """Marks a run as inactive, because it has ended or is suspended."""
        # And the runs above it: calls that were not seen to end are over as well.
        if run in self._stack:
            del self._stack[self._stack.index(run) :]
        known = self._runs.get(run)
        if known is not None:
            known[4], known[5] = result, raised

    def step(self, run: int, line: int) -> int:
        """Records that a line starts; returns the step's number."""
        self.count += 1
        self._steps.append((run, line))
        known = self._runs.get(run)
        if known is not None:
            known[6] = self.count
        return self.count

    def value(self, step: int, name: str, told: Any) -> None:
        """Records that a step gave a value to a name.

        `told`: a plain value, or another value's text in a tuple of one item.
        """
        self._values.append((step, name, told))

    def facts(self) -> dict[str, Any]:
        """Returns the StepHistory dict."""
        first = self.count - len(self._steps) + 1
        self._prune()
        codes: dict[int, int] = {}
        told_codes: list[Any] = []
        runs: list[Any] = []
        for number, code, caller, at, result, raised, last, arguments in self._runs.values():
            if id(code) not in codes:
                codes[id(code)] = len(told_codes)
                told_codes.append([code.file, code.name, code.code.co_firstlineno])
            runs.append([number, codes[id(code)], caller, at, last, arguments, result, raised])
        values = [
            [step, text_of(name), told[0] if type(told) is tuple else self._describer.text(told)]
            for step, name, told in self._values
            if step >= first
        ]
        steps = [number for step in self._steps for number in step]
        return {"first": first, "codes": told_codes, "runs": runs, "steps": steps, "values": values}

    def _prune(self) -> None:
        """Removes inactive runs without a recorded step, if there are too many runs."""
        if len(self._runs) <= _MAX_RUNS:
            return
        first = self.count - len(self._steps) + 1
        going_on = set(self._stack)
        ended = [n for n, run in self._runs.items() if n not in going_on and run[6] < first]
        others = [n for n in self._runs if n not in going_on and self._runs[n][6] >= first]
        for number in ended + others[: max(0, len(others) + len(going_on) - _MAX_RUNS)]:
            del self._runs[number]
