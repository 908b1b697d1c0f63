"""Reads `x.name` and `x[i]` as Python would, without calling any hook that a class may define.

The order is that of `object.__getattribute__` and `type.__getattribute__` (Descriptor Guide of the Python
documentation): a data descriptor of the class, the instance's dictionary, another attribute of the class, then
`__getattr__`. Each of these steps may run code of the program. So this module finds where the attribute is stored, by C
descriptors of exact types, and refuses if Python would call code. `inspect.getattr_static` is not enough: it finds the
stored value, but not whether the program would get that value.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _weakref
import enum
import operator
import types
from typing import Any

from ..stored.copies import part_at, part_named
from ..stored.freezing import Frozen
from ..stored.object_kinds import numpy_array
from ..stored.pandas_frames import axes_of, frame_shape, is_frame
from ..stored.plain import (
    DICTS,
    MAX_CHARACTERS,
    EvaluationRaised,
    RefusedOperation,
    builtin_base,
    hashable,
    is_array,
    is_scalar,
    one_of,
    plain_keys,
)
from ..stored.scalars import path_string
from ..stored.statics import (
    MISSING,
    Getset,
    Member,
    definer,
    instance_dict,
    is_dunder,
    loaded,
    lookup,
    made_in_c,
    module_namespace,
    module_of,
    names_of,
    namespace,
    short_name,
    stored,
    text_of,
    type_name,
)
from .operations import legitimate, quietly

_C_MODULES = ("builtins", "collections", "datetime", "_io", "re", "functools", "decimal", "itertools", "numpy")
"""Modules whose static types look attributes up in the ordinary way, except for the types in `_FORWARDING`."""

_PROXIES: tuple[Any, ...] = (_weakref.ProxyType, _weakref.CallableProxyType)  # of `builtins` until Python 3.9
_FORWARDING: tuple[Any, ...] = (*_PROXIES, super, types.MethodType, getattr(types, "GenericAlias", super))
_GETSETS: dict[str, tuple[str, ...]] = {
    "int": ("real", "imag", "numerator", "denominator"),
    "float": ("real", "imag"),
    "BaseException": ("args",),
    "collections.deque": ("maxlen",),
    "datetime.date": ("year", "month", "day"),
    "datetime.datetime": ("hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "datetime.time": ("hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "datetime.timedelta": ("days", "seconds", "microseconds"),
    "numpy.ndarray": ("shape", "dtype", "size", "ndim", "nbytes", "itemsize", "T", "real", "imag"),
    "numpy.generic": ("shape", "dtype", "size", "ndim", "nbytes", "itemsize", "real", "imag"),
}
"""Attributes, by type, that C code computes only from the object's own memory."""


def attribute(x: Any, name: str) -> Any:
    """Returns `x.name`. Raises RefusedOperation, or EvaluationRaised with the program's AttributeError."""
    cls = type(x)
    if cls is Frozen:
        return part_named(x, name)
    if is_dunder(name):
        return _dunder(x, name)
    if issubclass(cls, type):
        return _class_attribute(x, name)
    if not _ordinary(definer(cls, "__getattribute__")):
        raise RefusedOperation("%s decides about its attributes in __getattribute__; read its fields" % type_name(cls))
    if issubclass(cls, types.ModuleType):
        return _module_attribute(x, name)
    if name in ("name", "value") and definer(cls, name) is enum.Enum:
        return stored(x)["_%s_" % name]
    # The class is asked before the instance only to find a data descriptor, which wins over the instance's dictionary;
    # any other attribute of the class counts after it.
    found = lookup(cls, name)
    known = _of_library(x, cls, name)
    if known is not MISSING:
        return known
    if found is not MISSING and _is_data(found):
        return _data(x, name, found)
    own = instance_dict(x)
    if own is not None:
        value = names_of(own).get(name, MISSING)
        if value is not MISSING:
            return value
    if found is not MISSING:
        return _bind(found, x, cls, name)
    if lookup(cls, "__getattr__") is not MISSING:
        raise RefusedOperation("`%s` is not stored: %s would compute it in __getattr__" % (name, type_name(cls)))
    raise EvaluationRaised(AttributeError("'%s' object has no attribute '%s'" % (short_name(cls), name)))


