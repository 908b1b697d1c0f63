"""Parses the text of a machine instruction: which address it accesses, and whether it reads or writes. Does no I/O.

Supports x86-64 in AT&T and Intel syntax, and aarch64.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Access = Literal["", "read", "write", "execute"]

_MASK = (1 << 64) - 1
_NUMBER = r"[-+]?(?:0x[0-9a-fA-F]+|\d+)"
_ATT = re.compile(rf"(?:%[c-g]s:)?({_NUMBER})?\((%\w+)?(?:,\s*(%\w+)\s*(?:,\s*(\d))?)?\)")
_ATT_TLS = re.compile(r"%[fg]s:")
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_TERM = re.compile(r"\s*([-+]?)\s*(?:(\w+)\s*\*\s*(\w+)|(\w+))")
_ONLY_READS = re.compile(
    r"v?(?:cmp[bwlqsp]?|cmps[sd]|p?test|u?comis|bt[wlq]?$|push|call|jmp|i?mul[bwlq]?$|i?div[bwlq]?$|prefetch|fld|fild)"
)
_ONLY_WRITES = re.compile(r"(?:set|pop|fst|fist|inc|dec|neg|not|stos|stmxcsr|clflush)")
_LOADS = re.compile(r"ld|prfm")
_STORES = re.compile(r"st(?!ack)")
_PREFIXES = re.compile(r"^(?:(?:rep\w*|lock|bnd|notrack|data16|\{\w+\})\s+)+")
_COMMENT = re.compile(r"\s*(?:;|#\s|//|<).*$")


def access_of(instruction: str) -> Access:
    """Return whether the instruction reads or writes memory.

    If it does both, return "write", as the processor reports.
    """
    mnemonic, operands = _parts(instruction)
    places = [n for n, operand in enumerate(operands) if _is_memory(operand)]
    if mnemonic.startswith(("lea", "nop")):
        return ""
    if _is_arm(operands):
        return "read" if _LOADS.match(mnemonic) else "write" if _STORES.match(mnemonic) else ""
    if not places:
        return _by_the_stack(mnemonic)
    if len(operands) == 1:
        return "write" if _ONLY_WRITES.match(mnemonic) else "read"
    if _ONLY_READS.match(mnemonic):
        return "read"
    destination = len(operands) - 1 if _is_att(operands) else 0
    return "write" if destination in places else "read"


def address_of(instruction: str, registers: Mapping[str, int], end: int = 0) -> int | None:
    """Return the memory address that an instruction accesses, given the registers' values before it runs.

    `end` is the next instruction's address. Returns None if the instruction accesses no memory or a register is
    unknown.
    """
    mnemonic, operands = _parts(instruction)
    known = {**registers, "rip": end} if end else {k: v for k, v in registers.items() if k != "rip"}
    memory = [operand for operand in operands if _is_memory(operand)]
    if not memory:
        return _of_the_stack(mnemonic, registers)
    try:
        return _att(memory[-1], known) if "(" in memory[-1] else _bracketed(memory[-1], known)
    except (KeyError, ValueError):
        return None


def _parts(instruction: str) -> tuple[str, list[str]]:
    text = _PREFIXES.sub("", _COMMENT.sub("", instruction.strip()))
    mnemonic, _, rest = text.partition(" ") if " " in text else text.partition("\t")
    return mnemonic.strip().lower(), [part.strip() for part in re.split(r",(?![^(\[]*[)\]])", rest) if part.strip()]


def _is_memory(operand: str) -> bool:
    return "(" in operand or "[" in operand


def _is_att(operands: list[str]) -> bool:
    return any("%" in operand for operand in operands)


def _is_arm(operands: list[str]) -> bool:
    return any(re.match(r"\[(?:[xw]\d+|sp)\b", operand) for operand in operands)


def _by_the_stack(mnemonic: str) -> Access:
    if mnemonic.startswith(("push", "call")):
        return "write"
    return "read" if mnemonic.startswith(("pop", "ret", "leave")) else ""


def _of_the_stack(mnemonic: str, registers: Mapping[str, int]) -> int | None:
    top = registers.get("rsp")
    access = _by_the_stack(mnemonic)
    if top is None or not access or mnemonic.startswith("leave"):
        return None
    return (top - 8 if access == "write" else top) & _MASK


def _att(operand: str, registers: Mapping[str, int]) -> int | None:
    found = _ATT.search(operand)
    if found is None or _ATT_TLS.match(operand.lstrip("*")):
        return None
    displacement, base, index, scale = found.groups()
    address = int(displacement or "0", 0)
    address += registers[base[1:]] if base else 0
    address += registers[index[1:]] * int(scale or "1") if index else 0
    return address & _MASK


def _bracketed(operand: str, registers: Mapping[str, int]) -> int | None:
    found = _BRACKETS.search(operand)
    if found is None or re.search(r"\b[fg]s:", operand):
        return None
    if "," in found[1] or re.match(r"[xw]\d+|sp", found[1]):
        return _arm(found[1], registers)
    address = 0
    for sign, left, right, single in _TERM.findall(found[1]):
        value = _number(left, registers) * _number(right, registers) if left else _number(single, registers)
        address += -value if sign == "-" else value
    return address & _MASK


def _arm(inside: str, registers: Mapping[str, int]) -> int:
    base, _, rest = inside.partition(",")
    address = _number(base.strip(), registers)
    if rest:
        offset, _, shift = rest.partition(",")
        places = int(found[1]) if (found := re.search(r"lsl\s+#(\d+)", shift)) else 0
        address += _number(offset.strip().lstrip("#"), registers) << places
    return address & _MASK


def _number(text: str, registers: Mapping[str, int]) -> int:
    return registers[text] if text in registers else int(text, 0)
