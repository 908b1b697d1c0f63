"""Applies source edits to the functions in memory; references, decorators and closures stay intact.

Use it only in a copy: functions are changed in place, if necessary by writes to memory.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import ast
import gc
import os
import struct
import sys
import types
from typing import Any

from ...inspector.stored.statics import module_namespace, names_of, namespace
from ..isolation.syscalls import Buffer, store
from .code_edits import Added, ChangedFunction, CodeEdit, was_compiled_from
from .function_lookup import named
from .sources import UnavailableError, compiled

_WORD = 8
_kept: list[Any] = []
"""Objects that are kept alive because only an address refers to them."""
_modules_of: dict[str, tuple[int, list[str]]] = {}
"""By file name: the number of loaded modules at the search, and the names of modules from such a file."""


def apply(edits: list[dict[str, Any]], frame: Any) -> None:
    """Applies edits (EditedSource dicts) to the functions of this process. Raises UnavailableError.

    `frame`: a frame of the program.
    """
    gc.unfreeze()  # frozen objects would not be found
    for wanted in edits:
        if wanted["old"] != wanted["new"]:
            _apply(CodeEdit(wanted["file"], wanted["old"], wanted["new"]), frame)


def _apply(edit: CodeEdit, frame: Any) -> None:
    modules = _modules(edit.file, frame)
    functions = named(edit, modules) or _functions(edit.file, modules)
    name = os.path.basename(edit.file)
    if not functions:
        raise UnavailableError("the program has loaded no function of " + name)
    work = [(function, changed) for changed in edit.changed for function in _matching(changed, functions, name)]
    for added in edit.added:  # before the functions that may use it
        for names in _module_names(functions):
            _add(added, names, edit.file)
    for function, changed in work:
        _change(function, changed, edit.file)


def look_for(edits: list[dict[str, Any]]) -> None:
    """Finds the modules of edited files before the copy is made, because each module read in the copy copies a page."""
    for base in {os.path.basename(edit["file"]) for edit in edits}:
        if _modules_of.get(base, (-1,))[0] != len(sys.modules):
            found = [
                name for name, names in _namespaces(list(sys.modules)) if _base(dict.get(names, "__file__")) == base
            ]
            _modules_of[base] = len(sys.modules), found


def _modules(file: str, frame: Any) -> list[dict[str, Any]]:
    """Returns the namespaces in which the functions of a file may have been defined."""
    base = os.path.basename(file)
    count, known = _modules_of.get(base, (-1, []))
    found = _namespaces(known if count == len(sys.modules) else list(sys.modules))
    likely = [names for _, names in found if _base(dict.get(names, "__file__")) == base]
    return likely if any(names is frame.f_globals for names in likely) else [*likely, frame.f_globals]


def _namespaces(modules: list[str]) -> list[tuple[str, dict[str, Any]]]:
    found = [(name, sys.modules.get(name)) for name in modules]
    return [(name, module_namespace(module)) for name, module in found if type(module) is types.ModuleType]


def _base(file: Any) -> str:
    return os.path.basename(file) if type(file) is str else ""


def _functions(file: str, modules: list[dict[str, Any]]) -> list[Any]:
    """Returns all function objects defined in a file, found among the referrers of modules or all objects.

    This is slow in a snapshot, a forked process in which each page that the walk touches is copied.
    """
    found = _of_file(gc.get_referrers(*modules), file)
    return found or _of_file(gc.get_objects(), file)


def _of_file(objects: list[Any], file: str) -> list[Any]:
    return [x for x in objects if type(x) is types.FunctionType and x.__code__.co_filename == file]


def _matching(changed: ChangedFunction, functions: list[Any], file: str) -> list[Any]:
    old = changed.old
    placed = [
        function
        for function in functions
        if function.__code__.co_name == old.co_name and function.__code__.co_firstlineno == old.co_firstlineno
    ]
    found = [function for function in placed if was_compiled_from(function.__code__, old)]
    if len(found) != len(placed) and old.co_name != "<lambda>":
        raise UnavailableError("%s has changed since it was loaded: %s is another there" % (file, changed.name))
    if not found and not changed.is_nested:
        raise UnavailableError("%s is not in memory: %s has changed since it was loaded" % (changed.name, file))
    return found


def _change(function: Any, changed: ChangedFunction, file: str) -> None:
    if changed.arguments is not None:
        _give_defaults(function, changed.arguments, file)
    if function.__code__.co_freevars != changed.new.co_freevars:
        _give_closure(function, changed)
    function.__code__ = changed.new


def _give_defaults(function: Any, arguments: Any, file: str) -> None:
    """Evaluates and sets new defaults of a function, with the names of its module and class."""
    names = [arg.arg for arg, x in zip(arguments.kwonlyargs, arguments.kw_defaults) if x]  # noqa: B905  Python 3.8
    given = [x for x in arguments.kw_defaults if x]
    whole = ast.Tuple([*arguments.defaults, *given], ast.Load())
    code = compile(ast.fix_missing_locations(ast.Expression(whole)), file, "eval", dont_inherit=True)
    owner = _class_of(function)
    try:
        values = eval(code, function.__globals__, dict(namespace(owner)) if owner else {})  # noqa: S307  its purpose
    except Exception as error:
        raise UnavailableError(
            "a new default of %s cannot be computed: %s" % (function.__name__, type(error).__name__)
        ) from None
    function.__defaults__ = values[: len(arguments.defaults)] or None
    function.__kwdefaults__ = dict(zip(names, values[len(arguments.defaults) :])) or None  # noqa: B905  Python 3.8


def _give_closure(function: Any, changed: ChangedFunction) -> None:
    """Sets the closure cells that the new code needs: the existing cells, and the class's cell for `super()`."""
    cells: dict[str, Any] = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))  # noqa: B905  Python 3.8
    owner = _class_of(function)
    if owner is not None:
        cells.setdefault("__class__", types.CellType(owner))
    missing = [name for name in changed.new.co_freevars if name not in cells]
    if missing:
        raise UnavailableError(
            "%s uses %s of its enclosing function, which it did not" % (changed.name, ", ".join(missing))
        )
    closure = tuple(cells[name] for name in changed.new.co_freevars) or None
    _kept.append(closure)
    store(id(function) + _closure_offset(), struct.pack("=Q", id(closure) if closure else 0))


