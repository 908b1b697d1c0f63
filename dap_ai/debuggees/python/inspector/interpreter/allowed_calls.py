"""The list of functions that an expression may call, because they change nothing.

A function is identified as an object, not by name.
"""

# ruff: noqa: B905  Python 3.8's zip takes no `strict`
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import types
from typing import Any, Callable, ClassVar, Iterator

from ..stored.pandas_frames import frame_shape, is_frame
from ..stored.plain import (
    CONTAINERS,
    DICTS,
    MAX_ITEMS,
    NUMBERS,
    VIEWS,
    EvaluationRaised,
    RefusedOperation,
    builtin_base,
    hashable,
    is_array,
    is_plain,
    one_of,
)
from ..stored.statics import MISSING, definer, lookup, short_name, text_of, type_name
from .attributes import attribute
from .methods import call_method
from .operations import binary, legitimate, truth_of
from .pure_functions import (
    FUNCTIONS,
    MATH,
    READINGS,
    call_math,
    ints,
    is_date_class,
    is_ufunc,
    make_date,
    name_of,
    number,
)


class AllowedCalls:
    """Executes calls to allowed functions, and remembers the iterators that the interpreter creates.

    An expression may consume no other iterators.
    """

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._own: list[Any] = []

    def forget(self) -> None:
        """Drops the remembered iterators, because they refer to the program's values."""
        self._own.clear()

    def made(self, iterator: Any) -> Any:
        """Remembers an iterator as made by this interpreter, and returns it."""
        self._own.append(iterator)
        return iterator

    def is_own(self, x: Any) -> bool:
        """Whether an iterator was made by this interpreter."""
        return any(x is own for own in self._own)

    def iterate(self, x: Any) -> Iterator[Any]:
        """Yields the items of a builtin container, a view or a remembered iterator, at most MAX_ITEMS."""
        if self.is_own(x):
            items = x
        elif one_of(x, (*CONTAINERS, *VIEWS, str, bytes)):
            items = iter(x)
        elif is_array(x) and x.ndim:
            items = iter(x[: MAX_ITEMS + 1])
        else:
            items = _base_items(x)
        return self._bounded(items)

    def _bounded(self, items: Any) -> Iterator[Any]:
        for count, item in enumerate(items):
            self._tick()
            if count >= MAX_ITEMS:
                raise RefusedOperation("more than %d items; use a slice" % MAX_ITEMS)
            yield item

    def call(self, f: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Evaluates `f(...)`. Raises RefusedOperation, or EvaluationRaised with the exception of the program's call."""
        allowed = self._functions.get(id(f)) or FUNCTIONS.get(id(f))
        if allowed is not None:
            first = [self] if id(f) in self._functions else []
            try:
                return allowed(*first, *arguments, **keywords)
            except TypeError as error:  # a wrong number of arguments, or an unsupported keyword
                raise RefusedOperation("`%s` is not called that way here (%s)" % (name_of(f), error)) from None
        if type(f) is types.BuiltinFunctionType:
            if id(f) in READINGS and not arguments and not keywords:
                return legitimate(f)
            if id(f) in MATH:
                return call_math(f, f.__name__, [self.materialized(x) for x in arguments], keywords)
            owner = f.__self__
            if owner is not None and type(owner) is not types.ModuleType:
                return self.method(owner, text_of(f.__name__), arguments, keywords)
        if type(f) is types.MethodDescriptorType and arguments:
            name = text_of(f.__name__)
            if definer(type(arguments[0]), name) is f.__objclass__:  # as in map(str.strip, parts)
                return self.method(arguments[0], name, arguments[1:], keywords)
        if is_date_class(f):
            return make_date(f, arguments, keywords)
        if is_ufunc(f) and len(arguments) == 1 and not keywords:  # another argument would be written to
            return number(f, arguments[0])
        raise RefusedOperation(_why_not(f))

    def method(self, x: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Evaluates `x.name(...)` of an object of a builtin type."""
        return call_method(x, name, [self.materialized(part) for part in arguments], keywords)

    def materialized(self, x: Any) -> Any:
        """Returns a list of the items if `x` is a remembered iterator, otherwise `x`."""
        return list(self.iterate(x)) if self.is_own(x) else x

    def length(self, x: Any) -> Any:
        """Returns `len(x)` of a builtin container, view, array or data frame, without calling a class's `__len__`."""
        if one_of(x, VIEWS) or is_array(x):
            return legitimate(len, x)
        if is_frame(x) and frame_shape(x):
            return frame_shape(x)[0]
        base = builtin_base(x, "__len__")
        if base is not MISSING and hasattr(base, "__len__"):
            return legitimate(base.__len__, x)
        if type(x) is not type and definer(type(x), "__len__") is not MISSING:
            raise RefusedOperation("len() of a %s runs its code; read its stored fields instead" % type_name(type(x)))
        raise EvaluationRaised(TypeError("object of type '%s' has no len()" % short_name(type(x))))

    def _sum(self, x: Any, start: Any = 0) -> Any:
        items = list(self.iterate(x))
        if all(one_of(item, NUMBERS) for item in (*items, start)):
            return legitimate(sum, items, start)
        for item in items:
            self._tick()
            start = binary("+", start, item)
        return start

    def _extreme(self, function: Any, arguments: Any, key: Any = None, **keywords: Any) -> Any:
        if any(name != "default" for name in keywords):
            raise RefusedOperation("`%s` is not called that way here" % name_of(function))
        items = list(self.iterate(arguments[0])) if len(arguments) == 1 else list(arguments)
        if not items:
            return legitimate(function, items, **keywords)
        keys = self._keys(items, key)
        return items[legitimate(function, range(len(items)), key=keys.__getitem__)]

    def _keys(self, items: list[Any], key: Any) -> list[Any]:
        """Returns the sort keys of items, checked so that comparing them runs no code of the program."""
        try:
            keys = items if key is None else [self.call(key, [item], {}) for item in items]
        except RefusedOperation as refusal:
            raise RefusedOperation("the key function would run: " + text_of(refusal.args[0])) from None
        if not all(map(is_array, keys)):
            for part in keys:
                if not is_plain(part):
                    raise RefusedOperation(
                        "comparing a %s may run its code; compare its stored fields" % type_name(type(part))
                    )
        return keys

    def _min(self, *arguments: Any, **keywords: Any) -> Any:
        return self._extreme(min, arguments, **keywords)

    def _max(self, *arguments: Any, **keywords: Any) -> Any:
        return self._extreme(max, arguments, **keywords)

    def _any(self, x: Any) -> bool:
        return any(map(truth_of, self.iterate(x)))

    def _all(self, x: Any) -> bool:
        return all(map(truth_of, self.iterate(x)))

    def _list(self, x: Any = ()) -> Any:
        return list(self.iterate(x))

    def _tuple(self, x: Any = ()) -> Any:
        return tuple(self.iterate(x))

    def _set(self, x: Any = ()) -> Any:
        return {hashable(item) for item in self.iterate(x)}

    def _frozenset(self, x: Any = ()) -> Any:
        return frozenset(self._set(x))

    def _enumerate(self, x: Any, start: Any = 0) -> Any:
        return self.made(enumerate(self.iterate(x), *ints([start])))

    def _zip(self, *xs: Any) -> Any:
        return self.made(zip(*[self.iterate(x) for x in xs]))

    def _reversed(self, x: Any) -> Any:
        return self.made(reversed(list(self.iterate(x))))

    def _sorted(self, x: Any, key: Any = None, reverse: Any = False) -> Any:
        items = list(self.iterate(x))
        keys = self._keys(items, key)
        order = legitimate(sorted, range(len(items)), key=keys.__getitem__, reverse=truth_of(reverse))
        return [items[position] for position in order]

    def _map(self, f: Any, *xs: Any) -> Any:
        return self.made(map(lambda *items: self.call(f, list(items), {}), *[self.iterate(x) for x in xs]))

    def _filter(self, f: Any, x: Any) -> Any:
        return self.made(filter(lambda x: truth_of(x if f is None else self.call(f, [x], {})), self.iterate(x)))

    def _getattr(self, x: Any, name: Any, *default: Any) -> Any:
        if type(name) is not str or len(default) > 1:
            raise RefusedOperation("getattr() takes a name as a builtin text")
        try:
            return attribute(x, name)
        except EvaluationRaised as raised:
            if default and type(raised.args[0]) is AttributeError:
                return default[0]
            raise

    def _hasattr(self, x: Any, name: Any) -> bool:
        return self._getattr(x, name, MISSING) is not MISSING

    def _dict(self, x: Any = (), **keywords: Any) -> Any:
        known = one_of(x, DICTS)
        pairs = list(dict.items(x)) if known else [tuple(self.iterate(pair)) for pair in self.iterate(x)]
        for pair in pairs:
            hashable(pair[0] if pair else None)
        return legitimate(dict, pairs, **keywords)

    _functions: ClassVar[dict[int, Callable[..., Any]]] = {
        id(len): length,
        id(sum): _sum,
        id(min): _min,
        id(max): _max,
        id(any): _any,
        id(all): _all,
        id(sorted): _sorted,
        id(list): _list,
        id(tuple): _tuple,
        id(set): _set,
        id(frozenset): _frozenset,
        id(dict): _dict,
        id(enumerate): _enumerate,
        id(zip): _zip,
        id(reversed): _reversed,
        id(map): _map,
        id(filter): _filter,
        id(getattr): _getattr,
        id(hasattr): _hasattr,
    }
    """Allowed functions by the id of the function object: an alias `size = len` passes, `len = os.system` does not."""


def _base_items(x: Any) -> Any:
    base = builtin_base(x, "__iter__")
    cls = type(x)
    if base is not MISSING and hasattr(base, "__iter__"):
        return base.__iter__(x)
    if lookup(cls, "__next__") is not MISSING:
        raise RefusedOperation("reading a %s would use it up; look at what it was made from" % type_name(cls))
    if lookup(cls, "__iter__") is MISSING and lookup(cls, "__getitem__") is MISSING:
        raise EvaluationRaised(TypeError("'%s' object is not iterable" % short_name(cls)))
    raise RefusedOperation("iterating a %s runs its code; read its stored fields instead" % type_name(cls))


def _why_not(f: Any) -> str:
    cls = type(f)
    if cls is types.MethodType and type(f.__func__) is types.FunctionType:
        f, cls = f.__func__, types.FunctionType
    if cls is types.FunctionType:
        where = text_of(f.__code__.co_filename) + ":" + str(f.__code__.co_firstlineno)
        name = text_of(f.__qualname__)
        return "`%s` is the program's own function and would run; read its source at %s" % (name, where)
    if issubclass(cls, type):
        return "making a %s runs its code; read an object that exists" % type_name(f)
    if cls is types.BuiltinFunctionType:
        return "`%s` is not on the list of functions that only compute" % text_of(f.__name__)
    return "calling a %s runs its code; read its stored fields" % type_name(cls)
