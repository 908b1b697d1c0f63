"""Determines a variable's kind, number or string from its type, or else from the text that the adapter shows."""

from __future__ import annotations

import re

from dap_ai.debuggees.native.reading import types
from dap_ai.debuggees.native.reading.adapter_literals import codes, joined, within
from dap_ai.debuggees.native.reading.adapter_variables import AdapterVariable
from dap_ai.debuggees.native.reading.numbers import Number, read_number
from dap_ai.debuggees.native.reading.types import Scalar

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+(?: <[^<>]*>)?")
_IDENTIFIER = re.compile(
    r"[A-Za-z_][\w:]*(?: \| [A-Za-z_][\w:]*)*|\([A-Za-z_][\w:| ]*\)|\(?[\w: |]*unknown: 0x[0-9a-f]+\)?"
)
_NUMBER = re.compile(r"-?\d+")


def kind_of(raw: AdapterVariable) -> str:
    """Return a Value.kind by the variable's type. If the type is the program's own, the value's text decides."""
    kind = types.kind_of(raw.type)
    if kind:
        return kind
    if _ADDRESS.fullmatch(raw.text):
        return "pointer"  # of a typedef, or of gdb, whose client has not asked for types
    if re.match(r"(?:0x[0-9a-fA-F]+ )?\"", raw.text):
        return "str"
    if not raw.reference:
        if _NUMBER.fullmatch(raw.text):
            return "int"
        if _IDENTIFIER.fullmatch(raw.text):
            return "bool" if raw.text in ("true", "false") else "enum"
    if raw.indexed or re.match(r"size=\d", raw.text):
        return "list"
    return "struct" if raw.reference or raw.text in ("", "{}") else "object"


def number_of(raw: AdapterVariable) -> Number | None:
    """Return the number that the variable holds, or None if it holds no number."""
    scalar = types.scalar_of(raw.type)
    if scalar is None and kind_of(raw) in ("int", "bool"):
        scalar = Scalar(raw.type or "int", "int", 0, signed=True)
    value = None if scalar is None else read_number(raw.text, scalar)
    return None if scalar is None or value is None else Number(scalar, value)


def string_of(raw: AdapterVariable) -> str:
    """Return the string literal in the variable's text, with quotes and escapes; empty if there is no literal."""
    text = joined(raw.text)
    array = types.array_of(raw.type)
    return within(text, array.length, wide=types.is_wide(raw.type)) if text and array else text


def codes_of(raw: AdapterVariable) -> list[int]:
    """Return the codes of the characters of the variable's string. The type determines their width."""
    return codes(string_of(raw), wide=types.is_wide(raw.type))
