"""Compares a frame's values when the program failed with its values now, if cleanup has run since.

A value that has not changed is reported as usual. A changed value is reported as it was at the failure, with its
current value (`time` is `failed`). A value that was not copied and is read after a cleanup is reported with its current
value only (`time` is `now`).

Why this is needed: a debugger often stops only after an exception has left the frames it was raised in, when their
`finally`, `with` and `except` have run. By then, the traceback's frames may have other values. A capture made at the
raise (`captures.py`) has the old values.

1. A frame with a capture is compared value by value (`CapturedDifference`). Both sides are copies, because the objects
   may be gone.
2. A frame without a capture is uncertain only if cleanup may have changed its values (`Unknown`): the frame or another
   user frame has run more code, or a mock patch around the frame has ended. Then only numbers and strings in names that
   the cleanup does not set are certain; all other values are marked as current.
3. Otherwise values are unchanged, and nothing is marked.

A comparison has three results: same, different, unknown. Unknown is never reported as the same.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import os
import types
from typing import Any

from .captures import CapturedFrame, entries_of, moments_of
from .cleanup_detection import has_run_on, stored_after
from .interpreter.node_interpreter import NodeInterpreter
from .secrets import is_users
from .stored.freezing import Freezer, Frozen, is_same
from .stored.plain import RefusedOperation, is_scalar
from .stored.statics import MISSING, names_of
from .stored.values import ValueDescriber

FAILED, NOW = "failed", "now"
_MAX_CHAIN = 12
_PATCHES = ("/unittest/mock.py", "/mock/mock.py")
_ROOM = 2000
_CODE: tuple[Any, ...] = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
_KINDS_OF_CODE = ("class", "function", "module")
_SIMPLE = ("c", "i", "f", "b", "e", "n", "u", "o", "and", "or", "cmp", "if", "t")
"""Node kinds of expressions whose value can change only if a name's value changes."""


class FramesAtRaise:
    """Knows the captured frames of a stop and which frames cleaned up. `exc`: the stop's exception, or None."""

    def __init__(self, exc: Any, located: list[Any], alive: set[int]) -> None:
        self.alive = alive
        self.moments = _moments(exc)
        frames = [(frame, at) for _, frame, _, at in located if type(frame) is types.FrameType]
        over = ((frame, at) for frame, at in frames if at is not None and id(frame) not in alive)
        self._patched = _called_by_patches(exc, alive)
        self._moved = {(id(frame), at) for frame, at in over if has_run_on(frame, at)}
        own = {(id(frame), at) for frame, at in (entries_of(exc) if exc is not None else ())}  # not of a chained one
        self._cleaned = bool(self._patched or own & self._moved) or _has_cleaned_up(exc, alive)

    def of(self, describer: ValueDescriber, frame: Any, names: dict[str, Any], at: Any) -> FrameDifference | None:
        """Returns the difference between a frame at the failure and now; None if no value differs."""
        moment = self.moments.get(id(frame))
        if moment is None:  # another frame's cleanup may have changed what this one sees
            moved = id(frame) in self._patched or (id(frame), at) in self._moved
            return Unknown(frame, names, at if moved else None) if moved or self._cleaned else None
        found = CapturedDifference(describer, moment, frame, names, cleaned=self._cleaned)
        return found if found.differs else None

    def scopes(self) -> list[dict[str, Any]]:
        """Returns the captured names and fields as dicts, for the search for secrets."""
        return [scope for moment in self.moments.values() for scope in (moment.names, moment.shared, *moment.fields)]


def _moments(exc: Any) -> dict[int, CapturedFrame]:
    found: dict[int, CapturedFrame] = {}
    for _ in range(_MAX_CHAIN):
        if exc is None:
            break
        for frame, moment in moments_of(exc):
            found.setdefault(id(frame), moment)
        cause = BaseException.__dict__["__cause__"].__get__(exc)
        exc = cause if cause is not None else BaseException.__dict__["__context__"].__get__(exc)
    return found


def _called_by_patches(exc: Any, alive: set[int]) -> set[int]:
    """Returns ids of frames called through `@mock.patch`; the patches have ended, so names refer to other objects."""
    found: set[int] = set()
    is_inside = False
    for frame, _ in entries_of(exc) if exc is not None else ():
        if is_inside:
            found.add(id(frame))
        file = frame.f_code.co_filename.replace(os.sep, "/")
        is_inside = is_inside or (file.endswith(_PATCHES) and id(frame) not in alive)
    return found


def _has_cleaned_up(exc: Any, alive: set[int]) -> bool:
    """Whether a user frame has run more code since this exception left the frame."""
    frames = ((frame, at) for frame, at in (entries_of(exc) if exc is not None else ()) if id(frame) not in alive)
    return any(is_users(frame.f_code.co_filename) and has_run_on(frame, at) for frame, at in frames)


class FrameDifference:
    """Compares a frame's values at the failure with its values now."""

    differs = True

    def evaluation(self, now: NodeInterpreter, node: Any) -> dict[str, Any]:
        """Returns the ExpressionResult dict of an expression (a Node)."""
        raise NotImplementedError

    def variable(self, describer: ValueDescriber, name: str, x: Any) -> dict[str, Any]:
        """Returns the Value dict of a variable; `x` is MISSING if the variable is not bound now."""
        raise NotImplementedError

    def names(self, now: dict[str, Any]) -> dict[str, Any]:
        """Returns the variables bound now or at the failure, with their current values."""
        return now


