"""Paths without the Python half of `os`: the program may have replaced it."""

from __future__ import annotations

import sys
from typing import Any

SEPARATOR: str = "\\" if sys.platform == "win32" else "/"


def folder_of(path: Any) -> str:
    """The folder that a path names a file of, without a separator at its end; "" for what is no exact string."""
    return _native(path).rpartition(SEPARATOR)[0]


def file_name(path: Any) -> str:
    """The last part of a path; "" for what is no exact string."""
    return _native(path).rpartition(SEPARATOR)[2]


def path_bytes(path: str) -> bytes:
    """As Linux has it."""
    return path.encode("utf-8", "surrogateescape")


def path_text(path: bytes) -> str:
    """As Python has it."""
    return path.decode("utf-8", "surrogateescape")


def _native(path: Any) -> str:
    if type(path) is not str:
        return ""
    return path.replace("/", "\\") if SEPARATOR == "\\" else path
