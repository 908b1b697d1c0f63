"""A debug adapter that plays its half of a recording: `python playing_adapter.py RECORDING HEARD`.

RECORDING is JSON: pairs of who speaks ("client", "adapter", or "raw" for bytes that are no frame) and the bytes as
Latin-1. Each message of the client is waited for; what came is written to HEARD in the same form.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import BinaryIO

REQUEST_SEQ = re.compile(rb'("request_seq"\s*:\s*)(\d+)')


def read_frame(stream: BinaryIO) -> bytes | None:
    length = 0
    while (line := stream.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(length) if line else None


def answering(body: bytes, seqs: dict[int, int]) -> bytes:
    """`body` with its request_seq as the other side counts now; nothing else changes."""
    if json.loads(body)["type"] != "response":
        return body
    return REQUEST_SEQ.sub(lambda found: found[1] + b"%d" % seqs.get(int(found[2]), int(found[2])), body, count=1)


def main(recording: Path, heard: Path) -> None:
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    seqs: dict[int, int] = {}
    came: list[tuple[str, str]] = []
    for side, text in json.loads(recording.read_text(encoding="utf-8")):
        body = text.encode("latin-1")
        if side == "client":
            arrived = read_frame(stdin)
            if arrived is None:
                return
            seqs[json.loads(body)["seq"]] = json.loads(arrived)["seq"]
            came.append((side, arrived.decode("latin-1")))
            heard.write_text(json.dumps(came), encoding="utf-8")
        elif side == "raw":
            stdout.write(body)
        else:
            body = answering(body, seqs)
            stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stdout.flush()
    while read_frame(stdin) is not None:
        pass


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
