"""Copies the current values as data, so that no object of the program is kept alive.

Exact builtin types are copied to the same type; numbers and strings are not copied. Any other object becomes a Frozen,
which describes the object's stored fields. No function here runs code of the program: see statics.py.

`copy.deepcopy` is not an option: it calls `__deepcopy__` and `__reduce_ex__` of the program. A reference is not an
option either: it would keep objects alive beyond their `__del__`, and show later values. So values are copied to a
depth, up to a number of objects (`room`); beyond that only type and length are known.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import types
from itertools import islice
from typing import Any, NoReturn

from .statics import loaded, made_in_c, short_name, stored, type_name

MAX_DEPTH = 3
MAX_ITEMS, MAX_FLAT_ITEMS = 50, 1000
"""Maximum items copied of a container, and of a container with only numbers and short strings."""
MAX_FIELDS = 50
MAX_CHARACTERS = 1000
_MAX_BITS = 4000
_HEAD = 12
"""Items copied of a container that exceeds the maximum."""
_CONSTANTS: tuple[Any, ...] = (type(None), bool, float, complex, type(Ellipsis), type(NotImplemented))
_constant_ids = {id(cls) for cls in _CONSTANTS}
_scalar_ids = _constant_ids | {id(int), id(str), id(bytes)}
_ROWS: dict[int, Any] = {id(cls): cls for cls in (list, tuple, set, frozenset, collections.deque)}
_DICTS: dict[int, Any] = {
    id(cls): cls for cls in (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
}
_FUNCTIONS: tuple[Any, ...] = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_DATES = ("date", "time", "datetime", "timedelta")
_base_args: Any = BaseException.__dict__["args"].__get__


class Frozen:
    """A description of an object's stored fields.

    `fields` is None if the fields were not copied, `length` is None if the object has no length or it is unknown.
    Operators raise: a comparison or a truth test would be about the copy, not about the object.
    """

    __slots__ = ("fields", "head", "kind", "length", "short", "type")

    def __init__(self, cls: Any, kind: str) -> None:
        self.kind, self.short, self.type = kind, short_name(cls), type_name(cls)
        self.fields: dict[str, Any] | None = None
        self.head: Any = None
        self.length: int | None = None

    def _unknown(self, *_: Any) -> NoReturn:
        raise TypeError("only what it stored is known")

    __bool__ = __len__ = __iter__ = __eq__ = __ne__ = __hash__ = __contains__ = __getitem__ = __call__ = _unknown
    __lt__ = __le__ = __gt__ = __ge__ = __getattr__ = _unknown


class Freezer:
    """Copies related values; an object that is reached twice is copied once.

    `room`: objects that may still be copied.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self._made: dict[int, tuple[Any, Any]] = {}
        """(object, copy) pairs by the object's id; the object is kept alive so that its id is not reused."""
        self.fields: list[dict[str, Any]] = []
        """The fields of each copied object."""

    def addresses(self) -> dict[int, int]:
        """Returns the original objects' addresses by the ids of their copies."""
        return {id(copy): address for address, (_, copy) in self._made.items()}

    def freeze(self, x: Any, depth: int = MAX_DEPTH) -> Any:
        """Returns a copy of a value and its contents, to the given depth."""
        cls = type(x)
        key = id(cls)
        if key in _constant_ids:
            return x
        if cls is int:
            return x if x.bit_length() <= _MAX_BITS else _closed(x, "int")
        if (cls is str or cls is bytes) and len(x) <= MAX_CHARACTERS:
            return x
        # One copy for each object, so that two names for one list have one copy as well. The object is kept beside it
        # until all is copied: if it were freed, another object could get its address, and then the
        # wrong copy.
        known = self._made.get(id(x))
        if known is not None:
            return known[1]
        self.room -= 1
        copy = self._copy(x, cls, key, depth)
        self._made[id(x)] = x, copy
        return copy

    def _copy(self, x: Any, cls: Any, key: int, depth: int) -> Any:
        if cls is str or cls is bytes:
            return _cut(x, cls.__name__, x[:MAX_CHARACTERS])
        if key in _ROWS:
            return self._rows(x, cls, depth)
        if key in _DICTS:
            return self._dict(x, cls, depth)
        if issubclass(cls, type):
            return _named(x, "class", type_name(x))
        if issubclass(cls, types.ModuleType):
            return _named(x, "module", "")
        if any(cls is each for each in _FUNCTIONS):
            return _named(x, "function", x.__qualname__ if cls is not types.MethodType else "")
        if any(cls is loaded("datetime", name) for name in _DATES) and made_in_c(cls):
            return x if getattr(x, "tzinfo", None) is None else _closed(x, "date")
        if cls is range:
            return x
        return self._object(x, cls, depth)

    def _rows(self, x: Any, cls: Any, depth: int) -> Any:
        kind = "list" if cls is collections.deque else "set" if cls is frozenset else cls.__name__
        size = len(x)
        items = list(x) if size <= MAX_FLAT_ITEMS else list(islice(x, _HEAD))
        # The common case, data in bulk: one pass over the types, then a copy by C code. It counts as an eighth of its
        # items.
        if size <= MAX_FLAT_ITEMS and _is_flat(items):
            self.room -= size // 8
            return cls(items) if cls is not collections.deque else collections.deque(items, x.maxlen)
        # A set of copies can't be built: a Frozen has no hash, and another hash than the object's would put it
        # elsewhere. Sets of numbers and short strings are flat, and were copied above.
        if size > MAX_ITEMS or depth <= 0 or self.room <= 0 or kind == "set":
            return self._head(x, kind, items[:_HEAD], depth)
        frozen = [self.freeze(item, depth - 1) for item in items]
        return frozen if cls is list else cls(frozen)

    def _head(self, x: Any, kind: str, items: Any, depth: int) -> Frozen:
        small = depth > 0 and self.room > 0
        return _cut(x, kind, [self.freeze(item, depth - 1) for item in items] if small else None)

    def _dict(self, x: Any, cls: Any, depth: int) -> Any:
        size = len(x)
        pairs = list(islice(dict.items(x), MAX_FLAT_ITEMS))
        plain = _is_flat([key for key, _ in pairs])
        flat = plain and size <= MAX_FLAT_ITEMS and _is_flat([part for _, part in pairs])
        if not plain or (not flat and (size > MAX_ITEMS or depth <= 0 or self.room <= 0)):
            head = [(self.freeze(key, 0), self.freeze(part, depth - 1)) for key, part in pairs[:_HEAD]]
            return _cut(x, "dict", head if depth > 0 and self.room > 0 else None)
        self.room -= size // 8
        copy: Any = dict.__new__(cls) if cls is not collections.OrderedDict else cls()
        put: Any = dict.__setitem__ if cls is not collections.OrderedDict else cls.__setitem__
        for key, part in pairs:
            put(copy, key, part if flat else self.freeze(part, depth - 1))
        return copy

    def _object(self, x: Any, cls: Any, depth: int) -> Frozen:
        base: Any = next((each for each in _SUBCLASSED if issubclass(cls, each)), None)
        kind = "exception" if base is BaseException else base.__name__ if base is not None else "object"
        frozen = Frozen(cls, kind)
        size: Any = getattr(base, "__len__", None)
        if size is not None:
            frozen.length = size(x)
        if depth <= 0 or self.room <= 0:
            return frozen
        self._made[id(x)] = x, frozen  # it may contain itself
        values = stored(x)
        fields = {name: self.freeze(part, depth - 1) for name, part in islice(values.items(), MAX_FIELDS)}
        if base is BaseException:
            fields["args"] = self.freeze(_base_args(x), depth - 1)
        elif base is list or base is tuple:
            frozen.head = [self.freeze(item, depth - 1) for item in islice(base.__iter__(x), _HEAD)]
        elif base is dict:
            pairs = list(islice(dict.items(x), _HEAD))
            frozen.head = [(self.freeze(key, 0), self.freeze(part, depth - 1)) for key, part in pairs]
        elif base is not None:  # a number or a string: its digits are not read
            return frozen
        if (fields or not made_in_c(cls)) and len(values) <= MAX_FIELDS:
            frozen.fields = fields
            self.fields.append(fields)
        return frozen


