"""Reruns of a program up to the current stop, from which the user can go back to earlier moments."""

from __future__ import annotations

import msgspec

from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.safe import Safe


class Recalled(msgspec.Struct):
    """A rerun that reached the current stop. It is valid until the program resumes."""

    query: SnapshotQuery
    """The query that repeats the run. With another Rewind in the query, the run ends at another moment."""
    words: str
    """Description of the code that is rerun."""
    rewound: Rewound
    within: bool = False
    """Whether the program stopped in the middle of its last moment's line. If False, it stopped before that line."""


class UnrepeatableError(Exception):
    """The program cannot be rerun to this stop. The message is a clause that states why."""


class NoPast(msgspec.Struct):
    """A sentence that states why earlier moments cannot be shown."""

    text: Safe
