"""Objects that count every way of touching them."""

from __future__ import annotations

import collections
from typing import Any

calls: collections.Counter[str] = collections.Counter()


def _counting(name: str, result: Any) -> Any:
    def method(*_: Any) -> Any:
        calls[name] += 1
        return result

    return method


_RESULTS = {
    "__repr__": "x",
    "__str__": "x",
    "__format__": "x",
    "__bytes__": b"",
    "__eq__": True,
    "__ne__": True,
    "__lt__": True,
    "__le__": True,
    "__gt__": True,
    "__ge__": True,
    "__hash__": 7,
    "__len__": 3,
    "__length_hint__": 3,
    "__bool__": True,
    "__iter__": iter(()),
    "__next__": 1,
    "__contains__": True,
    "__getitem__": 1,
    "__getattr__": 5,
    "__index__": 1,
    "__int__": 1,
    "__float__": 1.0,
    "__call__": 1,
    "__add__": 1,
    "__radd__": 1,
    "__mul__": 1,
    "__rmul__": 1,
    "__mod__": 1,
    "__rmod__": 1,
    "__and__": 1,
    "__neg__": 1,
    "__abs__": 1,
    "__round__": 1,
    "__reversed__": iter(()),
    "__missing__": 1,
    "__dir__": [],
    "__reduce__": (),
    "__reduce_ex__": (),
    "__sizeof__": 1,
    "__instancecheck__": True,
    "__subclasscheck__": True,
    "__array__": None,
    "__fspath__": "x",
    "keys": [],
    "items": [],
    "get": None,
}
COUNTED = {name: _counting(name, result) for name, result in _RESULTS.items()}


class Descriptor:
    def __get__(self, *_: Any) -> Any:
        calls["descriptor"] += 1
        return 1

    def __set__(self, *_: Any) -> None:
        calls["descriptor set"] += 1


class LazyDescriptor:
    def __get__(self, *_: Any) -> Any:
        calls["lazy descriptor"] += 1
        return 1


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        calls["meta getattribute"] += 1
        return type.__getattribute__(cls, name)

    def __instancecheck__(cls, x: Any) -> bool:
        calls["meta instancecheck"] += 1
        return True

    def __subclasscheck__(cls, x: Any) -> bool:
        calls["meta subclasscheck"] += 1
        return True

    def __eq__(cls, other: object) -> bool:
        calls["meta eq"] += 1
        return True

    def __hash__(cls) -> int:
        calls["meta hash"] += 1
        return 7

    def __repr__(cls) -> str:
        calls["meta repr"] += 1
        return "x"

    def __bool__(cls) -> bool:
        calls["meta bool"] += 1
        return True

    def __len__(cls) -> int:
        calls["meta len"] += 1
        return 1

    def __iter__(cls) -> Any:
        calls["meta iter"] += 1
        return iter(())

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        calls["meta call"] += 1
        return type.__call__(cls, *args, **keywords)


def _lies(base: type, *arguments: Any) -> Any:
    def getattribute(self: Any, name: str) -> Any:
        calls["getattribute"] += 1
        return object.__getattribute__(self, name)

    def own(self: Any) -> Any:
        calls["own attributes"] += 1
        return {}

    def of_class(self: Any) -> Any:
        calls["__class__"] += 1
        return str

    names = {
        **COUNTED,
        "__getattribute__": getattribute,
        "__dict__": property(own),
        "__class__": property(of_class),
        "total": property(own),
        "described": Descriptor(),
        "lazy": LazyDescriptor(),
        "__del__": _counting("__del__", None),
    }
    if issubclass(base, (type, BaseException)):
        del names["__class__"]
    return Meta("Lies" + base.__name__.title(), (base,), names)(*arguments)


class Proxy:
    """Forwards everything, as a lazy proxy does."""

    def __init__(self) -> None:
        object.__setattr__(self, "_wrapped", [1, 2])

    def __getattribute__(self, name: str) -> Any:
        calls["proxy"] += 1
        return getattr([1, 2], name)

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        calls["proxy class"] += 1
        return list


class EvilKey(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        calls["key eq"] += 1
        return True

    def __hash__(self) -> int:
        calls["key hash"] += 1
        return str.__hash__(self)


class Plain:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def hostile_objects() -> dict[str, Any]:
    """Fresh objects by name; making them counts calls, so clear `calls` after."""
    keyed = Plain(a=1)
    keyed.__dict__[EvilKey("b")] = 2
    in_class = type("InClass", (), {EvilKey("total"): 1, "__slots__": ("kept",)})()
    lying = _lies(object)
    return {
        "lies": lying,
        "list": _lies(list, [1, 2, 3]),
        "dict": _lies(dict, {"a": 1}),
        "str": _lies(str, "text"),
        "int": _lies(int, 5),
        "float": _lies(float, 5.0),
        "bytes": _lies(bytes, b"x"),
        "tuple": _lies(tuple, (1, 2)),
        "set": _lies(set, {1}),
        "frozenset": _lies(frozenset, {1}),
        "deque": _lies(collections.deque, [1]),
        "exception": _lies(ValueError, "bad", lying),
        "class": type(lying),
        "class of lies": type("OfLies", (), {"held": lying, "made": type(lying), "stat": staticmethod(len)}),
        "proxy": Proxy(),
        "evil keys": keyed,
        "evil class": in_class,
        "dict of lies": {lying: lying, EvilKey("k"): 1},
        "set of lies": {lying},
        "list of lies": [lying, [lying]],
        "tuple of lies": (lying, EvilKey("k")),
        "holder": Plain(inner=lying, deep=Plain(inner=[lying])),
        "named": collections.namedtuple("Named", "a b")(lying, 2),  # noqa: PYI024  the untyped kind is meant
        "default": collections.defaultdict(COUNTED["__call__"], {"a": lying}),
        "bound": Plain.__init__.__get__(lying),
        "slice": slice(lying, lying),
        "partial error": KeyError(lying),
    }