_SUBCLASSED: tuple[Any, ...] = (BaseException, list, tuple, dict, set, frozenset, str, bytes, int, float)


def _is_flat(items: list[Any]) -> bool:
    """Whether all items are numbers, short strings or other scalars."""
    if not _scalar_ids.issuperset(map(id, map(type, items))):
        return False
    for item in items:
        cls = type(item)
        if (cls is str or cls is bytes) and len(item) > MAX_CHARACTERS:
            return False
        if cls is int and item.bit_length() > _MAX_BITS:
            return False
    return True


def _closed(x: Any, kind: str) -> Frozen:
    return Frozen(type(x), kind)


def _cut(x: Any, kind: str, head: Any) -> Frozen:
    frozen = Frozen(type(x), kind)
    frozen.head, frozen.length = head, len(x)
    return frozen


def _named(x: Any, kind: str, name: Any) -> Frozen:
    frozen = Frozen(type(x), kind)
    frozen.fields = {"name": name}
    return frozen


def is_same(one: Any, other: Any, depth: int = 20) -> bool | None:
    """Returns whether two copies are equal; None if this is unknown.

    Copies may have been cut at different depths, so the result follows three-valued logic: a difference makes it False;
    without a difference, an unknown part makes it None.
    """
    cls = type(one)
    if cls is Frozen or type(other) is Frozen:
        return _same_objects(one, other, depth)
    if cls is not type(other):
        return False
    if id(cls) in _ROWS and cls not in (set, frozenset):
        if len(one) != len(other):
            return False
        return _all(is_same(a, b, depth - 1) for a, b in zip(one, other)) if depth else None  # noqa: B905  as in 3.8
    if id(cls) in _DICTS:
        if list(dict.keys(one)) != list(dict.keys(other)):
            return False
        pairs = zip(dict.values(one), dict.values(other))  # noqa: B905  as above
        return _all(is_same(a, b, depth - 1) for a, b in pairs) if depth else None
    return bool(one is other or one == other or (one != one and other != other))  # noqa: PLR0124  nan


def _same_objects(one: Any, other: Any, depth: int) -> bool | None:
    for x, y in ((one, other), (other, one)):
        if type(x) is Frozen and type(y) is not Frozen:  # one of them was copied less deeply, or has grown
            size = getattr(y, "__len__", None)
            is_longer = x.length is not None and size is not None and size() != x.length
            return False if is_longer or x.type != type_name(type(y)) else None
    if one.type != other.type or one.length != other.length:
        return False
    if depth <= 0:
        return None
    parts = [(one.fields, other.fields), (one.head, other.head)]
    known = [(a, b) for a, b in parts if a is not None and b is not None]
    found = _all(is_same(a, b, depth - 1) for a, b in known)
    return None if found and one.fields is None and (one.head is None or len(one.head) != one.length) else found


def _all(found: Any) -> bool | None:
    result: bool | None = True
    for each in found:
        if each is False:
            return False
        if each is None:
            result = None
    return result
