"""Reads the compile units of a program's debug information: compiler, file, and whether it was optimised.

Only the root of each unit and the table of its abbreviations are read, which takes milliseconds even for a large
program.

See sections 7.4 to 7.6 of DWARF 5, and their counterparts in versions 2 to 4. A unit is a header and a tree of entries.
An entry begins with the code of its abbreviation, which has its tag and the form of each attribute; the values follow
without any delimiters. The root is the first entry, so of each unit in `.debug_info` only the header, one abbreviation
and its values are read; the length in the header leads to the next unit. A split unit (in a `.dwo` file) leaves a
skeleton in `.debug_info`, which has fewer attributes.

DWARF does not record whether the code was optimised, but gcc writes its options into the attribute `producer`. For
other compilers this module infers optimisation from the abbreviations: in optimised code a variable moves between
registers, so its location is a list (`_by_shape`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_COMPILE_UNIT, _SKELETON_UNIT = 0x11, 0x4A
_PARAMETER, _VARIABLE = 0x05, 0x34
_LOCATION, _NAME, _COMP_DIR, _PRODUCER, _STR_OFFSETS_BASE = 0x02, 0x03, 0x1B, 0x25, 0x72
_MAX_UNITS = 400
_MAX_JUDGED = 12
"""Maximum number of units whose abbreviations are all read; a large unit has thousands of abbreviations."""
_MAX_ABBREVIATIONS = 4000

_FIXED = {
    **dict.fromkeys((0x0B, 0x0C, 0x11, 0x25, 0x29), 1),  # data1 flag ref1 strx1 addrx1
    **dict.fromkeys((0x05, 0x12, 0x26, 0x2A), 2),
    **dict.fromkeys((0x27, 0x2B), 3),
    **dict.fromkeys((0x06, 0x13, 0x1C, 0x28, 0x2C), 4),
    **dict.fromkeys((0x07, 0x14, 0x20, 0x24), 8),
    0x1E: 16,
    **dict.fromkeys((0x19, 0x21), 0),  # flag_present implicit_const
}
"""The size in bytes of an attribute's value, by the attribute's form."""
_BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4}
_OFFSETS = frozenset({0x0E, 0x10, 0x17, 0x1D, 0x1F})  # strp ref_addr sec_offset strp_sup line_strp
_LEBS = frozenset({0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23})  # sdata udata ref_udata strx addrx loclistx rnglistx
_STRX = frozenset({0x1A, 0x25, 0x26, 0x27, 0x28})
_LISTS = frozenset({0x06, 0x07, 0x17, 0x22})
"""Forms of a location that differs from instruction to instruction, as in optimised code."""
_RUNTIME = re.compile(r"/rustc/|^/rust/deps/|libsanitizer|compiler-rt|/libgcc/|/sysdeps/|/csu/")
"""Pattern of paths of files that compilers deliver compiled; their debug information does not describe the program."""
_NO_OPTIMISATION = frozenset({"", "0"})


class CompileUnit(NamedTuple):
    """A DWARF compile unit: one compiled source file."""

    producer: str
    """The compiler and its version, such as `GNU C17 12.2.0 ... -g -O2` or `clang version 19.1.7`."""
    file: str
    folder: str
    optimised: bool | None
    """Whether the unit was compiled with optimisation; None if unknown."""

    @property
    def is_own(self) -> bool:
        """Whether the source file belongs to the program, rather than to the compiler's runtime libraries."""
        return "GNU AS" not in self.producer and not _RUNTIME.search(f"{self.folder}/{self.file}".replace("//", "/"))


class _Abbreviation(NamedTuple):
    code: int
    tag: int
    attributes: list[tuple[int, int]]


class _Cursor:
    """A reading position in a section's bytes. Methods raise IndexError at the end of the section."""

    def __init__(self, data: bytes, at: int, order: str) -> None:
        self.data = data
        self.at = at
        self._little = order == "little"

    def number(self, size: int) -> int:
        piece = self.take(size)
        return int.from_bytes(piece, "little" if self._little else "big")

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise IndexError(size)
        self.at += size
        return self.data[self.at - size : self.at]

    def leb(self) -> int:
        """Read an unsigned LEB128 number.

        A signed number is skipped correctly, but its value is wrong.
        """
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift > 70:
                return value


def units(section: Callable[[str], bytes], order: str) -> Iterator[CompileUnit]:
    """Yield the compile units of a file.

    `section` returns the bytes of the section with a name. `order` is the byte order, `little` or `big`. Raises
    IndexError, ValueError at damaged data; the units yielded before are correct.
    """
    info, tables = section(".debug_info"), section(".debug_abbrev")
    at = judged = 0
    for _ in range(_MAX_UNITS):
        if at >= len(info):
            return
        cursor = _Cursor(info, at, order)
        # Section 7.4: the 64-bit format has this mark in place of the length; then all offsets in the unit are 8 bytes
        # wide.
        length, wide = cursor.number(4), 4
        if length == 0xFFFFFFFF:
            length, wide = cursor.number(8), 8
        at = cursor.at + length
        if (found := _unit(cursor, wide, tables, section, order)) is None:
            continue
        unit, table = found
        if unit.optimised is None and unit.is_own and judged < _MAX_JUDGED:
            judged += 1
            unit = unit._replace(
                optimised=_by_shape(_abbreviations(_Cursor(tables, table, order)), 2 if "rustc" in unit.producer else 3)
            )
        yield unit


