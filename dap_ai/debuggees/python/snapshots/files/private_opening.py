"""Replaces `open` for files that a copy keeps in its memory (see private_files.py)."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import io
import os
from typing import Any

from .private_files import EXISTS, IS_FOLDER, PrivateNode, PrivateTree, error

_KINDS = "rwxa"


class PrivateRawFile(io.RawIOBase):
    """An opened file in memory, unbuffered."""

    def __init__(self, tree: PrivateTree, node: PrivateNode, name: Any, mode: str) -> None:
        super().__init__()
        self.name, self.mode = name, mode
        self._tree, self._node = tree, node
        self._at = 0
        self._reads, self._writes = "r" in mode or "+" in mode, mode[0] != "r" or "+" in mode

    def readable(self) -> bool:
        """Whether the mode allows reading."""
        return self._reads

    def writable(self) -> bool:
        """Whether the mode allows writing."""
        return self._writes

    def seekable(self) -> bool:
        """Returns True, because every file in memory is seekable."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Reads bytes into a buffer and returns their number."""
        if not self._reads:
            raise io.UnsupportedOperation("not readable")
        piece = bytes(self._node.data[self._at : self._at + len(buffer)])
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def write(self, data: Any) -> int:
        """Writes bytes at the position and returns their number."""
        if not self._writes:
            raise io.UnsupportedOperation("not writable")
        piece, held = bytes(data), self._node.data
        if "a" in self.mode:
            self._at = len(held)
        held.extend(bytes(max(0, self._at - len(held))))
        held[self._at : self._at + len(piece)] = piece
        self._at += len(piece)
        self._node.ns = self._tree.now()
        return len(piece)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Moves to a position and returns it as an offset from the start."""
        self._at = max(0, offset + (0, self._at, len(self._node.data))[whence])
        return self._at

    def tell(self) -> int:
        """Returns the 0-based position."""
        return self._at

    def truncate(self, size: Any = None) -> int:
        """Changes the file's size and returns the new size."""
        size = self._at if size is None else size
        held = self._node.data
        del held[size:]
        held.extend(bytes(size - len(held)))
        return size

    def fileno(self) -> int:
        """Raises io.UnsupportedOperation, because the file has no descriptor of the kernel."""
        raise io.UnsupportedOperation("fileno")

    def facts(self) -> Any:
        """Returns the file's stat_result."""
        return self._tree.facts(self._node)


def raw_of(tree: PrivateTree, path: str, name: Any, mode: str) -> PrivateRawFile | None:
    """Opens a file in memory; returns None if the caller must open the file on disk.

    `mode` is one letter of `open`'s modes, optionally with `+`.
    """
    node = tree.nodes.get(path)
    if node is not None and node.data is None:
        raise error(IS_FOLDER, path)
    if node is None and not tree.is_ours(path) and tree.exists_outside(path):
        if mode[0] == "x":
            raise error(EXISTS, path)
        if mode[0] != "w":
            return None
    if mode[0] == "r":
        return PrivateRawFile(tree, tree.get(path), name, mode) if tree.is_ours(path) else None
    if mode[0] == "x" and node is not None:
        raise error(EXISTS, path)
    if node is None:
        node = tree.add(path, bytearray())
    if mode[0] == "w":
        del node.data[:]
    return PrivateRawFile(tree, node, name, mode)


def opener_of(tree: PrivateTree, plain: Any) -> Any:
    """Returns the replacement of `open`."""

    def open(  # noqa: A001, PLR0917  its name and signature
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
        newline: Any = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        how = next((letter for letter in mode if letter in _KINDS), "") + ("+" if "+" in mode else "")
        raw: Any = None
        if isinstance(file, int):
            raw = tree.opened.get(file)
        elif how and opener is not None:  # `tempfile` opens a folder with an opener that creates a file in it
            given = opener(file, _flags(how) | os.O_CLOEXEC)
            raw, opener = tree.opened.get(given), _giving(given)
        elif how and tree.path(file):
            raw = raw_of(tree, tree.path(file), file, how)
        if raw is None:
            return plain(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if "b" in mode and buffering == 0:
            return raw
        made = _buffered(raw)
        if "b" in mode:
            return made
        text = io.TextIOWrapper(made, encoding, errors, newline, line_buffering=buffering == 1)
        text.mode = mode  # pyright: ignore[reportAttributeAccessIssue]  as `open` does
        return text

    return open


def _giving(fd: int) -> Any:
    def opener(_path: Any, _flags: int) -> int:
        return fd

    return opener


def _buffered(raw: PrivateRawFile) -> Any:
    if raw.readable() and raw.writable():
        return io.BufferedRandom(raw)
    return io.BufferedWriter(raw) if raw.writable() else io.BufferedReader(raw)


def _flags(how: str) -> int:
    access = os.O_RDWR if "+" in how else os.O_RDONLY if how[0] == "r" else os.O_WRONLY
    more = {"r": 0, "w": os.O_CREAT | os.O_TRUNC, "x": os.O_CREAT | os.O_EXCL, "a": os.O_CREAT | os.O_APPEND}
    return access | more[how[0]]


def mode_of(flags: int) -> str:
    """Returns the mode letters of `open` for the flags of `os.open`."""
    access = flags & (os.O_WRONLY | os.O_RDWR)
    if flags & os.O_EXCL:
        return "x+" if access == os.O_RDWR else "x"
    if flags & os.O_APPEND:
        return "a+" if access == os.O_RDWR else "a"
    if flags & (os.O_CREAT | os.O_TRUNC) and access:
        return "w+" if access == os.O_RDWR else "w"
    return "r+" if access else "r"
