"""What each tool takes: the `arguments` of `askTool`, and what a model's tool calls must fit. docs/protocol.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec


class Evaluate(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `evaluate`."""

    expression: str


class Trace(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `trace`."""

    expression: str
    """Usually a call."""


class Slice(msgspec.Struct, forbid_unknown_fields=True):
    """Arguments of `slice`."""

    expression: str
    """A name, an attribute, a subscript: whose value is to be explained."""


class LineEdit(msgspec.Struct, forbid_unknown_fields=True):
    """A change of whole lines, 1-based, `first` to `last` inclusive; `last` = `first` - 1 inserts before `first`."""

    file: str
    """Absolute, or its end: `shop/prices.py`."""
    first: int
    last: int
    text: str
    """Instead of these lines; empty: without them."""


class TryFix(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Arguments of `try_fix`: the edits, and what must pass with them."""

    edits: list[LineEdit]
    check: str = ""
    """An expression that must be true, or statements that must not raise, in the frame; empty: what failed."""
    frame_id: int | None = None
    """For `check`; None: the frame that the question is about."""
    deadline_s: Annotated[float, msgspec.Meta(gt=0, le=30)] = 10.0


ToolArguments = Evaluate | Trace | Slice | TryFix

TOOLS: Mapping[str, type[ToolArguments]] = {"evaluate": Evaluate, "trace": Trace, "slice": Slice, "try_fix": TryFix}
"""Every tool, by name."""