def _closure_offset() -> int:
    """Returns the offset of the closure pointer in a function object, which Python code cannot replace."""
    held = 1

    def sample() -> int:
        return held

    size = types.FunctionType.__basicsize__
    words = struct.unpack("=%dQ" % (size // _WORD), Buffer(size).load(id(sample), size))
    return words.index(id(sample.__closure__)) * _WORD


def _class_of(function: Any) -> Any:
    """Returns the class in which a function was defined; None if it cannot be found by name."""
    return _class_named(tuple(function.__qualname__.split(".")[:-1]), function.__globals__)


def _class_named(path: tuple[str, ...], names: dict[str, Any]) -> Any:
    found: Any = None
    for name in path:
        found = names_of(names).get(name) if found is None else namespace(found).get(name)
        if not issubclass(type(found), type):
            return None
    return found


def _module_names(functions: list[Any]) -> list[dict[str, Any]]:
    """Returns the namespaces of the modules that define these functions."""
    return list({id(function.__globals__): function.__globals__ for function in functions}.values())


def _add(added: Added, names: dict[str, Any], file: str) -> None:
    try:
        if not added.path:
            exec(compiled(ast.Module([added.node], []), file), names)  # noqa: S102  its purpose
        else:
            _add_to_class(added, names, file)
    except UnavailableError:
        raise
    except BaseException as error:
        raise UnavailableError("what the edit adds cannot be run: " + type(error).__name__) from None


def _add_to_class(added: Added, names: dict[str, Any], file: str) -> None:
    owner = _class_named(added.path, names)
    if owner is None:
        raise UnavailableError("the class %s is not in memory by that name" % ".".join(added.path))
    around = ast.parse("class %s(metaclass=_made): pass" % added.path[-1])
    around.body[0].body = [added.node]  # pyright: ignore[reportAttributeAccessIssue]  a class's
    scope: dict[str, Any] = {"_made": _names_of_class}
    exec(compiled(around, file), names, scope)  # noqa: S102  its purpose
    made = scope[added.path[-1]]
    cell = made.pop("__classcell__", None)
    if cell is not None:
        cell.cell_contents = owner
    for name, x in made.items():
        if not name.startswith("__") or name == getattr(added.node, "name", ""):
            setattr(owner, name, x)


def _names_of_class(_name: str, _bases: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Returns a class body's namespace instead of a class; used as a metaclass."""
    return names
