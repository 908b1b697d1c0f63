"""Collects the messages of a session that the server started, for the result of the call that started it."""

from __future__ import annotations

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.display import RunDisplay
from dap_ai.protocol.wire.ask_messages import AskEnded
from dap_ai.protocol.wire.safe import Safe, SafeFields
from dap_ai.system.texts import fenced

_OUTPUT_BYTES = 64_000
_SHOWN_CHARS = 800


class SessionDisplay(RunDisplay[Safe, SafeFields]):
    """A display that keeps notes and output for a model to read later. `masker`: the session's masker."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._notes: list[Safe] = []
        self._output = b""

    def note(self, text: Safe) -> None:
        """Add a note about the run, unless it is already there."""
        if text and text not in self._notes:
            self._notes.append(text)

    def notes(self) -> list[Safe]:
        """Return the notes since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def output(self) -> Safe:
        """Return the end of the program's output, masked; empty if there is none."""
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
        """Add a note."""
        self.note(text)

    def error(self, text: Safe) -> None:
        """Add a note."""
        self.note(text)

    def ask_ended(self, ended: AskEnded) -> None:
        """Add an answer that a target gives itself if nothing could be stopped."""
        self.note(self._masker.mask(ended.answer))
