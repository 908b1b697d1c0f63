"""Path functions that do not use `os.path`, whose functions the program may have replaced."""

from __future__ import annotations

import sys
from typing import Any

SEPARATOR: str = "\\" if sys.platform == "win32" else "/"


def folder_of(path: Any) -> str:
    """Returns a file's folder without a trailing separator; an empty string unless the path is exactly a str."""
    return _native(path).rpartition(SEPARATOR)[0]


def file_name(path: Any) -> str:
    """Returns the last part of a path; an empty string unless the path is exactly a str."""
    return _native(path).rpartition(SEPARATOR)[2]


def path_bytes(path: str) -> bytes:
    """Encodes a path as bytes for Linux system calls."""
    return path.encode("utf-8", "surrogateescape")


def path_text(path: bytes) -> str:
    """Decodes a path from bytes, as Python itself does."""
    return path.decode("utf-8", "surrogateescape")


def _native(path: Any) -> str:
    if type(path) is not str:
        return ""
    return path.replace("/", "\\") if SEPARATOR == "\\" else path
