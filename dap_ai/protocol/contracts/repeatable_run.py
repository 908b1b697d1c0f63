"""Reruns of a program to its stop, to go back to earlier moments."""

from __future__ import annotations

import msgspec

from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.safe import Safe


class Recalled(msgspec.Struct):
    """A run that reached the stop. Valid until the stop ends."""

    query: SnapshotQuery
    """The query that repeats the run; with another Rewind, that run ends elsewhere."""
    words: str
    """Description of what is rerun."""
    rewound: Rewound
    within: bool = False
    """Whether the program stopped within the line of its last moment, not before that line."""


class UnrepeatableError(Exception):
    """Why the program cannot be rerun to this stop, as a clause."""


class NoPast(msgspec.Struct):
    """Why earlier moments cannot be shown, as a sentence."""

    text: Safe
