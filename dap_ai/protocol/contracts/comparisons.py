"""The comparisons that a `cmp` Node and a native source name by the same signs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Sign -> the comparison of two values of one type."""
