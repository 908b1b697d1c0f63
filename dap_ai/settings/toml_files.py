"""TOML files of anybody's, read within bounds: a repository's may be as wrong, as large or as deep as it likes."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from dap_ai.system.texts import cut

MAX_FILE_BYTES = 256 * 1024
"""Of a file that is read; real ones have a tenth of it."""
_DEEP_KEY = re.compile(rb"""(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){20}""")
"""Parsing takes time by the square of a key's parts: a minute for 50,000 of them."""
MAX_REASON_CHARS = 200
"""Maximum characters of a file that an error quotes."""


class BadFile(ValueError):  # noqa: N818  what it is about
    """A file that cannot be used; the text names it and says why, with the line where there is one."""


def read(path: Path) -> bytes:
    """What is in an ordinary file. Raises BadFile."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadFile(f"{path}: is no ordinary file")
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_FILE_BYTES:
        raise BadFile(f"{path}: has more than {MAX_FILE_BYTES // 1024} KB, and is not read")
    return data


def parse(data: bytes, path: Path) -> dict[str, Any]:
    """The file's tables. Raises BadFile."""
    if deep := _DEEP_KEY.search(data):
        line = data.count(b"\n", 0, deep.start()) + 1
        raise BadFile(f"{path}: is not read: line {line} has a key of more than 20 parts")
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  only when there is a file to read
    else:
        import tomli as tomllib  # noqa: PLC0415  the same
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{path}: is no valid TOML: line {line} is not UTF-8") from error
    except (ValueError, RecursionError) as error:  # also numbers with more digits than Python reads
        raise BadFile(f"{path}: is no valid TOML: {cut(str(error), MAX_REASON_CHARS)}") from error
