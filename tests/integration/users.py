"""Two users of one machine beside root: one who debugs, and a stranger who reaches for what that session opens.

No home of root's need be readable to them: the one who debugs may read every file, as a capability that his processes
inherit; the stranger is a Python that root has started, and that becomes him once it has read what it needs.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.integration import stranger

USER, STRANGER = 61001, 61002
_TRIAL_S = 20
_CAPABILITIES = ("dac_read_search", "dac_override")
"""What lets a user read every file; a container may know the second alone."""


class Stranger:
    """`attempt` is made as that user."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def attempt(self, where: tuple[str, int], **more: Any) -> dict[str, Any]:
        """See stranger.py."""
        order = {"where": where, **more}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def need() -> None:
    """Skips the test where nobody can become another user."""
    if why := missing():
        pytest.skip(why)


def as_user(*command: str | Path) -> list[str]:
    """The command line that runs this as the user who debugs."""
    capability = f"+{_working_capability()}"
    ids = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    return ["setpriv", *ids, f"--inh-caps={capability}", f"--ambient-caps={capability}", *map(str, command)]


def environment(home: Path) -> dict[str, str]:
    """Of that user, who has activated no virtual environment."""
    return {name: str(home) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")} | {"VIRTUAL_ENV": ""}


@contextlib.contextmanager
def home_of_user(programs: Mapping[str, str]) -> Generator[Path]:
    """A folder of that user's with these files, in one that every user can enter."""
    with tempfile.TemporaryDirectory(prefix="dap") as name:
        home = Path(name)
        home.chmod(0o755)
        for file, text in programs.items():
            (home / file).write_text(text, encoding="utf-8")
            os.chown(home / file, USER, USER)
        os.chown(home, USER, USER)
        yield home


@contextlib.contextmanager
def stranger_at_work() -> Generator[Stranger]:
    """The other user, until the end of the block."""
    command = [sys.executable, stranger.__file__, str(STRANGER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Stranger(process)
        assert process.stdin
        process.stdin.close()


@cache
def missing() -> str:
    """Why nobody can become another user here; empty: one can."""
    if sys.platform != "linux" or os.getuid() != 0:
        return "needs root on Linux, to become two other users"
    if shutil.which("setpriv") is None:
        return "needs setpriv (of util-linux), to become another user"
    return "" if _working_capability() else "root may not give a user the right to read files here (capabilities)"


@cache
def _working_capability() -> str:
    for capability in _CAPABILITIES:
        flags = [f"--inh-caps=+{capability}", f"--ambient-caps=+{capability}"]
        trial = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *flags, sys.executable, "-c", ""]
        if subprocess.run(trial, capture_output=True, timeout=_TRIAL_S, check=False).returncode == 0:
            return capability
    return ""
