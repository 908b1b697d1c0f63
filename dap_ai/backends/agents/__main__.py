"""The debug adapter of agent runs: DAP on stdin and stdout, `python -m dap_ai.backends.agents`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from dap_ai.backends.agents.session import Loaded, Refused, RunSession
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.runs.analysis.analysing import analyse
from dap_ai.runs.opening import open_run
from dap_ai.runs.readers.base import CannotRead

_MAX_BYTES = 64 * 1024 * 1024


def main() -> None:
    """Serves one client, and leaves no document behind."""
    folder = Path(tempfile.mkdtemp(prefix="dap-ai-run-"))
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, RunSession(load, writer(folder)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def serve(source: BinaryIO, sink: BinaryIO, session: RunSession) -> None:
    """Until the client has said good-bye, or is gone."""
    seq = 0
    for message in _messages(source):
        for answer in session.receive(message):
            seq += 1
            sink.write(encode_frame(msgspec.json.encode(answer | {"seq": seq})))
        sink.flush()
        if session.over:
            return


def load(path: str) -> Loaded:
    """The run at a path, analysed. Raises Refused."""
    try:
        run = open_run(path)
    except CannotRead as error:
        raise Refused(str(error)) from error
    return Loaded(run, analyse(run))


def writer(folder: Path) -> Callable[[str, str], str]:
    """What writes documents into a folder of ours; they are read-only."""

    def write(name: str, text: str) -> str:
        file = folder / name
        file.write_text(text, encoding="utf-8", errors="replace")
        file.chmod(0o400)
        return str(file)

    return write


def _messages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """The client's messages; what is none ends the stream: its reader would be lost."""
    while True:
        length = 0
        while line := source.readline(1024):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
            if not line.strip():
                break
        if not 0 < length <= _MAX_BYTES:
            return
        try:
            message: Any = msgspec.json.decode(source.read(length))
        except msgspec.DecodeError:
            return
        if isinstance(message, dict):
            yield message


if __name__ == "__main__":
    main()
