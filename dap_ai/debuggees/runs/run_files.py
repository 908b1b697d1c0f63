"""Reads files of a run with size limits: only regular files inside the run's root. Never writes to a run.

A file that an agent leaves may be huge or truncated, a pipe, or a link out of the run's folder.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

GLANCE_BYTES = 64 * 1024
"""How many bytes of a file a reader may read to recognize its format."""
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""Maximum size of a file that is read at once. Real files of runs have up to 2 MB."""
MAX_LINE_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class CannotRead(Exception):  # noqa: N818  named for what is wrong with the run
    """A run or one of its files cannot be read; the message tells the user why."""


def inside(root: Path, relative: str) -> Path:
    """Return the artefact's path with links resolved. Raises CannotRead if it is outside the run's root."""
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
    """Open a regular file for reading. Raises CannotRead."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffer_bytes)
    except (OSError, ValueError) as error:
        raise CannotRead(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise CannotRead(f"{path}: is no ordinary file")
    return file


def content(path: Path, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Return a file's whole content. Raises CannotRead, for example if the file is larger than `max_bytes`."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size <= max_bytes:
            data = file.read(max_bytes + 1)
            if len(data) <= max_bytes:
                return data
    raise CannotRead(f"{path}: has more than {max_bytes // (1024 * 1024)} MB, and is not read at once")


def beginning(path: Path, max_bytes: int = GLANCE_BYTES) -> bytes:
    """Return the first `max_bytes` bytes of a file. Raises CannotRead."""
    with opened(path) as file:
        return file.read(max_bytes)


def lines(path: Path, max_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    r"""Yield (line number, line) for each line; None instead of a line longer than `max_bytes`.

    Numbers are 1-based. Lines are split at \n only and do not include it; a leading BOM is dropped. Memory use is
    bounded by the longest line returned. Raises CannotRead.
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
    """Convert text to UTF-8 without a BOM; return (text, original encoding).

    Bytes that are not valid UTF-8 stay unchanged. Raises CannotRead for broken UTF-16 and UTF-32.
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
