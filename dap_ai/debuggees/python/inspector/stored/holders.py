"""Finds strings in C objects that do not store them in attributes: partial arguments, cache keys, arrays."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import functools
import gc
import types
from itertools import islice
from typing import Any, Iterator, Tuple

from .columns import CellTexts
from .dtypes import first_part, is_array, part, size_of
from .pandas_frames import Labels, axes_of, columns_of, frame_shape, is_frame
from .statics import MISSING, instance_dict, loaded, short_name, slots, text_of

Part = Tuple[str, Any, Any, Any]
"""(name, value, holder, key) of a stored value, like the fields of secrets.StoredString."""

_CACHE: Any = type(functools.lru_cache(maxsize=1)(len))
_MAX_ITEMS = 500
_referents = gc.get_referents


def stored_parts(name: str, x: Any) -> Iterator[Part]:
    """Yields the values inside a partial, cache, pattern, array, data frame or database row.

    Yields nothing for other objects.
    """
    cls = type(x)
    if cls is functools.partial:
        yield from _arguments(x.func, x.args)
        yield name, x.keywords, None, None
        yield name, x.func, None, None
    elif cls is _CACHE:
        yield from _of_cache(name, x)
    elif cls is loaded("re", "Pattern"):
        yield name, slots(x).get("pattern"), None, None
    elif cls is loaded("numpy", "ndarray"):
        yield from _of_array(name, x)
    elif is_frame(x):
        yield from _of_table(name, x)
    elif cls is loaded("sqlite3", "Row"):
        for key, value in zip(cls.keys(x), tuple(x)):  # noqa: B905  not in 3.8
            yield key, value, None, None


def of_thread(parts: Any) -> Iterator[Part]:
    """Yields the arguments of a thread's function; `parts` are the Thread's attributes."""
    arguments = parts.get("_args")
    if type(arguments) is tuple:
        yield from _arguments(parts.get("_target"), arguments)


def _arguments(function: Any, values: tuple[Any, ...]) -> Iterator[Part]:
    for key, value in zip(_parameters(function), values):  # noqa: B905  the same
        yield key, value, None, None


def _parameters(function: Any) -> list[str]:
    """Returns names of a function's positional parameters, without those already bound.

    Empty strings follow the last name, for further arguments.
    """
    skipped = 0
    while type(function) in (functools.partial, types.MethodType):
        skipped += 1 if type(function) is types.MethodType else len(function.args)
        function = function.__func__ if type(function) is types.MethodType else function.func
    names: list[str] = []
    if type(function) is types.FunctionType:
        names = list(function.__code__.co_varnames[: function.__code__.co_argcount])[skipped:]
    return names + [""] * 50


def _of_cache(name: str, x: Any) -> Iterator[Part]:
    """Yields the arguments and results that an `lru_cache` keeps."""
    own: Any = instance_dict(x)
    function = own.get("__wrapped__") if type(own) is dict else None
    for found in _referents(x)[: 4 * _MAX_ITEMS]:
        if found is own or found is function:
            continue
        if type(found) is dict:
            for key, result in list(islice(found.items(), _MAX_ITEMS)):
                yield from _arguments(function, key if type(key) is tuple else (key,))
                for kept in _referents(result) if short_name(type(result)) == "_lru_list_elem" else (result,):
                    yield name, kept, None, None


def _of_array(name: str, x: Any) -> Iterator[Part]:
    if x.dtype.kind not in "SUO":
        return
    items = x.flat
    holder = None if x.dtype.kind == "O" else items
    for index, item in enumerate(items[:_MAX_ITEMS].tolist()):
        yield name, item, holder, index


def _of_table(name: str, x: Any) -> Iterator[Part]:
    """Yields a series under its name or its variable's name, or a data frame's columns under their labels."""
    axes = axes_of(x)
    if not axes or not frame_shape(x):
        return
    if len(axes) == 1:
        labels, columns = [text_of(part(x, "_name")) or name], columns_of(x, [0])
    else:
        places = list(range(min(size_of(axes[0]), _MAX_ITEMS)))
        labels = [" ".join(levels) for levels in zip(*Labels(axes[0], CellTexts(None, False)).texts(places))]  # noqa: B905
        columns = columns_of(x, places)
    for label, column in zip(labels, columns):  # noqa: B905
        array = MISSING if column is None else column.array
        if not is_array(array):
            array = first_part(array, "_data", "_ndarray")
        if column is not None and is_array(array):
            yield label, array if len(array.shape) == 1 else array[column.row], None, None
