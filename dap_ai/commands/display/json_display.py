"""`--json`: one JSON object a line, each an event's body with its name as `event`. docs/protocol.md lists them."""

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
    """Reads a byte stream as text where it is UTF-8, without ever cutting a character in two."""

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes, *, final: bool = False) -> str | bytes:
        """All that is certain: as text, or, when some of it is not UTF-8, as bytes. `final`: nothing comes after."""
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
    """The display whose reader is a program: it needs no spinner, and has the word after `askEnded`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._cutters = {"stdout": Utf8Cutter(), "stderr": Utf8Cutter()}

    def command(self, command_line: Safe) -> None:
        """A line `command`."""
        self._tell("command", {"commandLine": command_line})

    def stopped(self, body: SafeFields) -> None:
        """A line `stopped`."""
        self._tell("stopped", body)

    def status(self, text: Safe) -> None:
        """A line `status`."""
        self._tell("status", {"text": text})

    def reply(self, text: Safe) -> None:
        """A line `reply`."""
        self._tell("reply", {"text": text})

    def ask_output(self, output: AskOutput) -> None:
        """A line `askOutput`."""
        self._write("askOutput", msgspec.to_builtins(output))

    def approval(self, wanted: AskApproval) -> None:
        """A line `askApproval`."""
        self._write("askApproval", msgspec.to_builtins(wanted))

    def ask_ended(self, ended: AskEnded) -> None:
        """A line `askEnded`."""
        self._write("askEnded", msgspec.to_builtins(ended))

    def spent(self, questions: int, usage: Usage) -> None:
        """A line `spent`."""
        self._write("spent", {"questions": questions, "usage": msgspec.to_builtins(usage)})

    def context(self, text: Safe) -> None:
        """A line `context`."""
        self._tell("context", {"context": text})

    def masked(self, rows: list[Masked]) -> None:
        """A line `masked`."""
        self._write("masked", {"masked": msgspec.to_builtins(rows)})

    def program_output(self, category: str, data: bytes) -> None:
        """A line `output`: text as `output`, what is no UTF-8 as `base64`. No data: the stream has ended."""
        if piece := self._cutters[category].feed(data, final=not data):
            text = {"output": piece} if isinstance(piece, str) else {"base64": base64.b64encode(piece).decode()}
            self._write("output", {"category": category, **text})

    def exited(self, exit_code: int, text: Safe) -> None:
        """A line `exited`."""
        self._tell("exited", {"exitCode": exit_code, "text": text})

    def error(self, text: Safe) -> None:
        """A line `error`."""
        self._tell("error", {"text": text})

    def _tell(self, event: str, body: Mapping[str, Any]) -> None:
        """What dap_ai says itself. An answer has been made visible before; the program's output stays as it is."""
        self._write(event, all_visible(body))

    def _write(self, event: str, body: Mapping[str, Any]) -> None:
        self._stream.write(in_json(_encode({"event": event, **body}).decode()).encode() + b"\n")
        self._stream.flush()
