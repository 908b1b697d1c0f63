"""Paths of another machine, as text: nothing is looked up. POSIX unless a path has a drive."""

from __future__ import annotations

import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
MAX_CHARS = 1024
"""Of a path; what is longer is no path."""


def is_absolute(path: str) -> bool:
    r"""`/x`, `~/x`, `$HOME/x`, `C:\x`."""
    return path.startswith(("/", "~", "$")) or _DRIVE.match(path) is not None


def join(cwd: str, path: str) -> str:
    """`path` as seen from `cwd`, normalized. Relative to "" it stays relative."""
    path = path[:MAX_CHARS].replace("\\", "/") if _DRIVE.match(path) else path[:MAX_CHARS]
    if not path:
        return cwd
    joined = path if is_absolute(path) or not cwd else f"{cwd}/{path}"
    normal = posixpath.normpath(joined[: 2 * MAX_CHARS])
    return "" if normal == "." else normal


def name(path: str) -> str:
    """The last part."""
    return path.rstrip("/").rpartition("/")[2]


def same(one: str, other: str) -> bool:
    """Whether both may be one file: equal, or one is absolute and ends with the other, which is relative."""
    if one == other:
        return True
    if is_absolute(one) == is_absolute(other):
        return False
    longer, shorter = (one, other) if is_absolute(one) else (other, one)
    return bool(shorter) and not shorter.startswith("..") and longer.endswith(f"/{shorter}")


def is_temporary(path: str) -> bool:
    """Below a directory that the system clears."""
    return path.startswith(("/tmp/", "/var/tmp/", "/dev/shm/", "$TMPDIR/")) or path in {"/tmp", "/var/tmp"}  # noqa: S108  a name of the run's


def is_device(path: str) -> bool:
    """/dev/null and its like: writing there changes nothing."""
    return path.startswith("/dev/") and not path.startswith(("/dev/shm/", "/dev/sd"))  # noqa: S108  the same
