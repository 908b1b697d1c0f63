"""The interface through which a run shows its progress; there are displays for a terminal and for JSON lines."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, Masked, Usage
from dap_ai.protocol.wire.safe import Safe, SafeFields

Text_contra = TypeVar("Text_contra", contravariant=True)
Body_contra = TypeVar("Body_contra", contravariant=True)


class RunDisplay(Protocol[Text_contra, Body_contra]):
    """Shows everything that happens in a run, in order. Methods block only while they write.

    The inherited methods show nothing; a display overrides the methods for events that it shows.
    """

    def command(self, command_line: Text_contra) -> None:
        """Show the command line that is about to run."""

    def stopped(self, body: Body_contra) -> None:
        """Show that the program has stopped; `body` is the body of the event `stopped`."""

    def waiting(self, text: Text_contra) -> None:
        """Show what the run is waiting for, until the next call of any method."""

    def status(self, text: Text_contra) -> None:
        """Show a status line about the run itself, not about the program."""

    def reply(self, text: Text_contra) -> None:
        """Show the output of a debugger command, one or more lines."""

    def ask_output(self, output: AskOutput) -> None:
        """Show a piece of the agent's output: a part of the answer, a step or a status."""

    def approval(self, wanted: AskApproval) -> None:
        """Show an action that needs the user's consent."""

    def ask_ended(self, ended: AskEnded) -> None:
        """Show the end of an answer."""

    def prompting(self) -> None:
        """Prepare the output for a prompt at which the user enters a line."""

    def spent(self, questions: int, usage: Usage) -> None:
        """Show the total cost of a chat's questions."""

    def context(self, text: Text_contra) -> None:
        """Show the context of the first question, for `--show-context`."""

    def masked(self, rows: list[Masked]) -> None:
        """Show which values were masked, for `--show-masked`."""

    def program_output(self, category: str, data: bytes) -> None:
        """Show bytes that the program wrote; called only if the program does not write to the terminal itself."""

    def exited(self, exit_code: int, text: Text_contra) -> None:
        """Show that the program has ended; `text` describes how."""

    def error(self, text: Text_contra) -> None:
        """Show an error that the user must act on."""

    def close(self) -> None:
        """Finish the output; the last method that is called."""


Display = RunDisplay[str, dict[str, Any]]
"""A display that takes unmasked text and masks it."""
SafeDisplay = RunDisplay[Safe, SafeFields]
"""A display that takes only masked text."""
