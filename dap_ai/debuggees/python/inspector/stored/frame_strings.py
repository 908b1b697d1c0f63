"""Finds strings under labels such as `password` in data frames and series of pandas."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any, Callable, Iterator

from .columns import CellTexts
from .dtypes import is_array, part, size_of
from .pandas_frames import ColumnPlace, Labels, axes_of, columns_of, frame_shape
from .statics import MISSING


def named_strings(x: Any, wanted: Callable[[str], bool], most: int) -> Iterator[tuple[str, Any]]:
    """Yields (label, string) in a series or data frame, for columns or rows whose label `wanted` accepts."""
    axes = axes_of(x)
    if not axes or not frame_shape(x):
        return
    cells, name = CellTexts(None, False), part(x, "_name")
    names = Labels(axes[0], cells).texts(list(range(min(size_of(axes[0]), most))))
    labels = [label for level in names for label in enumerate(level) if wanted(label[1])]
    if len(axes) == 1:
        column = columns_of(x, [0])[0]
        places = dict(labels) if not (type(name) is str and wanted(name)) else dict.fromkeys(range(most), name)
        yield from _strings(column, list(places.items()))
        return
    found = columns_of(x, [place for place, _ in labels])
    for (_, label), column in zip(labels, found):  # noqa: B905  not in 3.8
        yield from _strings(column, [(row, label) for row in range(most)])


def _strings(column: ColumnPlace | None, places: list[tuple[int, str]]) -> Iterator[tuple[str, Any]]:
    """Yields the (label, string) pairs of a column; nothing if the column does not store Python objects."""
    if column is None:
        return
    array = column.array
    for name in ("_data", "_ndarray"):
        inner = MISSING if is_array(array) else part(array, name)
        array = array if inner is MISSING else inner
    if not is_array(array) or array.dtype.kind != "O":
        return
    items = array if len(array.shape) == 1 else array[column.row]
    for row, label in places:
        if row < items.shape[0] and issubclass(type(items[row]), str):
            yield label, items[row]
