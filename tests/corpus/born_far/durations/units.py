"""Durations."""

import re

_FORM = re.compile(r"(?:(\d+)m)?(\d+)s")


def seconds(text):
    """The seconds of `1m30s`."""
    match = _FORM.fullmatch(text)
    if match:
        return int(match[1] or 0) * 60 + int(match[2])
