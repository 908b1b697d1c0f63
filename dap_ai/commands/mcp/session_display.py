"""Collects the messages of a debug session that the MCP server started, to add them to a tool's result."""

from __future__ import annotations

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.display import RunDisplay
from dap_ai.protocol.wire.ask_messages import AskEnded
from dap_ai.protocol.wire.safe import Safe, SafeFields
from dap_ai.system.texts import fenced

_OUTPUT_BYTES = 64_000
_SHOWN_CHARS = 800


class SessionDisplay(RunDisplay[Safe, SafeFields]):
    """A display that keeps notes and output of a run for a model to read later.

    `masker` is the session's masker.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._notes: list[Safe] = []
        self._output = b""

    def note(self, text: Safe) -> None:
        """Add a note about the run, unless the same note is already kept."""
        if text and text not in self._notes:
            self._notes.append(text)

    def notes(self) -> list[Safe]:
        """Return the notes that were added since the last call of this method."""
        notes, self._notes = self._notes, []
        return notes

    def output(self) -> Safe:
        """Return the end of the program's output, masked; empty if there was no output."""
        text = self._masker.mask(self._output.decode(errors="replace")).strip()
        if not text:
            return ""
        head, tail = ("... ", text[-_SHOWN_CHARS:]) if len(text) > _SHOWN_CHARS else ("", text)
        return self._masker.mask(f"Its output ends:\n{fenced(head + tail, '')}")

    def program_output(self, category: str, data: bytes) -> None:
        """Append program output; called from threads, at most one at a time per stream."""
        del category
        self._output = (self._output + data)[-_OUTPUT_BYTES:]

    def status(self, text: Safe) -> None:
        """Keep a status line as a note."""
        self.note(text)

    def error(self, text: Safe) -> None:
        """Keep an error as a note."""
        self.note(text)

    def ask_ended(self, ended: AskEnded) -> None:
        """Keep an answer that a target itself gives if nothing could be stopped."""
        self.note(self._masker.mask(ended.answer))
