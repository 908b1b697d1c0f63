"""Output for `--json`: one JSON object per line, an event's body with its name as `event`. See docs/protocol.md."""

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
        """Return the text decoded so far, or bytes if they are not UTF-8. `final`: no more data follows."""
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
    """Writes the events of a run as JSON lines, for a program to read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._cutters = {"stdout": Utf8Cutter(), "stderr": Utf8Cutter()}

    def command(self, command_line: Safe) -> None:
        """Write an event `command`."""
        self._tell("command", {"commandLine": command_line})

    def stopped(self, body: SafeFields) -> None:
        """Write an event `stopped`."""
        self._tell("stopped", body)

    def status(self, text: Safe) -> None:
        """Write an event `status`."""
        self._tell("status", {"text": text})

    def reply(self, text: Safe) -> None:
        """Write an event `reply`."""
        self._tell("reply", {"text": text})

    def ask_output(self, output: AskOutput) -> None:
        """Write an event `askOutput`."""
        self._write("askOutput", msgspec.to_builtins(output))

    def approval(self, wanted: AskApproval) -> None:
        """Write an event `askApproval`."""
        self._write("askApproval", msgspec.to_builtins(wanted))

    def ask_ended(self, ended: AskEnded) -> None:
        """Write an event `askEnded`."""
        self._write("askEnded", msgspec.to_builtins(ended))

    def spent(self, questions: int, usage: Usage) -> None:
        """Write an event `spent`."""
        self._write("spent", {"questions": questions, "usage": msgspec.to_builtins(usage)})

    def context(self, text: Safe) -> None:
        """Write an event `context`."""
        self._tell("context", {"context": text})

    def masked(self, rows: list[Masked]) -> None:
        """Write an event `masked`."""
        self._write("masked", {"masked": msgspec.to_builtins(rows)})

    def program_output(self, category: str, data: bytes) -> None:
        """Write an event `output`: text as `output`, bytes that are not UTF-8 as `base64`.

        Empty `data` means that the stream has ended.
        """
        if piece := self._cutters[category].feed(data, final=not data):
            text = {"output": piece} if isinstance(piece, str) else {"base64": base64.b64encode(piece).decode()}
            self._write("output", {"category": category, **text})

    def exited(self, exit_code: int, text: Safe) -> None:
        """Write an event `exited`."""
        self._tell("exited", {"exitCode": exit_code, "text": text})

    def error(self, text: Safe) -> None:
        """Write an event `error`."""
        self._tell("error", {"text": text})

    def _tell(self, event: str, body: Mapping[str, Any]) -> None:
        """Write dap_ai's own text with control characters made visible.

        Answers have been made visible before; the program's output is not changed.
        """
        self._write(event, all_visible(body))

    def _write(self, event: str, body: Mapping[str, Any]) -> None:
        self._stream.write(in_json(_encode({"event": event, **body}).decode()).encode() + b"\n")
        self._stream.flush()
