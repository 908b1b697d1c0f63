"""Arrays of numpy, and series and frames of data of pandas, by what their C and Cython structures store."""

# ruff: noqa: ARG001  all texts and all details have one signature
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any

from .kinds import genuine_ufunc, numpy_array
from .statics import MISSING, Getset, definer, loaded, module_of, namespace, short_name, stored, text_of, type_name

_SCAN_ITEMS = 1_000_000
"""Largest array that is searched for nan and infinity."""


def _member(x: Any, name: str) -> Any:
    return getattr(loaded("numpy", "ndarray"), name).__get__(x)


def dtype_text(dtype: Any) -> str:
    """`float64`, `object`, `<U5`: from C members, as numpy's own `name` is computed."""
    words = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "O": "object"}
    if dtype.kind not in words:
        return text_of(dtype.str)
    return words[dtype.kind] + ("" if dtype.kind in "bO" else str(8 * dtype.itemsize))


def array_text(describer: Any, x: Any, depth: int) -> str:
    """`array([1.0, 2.0, ... 8 more], float64)`, with the shape when there is more than one axis."""
    shape, kind = _member(x, "shape"), dtype_text(_member(x, "dtype"))
    name = "array" if short_name(type(x)) == "ndarray" else short_name(type(x))
    extent = "" if len(shape) == 1 else ", shape " + repr(shape)
    if not numpy_array(x):
        return name + "(" + kind + (extent or ", shape " + repr(shape)) + ")"
    head = x.flat[: describer.max_items].tolist()
    return name + "([" + describer.items(head, _member(x, "size"), depth) + "], " + kind + extent + ")"


def array_details(describer: Any, x: Any) -> dict[str, Any]:
    """Shape, dtype, and whether there are nan or infinite items."""
    shape = list(_member(x, "shape"))
    details: dict[str, Any] = {"shape": shape, "dtype": dtype_text(_member(x, "dtype")), "note": ""}
    if shape:
        details["length"] = shape[0]
    if numpy_array(x) and x.dtype.kind in "fc" and x.size <= _SCAN_ITEMS:
        details["note"] = ", ".join(filter(None, (_count(x, "isnan", "nan"), _count(x, "isinf", "inf"))))
    return details


def _count(x: Any, function: str, word: str) -> str:
    if not genuine_ufunc(function):
        return ""
    found = len(loaded("numpy", function)(x).ravel().nonzero()[0])
    return "contains %d %s of %d" % (found, word, x.size) if found else ""


def frame_text(describer: Any, x: Any, depth: int) -> str:
    """`<DataFrame 150 rows x 5 columns>`, `<Series 150 rows float64>`."""
    shape = frame_shape(x)
    if not shape:
        return "<" + short_name(type(x)) + ">"
    if len(shape) == 1:
        return "<%s %d rows %s>" % (short_name(type(x)), shape[0], "/".join(_dtypes(x)))
    return "<%s %d rows x %d columns>" % (short_name(type(x)), *shape)


def frame_details(describer: Any, x: Any) -> dict[str, Any]:
    """Shape, dtypes and column labels."""
    shape = frame_shape(x)
    details: dict[str, Any] = {"dtype": ", ".join(_dtypes(x))}
    if shape:
        details.update(shape=shape, length=shape[0])
    if len(shape) == 2:
        labels = _labels(_axes(x)[0], 4 * describer.max_items)
        details["keys"] = [describer.text(label, 1) for label in labels]
    return details


def _part(x: Any, name: str) -> Any:
    """What an object of pandas stores: an own attribute, or a member of its Cython base class; else MISSING."""
    parts = stored(x)
    if name in parts:
        return parts[name]
    owner = definer(type(x), name)
    member: Any = namespace(owner).get(name) if owner is not MISSING else None
    if type(member) is Getset and module_of(owner).startswith("pandas._libs"):
        return member.__get__(x)
    return MISSING


def _axes(x: Any) -> list[Any]:
    """Columns first, then rows."""
    axes = _part(_part(x, "_mgr"), "axes")
    return axes if type(axes) is list else []


def is_frame(x: Any) -> bool:
    """Whether it is exactly a Series or a DataFrame of pandas."""
    return any(type(x) is loaded("pandas", name) for name in ("Series", "DataFrame"))


def frame_shape(x: Any) -> list[int]:
    """Rows, and columns of a DataFrame, by what it stores; empty if that is not known."""
    sizes = [_index_size(axis) for axis in reversed(_axes(x))]
    return sizes if all(size >= 0 for size in sizes) else []


def _data(index: Any) -> Any:
    """The array or range at the bottom of an index or of an extension array."""
    for _ in range(4):
        if type(index) is range or type(index) is loaded("numpy", "ndarray"):
            return index
        parts = (_part(index, name) for name in ("_range", "_data", "_ndarray"))
        index = next((part for part in parts if part is not MISSING), MISSING)
    return MISSING


def _index_size(index: Any) -> int:
    data = _data(index)
    if type(data) is range:
        return len(data)
    return data.shape[0] if data is not MISSING else -1


def _labels(index: Any, limit: int) -> list[Any]:
    data = _data(index)
    if type(data) is range:
        return list(data[:limit])
    return data[:limit].tolist() if data is not MISSING else []


def _dtypes(x: Any) -> list[str]:
    blocks = _part(_part(x, "_mgr"), "blocks")
    if type(blocks) is not tuple:
        return []
    arrays = [_part(block, "values") for block in blocks[:32]]
    plain = loaded("numpy", "ndarray")
    return [dtype_text(array.dtype) if type(array) is plain else type_name(type(array)) for array in arrays]


ARRAY_TEXTS: dict[str, Any] = {"ndarray": array_text, "series": frame_text, "dataframe": frame_text}
ARRAY_DETAILS: dict[str, Any] = {"ndarray": array_details, "series": frame_details, "dataframe": frame_details}
