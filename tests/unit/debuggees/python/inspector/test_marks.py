"""What an object holds is noticed when it changes, whatever keeps it, and the recorded text is what it holds."""

from __future__ import annotations

import array
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from dap_ai.debuggees.python.inspector.stored.values import ValueDescriber, VisitBudget
from dap_ai.debuggees.python.snapshots.runs.marks import Marker

_raw_dict: Any = dict
_raw_list: Any = list
_LIMITS = {"max_text": 60, "max_items": 6, "max_depth": 2, "max_fields": 6}


class Rows(list[Any]):
    """A list with an attribute, whose own methods must not run."""

    def __iter__(self) -> Any:
        raise AssertionError

    def __len__(self) -> int:
        raise AssertionError


class Table(dict[str, int]):
    """A dict whose own methods must not run."""

    __slots__ = ("owner",)

    def keys(self) -> Any:
        raise AssertionError

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Slotted:
    """Keeps its attributes in slots."""

    __slots__ = ("items", "name")

    def __init__(self) -> None:
        self.items: list[int] = []
        self.name = "a"


def _set(x: Any, name: str, value: Any) -> None:
    setattr(x, name, value)


CHANGES: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "defaultdict": (defaultdict[str, list[int]](list), lambda x: x["a"].append(1)),
    "within a defaultdict": (defaultdict(list, a=[1]), lambda x: x["a"].append(2)),
    "Counter": (Counter("a"), lambda x: x.update("b")),
    "count of a Counter": (Counter("a"), lambda x: x.update("a")),
    "OrderedDict": (OrderedDict(a=1), lambda x: x.update(a=2)),
    "key of a dict": ({"a": None}, lambda x: (x.pop("a"), x.update(b=None))),
    "dict subclass": (Table(a=1), lambda x: _raw_dict.__setitem__(x, "a", 2)),
    "list subclass": (Rows([1]), lambda x: _raw_list.append(x, 2)),
    "deque": (deque([1]), lambda x: x.append(2)),
    "set": ({1}, lambda x: x.add(2)),
    "bytearray": (bytearray(b"ab"), lambda x: x.__setitem__(0, 99)),
    "array": (array.array("i", [1]), lambda x: x.append(2)),
    "slots": (Slotted(), lambda x: _set(x, "name", "b")),
    "within slots": (Slotted(), lambda x: x.items.append(1)),
    "attributes": (types.SimpleNamespace(a=1), lambda x: _set(x, "a", 2)),
    "exception": (ValueError("a"), lambda x: _set(x, "args", ("b",))),
    "numpy": (np.zeros(3), lambda x: x.__setitem__(0, 1.0)),
    "of the same value": ([1.0], lambda x: x.__setitem__(0, True)),
    "deep in one": ([{"a": Rows([1])}], lambda x: _raw_list.append(x[0]["a"], 2)),
    "plain number at the same place": ([Decimal(1)], lambda x: (x.pop(), x.append(Decimal(2)))),
    "many parts": ([[i] * 9 for i in range(9)], lambda x: x[0].__setitem__(0, "changed")),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_changes_the_text_changes_the_mark(kind: str) -> None:
    """Otherwise an old value would be told as the present one."""
    x, change = CHANGES[kind]
    describer = ValueDescriber(_LIMITS, VisitBudget(1 << 40, 1e9))
    marker = Marker(describer)
    text, mark = describer.text(x), marker.mark(x)
    assert marker.mark(x) == mark
    change(x)
    assert describer.text(x) != text
    assert marker.mark(x) != mark


def test_the_mark_of_a_large_object_is_bounded() -> None:
    """It costs no more than its text."""
    tree: Any = [0]
    for _ in range(4):
        tree = [[*tree] for _ in range(50)]
    marker = Marker(ValueDescriber(dict(_LIMITS, max_items=40, max_depth=3), VisitBudget(1 << 40, 1e9)))

    mark = str(marker.mark(tree))
    assert mark.count(",") < 1000
    assert mark == str(marker.mark(tree))
