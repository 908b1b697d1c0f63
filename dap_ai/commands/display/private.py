"""Opens files that only their user can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path


def open_private(path: Path, flags: int, check: Callable[[int], None]) -> int:
    """Open a regular file that only its user can read (mode 0600), and create it if it is missing.

    Refuses links, pipes and devices. `check` is called with the file descriptor before anything is changed, and may
    raise to refuse the file. Raises OSError, or whatever `check` raises.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    fd = os.open(path, flags | os.O_CREAT, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError("it is no ordinary file")  # noqa: TRY301  so that it is closed in one place
        check(fd)
        if hasattr(os, "fchmod"):
            os.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd
