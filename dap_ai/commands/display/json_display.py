"""Output for `--json`: one JSON object per line, which is an event's body with its name under the key `event`.

docs/protocol.md describes the events.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec

from dap_ai.commands.display.display import RunDisplay
from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, Masked, Usage
from dap_ai.protocol.wire.safe import Safe, SafeFields
from dap_ai.protocol.wire.visible import all_visible, in_json

_encode = msgspec.json.Encoder().encode


class Utf8Cutter:
    """Decodes a byte stream as UTF-8 piece by piece, without splitting a character."""

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes, *, final: bool = False) -> str | bytes:
        """Decode the next bytes of the stream; return text, or bytes if they are not UTF-8.

        `final`: no more data follows.
        """
        data = self._tail + data
        self._tail = b""
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data" or final:
                return data
            self._tail = data[error.start :]
            return data[: error.start].decode()


class JsonLines(RunDisplay[Safe, SafeFields]):
    """Shows a run as JSON lines, for a program to read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._cutters = {"stdout": Utf8Cutter(), "stderr": Utf8Cutter()}

    def command(self, command_line: Safe) -> None:
        """Write an event `command`: the command line that is about to run."""
        self._tell("command", {"commandLine": command_line})

    def stopped(self, body: SafeFields) -> None:
        """Write an event `stopped`: the program has stopped."""
        self._tell("stopped", body)

    def status(self, text: Safe) -> None:
        """Write an event `status`: a line about the run."""
        self._tell("status", {"text": text})

    def reply(self, text: Safe) -> None:
        """Write an event `reply`: the output of a debugger command."""
        self._tell("reply", {"text": text})

    def ask_output(self, output: AskOutput) -> None:
        """Write an event `askOutput`: a piece of the answer, a step or a status."""
        self._write("askOutput", msgspec.to_builtins(output))

    def approval(self, wanted: AskApproval) -> None:
        """Write an event `askApproval`: an action that needs the user's consent."""
        self._write("askApproval", msgspec.to_builtins(wanted))

    def ask_ended(self, ended: AskEnded) -> None:
        """Write an event `askEnded`: the end of an answer."""
        self._write("askEnded", msgspec.to_builtins(ended))

    def spent(self, questions: int, usage: Usage) -> None:
        """Write an event `spent`: the total cost of a chat."""
        self._write("spent", {"questions": questions, "usage": msgspec.to_builtins(usage)})

    def context(self, text: Safe) -> None:
        """Write an event `context`: the context of the first question."""
        self._tell("context", {"context": text})

    def masked(self, rows: list[Masked]) -> None:
        """Write an event `masked`: the values that were masked."""
        self._write("masked", {"masked": msgspec.to_builtins(rows)})

    def program_output(self, category: str, data: bytes) -> None:
        """Write an event `output` with what the program wrote; empty `data` is the end of the stream.

        The event's field is `output` for UTF-8 text, and `base64` for other bytes.
        """
        if piece := self._cutters[category].feed(data, final=not data):
            text = {"output": piece} if isinstance(piece, str) else {"base64": base64.b64encode(piece).decode()}
            self._write("output", {"category": category, **text})

    def exited(self, exit_code: int, text: Safe) -> None:
        """Write an event `exited`: the program has ended."""
        self._tell("exited", {"exitCode": exit_code, "text": text})

    def error(self, text: Safe) -> None:
        """Write an event `error`: an error that the user must act on."""
        self._tell("error", {"text": text})

    def _tell(self, event: str, body: Mapping[str, Any]) -> None:
        """Write a text of dap_ai's own, with control characters made visible.

        In answers, control characters are visible already; the program's output stays unchanged.
        """
        self._write(event, all_visible(body))

    def _write(self, event: str, body: Mapping[str, Any]) -> None:
        self._stream.write(in_json(_encode({"event": event, **body}).decode()).encode() + b"\n")
        self._stream.flush()
