"""What an agent may do to a program, each time with the user's confirmation, at the level `mutate` only. In memory."""

from __future__ import annotations

from typing import Literal

import msgspec

from dap_ai.protocol.contracts.asking import Stop
from dap_ai.protocol.contracts.tools import ContinueTo, Execute, SetBreakpoint, SetVariable, Step

Action = Step | ContinueTo | SetBreakpoint | Execute | SetVariable
"""What a tool of the same name takes; the `frame` of it counts for the tool, here the frame's id is given beside it."""


class Done(msgspec.Struct, frozen=True):
    """What came of an action."""

    result: str = ""
    """Of an evaluation or an assignment; of a breakpoint, what the backend says of it."""
    stop: Stop | None = None
    """Where the program stands now; None: it still runs, or has ended."""
    ended: bool = False


class Consent(msgspec.Struct, frozen=True):
    """What the user said, or did not say."""

    allowed: bool
    how: Literal["once", "session", "denied", "timeout", "unseen", "unsafe"]