class Unknown(FrameDifference):
    """A frame without a capture after cleanup; only numbers and strings that cleanup did not set are certain.

    `at`: the offset of the instruction that raised, if the frame has run more code since; otherwise None.
    """

    def __init__(self, frame: Any, names: dict[str, Any], at: int | None) -> None:
        later = stored_after(frame.f_code, at)
        self._sure = {name for name, x in names.items() if is_scalar(x) and later is not None and name not in later}

    def evaluation(self, now: NodeInterpreter, node: Any) -> dict[str, Any]:
        """Returns the ExpressionResult dict of the current value, marked as current unless it is certain."""
        fact = now.evaluation(node)
        return fact if self._is_sure(node) else _late(fact)

    def variable(self, describer: ValueDescriber, name: str, x: Any) -> dict[str, Any]:
        """Returns the Value dict of the current value, marked as current unless it is certain."""
        value = describer.value(x)
        return value if name in self._sure or _is_code(x) else dict(value, time=NOW)

    def _is_sure(self, node: Any) -> bool:
        if type(node) is not list or not node:
            return True
        if type(node[0]) is not str:
            return all(map(self._is_sure, node))
        if node[0] == "n":
            return node[1] in self._sure
        return node[0] in _SIMPLE and all(self._is_sure(part) for part in node[1:] if type(part) is list)


class CapturedDifference(FrameDifference):
    """A frame with a capture. `cleaned`: a user frame of the traceback has run more code since the raise."""

    def __init__(
        self, describer: ValueDescriber, moment: CapturedFrame, frame: Any, names: dict[str, Any], *, cleaned: bool
    ) -> None:
        self._moment = moment
        self._then = Then(describer, frame, moment)
        freezer = Freezer(_ROOM)
        both = {name: (x, freezer.freeze(names[name])) for name, x in moment.names.items() if name in names}
        found = [is_same(x, y) for x, y in both.values()]
        module = names_of(frame.f_globals) if moment.shared else {}
        found += [is_same(x, freezer.freeze(module.get(name))) for name, x in moment.shared.items()]
        self.cleaned = cleaned or False in found or len(both) < len(moment.names)
        self.differs = self.cleaned

    def names(self, now: dict[str, Any]) -> dict[str, Any]:
        """Returns the variables bound now, and those bound only at the failure as MISSING."""
        return {**now, **{name: MISSING for name in self._moment.names if name not in now}}

    def variable(self, describer: ValueDescriber, name: str, x: Any) -> dict[str, Any]:
        """Returns the Value dict of a variable.

        A changed value is described as it was at the failure; a value of unknown state is marked as current.
        """
        now = describer.value(x) if x is not MISSING else {"text": ""}
        was = self._moment.names.get(name, MISSING)
        if _is_code(x) and (type(was) is not Frozen or was.kind in _KINDS_OF_CODE):
            return now
        if name not in self._moment.names:
            return dict(now, time=NOW)
        same = is_same(was, Freezer(_ROOM).freeze(x)) if x is not MISSING else False
        if same is None:
            return dict(now, time=NOW)
        return now if same else self._as_it_was(describer.value(was), was, now["text"])

    def evaluation(self, now: NodeInterpreter, node: Any) -> dict[str, Any]:
        """Returns the ExpressionResult dict of an expression.

        A changed result is described as it was at the failure; a result of unknown state is marked as current.
        """
        kind, x = now.outcome(node)
        fact = now.described(kind, x)
        then, y = self._then.outcome(node)
        if _is_code(x) and (type(y) is not Frozen or y.kind in _KINDS_OF_CODE):
            return fact
        if then == "refused":
            return _late(fact)
        # Both ended alike and not with a value (`raised`, `missing`, `part`): x and y are texts or parts of ours, so
        # `==` runs no code of the program. Values are compared by their copies.
        same: bool | None = then == kind and x == y if then != "value" else False
        if then == kind == "value":
            same = is_same(y, Freezer(_ROOM).freeze(x))
        if same is None:
            return _late(fact)
        if same:
            return fact
        text = fact["value"]["text"] if "value" in fact else fact["text"]
        told = self._then.described(then, y)
        if "value" in told:
            return {"value": self._as_it_was(told["value"], y, text)}
        return dict(told, time=FAILED, now=text)

    def _as_it_was(self, value: dict[str, Any], copy: Any, now: str) -> dict[str, Any]:
        made = dict(value, time=FAILED, now=now)
        address = self._moment.addresses.get(id(copy))
        if address is not None:
            made["address"] = address
        else:
            made.pop("address", None)
        return made


def _late(fact: dict[str, Any]) -> dict[str, Any]:
    return {"value": dict(fact["value"], time=NOW)} if "value" in fact else dict(fact, time=NOW)


def _is_code(x: Any) -> bool:
    cls = type(x)
    return any(cls is known for known in _CODE) or issubclass(cls, type)


class Then(NodeInterpreter):
    """Evaluates expressions in a frame as it was at the failure; refuses values that were not copied."""

    def __init__(self, describer: ValueDescriber, frame: Any, moment: CapturedFrame) -> None:
        super().__init__(describer, frame, moment.names, "compute")
        self._shared = moment.shared

    def _name(self, name: str) -> Any:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        for copies in (self._locals, self._shared):
            if name in copies:
                return copies[name]
        # Not captured, so only the current value is known. Functions, classes and modules count as unchanged since;
        # data does not.
        found = super()._name(name)
        if not _is_code(found):
            raise RefusedOperation("it was not copied when the program failed")
        return found

    def _called(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        given = [*arguments, *keywords.values()]
        if any(type(x) is Frozen for x in given):
            only = given[0] if len(given) == 1 and function is len else None
            if only is not None and only.length is not None:
                return only.length
            raise RefusedOperation("it was not copied when the program failed")
        return super()._called(function, arguments, keywords)

    def _compared(self, op: str, x: Any, y: Any) -> Any:
        if any(type(side) is Frozen for side in (x, y)) and x is not None and y is not None:
            raise RefusedOperation("it was not copied when the program failed")
        return super()._compared(op, x, y)
