"""Parses times and durations in recorded runs to seconds."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import msgspec

_LARGEST_S = 1e11
"""Largest number taken as seconds since 1970 (the year 5138). Larger numbers are milli-, micro- or nanoseconds."""


def epoch_s(value: Any) -> float | None:
    """Return a time in seconds since 1970, or None if `value` is no time.

    Accepts an ISO 8601 text, or a number of seconds or of a finer unit. A text without a time zone is taken as UTC,
    because within one run only differences matter.
    """
    if isinstance(value, str):
        return _epoch_of_text(value.strip())
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return None
    seconds = float(value)
    while seconds > _LARGEST_S:
        seconds /= 1000
    return seconds


def _epoch_of_text(text: str) -> float | None:
    if text.isascii() and text.isdigit() and len(text) <= 20:
        return epoch_s(int(text))
    try:
        moment = msgspec.convert(text, dt.datetime)
    except msgspec.ValidationError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.timezone.utc)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        return None


def duration_s(value: Any) -> float | None:
    """Return a duration in seconds, or None if `value` is no duration.

    Accepts an ISO 8601 duration (`PT1M4.4S`) or a number of seconds.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) and value >= 0 else None
    if not isinstance(value, str) or not value.startswith("P"):
        return None
    try:
        return msgspec.convert(value, dt.timedelta).total_seconds()
    except msgspec.ValidationError:
        return None
