"""Regular expressions that are compiled when they are first used: most processes need few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast


class _Lazy:
    """Has a pattern's methods, each its own attribute from its first use on: later uses cost nothing more."""

    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._made = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern, flags = self._made
        method = getattr(re.compile(pattern if isinstance(pattern, str) else pattern(), flags), name)
        setattr(self, name, method)
        return method


def lazy(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`; the pattern is made, and an error in it shows, at its first use."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
