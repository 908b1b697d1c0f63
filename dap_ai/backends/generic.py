"""The backend for any debug adapter, started by a command line or already listening; messages pass unchanged.

No recipe completes the launch arguments. known_adapters.py knows which requests must never reach an adapter, and
whether the adapter debugs native programs.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from dap_ai.backends import known_adapters
from dap_ai.backends.access import access_to
from dap_ai.protocol.contracts.backend import AdapterCommand, Backend, StartError, StopInspector
from dap_ai.system.texts import code


class GenericBackend(Backend):
    """The backend for an adapter without a recipe; its interface is contracts.backend.Backend.

    `argv` is the adapter's command line; empty if it is unknown, because the adapter already runs.
    """

    def __init__(self, argv: list[str], announced: Iterable[str] = ()) -> None:
        self._argv = argv
        self.name = Path(argv[0]).name if argv else "generic"
        self.runs_beside = known_adapters.RUNS_BESIDE
        for rule, value in known_adapters.of(argv, frozenset(announced)).items():
            setattr(self, rule, value)

    def announced(self, names: Iterable[str]) -> Backend:
        """Return a backend with the rules for an adapter that announces these capabilities."""
        return GenericBackend(self._argv, names)

    def command(self) -> AdapterCommand:
        """Return the command line unchanged."""
        return AdapterCommand(self._argv, {})

    def inspector(self) -> StopInspector | None:
        """Return an inspector of native programs if this adapter debugs them; it sends only DAP requests."""
        if (hovers := known_adapters.hovers(self._argv)) is None:
            return None
        return access_to("native").inspector(hovers=hovers)


def words_of(text: str, *, posix: bool) -> list[str]:
    """Split a command line into words. Raises ValueError for an unclosed quote.

    Without `posix`, a backslash is an ordinary character.
    """
    words = shlex.split(text, posix=posix)
    return [word[1:-1] if not posix and len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]


def _is_path(text: str) -> bool:
    return os.path.dirname(text) != "" and shutil.which(Path(text).expanduser()) is not None  # noqa: PTH120  as below


def from_command_line(text: str, *, started: bool = True) -> GenericBackend:
    """Return the backend for an adapter's command line. Raises StartError if the command line is invalid.

    With `started`, the first word must be a program. A program's path may contain spaces if no argument follows it.
    """
    try:
        words = [text] if _is_path(text) else words_of(text, posix=os.name != "nt")
    except ValueError as error:
        raise StartError(f"{code(text)} is no command line ({error})") from error
    if not words:
        raise StartError("an empty command line starts nothing")
    first = str(Path(words[0]).expanduser()) if words[0].startswith("~") else words[0]
    program = shutil.which(first)
    if program is None and started:
        where = "there is no executable file of that path" if os.path.dirname(first) else "PATH has no such program"  # noqa: PTH120  Path("./x") drops the dot
        raise StartError(f"{where}: {first}")
    return GenericBackend([program or first, *words[1:]])
