"""JSON for other programs: one object a line, as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click
import msgspec

from dap_ai.protocol.wire.visible import in_json


def print_json(objects: Iterable[Any]) -> int:
    """Each on its line at once, what would act on a terminal as JSON escapes; how many there were."""
    count = 0
    for count, value in enumerate(objects, 1):  # noqa: B007  counted
        click.echo(in_json(_json(value)))
    return count


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a half character, which no UTF-8 has
        return json.dumps(msgspec.to_builtins(value))
