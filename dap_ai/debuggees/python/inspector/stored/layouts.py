"""Describes objects of known layout: functions, classes, generators, files, locks, arrays, data frames.

A text function takes (describer, object, depth) and returns one line of text. A details function takes (describer,
object) and returns more items of the object's Value dict.
"""

# ruff: noqa: ARG001, ARG005  all texts and all details have one signature
# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import sys
import types
from collections import deque
from typing import Any

from .arrays import ARRAY_DETAILS, ARRAY_TEXTS
from .pandas_frames import FRAME_DETAILS, FRAME_TEXTS
from .statics import (
    MISSING,
    end_line,
    is_dunder,
    lookup,
    made_in_c,
    module_namespace,
    names_of,
    namespace,
    qualified_name,
    short_name,
    stored,
    text_of,
    type_name,
)
from .views import VIEW_DETAILS, VIEW_TEXTS


def definition_of(code: types.CodeType, name: str = "") -> dict[str, Any]:
    """Returns the CodeDefinition dict (file, lines, name) of a code object."""
    return {
        "file": text_of(code.co_filename),
        "line": code.co_firstlineno,
        "end_line": end_line(code),
        "name": name or qualified_name(code),
    }


def function_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a function as text: `<function mean(values, default)>`, `<built-in function len>`."""
    if type(x) is types.BuiltinFunctionType:
        return "<built-in function " + text_of(x.__name__) + ">"
    function = x.__func__ if type(x) is types.MethodType else x
    if type(function) is not types.FunctionType:
        return "<method>"
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    word = "function" if function is x else "method"
    return "<" + word + " " + text_of(function.__qualname__) + "(" + ", ".join(map(text_of, names)) + ")>"


def function_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns a function's definition and the current values of its parameters' defaults."""
    function = x.__func__ if type(x) is types.MethodType else x
    if type(function) is not types.FunctionType:
        return {}
    code = function.__code__
    defaults = function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    values = dict(zip(names[len(names) - len(defaults) :], defaults))
    if type(function.__kwdefaults__) is dict:
        values.update(names_of(function.__kwdefaults__))
    details: dict[str, Any] = {"definition": definition_of(code, text_of(function.__qualname__))}
    if values:
        details["fields"] = describer.fields(values)
    return details


def class_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a class as text: `<class shop.Order>`."""
    return "<class " + type_name(x) + ">"


def class_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns a class's plain attributes, and the file and lines of its class statement if known."""
    members = namespace(x)
    own = text_of(members.get("__qualname__", "")) or short_name(x)
    codes = [code for code in map(_code_of, members.values()) if code and not code.co_filename.startswith("<")]
    if sys.version_info >= (3, 11):  # a function assigned from elsewhere has another qualified name
        codes = [code for code in codes if short_name(x) in qualified_name(code)]
    plain = {
        name: part for name, part in members.items() if not is_dunder(name) and lookup(type(part), "__get__") is MISSING
    }
    details: dict[str, Any] = {"fields": describer.fields(plain)} if plain else {}
    first = members.get("__firstlineno__")  # 3.13+
    if codes:
        line = first if type(first) is int else min(code.co_firstlineno for code in codes)
        file, last = text_of(codes[0].co_filename), max(map(end_line, codes))
        details["definition"] = {"file": file, "line": line, "end_line": last, "name": own}
    return details


def _code_of(part: Any) -> Any:
    """Returns the code of a function, property, static method or class method; otherwise None."""
    if type(part) is property:
        part = part.fget
    elif type(part) is staticmethod or type(part) is classmethod:
        part = part.__func__
    return part.__code__ if type(part) is types.FunctionType else None


def module_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a module as text: `<module json>`."""
    names = names_of(module_namespace(x))
    return "<module " + text_of(names.get("__name__", "")) + ">"


def module_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns the file that a module was loaded from."""
    file = text_of(names_of(module_namespace(x)).get("__file__", ""))
    return {"definition": {"file": file, "line": 1}} if file else {}


_GENERATORS: dict[int, tuple[str, str]] = {
    id(types.GeneratorType): ("gi", "generator"),
    id(types.CoroutineType): ("cr", "coroutine"),
    id(types.AsyncGeneratorType): ("ag", "async generator"),
}


def iterator_text(describer: Any, x: Any, depth: int) -> str:
    """Returns an iterator as text: `<generator evens>`, `<map>`. It is never advanced."""
    prefix, word = _GENERATORS.get(id(type(x)), ("", short_name(type(x))))
    return "<" + word + (" " + text_of(getattr(x, prefix + "_code").co_name) if prefix else "") + ">"


