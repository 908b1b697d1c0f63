"""What is wanted of a run of `dap-ai ask`, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from dap_ai.commands.options.command_line import BreakpointOption
from dap_ai.protocol.wire.ask_messages import AskCaught, Level

ANSWERED, NO_STOP, BACKEND_FAILED = 0, 1, 3
"""Exit codes of `dap-ai ask`; a usage error is 2, an end by signal n is 128 + n."""


class RunOptions(msgspec.Struct, frozen=True):
    """What the user wants of the run, whatever it is about."""

    question: str
    level: Level
    breakpoints: Sequence[BreakpointOption]
    exceptions: Sequence[str]
    show_context: bool = False
    show_masked: bool = False
    """After each answer, what was masked is listed."""
    then: Literal["continue", "quit"] = "continue"
    each_stop: bool = False
    chat: bool = False
    """After an answer, lines of the user's say what comes next."""
    export: Path | None = None
    """Where the conversation is written at the end."""
    wire_log: Path | None = None
    """Where the debug session is recorded."""
    verbose: bool = False
    hold: bool = False
    """The program is held at its first line, for its user to say what comes next."""


class AskOutcome(msgspec.Struct):
    """How a run ended."""

    answered: bool = False
    failed: bool = False
    signal_number: int = 0
    """The signal that ended it early."""
    program_status: int | None = None
    """As a shell gives it; None if the program was not seen to end."""

    @property
    def killed(self) -> bool:
        """Whether the program had no chance to put the terminal in order."""
        return bool(self.signal_number) or self.program_status is None or self.program_status > 128

    def status(self) -> int:
        """The exit code of `dap-ai ask`."""
        if self.signal_number:
            return 128 + self.signal_number
        if self.failed:
            return BACKEND_FAILED
        return ANSWERED if self.answered else NO_STOP


def why_caught(caught: AskCaught, exceptions: Sequence[str]) -> str:
    """The same where the program caught an exception and reported it."""
    text = f"Nothing stopped: {caught.type} at {Path(caught.file).name}:{caught.line} was caught and reported."
    if caught.filter in exceptions or "raised" in exceptions:
        return text
    return f"{text} To stop there, with all values: --exception {caught.filter}."
