"""Files of a run, read within bounds: ordinary ones, inside the run's root, never written to.

What an agent left may be of any size, cut off in the middle, a pipe, or a link to somewhere else.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

GLANCE_BYTES = 64 * 1024
"""What a reader may read of a file to say whether it is one of its own."""
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""Of a file that is read at once. Real ones have up to 2 MB."""
MAX_LINE_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class CannotRead(Exception):  # noqa: N818  what it says of the run
    """A run that cannot be read; the text is for its user: what was looked for, and what is nearest."""


def inside(root: Path, relative: str) -> Path:
    """The artefact of that name, links resolved. Raises CannotRead where it is outside of the run's root."""
    real_root = Path(os.path.realpath(root))
    if not relative:
        return real_root
    try:
        path = Path(os.path.realpath(real_root / relative))
    except (OSError, ValueError) as error:
        raise CannotRead(f"{relative!r} is no name of a file") from error
    if not path.is_relative_to(real_root):
        raise CannotRead(f"{relative!r} leads out of the run's folder, and is not read")
    return path


def opened(path: Path, buffer_bytes: int = -1) -> BinaryIO:
    """An ordinary file, open for reading. Raises CannotRead."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffer_bytes)
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise CannotRead(f"{path}: is no ordinary file")
    return file


def content(path: Path, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
    """All that is in a file. Raises CannotRead, also where it has more than `max_bytes`."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size <= max_bytes:
            data = file.read(max_bytes + 1)
            if len(data) <= max_bytes:
                return data
    raise CannotRead(f"{path}: has more than {max_bytes // (1024 * 1024)} MB, and is not read at once")


def beginning(path: Path, max_bytes: int = GLANCE_BYTES) -> bytes:
    """The first bytes of a file. Raises CannotRead."""
    with opened(path) as file:
        return file.read(max_bytes)


def lines(path: Path, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    r"""Each line with its number, 1-based, split at \n only and without it; None for a line above `max_bytes`.

    A BOM at the start is left out. Memory is bounded by the longest line that is given. Raises CannotRead.
    """
    number, parts, length = 1, list[bytes](), 0
    with opened(path, _CHUNK_BYTES) as file:
        while piece := file.readline(_CHUNK_BYTES):
            length += len(piece)
            if length > max_bytes + 1:
                parts.clear()
            else:
                parts.append(piece)
            if piece.endswith(b"\n"):
                yield number, _line(number, parts) if parts else None
                number, length = number + 1, 0
                parts.clear()
    if length:
        yield number, _line(number, parts) if length <= max_bytes else None


def as_utf8(data: bytes) -> tuple[bytes, str]:
    """The same text in UTF-8 without a BOM, and the name of the encoding that it was in.

    Bytes that are no valid UTF-8 stay as they are. Raises CannotRead for broken UTF-16 and UTF-32.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _transcoded(data[len(bom) :], name), name
    if len(data) >= 4 and not data[1] and not data[3] and data[0]:
        return _transcoded(data, "utf-16-le"), "utf-16-le"
    if len(data) >= 4 and not data[0] and not data[2] and data[1]:
        return _transcoded(data, "utf-16-be"), "utf-16-be"
    return data, "utf-8"


def _transcoded(data: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return data
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        raise CannotRead(f"is broken {encoding.upper()}: {error}") from error


def _line(number: int, parts: list[bytes]) -> bytes:
    line = b"".join(parts).removesuffix(b"\n")
    return line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
