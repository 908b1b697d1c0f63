"""Path functions without the Python half of `os`, which the program may have replaced."""

from __future__ import annotations

import sys
from typing import Any

SEPARATOR: str = "\\" if sys.platform == "win32" else "/"


def folder_of(path: Any) -> str:
    """Returns a file's folder without a trailing separator; "" unless the path is exactly a str."""
    return _native(path).rpartition(SEPARATOR)[0]


def file_name(path: Any) -> str:
    """Returns the last part of a path; "" unless the path is exactly a str."""
    return _native(path).rpartition(SEPARATOR)[2]


def path_bytes(path: str) -> bytes:
    """Returns a path as bytes, encoded as Linux system calls expect it."""
    return path.encode("utf-8", "surrogateescape")


def path_text(path: bytes) -> str:
    """Returns a path as a str, decoded as Python does."""
    return path.decode("utf-8", "surrogateescape")


def _native(path: Any) -> str:
    if type(path) is not str:
        return ""
    return path.replace("/", "\\") if SEPARATOR == "\\" else path
