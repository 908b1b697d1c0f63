"""Finds the program that left a core file, and checks whether a given file is that program."""

from __future__ import annotations

import io
import os
import struct
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from dap_ai.backends.native.elf import CORE, DAMAGED, LOAD, MAX_HEADERS, Elf, opened

_MAX_NOTES = 100_000
_MAX_IMAGE_BYTES = 1 << 20
_PRPSINFO, _AUXV, _FILE = 3, 6, 0x46494C45
_AT_PHDR, _AT_PHNUM, _AT_ENTRY, _AT_EXECFN = 3, 5, 9, 31
_BUILD_ID = b"GNU", 3


class _Mapping(NamedTuple):
    start: int
    end: int
    page: int
    """The offset of the mapped part in the file, in pages."""
    path: str


class _Core:
    """An open core file. Its methods raise one of DAMAGED if the file is damaged."""

    def __init__(self, elf: Elf) -> None:
        self.elf = elf
        found = islice(elf.notes(), _MAX_NOTES) if elf.kind == CORE else ()
        self.notes = {kind: data for _, kind, data in found}
        self.auxiliary = self._auxiliary()
        self._mappings = self._mapped()

    def paths(self) -> list[str]:
        """Return possible paths of the program, the most certain first; a path is empty if unknown."""
        return [self.mapped(), self._started(), self.command()]

    def mapped(self) -> str:
        """Return the path of the file that is mapped where the program's headers are; empty if unknown."""
        headers = self.auxiliary.get(_AT_PHDR, 0)
        return next((each.path for each in self._mappings if headers and each.start <= headers < each.end), "")

    def command(self) -> str:
        """Return the first word of the program's command line; empty if unknown."""
        words = self.notes.get(_PRPSINFO, b"")[-80:].partition(b"\0")[0].split()
        return os.fsdecode(words[0]) if words else ""

    def image(self) -> bytes:
        """Return the first bytes of the program's file as mapped in memory; empty if the core file lacks them."""
        path = self.mapped()
        start = next((each.start for each in self._mappings if path and each.path == path and not each.page), 0)
        return self._memory(start, _MAX_IMAGE_BYTES) if start else b""

    def _memory(self, address: int, size: int) -> bytes:
        for segment in self.elf.segments():
            if segment.kind == LOAD and segment.address <= address < segment.address + segment.size:
                skipped = address - segment.address
                return self.elf.read(segment.offset + skipped, min(size, segment.size - skipped))
        return b""

    def _auxiliary(self) -> dict[int, int]:
        """Return the auxiliary vector that the kernel passed to the program at its start."""
        data, size = self.notes.get(_AUXV, b""), 16 if self.elf.wide else 8
        layout = "QQ" if self.elf.wide else "II"
        pairs = (self.elf.unpack(layout, data, at) for at in range(0, len(data) - size + 1, size))
        return {key: value for key, value in pairs}  # noqa: C416  a pair of a known length for the type checker

    def _mapped(self) -> list[_Mapping]:
        data, word = self.notes.get(_FILE, b""), "Q" if self.elf.wide else "I"
        size = struct.calcsize(word)
        if len(data) < 2 * size:
            return []
        count = min(self.elf.unpack(word, data)[0], MAX_HEADERS, len(data) // (3 * size))
        names = data[(2 + 3 * count) * size :].split(b"\0")
        rows = (self.elf.unpack(3 * word, data, (2 + 3 * index) * size) for index in range(count))
        return [_Mapping(row[0], row[1], row[2], os.fsdecode(name)) for row, name in zip(rows, names, strict=False)]

    def _started(self) -> str:
        """Return the path by which the program was started, read from the program's memory."""
        return os.fsdecode(self._memory(self.auxiliary.get(_AT_EXECFN, 0), 4096).partition(b"\0")[0])


def executable_of_core(path: str) -> str:
    """Return the path of the program that left this core file.

    Returns an empty string if the program is unknown, or its file no longer exists.
    """
    try:
        with opened(path) as elf:
            candidates = _Core(elf).paths()
    except DAMAGED:
        return ""
    return next((name for name in candidates if name and os.path.isfile(name)), "")  # noqa: PTH113  a Path is slower


def is_core(path: str) -> bool:
    """Return whether the file at `path` is a core file."""
    try:
        with opened(path) as elf:
            return elf.kind == CORE
    except DAMAGED:
        return False


class CoreOrigin(NamedTuple):
    """Whether a program left a core file.

    `same` is None if unknown. `text` explains to the user why `same` is not True.
    """

    same: bool | None
    text: str = ""


def origin_of(core: str, program: str) -> CoreOrigin:
    """Return whether `program` left the core file.

    Compares their build ids, or else name, entry point and number of headers.
    """
    try:
        with opened(core) as elf, opened(program) as file:
            return _compared(_Core(elf), core, file, program)
    except DAMAGED:
        return CoreOrigin(None, f"Whether {program} left {core} is not known: one of the two cannot be read as ELF.")


def _compared(dump: _Core, core: str, file: Elf, program: str) -> CoreOrigin:
    left = next((path for path in dump.paths() if path), "") or "another program"
    image, own = dump.image(), _build_id(file)
    if image:
        there = _build_id(Elf(io.BytesIO(image), sections=False))
        if there and there == own:
            return CoreOrigin(same=True)
        if there or own:
            return CoreOrigin(same=False, text=_refusal(core, program, left, there, own))
    if PurePath(left).name != PurePath(program).name and left != "another program":
        return CoreOrigin(same=False, text=_refusal(core, program, left))
    if not _is_laid_out_alike(dump.auxiliary, file):
        return CoreOrigin(same=False, text=_refusal(core, program, left))
    text = f"Whether {program} left {core} is not known, because they have no build id to compare; their names agree."
    return CoreOrigin(None, text)


def _refusal(core: str, program: str, left: str, there: bytes = b"", own: bytes = b"") -> str:
    names = f"build id {there.hex()[:12] or 'none'}, not {own.hex()[:12] or 'none'}" if there or own else ""
    told = f"another build of {left}" if PurePath(left).name == PurePath(program).name else left
    reason = f" ({names})" if names else ""
    return f"{core} is not a core file of {program}: {told} left it{reason}. Name the file that crashed as the program."


def _build_id(elf: Elf) -> bytes:
    """Return the build id that the linker wrote to the file; empty if the file has no build id."""
    return next((data for owner, kind, data in elf.notes() if (owner, kind) == _BUILD_ID), b"")


def _is_laid_out_alike(auxiliary: dict[int, int], file: Elf) -> bool:
    """Return whether the file's entry point and number of headers match the auxiliary vector.

    Returns True if the vector lacks these values.
    """
    if not {_AT_PHDR, _AT_ENTRY, _AT_PHNUM} <= auxiliary.keys():
        return True
    first = next((each.address for each in file.segments() if each.kind == LOAD and not each.offset), 0)
    distance = file.entry - (first + file.phoff)
    return auxiliary[_AT_ENTRY] - auxiliary[_AT_PHDR] == distance and auxiliary[_AT_PHNUM] == file.phnum
