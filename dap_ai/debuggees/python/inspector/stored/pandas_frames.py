"""Describes series, data frames and indexes of pandas from stored data: shape, labels and some cells.

A data frame is a manager of blocks: each block contains the columns of one type in one array. Only the rows and columns
to show are read, so that ten million rows cost as much as ten.
"""

# ruff: noqa: ARG001  all texts and all details have one signature
# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import gc
from typing import Any

from .columns import UNREAD, CellTexts
from .dtypes import dtype_of, is_array, of_pandas, part, size_of
from .statics import MISSING, loaded, short_name

MAX_COLUMNS = 24
_MAX_LEVELS = 6
_MAX_BLOCKS = 2000
_TAIL_ROWS = 5
"""Maximum number of rows shown from the end of a table."""


class ColumnPlace:
    """Where a column is stored: an array, and the column's row in an array of several columns."""

    __slots__ = ("array", "row")

    def __init__(self, array: Any, row: int) -> None:
        self.array, self.row = array, row


def axes_of(x: Any) -> list[Any]:
    """Returns the indexes of the columns and of the rows; only of the rows for a series. Empty if unknown."""
    axes = part(part(x, "_mgr"), "axes")
    return axes if type(axes) is list else []


def is_frame(x: Any) -> bool:
    """Returns whether `x` is exactly a pandas Series or DataFrame."""
    return any(type(x) is loaded("pandas", name) for name in ("Series", "DataFrame"))


def frame_shape(x: Any) -> list[int]:
    """Returns the number of rows, and for a DataFrame the number of columns; empty if unknown."""
    sizes = [size_of(axis) for axis in reversed(axes_of(x))]
    return sizes if all(size >= 0 for size in sizes) else []


def columns_of(x: Any, wanted: list[int]) -> list[ColumnPlace | None]:
    """Returns the places of the columns at these positions, or None for a column that is not found.

    A series has one column, at position 0.
    """
    found: dict[int, ColumnPlace] = {}
    blocks = part(part(x, "_mgr"), "blocks")
    for block in blocks[:_MAX_BLOCKS] if type(blocks) is tuple else ():
        array = part(block, "values")
        if len(axes_of(x)) == 1:
            found[0] = ColumnPlace(array, 0)
            break
        for row, place in enumerate(_places(block)):
            found[place] = ColumnPlace(array, row)
    return [found.get(place) for place in wanted]


def _places(block: Any) -> list[int]:
    """Returns the positions of a block's columns without calling `BlockPlacement`, which would cache them."""
    placement = part(block, "_mgr_locs")
    parts: list[Any] = gc.get_referents(placement)
    for known in (one for one in parts if type(one) is slice):
        return list(range(known.start, known.stop, known.step or 1))
    arrays: list[Any] = [one for one in parts if is_array(one)]
    return arrays[0].tolist() if arrays else []


class Labels:
    """The labels of an index: its levels, each with a name and texts."""

    def __init__(self, index: Any, cells: CellTexts) -> None:
        self._index, self._cells = index, cells
        self.size = size_of(index)
        self._many = of_pandas(index) == "MultiIndex"
        if self._many:
            names = part(index, "_names")
            self.names = [self._name(name) for name in list.__iter__(names)][:_MAX_LEVELS]
        else:
            self.names = [self._name(part(index, "_name"))]

    def _name(self, name: Any) -> str:
        return "" if name is None or name is MISSING else self._cells.text(name)

    def texts(self, places: list[int]) -> list[list[str]]:
        """Returns the labels at these positions as texts, one list per level."""
        if self._many:
            return [self._cells.level(self._index, level, places) for level in range(len(self.names))]
        return [self._cells.of(self._index, places)]

    def dtypes(self) -> list[str]:
        """Returns the dtypes of the levels."""
        levels = part(self._index, "_levels") if self._many else [self._index]
        return [dtype_of(level) for level in list(list.__iter__(levels))[: len(self.names)]]


