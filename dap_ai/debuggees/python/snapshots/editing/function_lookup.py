"""Finds the functions that an edit changes by name, which is faster than a walk over all objects in memory.

Use it only in a copy: a lookup may run the program's code if a namespace has keys with their own `__eq__`.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import types
from typing import Any, Iterator

from ...inspector.stored.statics import MISSING, namespace
from .code_edits import ChangedFunction, CodeEdit

_MAX_WRAPPERS = 8
_ACCESSORS = ("fget", "fset", "fdel")


def named(edit: CodeEdit, modules: list[dict[str, Any]]) -> list[Any]:
    """Returns the functions that the edit changes, from all modules that were loaded from the edited file.

    Empty if a lookup by name may miss a function: a nested function, a function defined more than once, or one hidden
    by a decorator.
    """
    if not edit.changed or edit.has_loops or any(changed.is_nested for changed in edit.changed):
        return []
    found = [[f for names in modules for f in _of(changed, names, edit.file)] for changed in edit.changed]
    loaded = {id(names) for names in modules if dict.get(names, "__file__") == edit.file}
    owners = [{id(f.__globals__) for f in functions} for functions in found]
    is_whole = owners[0] >= loaded and all(each and each == owners[0] for each in owners)
    return [f for functions in found for f in functions] if is_whole else []


def _of(changed: ChangedFunction, names: dict[str, Any], file: str) -> list[Any]:
    """Returns the functions of a changed code object, looked up by name in a module or class."""
    *classes, name = changed.name.split(".")
    held: Any = names
    for each in classes:
        owner = dict.get(held, each, MISSING)
        if not issubclass(type(owner), type):
            return []
        held = namespace(owner)
    first = changed.old.co_firstlineno
    return [
        f
        for f in _wrapped(dict.get(held, name, MISSING))
        if f.__globals__ is names
        and (f.__code__.co_filename, f.__code__.co_name, f.__code__.co_firstlineno) == (file, name, first)
    ]


def _wrapped(x: Any) -> Iterator[Any]:
    """Yields the functions that an attribute is or wraps, through the usual decorators; calls no code."""
    todo, seen = [x], set()
    while todo and len(seen) < _MAX_WRAPPERS:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        kind = type(x)
        if kind is types.FunctionType:
            yield x
            todo += [cell.cell_contents for cell in x.__closure__ or () if _is_function_in(cell)]
        elif kind in (staticmethod, classmethod):
            todo.append(x.__func__)
        elif kind is property:
            todo += [getattr(x, name) for name in _ACCESSORS]


def _is_function_in(cell: Any) -> bool:
    try:
        return type(cell.cell_contents) in (types.FunctionType, staticmethod, classmethod)
    except ValueError:  # an empty cell
        return False
