"""Describes numpy arrays, from their C structures."""


# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any

from .columns import CellTexts
from .dtypes import dtype_text, is_array
from .object_kinds import genuine_ufunc, numpy_array
from .pandas_frames import MAX_COLUMNS, rows_shown
from .statics import loaded, short_name, stored, text_of

_SCAN_ITEMS = 1_000_000
"""Maximum size of an array that is searched for nan and infinity."""


def _member(x: Any, name: str) -> Any:
    return getattr(loaded("numpy", "ndarray"), name).__get__(x)


def array_text(describer: Any, x: Any, depth: int) -> str:
    """Returns an array as text, with its shape if multidimensional: `array([1.0, 2.0, ... 8 more], float64)`."""
    shape, kind = _member(x, "shape"), dtype_text(_member(x, "dtype"))
    name = "array" if short_name(type(x)) == "ndarray" else short_name(type(x))
    extent = "" if len(shape) == 1 else ", shape " + repr(shape)
    mask: Any = stored(x).get("_mask") if name == "MaskedArray" else None
    masked = ", mask " + _nested(describer, mask, depth) if is_array(mask) and mask.shape else ""
    return name + "(" + _nested(describer, _plain(x), depth) + ", " + kind + extent + masked + ")"


def _plain(x: Any) -> Any:
    """Returns an ndarray on the same memory, so that no method of a subclass is called."""
    base = loaded("numpy", "ndarray")
    return x if is_array(x) else base.view(x, base)


def _nested(describer: Any, x: Any, depth: int) -> str:
    """Returns the items as text, in brackets for each axis; only the number for an array without axes."""
    if not x.shape:
        return CellTexts(describer, False, quotes=True).of(x.reshape(1), [0])[0]
    places = list(range(min(x.shape[0], describer.max_items)))
    if len(x.shape) > 1:
        texts: Any = (_nested(describer, x[at], depth) for at in places)
    elif x.dtype.kind == "O":
        texts = (describer.text(x[at], depth + 1) for at in places)
    else:
        texts = [text.replace("NaN", "nan") for text in CellTexts(describer, False, quotes=True).of(x, places)]
    return "[" + describer.joined(texts, x.shape[0], describer.max_items) + "]"


def _matrix(describer: Any, x: Any) -> dict[str, Any] | None:
    """Returns the Table dict of an array with two axes, or of an array of records."""
    cells, names = CellTexts(describer, False), x.dtype.names
    of_records = len(x.shape) == 1 and type(names) is tuple
    if not (len(x.shape) == 2 or of_records) or not describer.wants_table():
        return None
    places, head = rows_shown(x.shape[0], describer.first_row, describer.max_rows)
    width = len(names) if of_records else x.shape[1]
    shown, left = rows_shown(width, None, MAX_COLUMNS)
    arrays = [(text_of(names[at]), x[names[at]]) if of_records else (str(at), x[:, at]) for at in shown]
    columns = [{"labels": [label], "cells": cells.of(a, places), "dtype": dtype_text(a.dtype)} for label, a in arrays]
    index = [{"labels": [""], "cells": [str(at) for at in places], "dtype": "int64"}]
    made = {"rows": x.shape[0], "first": describer.first_row or 0, "head": head, "index": index, "columns": columns}
    describer.budget.left -= sum(len(text) + 3 for column in columns for text in column["cells"])
    return dict(made, left=left, hidden_columns=width - len(shown))


def array_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns an array's shape and dtype, and a note about nan or infinite items."""
    shape = list(_member(x, "shape"))
    details: dict[str, Any] = {"shape": shape, "dtype": dtype_text(_member(x, "dtype")), "note": ""}
    if shape:
        details["length"] = shape[0]
    table = _matrix(describer, _plain(x))
    if table:
        details["table"] = table
    if numpy_array(x) and x.dtype.kind in "fc" and x.size <= _SCAN_ITEMS:
        details["note"] = ", ".join(filter(None, (_count(x, "isnan", "nan"), _count(x, "isinf", "inf"))))
    return details


def _count(x: Any, function: str, word: str) -> str:
    if not genuine_ufunc(function):
        return ""
    found = len(loaded("numpy", function)(x).ravel().nonzero()[0])
    return "contains %d %s of %d" % (found, word, x.size) if found else ""


ARRAY_TEXTS: dict[str, Any] = {"ndarray": array_text}
ARRAY_DETAILS: dict[str, Any] = {"ndarray": array_details}