def _of_library(x: Any, cls: Any, name: str) -> Any:
    """Computes a property of a known library class from stored fields; MISSING for other attributes."""
    if name == "shape" and is_frame(x):
        return tuple(frame_shape(x)) or MISSING
    if name in ("columns", "index") and is_frame(x):
        axes = axes_of(x)
        found = axes[-1:] if name == "index" else axes[:-1]
        return found[0] if found else MISSING
    if name in ("numerator", "denominator") and cls is loaded("fractions", "Fraction"):
        return stored(x).get("_" + name, MISSING)
    if name == "name" and any(cls is loaded("pathlib", known) for known in ("PosixPath", "PurePosixPath")):
        return next((part for part in reversed(path_string(x).split("/")) if part not in ("", ".")), "")
    return MISSING


def _ordinary(owner: Any) -> bool:
    if owner is object or any(owner is base for base in (types.ModuleType, BaseException)):
        return True
    return made_in_c(owner) and module_of(owner) in _C_MODULES and not any(owner is cls for cls in _FORWARDING)


def _is_data(found: Any) -> bool:
    kind = type(found)
    return lookup(kind, "__set__") is not MISSING or lookup(kind, "__delete__") is not MISSING


def _data(x: Any, name: str, found: Any) -> Any:
    cls = type(x)
    if type(found) is Member:
        try:
            return found.__get__(x)
        except AttributeError:
            if lookup(cls, "__getattr__") is not MISSING:
                raise RefusedOperation("`%s` is not set: %s would compute it" % (name, type_name(cls))) from None
            raise EvaluationRaised(
                AttributeError("'%s' object has no attribute '%s'" % (short_name(cls), name))
            ) from None
    if type(found) is loaded("_collections", "_tuplegetter"):  # a named tuple's field
        return found.__get__(x, cls)
    owner = definer(cls, name)
    if type(found) is Getset and made_in_c(owner) and name in _GETSETS.get(type_name(owner), ()):
        return legitimate(found.__get__, x)
    raise _computed(found, owner, name)


def _computed(found: Any, owner: Any, name: str) -> RefusedOperation:
    word = short_name(type(found)).replace("getset_descriptor", "computed attribute")
    text = "`%s` is a %s of %s and would run its code; read its stored fields instead"
    return RefusedOperation(text % (name, word, type_name(owner)))


def _bind(found: Any, x: Any, cls: Any, name: str) -> Any:
    kind = type(found)
    if kind is types.FunctionType:
        return types.MethodType(found, x)
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod and type(found.__func__) is types.FunctionType:
        return types.MethodType(found.__func__, cls)
    if kind is types.MethodDescriptorType:
        return found.__get__(x, cls)
    if lookup(kind, "__get__") is MISSING:
        return found
    raise _computed(found, definer(cls, name), name)


def _class_attribute(x: Any, name: str) -> Any:
    meta = type(x)
    if definer(meta, "__getattribute__") is not type:
        raise RefusedOperation("%s decides about its attributes in __getattribute__" % type_name(meta))
    if issubclass(meta, enum.EnumMeta):
        members = lookup(x, "_member_map_")
        value = names_of(members).get(name, MISSING) if issubclass(type(members), dict) else MISSING
        if value is not MISSING:
            return value
    # The same order one level up: a data descriptor of the metaclass, then the class and its bases, then the metaclass.
    inherited = lookup(meta, name)
    if inherited is not MISSING and _is_data(inherited):
        raise _computed(inherited, definer(meta, name), name)
    found = lookup(x, name)
    if found is not MISSING:
        unbound = (types.FunctionType, property, Member, Getset, types.MethodDescriptorType)
        return found if one_of(found, unbound) else _bind(found, MISSING, x, name)
    if inherited is not MISSING or lookup(meta, "__getattr__") is not MISSING:
        raise RefusedOperation(
            "`%s` of %s comes from its metaclass; read the class's own attributes" % (name, type_name(x))
        )
    raise EvaluationRaised(AttributeError("type object '%s' has no attribute '%s'" % (short_name(x), name)))


