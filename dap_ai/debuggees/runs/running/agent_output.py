"""Output of a live agent: written to files, so that the agent never waits for a debugger, and read from these files."""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

_EVERY_S = 0.05
_MOST_BYTES = 64 * 1024
NAMES = {"stdout": "stdout.log", "stderr": "stderr.log"}


class AgentOutputFiles:
    """Output files of an agent. A thread passes new output to `say`, as (category, text)."""

    def __init__(self, folder: Path, say: Callable[[str, str], None]) -> None:
        self._paths = {category: folder / name for category, name in NAMES.items()}
        self._say = say
        self._places = dict.fromkeys(NAMES, 0)
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in NAMES}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="printing", daemon=True)

    @contextmanager
    def files(self) -> Generator[tuple[int, int]]:
        """Open the files, readable only by the user; provide (stdout, stderr) descriptors. Raises OSError."""
        opened = [os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for path in self._paths.values()]
        try:
            yield opened[0], opened[1]
        finally:
            for each in opened:
                os.close(each)

    def begin(self) -> None:
        """Start reporting output."""
        self._thread.start()

    def end(self) -> None:
        """Report the remaining output and stop."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._tell()
        self._tell()

    def _tell(self) -> None:
        for category, path in self._paths.items():
            with path.open("rb") as file:
                file.seek(self._places[category])
                while data := file.read(_MOST_BYTES):
                    self._places[category] += len(data)
                    if text := self._decoders[category].decode(data):
                        self._say(category, text)
