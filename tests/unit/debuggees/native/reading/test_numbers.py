"""Arithmetic as C, C++ and Rust do it."""

from __future__ import annotations

import math

import pytest

from dap_ai.debuggees.native.reading import numbers
from dap_ai.debuggees.native.reading.numbers import (
    DOUBLE,
    INT,
    LITERAL,
    ArithmeticTrap,
    Number,
    binary,
    compared,
    fitted,
    shown,
    unary,
)
from dap_ai.debuggees.native.reading.types import Scalar, scalar_of


def of(type_: str, value: float) -> Number:
    scalar = scalar_of(type_)
    assert scalar
    return Number(scalar, value)


@pytest.mark.parametrize(
    ("left", "op", "right", "result"),
    [
        (of("int", 2**31 - 1), "+", of("int", 1), "-2147483648"),
        (of("unsigned int", 3), "-", of("int", 4), "4294967295"),
        (of("unsigned char", 200), "+", of("unsigned char", 100), "300"),
        (of("int", -7), "/", of("int", 2), "-3"),
        (of("int", -7), "%", of("int", 2), "-1"),
        (of("int", 7), "/", of("double", 2), "3.5"),
        (of("long", 3_000_000_000), "*", of("int", 2), "6000000000"),
        (of("unsigned long", 2**64 - 1), "+", of("int", 1), "0"),
        (of("int", 1), "<<", of("int", 31), "-2147483648"),
        (of("int", -8), ">>", of("int", 1), "-4"),
        (of("float", 0.1), "+", of("float", 0.2), "0.300000012"),
        (of("double", 1), "/", of("double", 0), "inf"),
        (of("int", 6), "&", of("int", 3), "2"),
    ],
)
def test_c_computes_with_widths_and_signs(left: Number, op: str, right: Number, result: str):
    assert shown(binary(op, left, right)) == result


def test_a_negative_int_is_larger_than_an_unsigned_one_in_c():
    assert not compared("<", of("int", -1), of("unsigned int", 1))
    assert compared("<", of("int", -1), of("long", 1))


@pytest.mark.parametrize(
    ("left", "op", "right", "error"),
    [
        (of("u8", 200), "+", of("u8", 100), "attempt to add with overflow"),
        (of("usize", 3), "-", Number(LITERAL, 4), "attempt to subtract with overflow"),
        (of("i32", 2**20), "*", of("i32", 2**20), "attempt to multiply with overflow"),
        (of("i32", 1), "/", of("i32", 0), "attempt to divide by zero"),
        (of("i32", 1), "<<", of("i32", 40), "attempt to shift left with overflow"),
        (of("i32", -(2**31)), "/", of("i32", -1), "attempt to divide with overflow"),
    ],
)
def test_rust_checks_what_c_wraps(left: Number, op: str, right: Number, error: str):
    with pytest.raises(ArithmeticTrap, match=error):
        binary(op, left, right, rust=True)


def test_a_literal_of_rust_takes_the_type_of_what_it_meets():
    assert binary("+", Number(LITERAL, 1), of("u8", 2), rust=True).type.name == "u8"


def test_whole_numbers_divided_by_zero_raise_in_c():
    with pytest.raises(ArithmeticTrap, match="division by zero"):
        binary("%", of("int", 1), of("int", 0))


@pytest.mark.parametrize(
    ("op", "number", "result"),
    [
        ("-", of("int", 5), "-5"),
        ("~", of("unsigned char", 1), "-2"),
        ("!", of("int", 0), "true"),
        ("+", of("char", 65), "65"),
    ],
)
def test_unary_operators_promote_what_is_narrower_than_int(op: str, number: Number, result: str):
    assert shown(unary(op, number)) == result


def test_casts_cut_and_wrap_in_c_and_saturate_in_rust():
    byte = Scalar("unsigned char", "int", 8, signed=False)
    assert fitted(byte, 300).value == 44
    assert fitted(INT, -1.9).value == -1
    assert numbers.saturated(byte, 300.5).value == 255
    with pytest.raises(ArithmeticTrap):
        fitted(INT, math.inf)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("char", "'x'", 120),
        ("char", "120 'x'", 120),
        ("unsigned char", r"'\xc8'", 200),
        ("unsigned char", r"200 '\310'", 200),
        ("char", r"'\n'", 10),
        ("char32_t", "U+0063 U+0063 U'c'", 99),
        ("wchar_t", r"x\0\0\0 L'x'", 120),
        ("int", "-3", -3),
        ("int", "0x10", 16),
        ("bool", "true", 1),
        ("double", "1.5", 1.5),
        ("int", "<error>", None),
        ("double", "value", None),
    ],
)
def test_numbers_are_read_as_lldb_dap_and_gdb_write_them(type_: str, text: str, value: float | None):
    scalar = scalar_of(type_)
    assert scalar
    assert numbers.read_number(text, scalar) == value


def test_numbers_are_shown_as_source_has_them():
    assert [shown(of("char", c)) for c in (120, 10, 0, -56)] == ["'x'", r"'\n'", r"'\0'", r"'\xc8'"]
    assert [shown(Number(DOUBLE, v)) for v in (2.0, 0.5)] == ["2", "0.5"]
