"""Small ELF files, written by hand: sections and notes as a test wants them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

_HEADER = "<16sHHIQQQIHHHHHH"
_EXECUTABLE, CORE = 2, 4
_PROGBITS, _STRTAB = 1, 3


def elf(
    sections: Mapping[str, bytes],
    *,
    kind: int = _EXECUTABLE,
    notes: Sequence[tuple[int, bytes]] = (),
    owner: bytes = b"CORE",
    memory: tuple[int, bytes] = (0, b""),
) -> bytes:
    """An ELF file of 64 bits with these sections; of a core file also its notes, and what lies at an address."""
    names, rows, body = b"\0", [struct.pack("<IIQQQQIIQQ", *[0] * 10)], b""
    start = 64 + 2 * 56
    for name, data in {**sections, ".shstrtab": b""}.items():
        at = len(names)
        names += name.encode() + b"\0"
        held = data or names
        section = (at, _STRTAB if name == ".shstrtab" else _PROGBITS, 0, 0, start + len(body), len(held), 0, 0, 1, 0)
        rows.append(struct.pack("<IIQQQQIIQQ", *section))
        body += held
    note = b"".join(_note(owner, number, data) for number, data in notes)
    note_at = start + len(body)
    address, bytes_there = memory
    segments = struct.pack("<IIQQQQQQ", 4, 4, note_at, 0, 0, len(note), len(note), 4)
    segments += struct.pack("<IIQQQQQQ", 1, 4, note_at + len(note), address, 0, len(bytes_there), len(bytes_there), 1)
    body += note + bytes_there
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    table_at = start + len(body)
    header = (ident, kind, 62, 1, 0, 64, table_at, 0, 64, 56, 2, 64, len(rows), len(rows) - 1)
    return struct.pack(_HEADER, *header) + segments + body + b"".join(rows)


def unit(producer: str, file: str = "a.c", folder: str = "/src") -> dict[str, bytes]:
    """The sections of debug information with one compile unit in it."""
    abbreviations = bytes([1, 0x11, 0, 0x25, 8, 0x03, 8, 0x1B, 8, 0, 0, 0])
    root = b"\x01" + b"".join(text.encode() + b"\0" for text in (producer, file, folder))
    head = struct.pack("<HIB", 4, 0, 8)
    return {".debug_abbrev": abbreviations, ".debug_info": struct.pack("<I", len(head + root)) + head + root}


def with_build_id(text: bytes) -> bytes:
    """A program of that build id."""
    return elf({}, notes=[(3, text)], owner=b"GNU")


def core(program: str, *, signal: int = 11, headers: int = 0x400040, image: bytes = b"") -> bytes:
    """The core file of a program that a signal ended. `image`: the beginning of its file, as it lay in memory."""
    mapping = struct.pack("<QQQQQ", 1, 4096, 0x400000, 0x401000, 0) + program.encode() + b"\0"
    auxiliary = struct.pack("<QQQQQQ", 3, headers, 31, 0x7000, 0, 0)
    status = struct.pack("<IIIH", signal, 0, 0, signal) + bytes(100)
    notes = [(1, status), (6, auxiliary), (0x46494C45, mapping)]
    if image:
        return elf({}, kind=CORE, notes=notes, memory=(0x400000, image))
    return elf({}, kind=CORE, notes=notes, memory=(0x7000, program.encode() + b"\0"))


def _note(owner: bytes, kind: int, data: bytes) -> bytes:
    name = owner + b"\0"
    return struct.pack("<III", len(name), len(data), kind) + name + bytes(-len(name) % 4) + data + bytes(-len(data) % 4)
