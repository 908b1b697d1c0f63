"""The options of a run of `dap-ai ask`, and its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from dap_ai.commands.options.command_line import BreakpointOption
from dap_ai.protocol.wire.ask_messages import AskCaught, Level

ANSWERED, NO_STOP, BACKEND_FAILED = 0, 1, 3
"""Exit codes of `dap-ai ask`; the code is 2 for a usage error and 128 + n for an end by signal n."""


class RunOptions(msgspec.Struct, frozen=True):
    """The options of a run that do not depend on the kind of target."""

    question: str
    level: Level
    breakpoints: Sequence[BreakpointOption]
    exceptions: Sequence[str]
    show_context: bool = False
    show_masked: bool = False
    """Whether to list the masked values after each answer."""
    then: Literal["continue", "quit"] = "continue"
    each_stop: bool = False
    chat: bool = False
    """Whether the user can enter further questions and commands after an answer."""
    export: Path | None = None
    """The file to write the conversation to at the end of the run."""
    wire_log: Path | None = None
    """The file to record the debug session in."""
    verbose: bool = False
    hold: bool = False
    """Whether to hold the program at its first line until the user continues it."""


class AskOutcome(msgspec.Struct):
    """The outcome of a run of `dap-ai ask`."""

    answered: bool = False
    failed: bool = False
    signal_number: int = 0
    """The number of the signal that ended the run early; 0 if no signal did."""
    program_status: int | None = None
    """The program's exit status as a shell reports it; None if its end was not observed."""

    @property
    def killed(self) -> bool:
        """Whether the run did not end normally, so that the program may have left changed terminal modes."""
        return bool(self.signal_number) or self.program_status is None or self.program_status > 128

    def status(self) -> int:
        """The exit code of `dap-ai ask`."""
        if self.signal_number:
            return 128 + self.signal_number
        if self.failed:
            return BACKEND_FAILED
        return ANSWERED if self.answered else NO_STOP


def why_caught(caught: AskCaught, exceptions: Sequence[str]) -> str:
    """Explain why there was no stop in a program that caught an exception and reported it."""
    text = f"Nothing stopped: {caught.type} at {Path(caught.file).name}:{caught.line} was caught and reported."
    if caught.filter in exceptions or "raised" in exceptions:
        return text
    return f"{text} To stop there, with all values: --exception {caught.filter}."
