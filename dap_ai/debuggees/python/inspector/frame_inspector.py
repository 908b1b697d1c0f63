"""Runs one inspection: a stopped program's frames, exceptions and threads as dicts of `protocol.inspection`.

One inspection reads all that an answer may need, because each inspection costs a round trip through the debug adapter.
It reads stored values (`stored/`), evaluates the given expressions by interpretation (`interpreter/`), and compares
each frame with its values when the program failed (`frame_differences.py`). All steps except the search for secrets
share one budget: values are read in the order of the query, and `truncated` is set if the budget was used up.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import gc
import os
import sys
import types
from functools import partial
from itertools import islice
from typing import Any

from . import scopes
from .exceptions import exception_chain
from .frame_differences import FramesAtRaise
from .interpreter.node_interpreter import NodeInterpreter
from .scopes import frame_locals, shown_locals
from .secrets import SearchBudget as SecretsBudget
from .secrets import secrets_of
from .stored.statics import forget, is_dunder, qualified_name, text_of
from .stored.values import ValueDescriber, VisitBudget
from .thread_facts import live_frames, thread_facts

_SECRET_OBJECTS, _SECRETS_S = 10_000, 0.1
_VARARGS, _VARKEYWORDS = 4, 8  # inspect.CO_VARARGS, CO_VARKEYWORDS


def inspect(frames: list[Any], exc: Any, query: dict[str, Any]) -> dict[str, Any]:
    """Reads frames as a query (a `protocol.inspection.Query` as a dict) asks; returns an Inspection as a dict.

    `frames` contains (frame_id, frame or None, line, offset of the last instruction or None), and may contain more
    frames than the query names. Runs no code of the program and keeps no reference.
    """
    collecting = gc.isenabled()
    gc.disable()  # a collection runs finalizers and callbacks of the program
    try:
        return _inspect(frames, exc, query)
    finally:
        forget()  # the caches of classes and frames would keep objects of the program alive
        scopes.forget()
        if collecting:
            gc.enable()


def _inspect(frames: list[Any], exc: Any, query: dict[str, Any]) -> dict[str, Any]:
    budget = VisitBudget(query.get("max_bytes", 200_000), query.get("deadline_ms", 500))
    describer = ValueDescriber(query, budget)
    located = {frame_id: (frame, line, offset) for frame_id, frame, line, offset in frames}
    alive = live_frames()
    past = FramesAtRaise(exc, frames, alive)
    inspection: dict[str, Any] = {
        "frames": [_frame(describer, wanted, located, past, query) for wanted in query.get("frames", [])],
        "python": "%d.%d.%d" % sys.version_info[:3],
        **_process(),
    }
    if query.get("exception", True) and exc is not None:
        inspection["exceptions"] = exception_chain(describer, exc)
    sent = [secret for error in inspection.get("exceptions", []) for secret in error.pop("secrets")]
    if query.get("threads", True):
        inspection["threads"] = thread_facts(budget)
    if query.get("secrets"):
        scopes_read = [*_scopes(located), *past.scopes()]
        inspection["secrets"] = [*secrets_of(scopes_read, SecretsBudget(_SECRET_OBJECTS, _SECRETS_S)), *sent]
    inspection["truncated"] = budget.truncated
    inspection["milliseconds"] = budget.milliseconds()
    return inspection


def _frame(
    describer: ValueDescriber,
    wanted: dict[str, Any],
    located: dict[Any, Any],
    past: FramesAtRaise,
    query: dict[str, Any],
) -> dict[str, Any]:
    frame_id = wanted["frame_id"]
    frame, line, offset = located.get(frame_id, (None, 0, None))
    if type(frame) is not types.FrameType:
        error = "frame %s is not of a stopped thread; take one from a stackTrace of this stop" % frame_id
        return {"frame_id": frame_id, "name": "", "file": "", "line": 0, "error": error}
    code = frame.f_code
    facts: dict[str, Any] = {
        "frame_id": frame_id,
        "name": qualified_name(code),
        "file": text_of(code.co_filename),
        "line": line or frame.f_lineno or 0,
        "unwound": id(frame) not in past.alive,
    }
    position = _position(code, offset)
    if position:
        facts["position"] = position
    try:
        names = shown_locals(frame)
        then = past.of(describer, frame, names, offset)
        facts["captured"], facts["cleaned"] = id(frame) in past.moments, then is not None
        if wanted.get("expressions"):
            now = NodeInterpreter(describer, frame, names, query.get("level", "compute"))
            read = now.evaluation if then is None else partial(then.evaluation, now)
            facts["values"] = [read(node) for node in wanted["expressions"]]
        if wanted.get("variables", True):
            both = names if then is None else then.names(names)
            value = partial(_value, describer) if then is None else partial(then.variable, describer)
            facts.update(_variables(code, both, value, wanted.get("names"), query.get("max_variables", 60)))
    except Exception as error:
        facts["error"] = "not readable: " + type(error).__name__
    return facts


def _scopes(located: dict[Any, Any]) -> list[Any]:
    """Returns the local names of the frames, then the globals of their modules, each module once."""
    frames = [frame for frame, _, _ in located.values() if type(frame) is types.FrameType]
    modules = {id(frame.f_globals): frame.f_globals for frame in frames}
    return [*map(frame_locals, frames), *modules.values()]


def parameters(code: types.CodeType) -> list[str]:
    """Returns parameter names in the order of the definition: `*args` comes before the keyword-only ones."""
    # `co_varnames` has another order: positional, keyword-only, `*args`, `**keywords`, then the other locals.
    positional, keyword_only = code.co_argcount, code.co_kwonlyargcount
    names = list(code.co_varnames)
    rest = positional + keyword_only
    order = names[:positional]
    if code.co_flags & _VARARGS:
        order.append(names[rest])
        rest += 1
    order += names[positional : positional + keyword_only]
    if code.co_flags & _VARKEYWORDS:
        order.append(names[rest])
    return order


def _value(describer: ValueDescriber, _name: str, x: Any) -> dict[str, Any]:
    return describer.value(x)


def _variables(
    code: types.CodeType, names: dict[str, Any], value: Any, only: Any, max_variables: int
) -> dict[str, Any]:
    arguments = [name for name in parameters(code) if name in names]
    known = set(arguments)
    rest = [name for name in names if name not in known]
    if code.co_name == "<module>":
        rest = [name for name in rest if not is_dunder(name)]
    if only is not None:
        arguments = [name for name in arguments if name in only]
        rest = [name for name in rest if name in only]
    shown = arguments[:max_variables], rest[: max(0, max_variables - len(arguments))]
    made = [[{"name": text_of(name), "value": value(name, names[name])} for name in part] for part in shown]
    hidden = len(arguments) + len(rest) - len(made[0]) - len(made[1])
    return {"arguments": made[0], "locals": made[1], "hidden_variables": hidden}


def _position(code: Any, offset: Any) -> list[int] | None:
    # PEP 657: one entry for each code unit of two bytes, hence half the offset. The columns are UTF-8 bytes, not
    # characters.
    if offset is None or offset < 0 or sys.version_info < (3, 11):
        return None
    found = next(islice(code.co_positions(), offset // 2, None), None)
    if not found or None in found:
        return None
    line, last, column, end = found
    return [line, column, last, end]


def _process() -> dict[str, Any]:
    try:
        cwd = os.getcwd()
    except OSError:  # the directory is gone
        cwd = ""
    argv: Any = sys.argv
    return {"argv": [text_of(part)[:500] for part in argv[:50]] if type(argv) is list else [], "cwd": text_of(cwd)}
