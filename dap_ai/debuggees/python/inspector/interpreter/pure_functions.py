"""Functions of builtins, math and numpy that only compute, and the rules for their arguments."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import builtins
import math
import os
import threading
import time
from typing import Any, Callable

from ..stored.object_kinds import genuine_ufunc
from ..stored.plain import (
    MAX_BITS,
    MAX_ITEMS,
    NUMBERS,
    EvaluationRaised,
    RefusedOperation,
    is_array,
    is_plain,
    is_scalar,
    one_of,
)
from ..stored.statics import (
    MISSING,
    definer,
    loaded,
    lookup,
    made_in_c,
    mro,
    of_the_interpreter,
    short_name,
    text_of,
    type_name,
)
from .operations import legitimate, quietly, truth_of

_LIMITED_MATH = ("factorial", "comb", "perm", "pow", "ldexp", "lcm")


def _genuine(module: Any, names: Any) -> dict[int, Any]:
    """Returns a module's C functions and classes by id, without names that the program has replaced."""
    found = [(name, vars(module).get(name)) for name in names]
    return {id(f): f for name, f in found if of_the_interpreter(f, name)}


MATH = _genuine(math, vars(math))
"""The functions of `math` by the id of the function object."""

READINGS = {
    **_genuine(os, ("getpid", "getppid", "getcwd")),
    **_genuine(time, ("time", "monotonic", "perf_counter", "time_ns")),
    **_genuine(threading, ("get_ident", "get_native_id")),
}
"""Functions without arguments that only read state, such as `os.getpid`, by the id of the function object."""

_PLAIN = ("ord", "chr", "divmod", "hex", "bin", "oct", "str", "repr", "ascii", "int", "float", "complex", "hash", "id")
_DATES = ("date", "datetime", "timedelta")
_UFUNCS = ("isnan", "isinf", "isfinite", "sqrt", "exp", "log", "absolute", "square", "sign", "floor", "ceil")


def number(function: Any, x: Any) -> Any:
    """Returns `function(x)` of a plain value or of a numpy array."""
    if is_array(x):
        return quietly(function, x)
    if not is_plain(x):
        raise RefusedOperation("a %s may have its own arithmetic; read its stored fields" % type_name(type(x)))
    return legitimate(function, x)


def _round(x: Any, digits: Any = None) -> Any:
    if not one_of(x, NUMBERS) or not (digits is None or (type(digits) is int and abs(digits) < 1000)):
        raise RefusedOperation("round() is for numbers, with few digits, here")
    return legitimate(round, x, digits)


def ints(parts: Any) -> Any:
    """Returns the given parts.

    Raises RefusedOperation if a part is not a builtin scalar (it could define `__index__`).
    """
    for part in parts:
        if not is_scalar(part):
            raise RefusedOperation("an argument of type %s may run its code; use an int" % type_name(type(part)))
    return parts


def _plain_call(function: Any) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        for x in arguments:
            if not is_plain(x):
                name = type_name(type(x))
                raise RefusedOperation(
                    "%s() of a %s may run its code; read its stored fields" % (name_of(function), name)
                )
            if type(x) is str and function in (int, float, complex) and len(x) > MAX_ITEMS // 2:
                raise RefusedOperation("the text is too long for a number")
        return legitimate(function, *arguments)

    return call


def name_of(f: Any) -> str:
    """Returns the name of a builtin function or class."""
    return short_name(f) if type(f) is type else text_of(f.__name__)


def _type(x: Any) -> Any:
    return type(x)


def _bool(x: Any = False) -> bool:
    return truth_of(x)


def _abs(x: Any) -> Any:
    return number(abs, x)


def _range(*parts: Any) -> Any:
    return legitimate(range, *ints(parts))


def _isinstance(x: Any, classes: Any) -> bool:
    wanted = classes if type(classes) is tuple else (classes,)
    cls = type(x)
    for known in wanted:
        if type(known) is tuple:
            if _isinstance(x, known):
                return True
        elif type(known) is not type:
            if not issubclass(type(known), type):
                raise EvaluationRaised(TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union"))
            if lookup(type(known), "__instancecheck__") is not type.__dict__["__instancecheck__"]:
                raise RefusedOperation(
                    "the metaclass of %s decides what its instances are; use type(x)" % type_name(known)
                )
    if any(known is base for base in mro(cls) for known in wanted):
        return True
    if definer(cls, "__class__") is not object or not _finds_attributes_as_usual(cls):
        raise RefusedOperation("a %s may say that it is of another class; use type(x)" % type_name(cls))
    return False


def _finds_attributes_as_usual(cls: Any) -> bool:
    owner = definer(cls, "__getattribute__")
    return owner is object or made_in_c(owner)


def call_math(f: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Returns `math.name(...)` of numbers and lists of numbers, within limits on size."""
    if not all(is_plain(x) for x in (*arguments, *keywords.values())):
        raise RefusedOperation("math.%s takes builtin numbers only here" % name)
    numbers = [x for x in arguments if type(x) is int]
    if name == "factorial" and len(numbers) < len(arguments):
        raise RefusedOperation("math.factorial of a float may warn; use an int")
    if name in _LIMITED_MATH and any(abs(x) > 2000 for x in numbers):
        raise RefusedOperation("the result may be too large; use numbers up to 2000")
    if any(len(x) > MAX_ITEMS // 10 for x in arguments if type(x) is list) and name == "prod":
        raise RefusedOperation("the product may be too large; use fewer factors")
    if any(x.bit_length() > MAX_BITS for x in numbers):
        raise RefusedOperation("the number is too large to compute with here")
    return legitimate(f, *arguments, **keywords)


def is_ufunc(f: Any) -> bool:
    """Returns whether `f` is an allowed numpy ufunc, and not a ufunc made from a Python function."""
    return any(f is loaded("numpy", name) and genuine_ufunc(name) for name in _UFUNCS)


def _callable(x: Any) -> bool:
    return lookup(type(x), "__call__") is not MISSING


def _issubclass(x: Any, classes: Any) -> bool:
    wanted = classes if type(classes) is tuple else (classes,)
    if type(x) is not type or any(type(known) is not type for known in wanted):
        raise RefusedOperation("issubclass() is for classes without a metaclass here")
    return any(known is base for base in mro(x) for known in wanted)


def is_date_class(f: Any) -> bool:
    """Returns whether `f` is date, datetime or timedelta, in its C implementation."""
    return type(f) is type and made_in_c(f) and any(f is loaded("datetime", name) for name in _DATES)


def make_date(f: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Evaluates a call such as `date(2024, 2, 29)` or `timedelta(days=1)`."""
    if not all(one_of(x, NUMBERS) for x in (*arguments, *keywords.values())):
        raise RefusedOperation("%s() takes numbers only here" % short_name(f))
    return legitimate(f, *arguments, **keywords)


FUNCTIONS: dict[int, Callable[..., Any]] = {
    id(isinstance): _isinstance,
    id(issubclass): _issubclass,
    id(callable): _callable,
    id(type): _type,
    id(bool): _bool,
    id(abs): _abs,
    id(round): _round,
    id(range): _range,
    **{key: _plain_call(f) for key, f in _genuine(builtins, _PLAIN).items()},
}
