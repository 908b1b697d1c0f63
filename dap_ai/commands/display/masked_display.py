"""Masks secrets in the text that `dap-ai ask` itself shows: command line, reason for a stop, errors, export.

The agent masks its answers with the same Masker. Two things are not masked: the program's own output, and an action
that needs the user's consent, because the user must see exactly what the agent would do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dap_ai.agent.loop.transcript_file import write_private
from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.display import SafeDisplay
from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, Masked, Usage
from dap_ai.system import texts

_BEFORE_READING = frozenset({"stackTrace", "threads", "exceptionInfo"})
"""Names of the agent's steps that read no values, so that the secrets are not known after them."""
_WORDS = {"known": "named as one in the program"}
"""Readable descriptions of masking rules, by the rule's internal name."""


class MaskedDisplay:
    """A display that masks text with the session's `masker` and passes it to another display.

    The reason for a stop at an exception is shown after a delay, once the agent has read the reason and knows which
    parts are secret.
    """

    def __init__(self, display: SafeDisplay, masker: Masker) -> None:
        self._display = display
        self.masker = masker
        self._held: list[Callable[[], None]] = []

    def write(self, file: Path, text: str) -> None:
        """Write a text to a file of the user's, masked. Raises OSError."""
        write_private(file, self.masker.mask(text))

    # Methods of dap_ai.commands.display.display.Display, with their text masked.

    def command(self, command_line: str) -> None:  # noqa: D102
        self._shown.command(self.masker.mask(command_line))

    def stopped(self, body: dict[str, Any]) -> None:  # noqa: D102
        if body.get("reason") == "exception":
            self._held.append(lambda: self._stopped(body))
        else:
            self._release()
            self._stopped(body)

    def waiting(self, text: str) -> None:  # noqa: D102
        self._display.waiting(self.masker.mask(text))

    def status(self, text: str) -> None:  # noqa: D102
        self._shown.status(self.masker.mask(text))

    def reply(self, text: str) -> None:  # noqa: D102
        self._shown.reply(self.masker.mask(text))

    def ask_output(self, output: AskOutput) -> None:  # noqa: D102
        if self._held and (output.category == "status" or (output.tool and output.tool.name in _BEFORE_READING)):
            self._held.append(lambda: self._display.ask_output(output))
        else:
            self._shown.ask_output(output)

    def approval(self, wanted: AskApproval) -> None:  # noqa: D102
        self._shown.approval(wanted)

    def ask_ended(self, ended: AskEnded) -> None:  # noqa: D102
        self._shown.ask_ended(ended)

    def prompting(self) -> None:  # noqa: D102
        self._shown.prompting()

    def spent(self, questions: int, usage: Usage) -> None:  # noqa: D102
        self._shown.spent(questions, usage)

    def context(self, text: str) -> None:  # noqa: D102
        self._shown.context(self.masker.mask(text))

    def masked(self, rows: list[Masked]) -> None:  # noqa: D102
        self._shown.masked(rows)

    def program_output(self, category: str, data: bytes) -> None:  # noqa: D102
        self._display.program_output(category, data)

    def exited(self, exit_code: int, text: str) -> None:  # noqa: D102
        self._shown.exited(exit_code, self.masker.mask(text))

    def error(self, text: str) -> None:  # noqa: D102
        self._shown.error(self.masker.mask(text))

    def close(self) -> None:  # noqa: D102
        self._shown.close()

    @property
    def _shown(self) -> SafeDisplay:
        """The wrapped display; reading this first shows everything that was held back."""
        self._release()
        return self._display

    def _release(self) -> None:
        held, self._held = self._held, []
        for show in held:
            show()

    def _stopped(self, body: dict[str, Any]) -> None:
        self._display.stopped(self.masker.mask_fields(body))


def counted(rows: list[Masked]) -> str:
    """Describe the number of secrets as `3 secrets masked`; empty if nothing was masked."""
    count = len({row.placeholder for row in rows})
    return f"{texts.counted(count, 'secret')} masked" if count else ""


def listed(rows: list[Masked]) -> list[str]:
    """Return one line per secret: its placeholder, how often it occurred, and the rules that matched it."""
    times: dict[str, int] = {}
    rules: dict[str, list[str]] = {}
    for row in rows:
        times[row.placeholder] = times.get(row.placeholder, 0) + row.times
        rules.setdefault(row.placeholder, []).append(_WORDS.get(row.rule, row.rule))
    return [f"{p}  {texts.counted(n, 'time')}  ({', '.join(rules[p])})" for p, n in times.items()]
