"""Reads stored attributes of objects and classes, like `inspect.getattr_static` without its gaps.

`type(x)` is reliable, `x.__class__` and `x.__dict__` are not; `isinstance` uses `x.__class__`; a dict lookup calls
`__eq__` of keys with an equal hash. So classes are compared with `is`, and namespaces are copied by their exact `str`
keys before a lookup.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import functools
import io
import sys
import types
from itertools import islice
from typing import Any, Iterator

MISSING: Any = type("Missing", (), {})()
"""The value that stands for "nothing is stored under this name"."""

MAX_NAMES = 5000
"""Maximum number of entries read from a namespace or instance dictionary."""

Getset: Any = types.GetSetDescriptorType
Member: Any = types.MemberDescriptorType

_type_namespace = type.__dict__["__dict__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_qualname = type.__dict__["__qualname__"].__get__
_type_module = type.__dict__["__module__"].__get__
_type_flags = type.__dict__["__flags__"].__get__
_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8

module_namespace: Any = vars(types.ModuleType)["__dict__"].__get__
"""Returns a module's namespace, even if a subclass of ModuleType overrides `__dict__`."""

_namespaces: dict[int, tuple[Any, dict[str, Any]]] = {}


_loaded: dict[tuple[str, str], Any] = {}


def forget() -> None:
    """Forgets cached classes and modules; called at the end of each inspection."""
    _namespaces.clear()
    _loaded.clear()


def mro(cls: Any) -> tuple[Any, ...]:
    """Returns the method resolution order that the interpreter itself uses."""
    return _type_mro(cls)


def made_in_c(cls: Any) -> bool:
    """Returns whether a class is written in C: it is static or, from Python 3.10 on, immutable."""
    flags = _type_flags(cls)
    return not flags & _HEAP_TYPE or (sys.version_info >= (3, 10) and bool(flags & _IMMUTABLE_TYPE))


def of_the_interpreter(x: Any, name: str) -> bool:
    """Returns whether `x` is a C function or class of that name; a replacement has another name."""
    if type(x) is type:
        return made_in_c(x) and short_name(x) == name
    return type(x) is types.BuiltinFunctionType and x.__name__ == name


def names_of(mapping: Any, limit: int = MAX_NAMES) -> dict[str, Any]:
    """Returns a dict's entries whose keys are exact strings; no key is hashed or compared."""
    return {key: value for key, value in list(islice(dict.items(mapping), limit)) if type(key) is str}


def namespace(cls: Any) -> dict[str, Any]:
    """Returns the names and values that a class itself stores, without its bases."""
    known = _namespaces.get(id(cls))
    if known is None:
        items = list(_type_namespace(cls).items())
        known = (cls, {key: value for key, value in items if type(key) is str})
        _namespaces[id(cls)] = known
    return known[1]


def lookup(cls: Any, name: str) -> Any:
    """Returns the value that a class or its first base with that name stores, otherwise MISSING."""
    for base in mro(cls):
        found = namespace(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def definer(cls: Any, name: str) -> Any:
    """Returns the first class in the resolution order that stores a name, otherwise MISSING."""
    for base in mro(cls):
        if name in namespace(base):
            return base
    return MISSING


_GENERIC: tuple[Any, ...] = (BaseException, types.FunctionType, functools.partial, io.IOBase.__mro__[1])
"""C types whose `__dict__` is the interpreter's generic getter."""


def instance_dict(x: Any) -> Any:
    """Returns the dictionary that stores an object's attributes, or None. Ignores a property named `__dict__`."""
    for base in mro(type(x)):
        descriptor: Any = namespace(base).get("__dict__")
        if type(descriptor) is Member and base is types.SimpleNamespace:
            return descriptor.__get__(x)
        if type(descriptor) is not Getset:
            continue
        # A class statement's descriptor is known by its doc; other C code may forward to another object's attribute.
        doc = descriptor.__doc__
        genuine = type(doc) is str and doc.startswith("dictionary for instance variables")
        if genuine or any(base is known for known in _GENERIC):
            try:
                return descriptor.__get__(x)
            except (TypeError, AttributeError):
                continue
    return None


def is_dunder(name: str) -> bool:
    """Returns whether a name begins and ends with two underscores."""
    return name.startswith("__") and name.endswith("__")


def slots(x: Any) -> dict[str, Any]:
    """Returns the values of an object's `__slots__` and C members that are set, by name."""
    values: dict[str, Any] = {}
    for base in reversed(mro(type(x))):
        for name, descriptor in namespace(base).items():
            if type(descriptor) is Member and not is_dunder(name):
                try:
                    values[name] = descriptor.__get__(x)
                except Exception:  # noqa: S112  an unset slot, or a descriptor borrowed from another class
                    continue
    return values


def stored(x: Any) -> dict[str, Any]:
    """Returns all values that an object stores by name: slots, then its instance dictionary."""
    values = slots(x)
    own = instance_dict(x)
    if own is not None and issubclass(type(own), dict):
        values.update(names_of(own))
    return values


def text_of(value: Any) -> str:
    """Returns an exact, encodable copy of a string or a subclass's instance; an empty string for other objects."""
    if not issubclass(type(value), str):
        return ""
    return str.__str__(value).encode("utf-8", "backslashreplace").decode("utf-8")


def short_name(cls: Any) -> str:
    """Returns a class's name without module and enclosing functions: `Order`."""
    return text_of(_type_qualname(cls)).rpartition(".")[2]


def module_of(cls: Any) -> str:
    """Returns the module name that a class stores in `__module__`."""
    module = namespace(cls).get("__module__")
    if module is None and made_in_c(cls):
        module = _type_module(cls)
    return text_of(module)


def type_name(cls: Any) -> str:
    """Returns a class's name with its module: `int`, `collections.deque`, `shop.Order`."""
    module, name = module_of(cls), text_of(_type_qualname(cls))
    return name if module in ("", "builtins") else module + "." + name


def loaded(module: str, name: str) -> Any:
    """Returns an attribute of a module that the program has imported, otherwise MISSING. Imports nothing."""
    key = (module, name)
    if key not in _loaded:
        found = sys.modules.get(module)
        exact = type(found) is types.ModuleType
        _loaded[key] = names_of(found.__dict__).get(name, MISSING) if exact else MISSING
    return _loaded[key]


def code_lines(code: types.CodeType) -> Iterator[int]:
    """Yields the 1-based lines that have instructions, including those of nested functions."""
    if sys.version_info >= (3, 10):
        for _, _, line in code.co_lines():
            yield line or code.co_firstlineno
    else:
        line = code.co_firstlineno
        for delta in code.co_lnotab[1::2]:  # pyright: ignore[reportDeprecated]  the only one in those versions
            line += delta if delta < 128 else delta - 256  # a signed byte
            yield line
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            for line in code_lines(constant):
                yield line


def end_line(code: types.CodeType) -> int:
    """Returns the last line (1-based) of a code object."""
    last = code.co_firstlineno
    for line in code_lines(code):
        last = max(last, line)
    return last


def qualified_name(code: types.CodeType) -> str:
    """Returns a code object's qualified name on Python 3.11 and newer; before, its plain name."""
    return text_of(getattr(code, "co_qualname", code.co_name))