def _module_attribute(x: Any, name: str) -> Any:
    names = names_of(module_namespace(x))
    if name in names:
        return names[name]
    if "__getattr__" in names or lookup(type(x), "__getattr__") is not MISSING:
        raise RefusedOperation("the module would compute `%s` in __getattr__" % name)
    raise EvaluationRaised(AttributeError("module '%s' has no attribute '%s'" % (text_of(names.get("__name__")), name)))


def _dunder(x: Any, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        if issubclass(type(x), type):
            return short_name(x) if name == "__name__" else type_name(x).rpartition(module_of(x) + ".")[2]
        if one_of(x, (types.FunctionType, types.BuiltinFunctionType)):
            return x.__name__ if name == "__name__" else x.__qualname__
        if type(x) is types.ModuleType:
            return _module_attribute(x, name)
    if name in ("__cause__", "__context__") and issubclass(type(x), BaseException):
        return BaseException.__dict__[name].__get__(x)
    raise RefusedOperation("`%s` belongs to the language and is not read; use type(x), or a stored field" % name)


def subscript(x: Any, index: Any) -> Any:
    """Returns `x[index]` of a builtin container, a subclass without its own `__getitem__`, or a numpy array."""
    cls = type(x)
    if cls is Frozen:
        return part_at(x, index)
    if is_array(x):
        _check_array_index(index)
        return quietly(operator.getitem, x, index)
    base = builtin_base(x, "__getitem__")
    if any(base is known for known in DICTS):
        return _item(x, base, index)
    if base is not MISSING:
        _check_index(index)
        if hasattr(base, "__getitem__"):
            if type(index) is slice and base is not range:
                _check_slice(index, base.__len__(x))
            return legitimate(base.__getitem__, x, index)
    if not issubclass(cls, type) and (base is not MISSING or lookup(cls, "__getitem__") is MISSING):
        raise EvaluationRaised(TypeError("'%s' object is not subscriptable" % short_name(cls)))
    raise RefusedOperation("`[...]` of a %s runs its code; read its stored fields instead" % type_name(cls))


def _item(x: Any, base: Any, key: Any) -> Any:
    if not plain_keys_of(x):
        raise RefusedOperation("keys of this %s have code of their own; read its keys" % type_name(type(x)))
    hashable(key)
    if not legitimate(dict.__contains__, x, key):
        # `d[key]` of a missing key calls `__missing__`, which stores the new value: looking would change the program.
        if base is loaded("collections", "defaultdict"):
            if namespace(base)["default_factory"].__get__(x) is not None:
                raise RefusedOperation("the key is missing, and looking it up would insert it; use `in` or .get()")
        elif base is loaded("collections", "Counter"):
            return 0
        raise EvaluationRaised(KeyError(key))
    return dict.__getitem__(x, key)


def plain_keys_of(x: Any) -> bool:
    """Returns whether all keys of a dict, or of an instance of a subclass, are of exact builtin types."""
    return plain_keys(dict.keys(x))


def _check_index(index: Any) -> None:
    parts = (index.start, index.stop, index.step) if type(index) is slice else (index,)
    for part in parts:
        if not is_scalar(part) and type(part) is not tuple:
            raise RefusedOperation("an index of type %s runs its code; use an int" % type_name(type(part)))


def _check_slice(index: Any, size: int) -> None:
    if len(range(*legitimate(index.indices, size))) > MAX_CHARACTERS:
        raise RefusedOperation("the slice would copy more than %d items; use a smaller one" % MAX_CHARACTERS)


def _check_array_index(index: Any) -> None:
    for part in index if type(index) is tuple else (index,):
        if type(part) is slice:
            _check_index(part)
        elif not (is_scalar(part) or numpy_array(part) or is_array(part)):
            raise RefusedOperation(
                "an index of type %s may run its code; use ints, slices or arrays" % type_name(type(part))
            )
