"""What evaluating an expression in a snapshot brings back: a copy of the debuggee was asked, and has ended."""

from __future__ import annotations

import msgspec

from dap_ai.protocol.inspection import Value


class SnapshotResult(msgspec.Struct, omit_defaults=True):
    """One evaluation. Nothing of what the expression did has reached the debuggee, its files or the network."""

    status: str
    """ "ok"; "raised" (see `error`); "deadline": it was ended unfinished; "unavailable: ..." with the reason."""
    value: Value | None = None
    error: str = ""
    """`ValueError: not enough money`."""
    printed: str = ""
    """What it wrote to stdout and stderr, in order; bounded."""
    printed_truncated: bool = False
    effects: list[str] = []
    """What it tried to do outside of the process's own memory, and was not let: `os.remove '/tmp/x'`; bounded."""
    milliseconds: float = 0.0
    """From the request's arrival in the debuggee to the answer."""
