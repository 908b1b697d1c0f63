"""Distinguishes the user's own code from library code by its path."""

from __future__ import annotations

import re

_LIBRARY = re.compile(
    r"[/\\](site-packages|dist-packages)[/\\]"
    r"|[/\\]lib(32|64)?[/\\]python\d+(\.\d+)?t?[/\\]"
    r"|[/\\]python\d*[/\\]lib[/\\]"
    r"|[/\\](debugpy|pydevd|_pydevd_bundle)[/\\]"
    r"|[/\\]dap_ai[/\\]debuggees[/\\]python[/\\](inspector|snapshots|hosts[/\\]post_mortem)[/\\]",
    re.IGNORECASE,
)


def is_user_path(path: str) -> bool:
    """Whether a path belongs to the user's own code: a real file outside the library folders."""
    return bool(path) and not path.startswith("<") and not _LIBRARY.search(path)