def table(describer: Any, x: Any, first: int | None, most: int, chosen: Any = None) -> dict[str, Any]:
    """Returns the Table dict of a series, data frame or index: at most `most` rows from row `first` on.

    If `first` is None, it has the first rows and the last rows. `chosen`: positions of the columns and of the rows to
    choose from.
    """
    cells = CellTexts(describer, describer.may_run)
    axes = axes_of(x)
    index = x if of_pandas(x).endswith("Index") else axes[-1]
    labels = Labels(index, cells)
    columns, rows = chosen or (None, range(labels.size))
    places, head = rows_shown(len(rows), first, most)
    places = [rows[at] for at in places]
    made: dict[str, Any] = {"rows": len(rows), "first": first or 0, "head": head}
    made["index"] = [
        {"labels": [name], "cells": texts, "dtype": dtype}
        for name, texts, dtype in zip(labels.names, labels.texts(places), labels.dtypes())
    ]
    if len(axes) == 1:
        name = part(x, "_name")
        made["columns"] = _read(cells, columns_of(x, [0]), [["" if name is None else cells.text(name)]], places)
    elif axes:
        heads = Labels(axes[0], cells)
        columns = range(heads.size) if columns is None else columns
        shown, left = rows_shown(len(columns), None, MAX_COLUMNS)
        shown = [columns[at] for at in shown]
        names = [list(levels) for levels in zip(*heads.texts(shown))]
        made["columns"] = _read(cells, columns_of(x, shown), names, places)
        made.update(left=left, hidden_columns=len(columns) - len(shown), label_names=heads.names)
    describer.budget.left -= sum(_bytes(column) for column in made["index"] + made.get("columns", []))
    return made


