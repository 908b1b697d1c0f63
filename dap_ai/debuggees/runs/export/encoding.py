"""Helpers that the exports share: JSON encoding, times, totals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

import msgspec

from dap_ai.debuggees.runs.readers.json_shapes import total
from dap_ai.debuggees.runs.run_model import Event, Run, TokenUsage

_HALF = re.compile("[\ud800-\udfff]")


def encoded(value: Any, *, indent: int = 1) -> bytes:
    """Return the value as JSON in UTF-8.

    Lone surrogates become U+FFFD, because UTF-8 cannot encode them.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        data = msgspec.json.encode(json.loads(_HALF.sub("\ufffd", text)))
    return msgspec.json.format(data, indent=indent) + b"\n"


def start_of(run: Run) -> datetime | None:
    """Return the time at which the run started, or None if it is missing or invalid. The default time zone is UTC."""
    try:
        start = datetime.fromisoformat(run.started.replace("Z", "+00:00"))
    except ValueError:
        return None
    return start if start.tzinfo else start.replace(tzinfo=timezone.utc)


def moment(start: datetime | None, event: Event) -> datetime | None:
    """Return the time of an event, or None if the run's start or the event's time is unknown."""
    if start is None or event.at_s is None:
        return None
    try:
        return start + timedelta(seconds=event.at_s)
    except (OverflowError, ValueError):
        return None


def total_usage(events: Iterable[Event]) -> TokenUsage:
    """Return the token usage and cost summed over all events.

    A value that no event records is None.
    """
    usages = [event.usage for event in events if event.usage]
    return TokenUsage(
        input_tokens=total(usage.input_tokens for usage in usages),
        cached_tokens=total(usage.cached_tokens for usage in usages),
        output_tokens=total(usage.output_tokens for usage in usages),
        cost_usd=total(usage.cost_usd for usage in usages),
    )


def without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are neither None nor empty."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, ())}


def arguments_of(call: Event) -> dict[str, Any]:
    """Return a call's arguments. For a call with only a command text, returns `{"command": ...}`."""
    if call.arguments is not None:
        return dict(call.arguments)
    return {"command": call.text} if call.text else {}


def name_of(run: Run) -> str:
    """Return the last part of the run's path."""
    return run.root.replace("\\", "/").rstrip("/").rpartition("/")[2] or run.format
