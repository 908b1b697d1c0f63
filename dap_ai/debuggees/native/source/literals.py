"""Parses literals of C, C++ and Rust into Nodes. A literal that cannot be read gives None."""

from __future__ import annotations

import math
import re
import struct

from dap_ai.protocol.contracts.inspection import Node

_EXACT_INT_BITS = 53
_MAX_DIGITS = 200
_C_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uU]?(?:ll|LL|[lLzZ])?|(?:ll|LL|[lLzZ])[uU])")
_C_FLOAT = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([fFlL]?)")
_C_HEX_FLOAT = re.compile(r"(0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+)([fFlL]?)")
_RUST_INTEGER = re.compile(r"(0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+|[0-9]+)((?:[iu](?:8|16|32|64|128|size))?)")
_RUST_FLOAT = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)((?:f32|f64)?)")
_QUOTED = re.compile(r"""(?:u8|[uULb])?(["'])(.*)\1""", re.DOTALL)
_RAW = re.compile(r'(?:u8|[uULb])?R"([^(]*)\((.*)\)\1"|b?r(#*)"(.*)"\3', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,8})|([0-7]{1,3})|u\{([0-9a-fA-F_]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SIMPLE = dict(zip("ntrabfve\\'\"?", "\n\t\r\a\b\f\v\x1b\\'\"?", strict=True))


def number(text: str, language: str) -> Node | None:
    """Parse an integer or float literal. A type suffix becomes a cast."""
    plain = text.replace("_" if language == "rust" else "'", "")
    if len(plain) > _MAX_DIGITS:
        return None
    if plain[:1] in ("-", "+"):  # C's grammar includes the sign in a constant
        inner = number(plain[1:].lstrip(), language)
        return None if inner is None else ["u", plain[0], inner]
    return _rust_number(plain) if language == "rust" else _c_number(plain)


def _c_number(text: str) -> Node | None:
    if match := _C_INTEGER.fullmatch(text):
        digits, suffix = match[1], match[2].lower()
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        if octal and digits.strip("01234567"):
            return None
        value = _integer(int(digits, 8) if octal else int(digits, 0))
        kind = ("unsigned " if "u" in suffix else "") + ("long long" if "ll" in suffix else "long")
        if "z" in suffix:
            kind = "size_t" if "u" in suffix else "long"
        elif suffix == "u":
            kind = "unsigned int"
        return ["cast", kind, value] if suffix else value
    if match := _C_HEX_FLOAT.fullmatch(text):
        try:
            return _float(float.fromhex(match[1]), single=match[2] in ("f", "F"))
        except (ValueError, OverflowError):
            return None
    match = _C_FLOAT.fullmatch(text)
    return _float(float(match[1]), single=match[2] in ("f", "F")) if match else None


def _rust_number(text: str) -> Node | None:
    if match := _RUST_INTEGER.fullmatch(text):
        digits = match[1] if match[1][:2] in ("0x", "0o", "0b") else match[1].lstrip("0") or "0"
        value = _integer(int(digits, 0))
        return ["cast", match[2], value] if match[2] else value
    match = _RUST_FLOAT.fullmatch(text)
    return _float(float(match[1]), single=match[2] == "f32") if match else None


def _integer(value: int) -> Node:
    return ["c", value] if value.bit_length() <= _EXACT_INT_BITS else ["i", format(value, "d")]


def _float(value: float, *, single: bool) -> Node:
    if single:
        try:
            value = struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:
            value = math.inf
    return ["c", value] if math.isfinite(value) else ["f", repr(value)]


def character(text: str) -> Node | None:
    """Parse a character literal as its code.

    Returns None for an escape above 127 without a prefix, because its sign depends on the machine.
    """
    match = _QUOTED.fullmatch(text)
    content = _unescaped(match[2]) if match else None
    if content is None or len(content) != 1 or not match:
        return None
    plain = text.startswith("'") and "\\" in text
    return None if plain and not text.startswith("'\\u") and ord(content) > 127 else ["c", ord(content)]


def string(text: str) -> Node | None:
    """Parse a string literal, including raw strings."""
    if match := _RAW.fullmatch(text):
        return ["c", match[2] if match[2] is not None else match[4]]
    match = _QUOTED.fullmatch(text)
    content = _unescaped(match[2]) if match else None
    return None if content is None else ["c", content]


def _unescaped(text: str) -> str | None:
    try:
        return _ESCAPE.sub(_escape, text)
    except ValueError:
        return None


def _escape(match: re.Match[str]) -> str:
    hexadecimal, octal, *unicodes, simple = match.groups()
    if simple is not None:
        if simple not in _SIMPLE:
            raise ValueError(simple)
        return _SIMPLE[simple]
    code = int(octal, 8) if octal else int(next(d for d in (hexadecimal, *unicodes) if d).replace("_", "") or "0", 16)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(code)
    return chr(code)
