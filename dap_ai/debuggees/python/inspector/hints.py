"""A replacement of `typing` for injected modules, because `typing` calls builtins that a program may replace.

For example, a class from `typing.NamedTuple` would keep the program's `len` at that moment.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportMissingTypeArgument=false

from __future__ import annotations

from _collections import _tuplegetter  # pyright: ignore[reportMissingImports]  the type of a named tuple's fields

TYPE_CHECKING = False


class NamedTuple(tuple):  # noqa: SLOT001  its classes have none
    """The base of named tuples whose annotations name the fields, with defaults."""

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)
        cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}
        for at, name in enumerate(cls._fields):
            setattr(cls, name, _tuplegetter(at, ""))

    def __new__(cls, *parts, **named):
        """Creates an instance from positional and named fields."""
        given = dict(zip(cls._fields, parts), **named)  # noqa: B905  not in 3.8
        values = dict(cls._defaults, **given)
        if len(parts) > len(cls._fields) or len(values) != len(cls._fields):
            raise TypeError("%s takes %s" % (cls.__name__, ", ".join(cls._fields)))
        return tuple.__new__(cls, [values[name] for name in cls._fields])


class _Hint:
    """A placeholder for every other name of `typing`, with or without brackets."""

    def __getitem__(self, _):
        return self


_hint = _Hint()


def __getattr__(_):
    return _hint
