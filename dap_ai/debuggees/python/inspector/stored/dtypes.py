"""Reads dtypes, sizes and stored parts of numpy's and pandas' arrays, indexes and dtypes."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from itertools import islice
from typing import Any

from .statics import (
    MAX_NAMES,
    MISSING,
    Getset,
    Member,
    definer,
    instance_dict,
    loaded,
    lookup,
    made_in_c,
    module_of,
    mro,
    namespace,
    short_name,
    text_of,
)

_WORDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "O": "object"}


def part(x: Any, name: str) -> Any:
    """Returns a stored part of a pandas object, otherwise MISSING.

    The part is an instance attribute, or a member of the object's Cython base class.
    """
    own = instance_dict(x)
    if own is not None and issubclass(type(own), dict):
        for key, value in list(islice(dict.items(own), MAX_NAMES)):
            if type(key) is str and key == name:
                return value
    owner = definer(type(x), name)
    member: Any = namespace(owner).get(name) if owner is not MISSING else None
    known = type(member) is Getset or type(member) is Member
    return member.__get__(x) if known and module_of(owner).partition(".")[0] == "pandas" else MISSING


def first_part(x: Any, *names: str) -> Any:
    """Returns the first of the named parts that the object stores, otherwise MISSING."""
    return next((found for found in (part(x, name) for name in names) if found is not MISSING), MISSING)


def of_pandas(x: Any) -> str:
    """Returns the short name of an object's class if pandas defines the class; otherwise an empty string."""
    return short_name(type(x)) if module_of(type(x)).partition(".")[0] == "pandas" else ""


def is_array(x: Any) -> bool:
    """Returns whether `x` is exactly a numpy array."""
    return type(x) is loaded("numpy", "ndarray") and made_in_c(type(x))


def size_of(x: Any) -> int:
    """Returns the length of an array or index along its first axis; -1 if unknown."""
    for _ in range(4):
        if type(x) is range:
            return len(x)
        if is_array(x):
            return x.shape[-1] if x.shape else -1
        codes = part(x, "_codes") if of_pandas(x) == "MultiIndex" else MISSING
        if issubclass(type(codes), list):
            return size_of(list.__getitem__(codes, 0)) if list.__len__(codes) else -1
        x = first_part(x, "_range", "_data", "_ndarray", "_left", "_sparse_index")
        if of_pandas(x) in ("IntIndex", "BlockIndex"):
            length = part(x, "length")
            return length if type(length) is int else -1
    return -1


def dtype_of(x: Any) -> str:
    """Returns the dtype of an array or index as text: `int64`, `str`, `category`, `datetime64[ns, UTC]`."""
    if type(x) is range:
        return "int64"
    if is_array(x):
        return dtype_text(x.dtype)
    own = part(x, "_dtype")
    if own is not MISSING:
        return dtype_text(own)
    inner, name = first_part(x, "_data", "_range"), of_pandas(x)
    if name.endswith("Array") and is_array(inner):  # IntegerArray of int64: Int64
        plain = dtype_text(inner.dtype)
        if plain == "bool":
            return "boolean"
        return plain.replace("uint", "UInt").replace("int", "Int", 1).replace("f", "F", 1)
    return dtype_of(inner) if inner is not MISSING else name or short_name(type(x))


def dtype_text(dtype: Any) -> str:
    """Returns the name of a dtype, such as `float64`, `object`, `<U5` or `category`, equal to the library's own `name`.

    The name is read from C members and stored parts.
    """
    name = of_pandas(dtype)
    if not name:
        return _numpy_dtype(dtype)
    fixed = {"CategoricalDtype": "category"}.get(name) or lookup(type(dtype), "name")
    if type(fixed) is str:
        return fixed
    if name == "StringDtype":
        missing = part(dtype, "_na_value")
        return "str" if type(missing) is float else "string"
    if name == "DatetimeTZDtype":
        return "datetime64[%s, %s]" % (text_of(part(dtype, "_unit")), zone_text(part(dtype, "_tz")))
    if name == "IntervalDtype":
        return "interval"
    return {"PeriodDtype": "period", "SparseDtype": "Sparse"}.get(name, name)


def zone_text(zone: Any) -> str:
    """Returns the name of a time zone: `UTC`, `Europe/Berlin`."""
    if made_in_c(type(zone)) and short_name(type(zone)) == "timezone":
        return repr(zone) if repr(zone) != "datetime.timezone.utc" else "UTC"
    if made_in_c(type(zone)) and short_name(type(zone)) == "ZoneInfo":
        return text_of(zone.key)
    return text_of(lookup(type(zone), "zone")) or short_name(type(zone))


def _numpy_dtype(dtype: Any) -> str:
    kind, text = dtype.kind, text_of(dtype.str)
    if kind in "mM":
        return ("datetime64" if kind == "M" else "timedelta64") + text[3:]
    if kind not in _WORDS:
        return text
    return _WORDS[kind] + ("" if kind in "bO" else str(8 * dtype.itemsize))


def is_dtype(x: Any) -> bool:
    """Returns whether `x` is a dtype of numpy or of a pandas array."""
    base = loaded("numpy", "dtype")
    if made_in_c(type(x)) and any(cls is base for cls in mro(type(x))):
        return True
    return of_pandas(x).endswith("Dtype")