def _unit(
    cursor: _Cursor, wide: int, tables: bytes, section: Callable[[str], bytes], order: str
) -> tuple[CompileUnit, int] | None:
    """Return a unit and the offset of its abbreviation table; None if the unit is not a compile unit.

    `cursor` is just after the length in the unit's header.
    """
    # Section 7.5.1: version 5 put a unit type in front and the address size before the table's offset. Types: 1 is a
    # compilation, 4 a skeleton, which has an id of 8 bytes; type units and partial units are not needed here.
    version = cursor.number(2)
    kind = 1
    if version >= 5:
        kind, address_size = cursor.number(1), cursor.number(1)
        table = cursor.number(wide)
    else:
        table, address_size = cursor.number(wide), cursor.number(1)
    if kind not in (1, 4):
        return None
    if kind == 4:
        cursor.take(8)
    code = cursor.leb()
    abbreviations = _abbreviations(_Cursor(tables, table, order))
    root = next((found for found in abbreviations if found.code == code), None)
    if root is None or root.tag not in (_COMPILE_UNIT, _SKELETON_UNIT):
        return None
    raw: dict[int, tuple[int, int | bytes]] = {}
    for attribute, form in root.attributes:
        raw[attribute] = form, _value(cursor, form, wide, address_size, version)
    strings = _Strings(section, order, wide, raw.get(_STR_OFFSETS_BASE, (0, 2 * wide))[1])
    producer, file, folder = (strings.text(*raw.get(each, (0x08, b""))) for each in (_PRODUCER, _NAME, _COMP_DIR))
    return CompileUnit(producer, file, folder, _by_flags(producer)), table


def _abbreviations(cursor: _Cursor) -> Iterator[_Abbreviation]:
    for _ in range(_MAX_ABBREVIATIONS):
        if not (code := cursor.leb()):
            return
        tag = cursor.leb()
        cursor.take(1)
        attributes: list[tuple[int, int]] = []
        while True:
            attribute, form = cursor.leb(), cursor.leb()
            # implicit_const has its value in the abbreviation, and none in the entry (section 7.5.3).
            if form == 0x21:
                cursor.leb()
            if not attribute and not form:
                break
            attributes.append((attribute, form))
        yield _Abbreviation(code, tag, attributes)


def _value(cursor: _Cursor, form: int, wide: int, address_size: int, version: int) -> int | bytes:
    if form in _FIXED:
        return cursor.number(_FIXED[form])
    if form in _OFFSETS:
        return cursor.number(address_size if form == 0x10 and version == 2 else wide)
    if form in _LEBS:
        return cursor.leb()
    if form == 0x01:
        return cursor.number(address_size)
    if form == 0x08:
        end = cursor.data.index(b"\0", cursor.at)
        return cursor.take(end + 1 - cursor.at)[:-1]
    if form in _BLOCKS:
        return cursor.take(cursor.number(_BLOCKS[form]))
    if form in (0x09, 0x18):
        return cursor.take(cursor.leb())
    raise ValueError(f"form {form:#x}")


class _Strings(NamedTuple):
    """Looks up the strings that a unit's attributes refer to."""

    section: Callable[[str], bytes]
    order: str
    wide: int
    base: int | bytes
    """The offset at which the unit's part of .debug_str_offsets begins."""

    def text(self, form: int, value: int | bytes) -> str:
        """Return the string that a value of this form refers to."""
        if isinstance(value, bytes):
            return value.decode(errors="replace")
        # Section 7.26: an index in the unit's part of the table of offsets. Without a base attribute it begins after
        # the header, whose size is two offsets.
        if form in _STRX:
            at = int(self.base or 0) + value * self.wide
            value = _Cursor(self.section(".debug_str_offsets"), at, self.order).number(self.wide)
        strings = self.section(".debug_line_str" if form == 0x1F else ".debug_str")
        end = strings.find(b"\0", value)
        return strings[value : end if end >= 0 else len(strings)].decode(errors="replace")


def _by_flags(producer: str) -> bool | None:
    """Return whether the flags in gcc's `producer` turn optimisation on; None for other compilers."""
    if not producer.startswith("GNU ") or " -m" not in producer:
        return None
    levels = re.findall(r" -O(\w*)", producer)
    return bool(levels) and (levels[-1] or "1") not in _NO_OPTIMISATION


def _by_shape(abbreviations: Iterator[_Abbreviation], part: int) -> bool | None:
    """Return whether location lists suggest optimised code; None if there are no variables.

    The code counts as optimised if at least one in `part` variables has a location list. In unoptimised Rust programs
    up to one in three does, because library functions are inlined there too.
    """
    # Abbreviations instead of entries, because a unit has far fewer. Each combination of forms counts once, however
    # often it is used.
    variables = (found for found in abbreviations if found.tag in (_PARAMETER, _VARIABLE))
    forms = [form for found in variables for attribute, form in found.attributes if attribute == _LOCATION]
    moving = sum(form in _LISTS for form in forms)
    return moving * part >= len(forms) if forms else None
