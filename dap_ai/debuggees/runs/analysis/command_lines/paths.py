"""Functions on paths of another machine, without file system access. A path is POSIX unless it has a drive letter."""

from __future__ import annotations

import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
MAX_CHARS = 1024
"""Maximum characters of a path. A longer text is not a path."""


def is_absolute(path: str) -> bool:
    r"""Return whether a path is absolute: `/x`, `~/x`, `$HOME/x` or `C:\x`."""
    return path.startswith(("/", "~", "$")) or _DRIVE.match(path) is not None


def join(cwd: str, path: str) -> str:
    """Return `path` joined to the directory `cwd` and normalized.

    A relative path stays relative if `cwd` is an empty string.
    """
    path = path[:MAX_CHARS].replace("\\", "/") if _DRIVE.match(path) else path[:MAX_CHARS]
    joined = path if is_absolute(path) or not cwd else f"{cwd}/{path}"
    normal = posixpath.normpath(joined[: 2 * MAX_CHARS])
    return "" if normal == "." else normal


def name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def same(one: str, other: str) -> bool:
    """Return whether two paths may name one file: both are equal, or the absolute path ends with the relative path."""
    if one == other:
        return True
    if is_absolute(one) == is_absolute(other):
        return False
    longer, shorter = (one, other) if is_absolute(one) else (other, one)
    return bool(shorter) and not shorter.startswith("..") and longer.endswith(f"/{shorter}")


def is_temporary(path: str) -> bool:
    """Return whether a path is in a directory for temporary files."""
    return path.startswith(("/tmp/", "/var/tmp/", "/dev/shm/", "$TMPDIR/")) or path in {"/tmp", "/var/tmp"}  # noqa: S108  compares recorded paths, opens none


def is_device(path: str) -> bool:
    """Return whether a path is a device such as /dev/null, where writing changes no file."""
    return path.startswith("/dev/") and not path.startswith(("/dev/shm/", "/dev/sd"))  # noqa: S108  the same
