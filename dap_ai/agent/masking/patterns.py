"""Regular expressions compiled at first use: most processes need few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast


class _Lazy:
    """Provides a pattern's methods, each cached as an attribute at its first use."""

    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._made = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern, flags = self._made
        method = getattr(re.compile(pattern if isinstance(pattern, str) else pattern(), flags), name)
        setattr(self, name, method)
        return method


def lazy(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but compiles the pattern, and raises its errors, at first use."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