def rows_shown(size: int, first: int | None, most: int) -> tuple[list[int], int]:
    """Returns the positions of the rows to show, and how many of these precede the gap."""
    if first is not None or size <= most:
        places = list(range(first or 0, min(size, (first or 0) + most)))
        return places, len(places)
    tail = min(_TAIL_ROWS, most // 2)
    return [*range(most - tail), *range(size - tail, size)], most - tail


def _read(cells: CellTexts, found: list[Any], names: list[list[str]], places: list[int]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for column, labels in zip(found, names):
        if column is None:
            made.append({"labels": labels, "cells": [UNREAD for _ in places], "dtype": ""})
            continue
        texts = cells.of(column.array, places, column.row)
        made.append({"labels": labels, "cells": texts, "dtype": dtype_of(column.array)})
    return made


def _bytes(column: dict[str, Any]) -> int:
    return 40 + sum(len(text) + 3 for text in (*column["labels"], *column["cells"]))


def frame_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a series or data frame as text: `<DataFrame 150 rows x 5 columns: order, total, ...>`."""
    shape = frame_shape(x)
    if not shape:
        return "<" + short_name(type(x)) + ">"
    places = [0] if len(shape) == 1 else range(shape[1])
    return summary(describer, x, shape, places, "/".join(_dtypes(x)))


def summary(describer: Any, x: Any, shape: list[int], places: Any, dtypes: str) -> str:
    """Returns the text of a data frame or series with only the columns at `places`."""
    cells, axes, name = CellTexts(describer, False), axes_of(x), short_name(type(x))
    if len(shape) == 2:
        most = min(len(places), describer.max_items)
        levels = Labels(axes[0], cells).texts([places[at] for at in range(most)])
        listed = ": " + describer.joined([".".join(label) for label in zip(*levels)], shape[1], most) if most else ""
        return "<%s %d rows x %d columns%s>" % (name, shape[0], shape[1], listed)
    label = _name_of(x, cells) if len(axes) == 1 else Labels(axes[0], cells).texts([places[0]])[0][0]
    name = name if len(axes) == 1 else "Series"
    return "<" + " ".join([name + (" " + label + ":" if label else ""), "%d rows" % shape[0], dtypes]) + ">"


def _name_of(series: Any, cells: CellTexts) -> str:
    name = part(series, "_name")
    return "" if name is None or name is MISSING else cells.text(name)


def frame_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns shape, dtypes and column labels of a series or data frame, and its table if asked for."""
    shape = frame_shape(x)
    details: dict[str, Any] = {"dtype": ", ".join(_dtypes(x))}
    if shape:
        details.update(shape=shape, length=shape[0])
        if describer.wants_table():
            details["table"] = table(describer, x, describer.first_row, describer.max_rows)
    if len(shape) == 2:
        heads = Labels(axes_of(x)[0], CellTexts(describer, False, quotes=True))
        most = min(shape[1], 4 * describer.max_items)
        levels = heads.texts(list(range(most)))
        details["keys"] = [
            ", ".join(label) if len(label) == 1 else "(" + ", ".join(label) + ")" for label in zip(*levels)
        ]
    return details


def index_text(describer: Any, x: Any, depth: int) -> str:
    """Returns an index as text, with its name: `Index([1, 2, ... 8 more], int64)`."""
    name, cells = short_name(type(x)), CellTexts(describer, describer.may_run)
    labels = Labels(x, cells)
    if len(labels.names) > 1:
        return "<%s %d rows: %s>" % (name, labels.size, ", ".join(label or "-" for label in labels.names))
    range_ = part(x, "_range")
    label = labels.names[0] + "=" if labels.names[0] else ""
    if type(range_) is range:
        return name + "(" + label + describer.text(range_, depth + 1) + ")"
    return name + "(" + label + _listed(describer, x, labels.size) + ", " + dtype_of(x) + ")"


def index_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns an index's length and dtype; for an index of several levels also a table."""
    details: dict[str, Any] = {"length": size_of(x), "dtype": dtype_of(x)}
    if of_pandas(x) == "MultiIndex" and describer.wants_table():
        details["table"] = table(describer, x, describer.first_row, describer.max_rows)
    return details


def extension_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a pandas array as text: `<Categorical [a, b, a] 3 items category>`."""
    size = size_of(x)
    if size < 0:
        return "<" + short_name(type(x)) + ">"
    listed = _listed(describer, x, size)
    return "<%s %s %d items %s>" % (short_name(type(x)), listed, size, dtype_of(x))


def _listed(describer: Any, x: Any, size: int) -> str:
    cells = CellTexts(describer, describer.may_run, quotes=True)
    texts = cells.of(x, list(range(min(size, describer.max_items))))
    return "[" + describer.joined(texts, size, describer.max_items) + "]"


def extension_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns a pandas array's length and dtype."""
    return {"length": max(0, size_of(x)), "dtype": dtype_of(x)}


def grouping_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a text that describes a groupby, without computing its groups.

    Example: `<DataFrameGroupBy by 'city' of <DataFrame 5 rows x 7 columns>>`.
    """
    keys, of = part(x, "keys"), part(x, "obj")
    by = "" if keys is MISSING or keys is None else " by " + describer.text(keys, depth + 1)
    return "<" + short_name(type(x)) + by + " of " + describer.text(of, depth + 1) + ">"


def _nothing(describer: Any, x: Any) -> dict[str, Any]:
    return {}


def _dtypes(x: Any) -> list[str]:
    blocks = part(part(x, "_mgr"), "blocks")
    if type(blocks) is not tuple:
        return []
    return list(dict.fromkeys(dtype_of(part(block, "values")) for block in blocks[:32]))


FRAME_TEXTS: dict[str, Any] = {
    "series": frame_text,
    "dataframe": frame_text,
    "index": index_text,
    "extension": extension_text,
    "grouping": grouping_text,
}
FRAME_DETAILS: dict[str, Any] = {
    "series": frame_details,
    "dataframe": frame_details,
    "index": index_details,
    "extension": extension_details,
    "grouping": _nothing,
}
