"""Renders values that contain no other values, by the builtin type's methods, never by a subclass's methods."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from .scalar_items import named_text
from .statics import MISSING, loaded, made_in_c, mro, namespace, short_name, slots, stored, text_of, type_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class TextDescriber(Protocol):
        """The interface of values.ValueDescriber that this module uses."""

        max_text: int

        def text(self, x: Any, depth: int = 0) -> str:
            """Returns a value's text, on one line."""
            ...

        def omit(self) -> None:
            """Records that the text does not show everything."""
            ...


SINGLES = {id(Ellipsis): "Ellipsis", id(NotImplemented): "NotImplemented"}
"""Names of singleton objects, by id."""
_MAX_BITS = 4000
"""Maximum bits of an int that is written out; Python limits the digits, and the work grows with their square."""


def int_text(describer: TextDescriber, x: Any) -> str:
    """Returns an int's digits, or only its size if it is too long to write."""
    bits = int.bit_length(x)
    if bits > _MAX_BITS:
        describer.omit()
        return "<int of %d bits>" % bits
    return _middle_cut(describer, int.__repr__(x))


def str_text(describer: TextDescriber, x: Any) -> str:
    """Returns a quoted string; a long string is cut, with a count of the rest."""
    return _quoted(describer, str.__getitem__(x, slice(0, describer.max_text)), str.__len__(x))


def bytes_text(describer: TextDescriber, x: Any) -> str:
    """Returns bytes or a bytearray as text; a long value is cut, with a count of the rest."""
    base: Any = bytearray if issubclass(type(x), bytearray) else bytes
    head = bytes(base.__getitem__(x, slice(0, describer.max_text)))
    text = _quoted(describer, head, base.__len__(x))
    return "bytearray(" + text + ")" if base is bytearray else text


def range_text(describer: TextDescriber, x: Any) -> str:
    """Returns a range as written in source code."""
    start, stop, step = x.start, x.stop, x.step
    parts = [start, stop] if type(step) is int and step == 1 else [start, stop, step]
    return "range(" + ", ".join(int_text(describer, part) for part in parts) + ")"


def enum_text(describer: TextDescriber, x: Any) -> str:
    """Returns an enum member as text: `<Color.RED: 1>`."""
    parts = stored(x)
    name, value = text_of(parts.get("_name_")), parts.get("_value_", MISSING)
    written = describer.text(value, 1) if value is not MISSING else "?"
    return "<" + short_name(type(x)) + "." + (name or written) + ": " + written + ">"


def date_text(describer: TextDescriber, x: Any) -> str:
    """Returns a date, time, datetime, timedelta or timezone as text, from its stored fields."""
    own = named_text(x)
    if own:
        return own
    module: Any = "datetime"
    cls = type(x)
    base = next(part for part in mro(cls) if made_in_c(part) and part is not object)
    if base is loaded(module, "timezone"):
        return repr(x) if cls is base else "<" + short_name(cls) + ">"
    names = _DATE_PARTS[short_name(base)]
    if short_name(base) == "timedelta":
        parts = [(name, getattr(base, name).__get__(x)) for name in names]
        return type_name(cls) + "(" + (", ".join("%s=%d" % part for part in parts if part[1]) or "0") + ")"
    numbers = [getattr(base, name).__get__(x) for name in names]
    while len(numbers) > _DATE_MINIMUM[short_name(base)] and not numbers[-1]:
        numbers.pop()
    text = ", ".join(map(str, numbers))
    zone = getattr(base, "tzinfo").__get__(x) if "hour" in names else None  # noqa: B009  the class is not known
    if zone is not None:
        text += ", tzinfo=" + describer.text(zone, 1)
    return type_name(cls) + "(" + text + ")"


_DATE_PARTS = {
    "date": ("year", "month", "day"),
    "datetime": ("year", "month", "day", "hour", "minute", "second", "microsecond"),
    "time": ("hour", "minute", "second", "microsecond"),
    "timedelta": ("days", "seconds", "microseconds"),
}
_DATE_MINIMUM = {"date": 3, "datetime": 5, "time": 2}


def path_text(describer: TextDescriber, x: Any) -> str:
    """Returns a path as text, from its stored parts, because pathlib would compute and cache the text."""
    return short_name(type(x)) + "(" + str_text(describer, path_string(x)) + ")"


def path_string(x: Any) -> str:
    """Returns a path as a plain string, from its stored parts."""
    parts = slots(x)
    text = parts.get("_str")
    if type(text) is str:
        return text
    pieces = parts.get("_raw_paths") or parts.get("_parts") or []
    texts = [text_of(piece) for piece in list.__getitem__(pieces, slice(0, 64))]
    return "/".join(texts).replace("//", "/") or "."


def known_text(x: Any) -> str:
    """Returns a Decimal, Fraction, UUID, IP address, numpy or pandas value as text; an empty string for other types."""
    cls = type(x)
    if id(x) in SINGLES:
        return SINGLES[id(x)]
    if cls is loaded("decimal", "Decimal"):
        parts = namespace(cls).get("as_tuple")
        if type(parts) is types.MethodDescriptorType:  # the C implementation
            return "Decimal('" + _decimal(*parts.__get__(x)()) + "')"
    if cls is loaded("fractions", "Fraction"):
        parts = slots(x)
        top, bottom = parts.get("_numerator"), parts.get("_denominator")
        if type(top) is int and type(bottom) is int and max(top.bit_length(), bottom.bit_length()) < _MAX_BITS:
            return "Fraction(%d, %d)" % (top, bottom)
    if cls is loaded("uuid", "UUID"):
        number = stored(x).get("int")
        if type(number) is int:
            digits = "%032x" % number
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
            return "UUID('" + "-".join(parts) + "')"
    if cls is loaded("ipaddress", "IPv4Address"):
        number = slots(x).get("_ip")
        if type(number) is int:
            return "IPv4Address('" + ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0)) + "')"
    return named_text(x)


def _decimal(sign: int, digits: tuple[int, ...], exponent: Any) -> str:
    minus = "-" if sign else ""
    if type(exponent) is not int:
        return minus + {"F": "Infinity", "n": "NaN"}.get(exponent, "sNaN")
    text = "".join(map(str, digits[:60])) + ("..." if len(digits) > 60 else "")
    if exponent == 0 or len(digits) > 60:
        return minus + text + ("E%+d" % exponent if exponent else "")
    if -40 < exponent < 0:
        text = text.rjust(1 - exponent, "0")
        return minus + text[:exponent] + "." + text[exponent:]
    return minus + text + "E%+d" % exponent


def _quoted(describer: TextDescriber, head: Any, total: int) -> str:
    text = repr(head)
    if total > len(head):
        describer.omit()
        text += "... %d more" % (total - len(head))
    return text


def _middle_cut(describer: TextDescriber, digits: str) -> str:
    if len(digits) <= describer.max_text:
        return digits
    describer.omit()
    half = describer.max_text // 2
    return digits[:half] + "..." + digits[-half:] + " (%d digits)" % len(digits)


SCALARS: dict[str, Callable[[TextDescriber, Any], str]] = {
    "none": lambda _, x: "None",  # noqa: ARG005  one signature for all
    "bool": lambda _, x: repr(x),
    "int": int_text,
    "float": lambda _, x: float.__repr__(x),
    "complex": lambda _, x: complex.__repr__(x),
    "str": str_text,
    "bytes": bytes_text,
    "range": range_text,
    "enum": enum_text,
    "date": date_text,
    "path": path_text,
}