def iterator_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns a generator's current line, or the number of items left in a builtin container's iterator."""
    prefix = _GENERATORS.get(id(type(x)), ("", ""))[0]
    if prefix:
        frame = getattr(x, prefix + "_frame")
        code = getattr(x, prefix + "_code")
        if frame is None:
            note = "finished"
        elif getattr(x, prefix + "_running"):
            note = "running at line %d" % frame.f_lineno
        elif not getattr(x, prefix + "_suspended", frame.f_lasti >= 0):  # attribute of 3.11+; before: offset < 0
            note = "not started"
        else:
            note = "suspended at line %d" % frame.f_lineno
        return {"definition": definition_of(code), "note": note}
    if id(type(x)) in _SIZED_ITERATORS:
        return {"note": "%d items left; not advanced" % x.__length_hint__()}
    return {"note": "not advanced"}


_SIZED_ITERATORS = {id(type(iter(sample))) for sample in ([], (), {}, {}.values(), {}.items(), set(), range(0), b"")}
"""Ids of iterator types whose `__length_hint__` C code computes from the iterator's own index."""


def file_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a file as text: `<TextIOWrapper 'data.csv' mode r>`, with the name under which it was opened."""
    mode, parts = text_of(stored(x).get("mode", "")), stored(x)
    buffer = lookup(type(x), "buffer")
    if made_in_c(type(x)) and type(buffer) is types.GetSetDescriptorType:
        parts["buffer"] = buffer.__get__(x)  # a plain member before Python 3.14
    for link in ("buffer", "raw"):
        if link in parts and "name" not in parts:
            parts = stored(parts[link])
    words = [short_name(type(x))]
    if "name" in parts:
        words.append(describer.text(parts["name"], depth + 1))
    return "<" + " ".join(words) + (" mode " + mode if mode else "") + ">"


def lock_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a lock as text: `<lock, locked>`."""
    held = repr(x).startswith("<locked") if short_name(type(x)) == "RLock" else x.locked()
    return "<" + short_name(type(x)) + (", locked>" if held else ", unlocked>")


def thread_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a thread as text: `<Thread 'worker-1' ident=123 daemon>`."""
    parts = stored(x)
    name = describer.text(parts.get("_name"), depth + 1)
    daemon = " daemon" if parts.get("_daemonic") is True else ""
    return "<" + short_name(type(x)) + " " + name + " ident=" + describer.text(parts.get("_ident")) + daemon + ">"


def thread_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns a thread's target, arguments and own fields, without fields of the library and the debugger."""
    parts = {
        name: part
        for name, part in stored(x).items()
        if name in ("_target", "_args") or not (name.startswith("_") or "pydev" in name or name in _OF_PYDEVD)
    }
    return {"fields": describer.fields(parts)}


_MAX_ENTRIES, _MAX_ROWS = 20_000, 12
_OF_PYDEVD = ("additional_info", "stop_reason")


def exception_text(describer: Any, x: Any, depth: int) -> str:
    """Returns an exception as text: `ValueError('bad', 3)`."""
    arguments = BaseException.__dict__["args"].__get__(x)
    return short_name(type(x)) + "(" + describer.items(arguments, len(arguments), depth) + ")"


def raised_at(x: Any) -> list[Any]:
    """Returns the innermost rows of an exception's traceback, innermost first: `[file, line, function]`.

    Empty if the traceback is too long to be read to its end, where its innermost rows are.
    """
    rows: Any = deque(maxlen=_MAX_ROWS)
    entry = BaseException.__dict__["__traceback__"].__get__(x)
    for _ in range(_MAX_ENTRIES):
        if entry is None:
            return list(rows)
        code = entry.tb_frame.f_code
        rows.appendleft([text_of(code.co_filename), entry.tb_lineno, text_of(code.co_name)])
        entry = entry.tb_next
    return []


TEXTS: dict[str, Any] = {
    "function": function_text,
    "class": class_text,
    "module": module_text,
    "iterator": iterator_text,
    "file": file_text,
    "lock": lock_text,
    "thread": thread_text,
    "exception": exception_text,
    **ARRAY_TEXTS,
    **FRAME_TEXTS,
    **VIEW_TEXTS,
}
DETAILS: dict[str, Any] = {
    "function": function_details,
    "class": class_details,
    "module": module_details,
    "iterator": iterator_details,
    "file": lambda describer, x: {"note": "not read"},
    "lock": lambda describer, x: {},
    "thread": thread_details,
    **ARRAY_DETAILS,
    **FRAME_DETAILS,
    **VIEW_DETAILS,
}
