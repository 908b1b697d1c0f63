"""What an agent may do to a program, each time with the user's consent, at the level `mutate` only. In memory."""

from __future__ import annotations

from typing import Literal

import msgspec

from dap_ai.protocol.asking import Stop

Resume = Literal["next", "stepIn", "stepOut", "continue"]


class Step(msgspec.Struct, frozen=True):
    """Let the stopped thread go on, until it stops anew."""

    how: Resume = "next"


class ContinueTo(msgspec.Struct, frozen=True):
    """Go on until this line is reached, or the program stops or ends elsewhere. 1-based."""

    file: str
    line: int


class SetBreakpoint(msgspec.Struct, frozen=True):
    """Add one, beside the user's; it is removed when the ask ends. 1-based."""

    file: str
    line: int
    condition: str = ""


class Execute(msgspec.Struct, frozen=True):
    """Evaluate in the program itself, not in a copy."""

    expression: str
    frame_id: int


class SetVariable(msgspec.Struct, frozen=True):
    """Give a variable, an attribute or an item of the frame a new value; both are source text."""

    expression: str
    value: str
    frame_id: int


Action = Step | ContinueTo | SetBreakpoint | Execute | SetVariable


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
