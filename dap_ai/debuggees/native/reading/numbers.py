"""Arithmetic of C, C++ and Rust: widths, signs, integer division, wrapping, and Rust's overflow checks."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from dap_ai.debuggees.native.reading.types import Scalar
from dap_ai.protocol.contracts.comparisons import COMPARE


class ArithmeticTrap(Exception):  # noqa: N818  what the program would meet, not a mistake
    """The program itself would fail at this evaluation. The message names the failure."""


class Number(NamedTuple):
    """A number and its C or Rust type."""

    type: Scalar
    value: int | float


INT = Scalar("int", "int", 32, True)
LONG = Scalar("long", "int", 64, True)
DOUBLE = Scalar("double", "float", 64, True)
BOOL = Scalar("bool", "bool", 8, False)
LITERAL = Scalar("{integer}", "int", 0, True)
"""Type of an integer literal in Rust, which takes the type of the other operand."""
_RUST_CHECK = {"+": "add", "-": "subtract", "*": "multiply"}
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_CHARACTER = re.compile(r"[LuU8]*'(?:\\x([0-9a-fA-F]+)|\\U([0-9a-fA-F]{8})|\\([0-7]{1,3})|\\(.)|(.))'", re.DOTALL)
_WHOLE = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)")


def literal(value: int) -> Number:
    """Return an integer literal with the type that C gives it."""
    return Number(INT if -(1 << 31) <= value < 1 << 31 else LONG, value)


def fitted(type_: Scalar, value: float) -> Number:
    """Convert a value to a number type: wrapped, truncated, or rounded to a float's precision."""
    if type_.kind == "bool":
        return Number(type_, int(bool(value)))
    if type_.kind == "float":
        return Number(type_, _single(float(value)) if type_.bits == 32 else float(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ArithmeticTrap(f"{value} has no value of type {type_.name}")
        value = math.trunc(value)
    if not type_.bits:
        return Number(type_, value)
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return Number(type_, value)


def _single(value: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def promoted(number: Number) -> Number:
    """Apply C's integer promotion, which converts every type narrower than int to int."""
    type_ = number.type
    return Number(INT, number.value) if type_.kind != "float" and 0 < type_.bits < 32 else number


def common(left: Scalar, right: Scalar) -> Scalar:
    """Return the type in which C computes with two operands of these types, after integer promotion."""
    if "float" in (left.kind, right.kind):
        floats = [t for t in (left, right) if t.kind == "float"]
        return max(floats, key=lambda t: t.bits)
    if not left.bits or not right.bits:
        return left if not right.bits else right
    if left.bits != right.bits:
        return max(left, right, key=lambda t: t.bits)
    return left if not left.signed else right


def binary(op: str, left: Number, right: Number, *, rust: bool = False) -> Number:
    """Compute `left op right`. Raises ArithmeticTrap, or LookupError for an unknown operator."""
    if rust:
        return _rust(op, left, right)
    left, right = promoted(left), promoted(right)
    if op in ("<<", ">>"):
        return fitted(left.type, _shifted(op, left, int(right.value)))
    type_ = common(left.type, right.type)
    return fitted(type_, _computed(op, type_, fitted(type_, left.value).value, fitted(type_, right.value).value))


def _rust(op: str, left: Number, right: Number) -> Number:
    type_ = right.type if left.type is LITERAL and op not in ("<<", ">>") else left.type
    if op in ("<<", ">>"):
        if type_.bits and not 0 <= right.value < type_.bits:
            raise ArithmeticTrap(f"attempt to shift {'left' if op == '<<' else 'right'} with overflow")
        return fitted(type_, _shifted(op, left, int(right.value)))
    exact = _computed(op, type_, left.value, right.value, rust=True)
    result = fitted(type_, exact)
    if type_.kind == "int" and result.value != exact:
        raise ArithmeticTrap(f"attempt to {_RUST_CHECK.get(op, 'divide')} with overflow")
    return result


def _shifted(op: str, left: Number, count: int) -> int:
    count &= (left.type.bits or 64) - 1
    return int(left.value) << count if op == "<<" else int(left.value) >> count


def _computed(op: str, type_: Scalar, left: float, right: float, *, rust: bool = False) -> float:
    if op in ("/", "%"):
        if type_.kind == "float":
            return _float_divided(op, left, right)
        if right == 0:
            rest = "calculate the remainder with a divisor of zero" if op == "%" else "divide by zero"
            raise ArithmeticTrap(f"attempt to {rest}" if rust else "division by zero")
        quotient = abs(int(left)) // abs(int(right))
        quotient = -quotient if (left < 0) != (right < 0) else quotient
        return quotient if op == "/" else int(left) - quotient * int(right)
    if op in _BITS:
        return _BITS[op](int(left), int(right))
    return _PLAIN[op](left, right)


_BITS: dict[str, Callable[[int, int], int]] = {
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _float_divided(op: str, left: float, right: float) -> float:
    if op == "%":
        return math.fmod(left, right) if right else math.nan
    if right:
        return left / right
    return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)


def compared(op: str, left: Number, right: Number, *, rust: bool = False) -> bool:
    """Compare two numbers. In C, the operands are converted first, which makes -1 larger than 1u."""
    if not rust:
        left, right = promoted(left), promoted(right)
        type_ = common(left.type, right.type)
        left, right = fitted(type_, left.value), fitted(type_, right.value)
    return COMPARE[op](left.value, right.value)


def unary(op: str, number: Number, *, rust: bool = False) -> Number:
    """Compute `-x`, `+x`, `~x`, `!x` or `not x`.

    `!x` and `not x` are booleans, but for a Rust integer they invert the bits.
    """
    if op in ("!", "not"):
        if rust and number.type.kind == "int":
            return fitted(number.type, ~int(number.value))
        return Number(BOOL, int(not number.value))
    operand = number if rust else promoted(number)
    value = {"-": -operand.value, "+": operand.value, "~": ~int(operand.value)}[op]
    result = fitted(operand.type, value)
    if rust and op == "-" and operand.type.kind == "int" and result.value != value:
        raise ArithmeticTrap("attempt to negate with overflow")
    return result


def read_number(text: str, type_: Scalar) -> int | float | None:
    """Parse a number from an adapter's text. Return None if the text is not a number."""
    text = text.strip()
    if type_.kind == "bool":
        return {"true": 1, "false": 0, "1": 1, "0": 0, "True": 1, "False": 0}.get(text)
    if type_.kind == "float":
        return _read_float(text)
    head = text.split(" ", 1)[0]
    if _WHOLE.fullmatch(head):
        return int(head, 0)
    if found := re.match(r"U\+(?:0x)?([0-9a-fA-F]+)", text):
        return int(found[1], 16)
    code = character(text if text.startswith("'") else text.rpartition(" ")[2])
    return None if code is None else int(fitted(type_, code).value)


def character(text: str) -> int | None:
    r"""Return the code of a character literal such as `'x'`, `'\n'` or `'\xc8'`. Return None for any other text."""
    found = _CHARACTER.fullmatch(text)
    if not found:
        return None
    hexadecimal, long, octal, escape, itself = found.groups()
    if hexadecimal or long:
        return int(hexadecimal or long, 16)
    if octal:
        return int(octal, 8)
    return _ESCAPES.get(escape, ord(escape)) if escape else ord(itself)


def _read_float(text: str) -> float | None:
    word = text.lower().lstrip("+-")
    if word.startswith("nan"):
        return math.nan
    try:
        return float(text)
    except ValueError:
        return None


def shown(number: Number) -> str:
    """Return a number as source text, such as `'x'`, `true`, `1.5` or `-3`."""
    value, kind = number.value, number.type.kind
    if kind == "bool":
        return "true" if value else "false"
    if kind == "char":
        code = int(value) & ((1 << number.type.bits) - 1)
        named = {10: "\\n", 9: "\\t", 13: "\\r", 0: "\\0", 39: "\\'", 92: "\\\\"}.get(code)
        if named or 32 <= code < 127:
            return f"'{named or chr(code)}'"
        return f"'\\x{code:02x}'" if code < 256 or not chr(min(code, 0x10FFFF)).isprintable() else f"'{chr(code)}'"
    if kind == "float":
        return f"{value:.9g}" if number.type.bits == 32 else repr(float(value)).removesuffix(".0")
    return str(int(value))


def saturated(type_: Scalar, value: float) -> Number:
    """Cast a float to an integer as Rust does: to the nearest value of the integer type."""
    if math.isnan(value):
        return Number(type_, 0)
    low = -(1 << (type_.bits - 1)) if type_.signed else 0
    high = (1 << (type_.bits - type_.signed)) - 1
    return Number(type_, low if value < low else high if value > high else math.trunc(value))
