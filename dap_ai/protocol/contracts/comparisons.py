"""Comparison operators shared by `cmp` Nodes and native sources."""

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
"""Function that compares two values of the same type, by operator."""
