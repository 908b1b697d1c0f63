"""Renders times and durations that numpy and pandas store as integers, by arithmetic and without calling them."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _datetime  # pyright: ignore[reportMissingImports]  `datetime` may hold classes of a library that freezes time
import re
from bisect import bisect_right
from typing import Any

from .statics import lookup, made_in_c, stored

_NO_TIME = -(1 << 63)
"""The integer for "not a time" in numpy and pandas."""
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "D": 86400 * 10**9,
    "W": 7 * 86400 * 10**9,
}  # fmt: skip
_UNIT = re.compile(r"\[(\d*)(\w+)\]")
_DAY_S = 86400
_MAX_TRANSITIONS = 10_000

_DateTime: Any = getattr(_datetime, "datetime")  # noqa: B009  it has no stub
_Timezone: Any = getattr(_datetime, "timezone")  # noqa: B009  the same
_Span: Any = getattr(_datetime, "timedelta")  # noqa: B009  the same
_epoch: Any = _DateTime(1970, 1, 1)


def date_of(days: int) -> str:
    """Returns the date of a number of days since 1970-01-01, as `2024-02-29`, in the Gregorian calendar."""
    days += 719_468  # counted from 1 March of year 0, so that the leap day is the last of its year
    era, day = divmod(days, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    of_month = day - (153 * month + 2) // 5 + 1
    number = month + 3 if month < 10 else month - 9
    return "%04d-%02d-%02d" % (era * 400 + year + (number <= 2), number, of_month)


def moment_text(value: int, unit: str, zone: Any = None) -> str:
    """Returns a time as pandas writes it: `2024-02-29 12:30:00`.

    `unit`: numpy's time unit, such as `[ns]` or `[D]`. `zone`: the time zone to show, or None.
    """
    if value == _NO_TIME:
        return "NaT"
    nanoseconds = _scaled(value, unit)
    if nanoseconds is None:
        return _of_months(value, unit)
    seconds, fraction = divmod(nanoseconds, 10**9)
    suffix = ""
    if zone is not None:
        offset = offset_s(zone, seconds)
        seconds += offset
        size = abs(offset)
        suffix = "%s%02d:%02d" % ("-" if offset < 0 else "+", size // 3600, size // 60 % 60)
        suffix += ":%02d" % (size % 60) if size % 60 else ""  # local times from before time zones existed
    days, rest = divmod(seconds, _DAY_S)
    return "%s %02d:%02d:%02d%s%s" % (
        date_of(days), rest // 3600, rest // 60 % 60, rest % 60, _fraction(fraction), suffix
    )  # fmt: skip


def span_text(value: int, unit: str) -> str:
    """Returns a duration as pandas writes it: `1 days 02:00:00`."""
    if value == _NO_TIME:
        return "NaT"
    nanoseconds = _scaled(value, unit)
    if nanoseconds is None:
        return "%d %s" % (value, _word(unit))
    days, rest = divmod(nanoseconds, _DAY_S * 10**9)
    seconds, fraction = divmod(rest, 10**9)
    clock = "%02d:%02d:%02d%s" % (seconds // 3600, seconds // 60 % 60, seconds % 60, _fraction(fraction))
    return "%d days %s%s" % (days, "+" if days < 0 else "", clock)


def period_text(ordinal: int, frequency: str) -> str:
    """Returns a period as `2024-01`, `2024Q1`, `2024` or `2024-01-31`; other frequencies give only its number."""
    if ordinal == _NO_TIME:
        return "NaT"
    if frequency in ("MonthEnd", "MonthBegin"):
        return "%04d-%02d" % (1970 + ordinal // 12, ordinal % 12 + 1)
    if frequency in ("QuarterEnd", "QuarterBegin"):
        return "%04dQ%d" % (1970 + ordinal // 4, ordinal % 4 + 1)
    if frequency in ("YearEnd", "YearBegin"):
        return "%04d" % (1970 + ordinal)
    if frequency == "Day":
        return date_of(ordinal)
    if frequency == "Hour":
        return "%s %02d:00" % (date_of(ordinal // 24), ordinal % 24)
    return "period %d" % ordinal


def offset_s(zone: Any, seconds: int) -> int:
    """Returns a time zone's offset in seconds east of UTC at a time; 0 for unknown zones, shown as `+00:00`."""
    cls = type(zone)
    try:
        if cls is _Timezone or (made_in_c(cls) and cls.__name__ == "ZoneInfo"):
            moment = _DateTime(1970, 1, 1, tzinfo=zone) if cls is _Timezone else _shifted(zone, seconds)
            return _seconds(moment.utcoffset())
        return _of_pytz(zone, seconds)
    except (ValueError, OverflowError, TypeError, AttributeError, IndexError):
        return 0


def _shifted(zone: Any, seconds: int) -> Any:
    """Returns the local time of a moment in a ZoneInfo, whose `fromutc` is C code."""
    moment = _epoch + _Span(seconds=seconds)
    return zone.fromutc(moment.replace(tzinfo=zone))


def _of_pytz(zone: Any, seconds: int) -> int:
    """Returns the offset in seconds at a moment, from the tables of a pytz zone."""
    fixed = stored(zone).get("_offset", lookup(type(zone), "_utcoffset"))
    times, facts = lookup(type(zone), "_utc_transition_times"), lookup(type(zone), "_transition_info")
    if type(times) is list and type(facts) is list and len(times) == len(facts) <= _MAX_TRANSITIONS:
        if not all(type(time) is _DateTime for time in times):
            return 0
        at = bisect_right(times, _epoch + _Span(seconds=seconds)) - 1
        return _seconds(facts[max(0, at)][0])
    return _seconds(fixed)


def _seconds(offset: Any) -> int:
    return offset.days * _DAY_S + offset.seconds if type(offset) is _Span else 0


def _scaled(value: int, unit: str) -> int | None:
    """Returns the value in nanoseconds; None for months and years, which have no fixed length."""
    found = _UNIT.search(unit)
    times, word = (found.group(1), found.group(2)) if found else ("", unit)
    size = _NANOSECONDS.get(word)
    return None if size is None else value * size * int(times or 1)


def _of_months(value: int, unit: str) -> str:
    word = _word(unit)
    if word == "Y":
        return "%04d" % (1970 + value)
    return "%04d-%02d" % (1970 + value // 12, value % 12 + 1) if word == "M" else "%d %s" % (value, word)


def _word(unit: str) -> str:
    found = _UNIT.search(unit)
    return found.group(2) if found else unit


def without_midnight(texts: list[str]) -> list[str]:
    """Removes the time from all timestamps if it is midnight in each, as pandas does in a column."""
    if all(text.endswith(" 00:00:00") or text == "NaT" for text in texts):
        return [text.replace(" 00:00:00", "") for text in texts]
    return texts


def _fraction(nanoseconds: int) -> str:
    if not nanoseconds:
        return ""
    digits = "%09d" % nanoseconds
    return "." + (digits if nanoseconds % 1000 else digits[:6])
