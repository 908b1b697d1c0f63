"""Describes the exception that ended a run: its line in the user's files, and watched values there."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any

from ...inspector.exceptions import message_of
from ...inspector.frame_inspector import frame_locals
from ...inspector.stored.statics import qualified_name, short_name, text_of, type_name
from ...inspector.stored.values import ValueDescriber
from ..editing.sources import UserFiles
from .frame_statements import value_of

_MAX_ERROR = 2000
_traceback = BaseException.__dict__["__traceback__"].__get__


def error_line(error: BaseException) -> str:
    """Returns an exception as Python would print it: `ValueError: not enough money`."""
    name = short_name(type(error))
    try:
        text = text_of(str(error))
    except BaseException as second:
        text = "<its __str__ raised " + short_name(type(second)) + ">"
    return (name + ": " + text if text else name)[:_MAX_ERROR]


class Raising:
    """An exception that ended a run, and the innermost of the user's frames in its traceback."""

    def __init__(self, error: BaseException, files: UserFiles) -> None:
        self._error = error
        self._entry = None
        entry: Any = _traceback(error)
        while entry is not None:
            if files.has(entry.tb_frame.f_code.co_filename):
                self._entry = entry
            entry = entry.tb_next

    def facts(self, describer: ValueDescriber) -> dict[str, Any]:
        """Returns the RaisedException dict, without the watched values."""
        facts: dict[str, Any] = {"type": type_name(type(self._error)), "message": message_of(describer, self._error)}
        if self._entry is not None:
            code = self._entry.tb_frame.f_code
            facts.update(file=text_of(code.co_filename), line=self._entry.tb_lineno, function=qualified_name(code))
        return facts

    def watched(self, expressions: list[str], frame: Any, describer: ValueDescriber) -> list[Any]:
        """Returns Value dicts of expressions at the raise; None for an expression that fails.

        `frame` is used if the traceback has no frame of the user.
        """
        frame = frame if self._entry is None else self._entry.tb_frame
        names = {} if frame.f_locals is frame.f_globals else frame_locals(frame)
        values: list[Any] = []
        for expression in expressions:
            try:
                values.append(describer.value(value_of(expression, frame.f_globals, names)))
            except BaseException:
                values.append(None)
        return values
