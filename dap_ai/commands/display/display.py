"""What a run shows; the terminal and the JSON lines each do it their way."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, Masked, Usage
from dap_ai.protocol.wire.safe import Safe, SafeFields

Text_contra = TypeVar("Text_contra", contravariant=True)
Body_contra = TypeVar("Body_contra", contravariant=True)


class RunDisplay(Protocol[Text_contra, Body_contra]):
    """Told of all that happens in a run, in order. No method blocks for longer than its writing takes.

    A display that inherits from it writes what it shows; of the rest it shows nothing.
    """

    def command(self, command_line: Text_contra) -> None:
        """The program is about to run."""

    def stopped(self, body: Body_contra) -> None:
        """The program has stopped; `body` is the event's."""

    def waiting(self, text: Text_contra) -> None:
        """Nothing to show yet, and why; until the next call of anything."""

    def status(self, text: Text_contra) -> None:
        """A line about the run itself."""

    def reply(self, text: Text_contra) -> None:
        """What a command of the debugger's has found; a line or more."""

    def ask_output(self, output: AskOutput) -> None:
        """A piece of the answer, a step or a status."""

    def approval(self, wanted: AskApproval) -> None:
        """The answer waits for the user's confirmation to an action."""

    def ask_ended(self, ended: AskEnded) -> None:
        """The answer is complete."""

    def prompting(self) -> None:
        """The user is about to be asked for a line."""

    def spent(self, questions: int, usage: Usage) -> None:
        """What a chat of several questions has cost as a whole."""

    def context(self, text: Text_contra) -> None:
        """The first context, which `--show-context` asks for."""

    def masked(self, rows: list[Masked]) -> None:
        """What was masked, which `--show-masked` asks for."""

    def program_output(self, category: str, data: bytes) -> None:
        """Bytes that the program wrote, where it does not write them to the terminal itself."""

    def exited(self, exit_code: int, text: Text_contra) -> None:
        """The program has ended; `text` says how."""

    def error(self, text: Text_contra) -> None:
        """Something that the user must act on."""

    def close(self) -> None:
        """Nothing more comes."""


Display = RunDisplay[str, dict[str, Any]]
"""What is told anything: it masks it."""
SafeDisplay = RunDisplay[Safe, SafeFields]
"""What shows it."""
