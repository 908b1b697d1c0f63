"""Finds an object's kind (such as `list` or `enum`) from its exact type, then from its builtin base types."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _thread
import collections
import enum
import sys
import threading
import types
from typing import Any

from .freezing import Frozen
from .statics import MISSING, loaded, lookup, made_in_c, mro
from .views import kinds as view_kinds

_async_generator: Any = types.AsyncGeneratorType

_BUILTIN: tuple[tuple[Any, str], ...] = (
    (type(None), "none"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (complex, "complex"),
    (str, "str"),
    (bytes, "bytes"),
    (bytearray, "bytes"),
    (list, "list"),
    (collections.deque, "list"),
    (tuple, "tuple"),
    (set, "set"),
    (frozenset, "set"),
    (dict, "dict"),
    (range, "range"),
    (types.FunctionType, "function"),
    (types.BuiltinFunctionType, "function"),
    (types.MethodType, "function"),
    (type, "class"),
    (types.ModuleType, "module"),
    (types.GeneratorType, "iterator"),
    (types.CoroutineType, "iterator"),
    (_async_generator, "iterator"),
    (BaseException, "exception"),
    (_thread.LockType, "lock"),
    (_thread.RLock, "lock"),
    (threading.Thread, "thread"),
)
_OPTIONAL = (
    ("datetime", "date", "date"),
    ("datetime", "time", "date"),
    ("datetime", "timedelta", "date"),
    ("datetime", "timezone", "date"),
    ("pathlib", "PurePath", "path"),
    ("_io", "_IOBase", "file"),
    ("numpy", "ndarray", "ndarray"),
    ("pandas", "Series", "series"),
    ("pandas", "DataFrame", "dataframe"),
    ("pandas", "Index", "index"),
    ("pandas.api.extensions", "ExtensionArray", "extension"),
    ("pandas.core.groupby.generic", "DataFrameGroupBy", "grouping"),
    ("pandas.core.groupby.generic", "SeriesGroupBy", "grouping"),
)
_OF_C = ("numpy", "datetime", "_io")
_NUMPY_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


class Kinds:
    """Finds kinds during one inspection; knows the types of libraries that the program has imported."""

    def __init__(self) -> None:
        self._by_id = {id(cls): kind for cls, kind in _BUILTIN}
        for module, name, kind in _OPTIONAL:
            cls = loaded(module, name)
            genuine = issubclass(type(cls), type) and (made_in_c(cls) or module not in _OF_C)
            if genuine:  # otherwise the program has its own class under the library's name
                self._by_id[id(cls)] = kind
        self._by_id.update(view_kinds())
        self._numpy = "numpy" in sys.modules

    def of(self, x: Any) -> str:
        """Returns an object's kind, a value of `protocol.inspection.Value.kind`."""
        cls = type(x)
        if cls is Frozen:
            return x.kind
        kind = self._by_id.get(id(cls))
        if kind is not None:
            return kind
        if issubclass(type(cls), enum.EnumMeta):
            return "enum"
        if self.of_numpy(x):
            return _NUMPY_KINDS[x.dtype.kind]
        for base in mro(cls):
            kind = self._by_id.get(id(base))
            if kind is not None:
                return kind
        return "iterator" if lookup(cls, "__next__") is not MISSING and made_in_c(cls) else "object"

    def of_numpy(self, x: Any) -> bool:
        """Returns whether `x` is a numpy number; it must be converted before it is read as an int or float."""
        return self._numpy and numpy_scalar(x)


def genuine_ufunc(name: str) -> bool:
    """Returns whether numpy's ufunc of that name is the original; a ufunc made from a Python function is not."""
    function = loaded("numpy", name)
    return type(function) is loaded("numpy", "ufunc") and made_in_c(type(function)) and function.__name__ == name


def numpy_array(x: Any) -> bool:
    """Returns whether `x` is exactly a numpy array of numbers, booleans, dates or strings."""
    cls = type(x)
    if cls is not loaded("numpy", "ndarray") or not made_in_c(cls):
        return False
    return x.dtype.kind in "biufcSUmM"


def numpy_scalar(x: Any) -> bool:
    """Returns whether `x` is a numpy number."""
    generic = loaded("numpy", "generic")
    cls = type(x)
    return made_in_c(cls) and any(base is generic for base in mro(cls)) and x.dtype.kind in "biufc"
