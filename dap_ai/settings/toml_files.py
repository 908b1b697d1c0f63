"""Reads untrusted TOML files with limits on size and nesting, because a repository may contain any file."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from dap_ai.system.texts import cut

MAX_FILE_BYTES = 256 * 1024
"""Maximum size of a settings file, about ten times the size of real files."""
_DEEP_KEY = re.compile(rb"""(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){20}""")
"""Matches a key of more than 20 parts. Parse time is quadratic in the number of parts: 50,000 parts take a minute."""
MAX_REASON_CHARS = 200
"""Maximum characters of a file's content that an error message quotes."""


class BadFile(ValueError):  # noqa: N818  named after its subject
    """Raised for a settings file that cannot be used. The text names the file, the reason and, if known, the line."""


def read(path: Path) -> bytes:
    """Returns the content of a regular file of limited size. Raises BadFile."""
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
    """Parses TOML data. `path` is used only in error messages. Raises BadFile."""
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
    except (ValueError, RecursionError) as error:  # includes numbers with too many digits for Python
        raise BadFile(f"{path}: is no valid TOML: {cut(str(error), MAX_REASON_CHARS)}") from error
