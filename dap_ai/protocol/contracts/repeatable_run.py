"""What of a program can be run again to its stop, so that the moments before it can be gone back to."""

from __future__ import annotations

import msgspec

from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.safe import Safe


class Recalled(msgspec.Struct):
    """A run that has come to the stop. Good for as long as the stop."""

    query: SnapshotQuery
    """It again: with another Rewind, it ends elsewhere."""
    words: str
    """What is run again."""
    rewound: Rewound
    within: bool = False
    """The program stands within the line of its last moment; else before it, at the moment itself."""


class UnrepeatableError(Exception):
    """Why the program cannot be run again to this stop: a clause."""


class NoPast(msgspec.Struct):
    """Why there is none, in a sentence."""

    text: Safe
