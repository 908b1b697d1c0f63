"""Renders items of numpy and pandas arrays as text: reads only the items asked for, from stored data."""

# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import re
from typing import Any

from .dtypes import first_part, is_array, of_pandas, part
from .scalar_items import MISSING_TEXTS, float_text, item_text
from .statics import MISSING, short_name, text_of
from .time_values import moment_text, period_text, span_text, without_midnight

MAX_CELL_CHARS = 120
UNREAD = "..."
"""The text of an array item that cannot be read without running code."""
_LIKE_OTHERS = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?|True|False|None|nan|NaN|NaT|<NA>|", re.IGNORECASE)
"""Matches a string that looks like a number, boolean or missing value; in a mixed column it is quoted."""


class CellTexts:
    """Renders items of arrays and indexes as text.

    `run`: the program's code may run, because this process is a copy. `quotes`: writes strings as in source code.
    """

    def __init__(self, describer: Any, run: bool, quotes: bool = False) -> None:
        self._describer = describer
        self._run = run
        self._quotes = quotes

    def of(self, x: Any, places: list[int], row: int = 0) -> list[str]:
        """Returns the texts of the items at these positions of an array or index.

        UNREAD stands for an item that cannot be read. `row`: the row of an array with two axes.
        """
        try:
            texts = self._texts(x, places, row)
            if texts is not None:
                return texts
        except Exception:  # another version's layout
            texts = None
        if self._run:
            try:
                return [self.text(x[at]) for at in places]
            except Exception:
                return [UNREAD for _ in places]
        return [UNREAD for _ in places]

    def _texts(self, x: Any, places: list[int], row: int) -> list[str] | None:
        if type(x) is range:
            return [str(x[at]) for at in places]
        if is_array(x):
            return self._of_numpy(x if len(x.shape) == 1 else x[row], places)
        name = of_pandas(x)
        if name in ("DatetimeArray", "TimedeltaArray", "PeriodArray"):
            return _of_time(x, name, places, row)
        if name == "Categorical":
            return self._coded(part(part(x, "_dtype"), "_categories"), part(x, "_ndarray"), places)
        if name == "IntervalArray":
            return self._of_intervals(x, places)
        mask = part(x, "_mask")
        if is_array(mask):
            texts = self.of(part(x, "_data"), places)
            return ["<NA>" if mask[at] else text for at, text in zip(places, texts)]
        inner = first_part(x, "_range", "_data", "_ndarray")
        if name.startswith("Arrow") or inner is MISSING:
            return None
        return self.of(inner, places)

    def _coded(self, categories: Any, codes: Any, places: list[int]) -> list[str]:
        """Returns the texts of items stored as codes that index the categories; -1 is a missing item."""
        numbers = [int(codes[at]) for at in places]
        wanted = sorted({number for number in numbers if number >= 0})
        known = dict(zip(wanted, self.of(categories, wanted)))
        return [known.get(number, "NaN") for number in numbers]

    def level(self, x: Any, number: int, places: list[int]) -> list[str]:
        """Returns the texts of items in one level of a MultiIndex."""
        levels, codes = part(x, "_levels"), part(x, "_codes")
        return self._coded(list.__getitem__(levels, number), list.__getitem__(codes, number), places)

    def _of_intervals(self, x: Any, places: list[int]) -> list[str]:
        left, right = self.of(part(x, "_left"), places), self.of(part(x, "_right"), places)
        closed = text_of(part(part(x, "_dtype"), "_closed"))
        opening = "[" if closed in ("left", "both") else "("
        ending = "]" if closed in ("right", "both") else ")"
        pairs = zip(left, right)
        return ["NaN" if a in ("NaN", "NaT") else opening + a + ", " + b + ending for a, b in pairs]

    def _of_numpy(self, x: Any, places: list[int]) -> list[str]:
        kind = x.dtype.kind
        if kind in "mM":
            numbers, unit = x.view("i8"), text_of(x.dtype.str)
            write: Any = moment_text if kind == "M" else span_text
            return without_midnight([write(int(numbers[at]), unit) for at in places])
        if kind == "f":
            return [float_text(float(x[at]), x.dtype.itemsize) for at in places]
        if kind != "O":
            return [self.text(x[at].item()) for at in places]
        items = [x[at] for at in places]
        texts = [self.text(item) for item in items]
        words = [issubclass(type(item), str) for item in items]
        others = any(not word and not _is_missing(item) for word, item in zip(words, items))
        if not others or self._quotes:
            return texts
        is_same = _LIKE_OTHERS.fullmatch  # "7" beside 7 is worth seeing
        return [repr(text) if word and is_same(text) else text for word, text in zip(words, texts)]

    def text(self, item: Any) -> str:
        """Returns one item as text; a nan is `NaN`."""
        cls = type(item)
        if issubclass(cls, str):
            size = str.__len__(item)
            head = text_of(str.__getitem__(item, slice(0, MAX_CELL_CHARS)))
            head = repr(head) if self._quotes else head
            return head + ("... %d more" % (size - MAX_CELL_CHARS) if size > MAX_CELL_CHARS else "") or "''"
        if cls is float:
            return float_text(item)
        return item_text(item) or self._describer.text(item, 1)


def _is_missing(item: Any) -> bool:
    return item is None or (type(item) is float and item != item) or of_pandas(item) in MISSING_TEXTS  # noqa: PLR0124


def _of_time(x: Any, name: str, places: list[int], row: int) -> list[str]:
    data, dtype = first_part(x, "_ndarray", "_data"), part(x, "_dtype")
    if len(data.shape) > 1:
        data = data[row]
    numbers = data.view("i8")
    if name == "PeriodArray":
        frequency = short_name(type(first_part(dtype, "_freq", "freq")))
        return [period_text(int(numbers[at]), frequency) for at in places]
    unit = text_of(data.dtype.str)
    if name == "TimedeltaArray":
        return without_midnight([span_text(int(numbers[at]), unit) for at in places])
    zone = part(dtype, "_tz")
    shift = None if zone is MISSING else zone
    return without_midnight([moment_text(int(numbers[at]), unit, shift) for at in places])
