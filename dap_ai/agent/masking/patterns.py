"""Regular expressions that are compiled at first use, because most processes need few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast


class _Lazy:
    """Compiles a pattern at the first use of one of its methods. Caches each method as an attribute."""

    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._made = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern, flags = self._made
        method = getattr(re.compile(pattern if isinstance(pattern, str) else pattern(), flags), name)
        setattr(self, name, method)
        return method


def lazy(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Returns a pattern like `re.compile`, but compiles it at first use. Errors in the pattern are raised then."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
