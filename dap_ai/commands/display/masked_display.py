"""What `dap-ai ask` itself says is masked too: the command line, why the program stopped, errors, the export.

The answer comes masked from the agent, by the same Masker. What the program writes is its own, and stays as it is; an
action that the user is asked about must be seen as it would be done.
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
"""Steps that tell of no value: what is secret is not known yet."""
_WORDS = {"known": "named as one in the program"}
"""Rules whose names say nothing to a user."""


class MaskedDisplay:
    """See display.Display; `masker`: the session's.

    Why the program stopped is shown a moment later, once the agent has read it and knows what in it is secret.
    """

    def __init__(self, display: SafeDisplay, masker: Masker) -> None:
        self._display = display
        self.masker = masker
        self._held: list[Callable[[], None]] = []

    def write(self, file: Path, text: str) -> None:
        """A file of the user's. Raises OSError."""
        write_private(file, self.masker.mask(text))

    # Each as in dap_ai.commands.display.display.Display.

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
        """The display, once what was held is shown."""
        self._release()
        return self._display

    def _release(self) -> None:
        held, self._held = self._held, []
        for show in held:
            show()

    def _stopped(self, body: dict[str, Any]) -> None:
        self._display.stopped(self.masker.mask_fields(body))


def counted(rows: list[Masked]) -> str:
    """`3 secrets masked`; empty: none."""
    count = len({row.placeholder for row in rows})
    return f"{texts.counted(count, 'secret')} masked" if count else ""


def listed(rows: list[Masked]) -> list[str]:
    """A line for each secret: what stands for it, how often, and why it was taken for one."""
    times: dict[str, int] = {}
    rules: dict[str, list[str]] = {}
    for row in rows:
        times[row.placeholder] = times.get(row.placeholder, 0) + row.times
        rules.setdefault(row.placeholder, []).append(_WORDS.get(row.rule, row.rule))
    return [f"{p}  {texts.counted(n, 'time')}  ({', '.join(rules[p])})" for p, n in times.items()]
