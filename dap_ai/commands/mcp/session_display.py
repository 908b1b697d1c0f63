"""What a session of the server's own says beside its answers: kept, for the result of the call that started it."""

from __future__ import annotations

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.display import RunDisplay
from dap_ai.protocol.wire.ask_messages import AskEnded
from dap_ai.protocol.wire.safe import Safe, SafeFields
from dap_ai.system.texts import fenced

_OUTPUT_BYTES = 64_000
_SHOWN_CHARS = 800


class SessionDisplay(RunDisplay[Safe, SafeFields]):
    """A display whose reader is a model, later: its answers say the rest. `masker`: the session's."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._notes: list[Safe] = []
        self._output = b""

    def note(self, text: Safe) -> None:
        """A line about the run, once."""
        if text and text not in self._notes:
            self._notes.append(text)

    def notes(self) -> list[Safe]:
        """Those that were not given out before."""
        notes, self._notes = self._notes, []
        return notes

    def output(self) -> Safe:
        """The end of what the program wrote, without secrets."""
        text = self._masker.mask(self._output.decode(errors="replace")).strip()
        if not text:
            return ""
        head, tail = ("... ", text[-_SHOWN_CHARS:]) if len(text) > _SHOWN_CHARS else ("", text)
        return self._masker.mask(f"Its output ends:\n{fenced(head + tail, '')}")

    def program_output(self, category: str, data: bytes) -> None:
        """Called from threads: one at a time for each stream, and lost is nothing that is shown."""
        del category
        self._output = (self._output + data)[-_OUTPUT_BYTES:]

    def status(self, text: Safe) -> None:
        """A note."""
        self.note(text)

    def error(self, text: Safe) -> None:
        """A note."""
        self.note(text)

    def ask_ended(self, ended: AskEnded) -> None:
        """An answer that a target gives itself, where nothing could be stopped."""
        self.note(self._masker.mask(ended.answer))
