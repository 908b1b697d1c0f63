"""Renders single values of numpy and pandas: timestamps, timedeltas, periods, intervals, dtypes, missing values."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import struct
from typing import Any

from .dtypes import dtype_text, first_part, is_dtype, of_pandas, part
from .statics import MISSING, loaded, made_in_c, mro, short_name, text_of
from .time_values import moment_text, period_text, span_text, without_midnight

MISSING_TEXTS = {"NAType": "<NA>", "NaTType": "NaT"}
_SHORT_FLOATS = {2: "e", 4: "f"}
_INFINITY = float("inf")
_UNITS = {7: "s", 8: "ms", 9: "us", 10: "ns"}
"""Time units by pandas' number for them; before pandas 2.0 all values are in nanoseconds."""


def item_text(x: Any) -> str:
    """Returns a value as text: `2024-01-01 10:00:00`, `(0, 1]`, `<NA>`; an empty string for other types."""
    name = of_pandas(x)
    if name in MISSING_TEXTS:
        return MISSING_TEXTS[name]
    if name in ("Timestamp", "Timedelta"):
        return _moment(x, name)
    if name == "Period":
        frequency = short_name(type(part(x, "freq")))
        return period_text(part(x, "ordinal"), frequency)
    if name == "Interval":
        return _interval(x)
    if is_dtype(x):
        return dtype_text(x)
    return _of_numpy(x)


def named_text(x: Any) -> str:
    """Returns a value as in source: `Timestamp('2024-01-01 10:00:00')`; an empty string for other types."""
    text, name = item_text(x), short_name(type(x))
    if not text or text in MISSING_TEXTS.values():
        return text
    return "dtype(" + repr(text) + ")" if is_dtype(x) else name + "(" + repr(text) + ")"


def _moment(x: Any, name: str) -> str:
    value, unit = first_part(x, "_value", "value"), first_part(x, "_creso", "_reso")
    if type(value) is not int:
        return ""
    word = _UNITS.get(unit, "ns")
    if name == "Timedelta":
        return span_text(value, word)
    zone = next((base.__dict__["tzinfo"].__get__(x) for base in mro(type(x)) if _has_zone(base)), None)
    return moment_text(value, word, zone)


def _has_zone(base: Any) -> bool:
    return made_in_c(base) and base.__module__ == "datetime" and short_name(base) == "datetime"


def _interval(x: Any) -> str:
    left, right, closed = part(x, "left"), part(x, "right"), text_of(part(x, "closed"))
    ends = [item_text(end) or (repr(end) if type(end) in (int, float) else "") for end in (left, right)]
    if not all(ends):
        return ""
    return (
        ("[" if closed in ("left", "both") else "(") + ", ".join(ends) + ("]" if closed in ("right", "both") else ")")
    )


def _of_numpy(x: Any) -> str:
    """Returns a numpy number, datetime or timedelta as text; an empty string for other types."""
    generic = loaded("numpy", "generic")
    if generic is MISSING or not made_in_c(type(x)) or not any(base is generic for base in mro(type(x))):
        return ""
    kind, unit = x.dtype.kind, text_of(x.dtype.str)
    if kind in "mM":
        write: Any = moment_text if kind == "M" else span_text
        return without_midnight([write(int(x.view("i8")), unit)])[0]
    if kind == "f":
        return float_text(float(x), x.dtype.itemsize)
    return repr(x.item()) if kind in "biu" else ""


def float_text(number: float, size: int = 8) -> str:
    """Returns a number with the fewest digits that restore it in a float of `size` bytes; `NaN` for nan."""
    if number != number:  # noqa: PLR0124  nan alone is not itself
        return "NaN"
    if size in _SHORT_FLOATS and abs(number) != _INFINITY:
        for digits in range(3, 10):
            text = float.__repr__(float("%.*g" % (digits, number)))
            try:
                if struct.pack(_SHORT_FLOATS[size], float(text)) == struct.pack(_SHORT_FLOATS[size], number):
                    return text
            except OverflowError:
                continue
    return float.__repr__(number)
