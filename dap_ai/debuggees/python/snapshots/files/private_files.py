"""Keeps in memory the files that a rerun writes below the temporary folder, because a copy may not write to disk.

These files vanish with the copy. Files on disk in that folder can be listed but not read; a file in memory hides the
file of the same name on disk. There are folders and files, but no links. The kernel does not know a descriptor of such
a file.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import os
import sys
from typing import Any, Iterator

NO_ENTRY, EXISTS, NO_FOLDER, IS_FOLDER, NOT_EMPTY = 2, 17, 20, 21, 39
"""Error numbers (errno) on Linux."""
_FOLDER, _FILE, _KIND = 0o040000, 0o100000, 0o170000  # as in stat
_FOLDER_MODE, _FILE_MODE = _FOLDER | 0o700, _FILE | 0o600
_FIRST_FD = 1 << 20
"""The first descriptor number for files in memory, higher than any number of the kernel."""


class PrivateNode:
    """A folder (`data` is None) or file in memory. `ns`: time of the last change, in nanoseconds."""

    def __init__(self, data: Any, ns: int) -> None:
        self.data = data
        self.ns = ns


def error(number: int, path: str) -> OSError:
    """Returns an OSError with the given errno, as the kernel would report it."""
    return OSError(number, os.strerror(number), path)


class PrivateTree:
    """The files and folders in memory, by absolute path below one folder."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.nodes: dict[str, PrivateNode] = {}
        self.opened: dict[int, Any] = {}
        self.plain_stat: Any = os.stat
        self._os: Any = sys.modules["os"]  # `os.getcwd` may be a replacement
        self._clock: Any = sys.modules["time"]

    def now(self) -> int:
        """Returns the current time in nanoseconds."""
        return self._clock.time_ns()

    def path(self, name: Any) -> str:
        """Returns the absolute path if it lies below the tree's folder; otherwise an empty string."""
        try:
            text = os.fspath(name)
        except TypeError:
            return ""
        if isinstance(text, bytes):
            text = os.fsdecode(text)
        text = os.path.normpath(os.path.join(self._os.getcwd(), text))
        return text if text.startswith(self.root + os.sep) else ""

    def get(self, path: str) -> PrivateNode:
        """Returns the file or folder at a path. Raises FileNotFoundError, NotADirectoryError."""
        node = self.nodes.get(path)
        if node is None:
            above = self.nodes.get(os.path.dirname(path))
            raise error(NO_FOLDER if above is not None and above.data is not None else NO_ENTRY, path)
        return node

    def is_ours(self, path: str) -> bool:
        """Whether the copy created the path or a folder above it, so that the disk does not count."""
        while path.startswith(self.root + os.sep):
            if path in self.nodes:
                return True
            path = os.path.dirname(path)
        return False

    def exists_outside(self, path: str) -> bool:
        """Whether the path exists on disk."""
        try:
            self.plain_stat(path)
        except OSError:
            return False
        return True

    def add(self, path: str, data: Any) -> PrivateNode:
        """Adds a file or folder. Raises OSError if its parent folder does not exist."""
        above = os.path.dirname(path)
        if self.is_ours(above):
            if self.get(above).data is not None:
                raise error(NO_FOLDER, path)
        elif self.plain_stat(above).st_mode & _KIND != _FOLDER:
            raise error(NO_FOLDER, path)
        made = self.nodes[path] = PrivateNode(data, self.now())
        return made

    def names(self, path: str) -> list[str]:
        """Returns the names of files in memory in a folder. Raises OSError."""
        if path in self.nodes and self.get(path).data is not None:
            raise error(NO_FOLDER, path)
        return [os.path.basename(each) for each in self.nodes if os.path.dirname(each) == path]

    def below(self, path: str) -> Iterator[str]:
        """Yields the path and all paths inside it."""
        return iter([each for each in self.nodes if each == path or each.startswith(path + os.sep)])

    def facts(self, node: PrivateNode) -> Any:
        """Returns the stat_result of a file or folder in memory."""
        mode, size = (_FOLDER_MODE, 4096) if node.data is None else (_FILE_MODE, len(node.data))
        seconds = node.ns // 10**9
        times = {}
        for name in ("st_atime", "st_mtime", "st_ctime"):
            times[name], times[name + "_ns"] = node.ns / 1e9, node.ns
        row = (mode, id(node) >> 4, 1, 1, os.getuid(), os.getgid(), size, seconds, seconds, seconds)
        return os.stat_result(row, times)

    def descriptor(self, raw: Any) -> int:
        """Registers an opened file and returns its new descriptor number."""
        number = _FIRST_FD + len(self.opened)
        self.opened[number] = raw
        return number


class Entry:
    """A directory entry in memory, like os.DirEntry."""

    def __init__(self, tree: PrivateTree, folder: str, name: str) -> None:
        self.name, self.path = name, os.path.join(folder, name)
        self._tree, self._node = tree, tree.nodes[os.path.join(folder, name)]

    def __fspath__(self) -> str:
        return self.path

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002  its signature
        """Whether the entry is a folder."""
        return self._node.data is None

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002  its signature
        """Whether the entry is a file."""
        return self._node.data is not None

    def is_symlink(self) -> bool:
        """Returns False, because there are no links in memory."""
        return False

    def is_junction(self) -> bool:
        """Returns False, because there are no junctions in memory."""
        return False

    def inode(self) -> int:
        """Returns the node's inode number."""
        return self.stat().st_ino

    def stat(self, *, follow_symlinks: bool = True) -> Any:  # noqa: ARG002  its signature
        """Returns the entry's stat_result."""
        return self._tree.facts(self._node)


class Entries:
    """An iterator of entries and a context manager, like the result of `os.scandir`."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Entries:
        return self

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> Entries:  # noqa: PYI034  Python 3.8
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Does nothing, because no resource is open."""
