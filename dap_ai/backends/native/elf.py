"""Reads from an ELF executable: debug information, symbols, optimisation, sanitizers, source language.

Files are untrusted. A damaged file, or a file of another system, counts as having no information.

See elf(5) for the layout. The file itself specifies the offsets of all reads. So each read is bounded, the sum of all
reads of a file is bounded, and every kind of damage raises one of DAMAGED.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import zlib
from collections.abc import Generator, Iterator
from typing import BinaryIO, NamedTuple

from dap_ai.backends.native import dwarf
from dap_ai.protocol.contracts.inspection import Binary

_MAX_SECTION_BYTES = 64 << 20
_MAX_READ_BYTES = 512 << 20
"""Maximum number of bytes to read from one file in total; damaged headers can repeat the same bytes."""
_MAX_NAME_BYTES = 4096
MAX_HEADERS = 100_000
_MAX_NOTES_BYTES = 64 << 20
CORE = 4
_NO_BITS, _COMPRESSED = 8, 0x800
LOAD, _NOTE = 1, 4
_SANITIZERS = {"address": b"__asan_init", "thread": b"__tsan_init", "memory": b"__msan_init"}
_UBSAN = b"__ubsan_handle_"
_SHARED_RUNTIMES = (b"libasan.so", b"libtsan.so", b"libubsan.so", b"libclang_rt.")
DAMAGED = (OSError, ValueError, IndexError, OverflowError, MemoryError, struct.error, zlib.error)


class _Section(NamedTuple):
    kind: int
    flags: int
    offset: int
    size: int


class _Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    size: int


class Elf:
    """An open ELF file. Methods raise one of DAMAGED if the file is damaged.

    `sections`: False if `file` holds only the beginning of an ELF file.
    """

    def __init__(self, file: BinaryIO, *, sections: bool = True) -> None:
        self._file = file
        self._left = _MAX_READ_BYTES
        head = self.read(0, 64)
        if len(head) < 52 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
            raise ValueError("no ELF file")
        self.wide = head[4] == 2
        self.order = "little" if head[5] == 1 else "big"
        self._mark = "<" if head[5] == 1 else ">"
        layout = "HHIQQQIHHHHHH" if self.wide else "HHIIIIIHHHHHH"
        self.kind, _, _, self.entry, self.phoff, self._shoff, _, _, self._phsize, self.phnum, self._shsize, *rest = (
            self.unpack(layout, head, 16)
        )
        self._cache: dict[str, bytes] = {}
        self._sections = self._read_sections(*rest) if sections else {}

    def read(self, offset: int, size: int) -> bytes:
        """Read at most `size` bytes at an offset."""
        self._file.seek(offset)
        data = self._file.read(min(size, _MAX_SECTION_BYTES))
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("its parts are larger than can be")
        return data

    def unpack(self, layout: str, data: bytes, at: int = 0) -> tuple[int, ...]:
        """Unpack numbers from `data` in the file's byte order; `layout` is a format of `struct`."""
        return struct.unpack_from(self._mark + layout, data, at)

    def has(self, name: str) -> bool:
        """Return whether the file has a section with this name that is not empty."""
        section = self._sections.get(name)
        return section is not None and section.kind != _NO_BITS and section.size > 0

    def section(self, name: str) -> bytes:
        """Return a section's bytes, decompressed; empty if the file has no such section."""
        if name not in self._cache:
            self._cache[name] = self._read_section(name)
        return self._cache[name]

    def whole(self, name: str) -> bytes | None:
        """Return a section's bytes; None if it is missing, empty or truncated."""
        data = self.section(name)
        return data if data and len(data) < _MAX_SECTION_BYTES else None

    def segments(self) -> list[_Segment]:
        """Return the file's segments: parts of the file that are mapped into memory, or hold notes."""
        count = self.phnum
        if count == 0xFFFF:  # then the number is in the first section header
            first = self.read(self._shoff, self._shsize)
            count = self.unpack("I", first, 44 if self.wide else 28)[0]
        table = self.read(self.phoff, self._phsize * min(count, MAX_HEADERS))
        return [self._segment(table, at) for at in range(0, len(table) - self._phsize + 1, self._phsize)]

    def notes(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield the owner, type and contents of each note in the segments."""
        for segment in self.segments():
            if segment.kind != _NOTE:
                continue
            data, at = self.read(segment.offset, min(segment.size, _MAX_NOTES_BYTES)), 0
            while at + 12 <= len(data):
                name_size, size, kind = self.unpack("III", data, at)
                name = data[at + 12 : at + 12 + name_size].rstrip(b"\0")
                at += 12 + (name_size + 3) // 4 * 4
                yield name, kind, data[at : at + size]
                at += (size + 3) // 4 * 4

    def _segment(self, table: bytes, at: int) -> _Segment:
        if self.wide:
            kind, _, offset, address, _, size = self.unpack("IIQQQQ", table, at)
        else:
            kind, offset, address, _, size = self.unpack("IIIII", table, at)
        return _Segment(kind, offset, address, size)

    def _read_sections(self, count: int, names_at: int) -> dict[str, _Section]:
        if not self._shoff or not self._shsize:
            return {}
        layout = "IIQQQQII" if self.wide else "IIIIIIII"
        # elf(5): a number that does not fit into the header's 16 bits is in the first section header, which is
        # otherwise empty. The number of sections in its size, the section with the names in its link; see `segments`
        # for its info.
        first = self.unpack(layout, self.read(self._shoff, self._shsize))
        count = count or first[5]
        names_at = first[6] if names_at == 0xFFFF else names_at
        table = self.read(self._shoff, self._shsize * min(count, MAX_HEADERS))
        rows = [self.unpack(layout, table, at) for at in range(0, len(table) - self._shsize + 1, self._shsize)]
        names = self.read(rows[names_at][4], rows[names_at][5])
        return {
            names[row[0] : _end(names, row[0])].decode("ascii", "replace"): _Section(row[1], row[2], *row[4:6])
            for row in rows
        }

    def _read_section(self, name: str) -> bytes:
        if not self.has(name):
            return b""
        section = self._sections[name]
        data = self.read(section.offset, section.size)
        if not section.flags & _COMPRESSED:
            return data
        # A compressed section begins with its own header (Elf64_Chdr, Elf32_Chdr). The output is bounded like the
        # input: a few kilobytes may expand to gigabytes.
        kind, *_, header = (*self.unpack("I", data), 24 if self.wide else 12)
        if kind != 1:
            raise ValueError("not compressed with zlib")
        return zlib.decompressobj().decompress(data[header:], _MAX_SECTION_BYTES)


def _end(names: bytes, start: int) -> int:
    return names.index(b"\0", start, start + _MAX_NAME_BYTES)


@contextlib.contextmanager
def opened(path: str) -> Generator[Elf]:
    """Open the file at `path` as ELF; refuses other than regular files, which could block. Raises DAMAGED."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  a Path object would only cost time
        raise ValueError("no regular file")
    with open(path, "rb") as file:  # noqa: PTH123  the same
        yield Elf(file)


@contextlib.contextmanager
def _with_debug(path: str) -> Generator[tuple[Elf, Elf]]:
    """Open a file and the file with its debug information, which may be the same file. Raises DAMAGED."""
    with opened(path) as elf:
        if (debug := _debug_file(elf, path)) is None:
            yield elf, elf
        else:
            with opened(debug) as other:
                yield elf, other


def binary_of(path: str) -> Binary | None:
    """Return the facts about an executable file; None if it is unreadable or not ELF."""
    try:
        with _with_debug(path) as (elf, debug):
            return None if elf.kind == CORE else _judged(elf, debug, path)
    except DAMAGED:
        return None


def debug_names(path: str) -> bytes | None:
    """Return the names in the debug information, each ended by a zero byte; None if missing or too large."""
    try:
        with _with_debug(path) as (_, debug):
            return debug.whole(".debug_str")
    except DAMAGED:
        return None


def _judged(elf: Elf, debug: Elf, path: str) -> Binary:
    units = _units(debug)
    own = [unit for unit in units if unit.is_own]
    said = {unit.optimised for unit in own}
    return Binary(
        path=path,
        debug_info=bool(own) or (not units and debug.has(".debug_info")),
        stripped=not elf.has(".symtab") and not debug.has(".symtab") and not debug.has(".debug_info"),
        optimised=said.pop() if len(said) == 1 else None,
        sanitizers=_sanitizers(elf),
    )


def _units(elf: Elf) -> list[dwarf.CompileUnit]:
    found: list[dwarf.CompileUnit] = []
    with contextlib.suppress(*DAMAGED):  # the units before the damage are correct
        found.extend(dwarf.units(elf.section, elf.order))
    return found


def _debug_file(elf: Elf, path: str) -> str | None:
    """Return the path of the separate file with this file's debug information; None if there is no such file."""
    if elf.has(".debug_info"):
        return None
    # The places where gdb looks (its manual: "Debugging Information in Separate Files"). A debuglink's checksum is not
    # compared.
    candidates: list[str] = []
    note = elf.section(".note.gnu.build-id")
    if len(note) > 16:
        build_id = note[16:].hex()
        candidates.append(f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    link = elf.section(".gnu_debuglink").partition(b"\0")[0]
    if link and b"/" not in link:
        folder, name = os.path.dirname(os.path.abspath(path)), os.fsdecode(link)  # noqa: PTH100, PTH120  as above
        candidates += [f"{folder}/{name}", f"{folder}/.debug/{name}", f"/usr/lib/debug{folder}/{name}"]
    return next((file for file in candidates if os.path.isfile(file)), None)  # noqa: PTH113  the same


def _sanitizers(elf: Elf) -> list[str]:
    """Return the names of the sanitizers whose functions the code calls.

    A static runtime always contains the functions of the undefined-behaviour checks, which then do not count as calls.
    """
    names = elf.section(".dynstr")
    called = names + elf.section(".strtab")
    found = [name for name, symbol in _SANITIZERS.items() if symbol in called]
    if _UBSAN in called and (not found or any(runtime in names for runtime in _SHARED_RUNTIMES)):
        found.append("undefined")
    return found


def is_rust(path: str) -> bool:
    """Return whether rustc made this program; rustc records this even without debug information."""
    try:
        with opened(path) as elf:
            return b"rustc version" in elf.section(".comment")
    except DAMAGED:
        return False
