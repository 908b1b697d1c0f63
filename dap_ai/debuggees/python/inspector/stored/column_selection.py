"""Describes `df["total"]`, `df.total`, `df[["a", "b"]]` and `df.head(3)` without calling pandas.

Such a selection is only described: it must be the last operation of an expression.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import types
from typing import Any, Callable

from .dtypes import dtype_of, is_array, part
from .pandas_frames import axes_of, columns_of, frame_shape, is_frame, summary, table
from .plain import RefusedOperation
from .statics import MISSING, lookup, module_of, text_of

_MAX_LABELS = 10_000


class ColumnSelection:
    """Selected columns (by position) and rows of a data frame or series.

    `is_series`: the result is a single column as a series.
    """

    __slots__ = ("columns", "is_series", "rows", "source")

    def __init__(self, source: Any, columns: list[int], rows: range, is_series: bool) -> None:
        self.source, self.columns, self.rows, self.is_series = source, columns, rows, is_series

    def described(self, describer: Any) -> dict[str, Any]:
        """Returns the Value dict of the series or data frame that pandas would return."""
        name = "Series" if self.is_series else "DataFrame"
        shape = [len(self.rows)] if self.is_series else [len(self.rows), len(self.columns)]
        found = [dtype_of(column.array) for column in columns_of(self.source, self.columns) if column is not None]
        dtypes = list(dict.fromkeys(found))
        value: dict[str, Any] = {
            "text": summary(describer, self.source, shape, self.columns, "/".join(dtypes)),
            "type": module_of(type(self.source)) + "." + name,
            "kind": name.lower(),
            "shape": shape,
            "length": shape[0],
            "dtype": ", ".join(dtypes),
        }
        if describer.wants_table():
            chosen = (self.columns, self.rows)
            made = table(describer, self.source, describer.first_row, describer.max_rows, chosen)
            value["table"] = dict(made, left=0, label_names=[]) if self.is_series else made
        return value


def part_of(node: Any, evaluate: Callable[[Any], Any]) -> ColumnSelection | None:
    """Returns the selection that an expression makes, or None. Raises RefusedOperation, and any error of `evaluate`."""
    form = node[0] if type(node) is list and node and type(node[0]) is str else ""
    if form == "s" and node[2][:1] in (["c"], ["l"]):
        whole = _whole(node[1], evaluate, "__getitem__")
        return None if whole is None else _columns(whole, node[2])
    if form == "a" and node[2] not in ("shape", "columns", "index"):
        whole = _whole(node[1], evaluate, "__getattr__")
        return None if whole is None or lookup(type(whole.source), node[2]) is not MISSING else _column(whole, node[2])
    if form == "call" and node[1][:1] == ["a"] and node[1][2] in ("head", "tail") and len(node[2]) <= 1:
        whole = _whole(node[1][1], evaluate, node[1][2])
        return None if whole is None else _ends(whole, node[1][2], node[2], evaluate)
    return None


def _whole(node: Any, evaluate: Callable[[Any], Any], method: str) -> ColumnSelection | None:
    """Returns the series or data frame to select from; None if pandas' own method would not be called."""
    inner = part_of(node, evaluate)
    if inner is not None:
        return inner
    x = evaluate(node)
    if not is_frame(x) or not frame_shape(x):
        return None
    own = lookup(type(x), method)
    if type(own) is not types.FunctionType or not text_of(own.__module__).startswith("pandas."):
        raise RefusedOperation("`%s` of %s is not pandas' own" % (method, module_of(type(x))))
    shape = frame_shape(x)
    return ColumnSelection(x, list(range(shape[1])) if len(shape) == 2 else [0], range(shape[0]), len(shape) == 1)


def _columns(whole: ColumnSelection, index: Any) -> ColumnSelection | None:
    """Selects the columns with a label, or with a list of labels."""
    if whole.is_series:
        return None
    wanted = [index] if index[0] == "c" else index[1]
    if not all(node[:1] == ["c"] and type(node[1]) is str for node in wanted):
        return None
    places = [_place(whole, node[1]) for node in wanted]
    return ColumnSelection(whole.source, places, whole.rows, index[0] == "c")


def _column(whole: ColumnSelection, name: Any) -> ColumnSelection | None:
    if whole.is_series or type(name) is not str:
        return None
    return ColumnSelection(whole.source, [_place(whole, name)], whole.rows, True)


def _place(whole: ColumnSelection, label: str) -> int:
    """Returns the position of the column with this label. Raises RefusedOperation unless exactly one column has it."""
    index = axes_of(whole.source)[0]
    data = part(index, "_data")
    data = data if is_array(data) else part(data, "_ndarray")
    if not is_array(data) or data.dtype.kind != "O" or data.shape[0] > _MAX_LABELS:
        raise RefusedOperation("the columns' labels are not plain texts; read the whole frame")
    found = [at for at in whole.columns if type(data[at]) is str and data[at] == label]
    if len(found) != 1:
        raise RefusedOperation("there is no one column `%s`; read `columns`" % text_of(label))
    return found[0]


def _ends(whole: ColumnSelection, name: str, arguments: list[Any], evaluate: Callable[[Any], Any]) -> ColumnSelection:
    """Selects the first or last rows. A negative count selects all rows but that many."""
    count = evaluate(arguments[0]) if arguments else 5
    if type(count) is not int:
        raise RefusedOperation("`%s` takes an int here" % name)
    size = len(whole.rows)
    shown = min(size, count) if count >= 0 else max(0, size + count)
    rows = whole.rows[:shown] if name == "head" else whole.rows[size - shown :]
    return ColumnSelection(whole.source, whole.columns, rows, whole.is_series)
