"""The command `fix apply`: writes a proposed change to its file after the user has confirmed it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
from platformdirs import user_state_path

from dap_ai.commands.debugging.prompt_breakpoints import near
from dap_ai.protocol.wire.ask_messages import Fix
from dap_ai.system.apply_diff import CannotMend, mended

_KEPT = 20
"""Maximum number of backups to keep; the oldest are deleted."""
_State = tuple[int, int]
"""A file's modification time in ns and its size in bytes, to detect that the file has changed."""


class CannotApply(Exception):  # noqa: N818  an answer
    """Raised if a proposed change cannot be written; the text gives the reason."""


class Fixing:
    """The code changes that the newest answer at this stop has proposed.

    `confirmed` asks the user a yes-or-no question.
    """

    def __init__(self, say: Callable[[str], None], confirmed: Callable[[str], Awaitable[bool]]) -> None:
        self._say = say
        self._confirmed = confirmed
        self._fixes: list[Fix] = []
        self._states: dict[str, _State | None] = {}
        """The state of each file when an answer proposed changes to it."""

    def __bool__(self) -> bool:
        """Whether an answer at this stop has proposed any change."""
        return bool(self._fixes)

    def learn(self, fixes: Sequence[object]) -> None:
        """Replace the proposed changes by the changes in a new answer, if it has any."""
        found = [msgspec.convert(fix, Fix) for fix in fixes]
        if found:
            self._fixes = found
            self._states = {fix.file: _state(fix.file) for fix in found}

    def forget(self) -> None:
        """Drop the proposed changes, because the program has moved on."""
        self._fixes = []

    async def apply(self, number: int) -> None:
        """Show a proposed change and write it after confirmation; `number` is 1-based. Raises CannotApply."""
        if not 1 <= number <= len(self._fixes):
            raise CannotApply(f"Changes proposed: {len(self._fixes)}." if self._fixes else "No change was proposed.")
        fix = self._fixes[number - 1]
        name = near(fix.file)
        path, before, after = _texts(fix, self._states.get(fix.file))
        self._say(fix.diff)
        how = "it was verified" if fix.verified else f"it was not verified{f': {fix.result}' if fix.result else ''}"
        if not await self._confirmed(f"Write this to {name}? ({how}) y or n"):
            self._say(f"{name} is left as it is.")
            return
        if _state(fix.file) != self._states.get(fix.file):
            raise CannotApply(f"{name} has changed meanwhile, and is left as it is: `fix` looks again.")
        kept = _kept(path, before)
        _write(path, after)
        self._say(
            f"written to {name}; the text before is kept in {kept}.\n"
            "The program still runs the old code: `restart` starts it with the change."
        )


def _state(file: str) -> _State | None:
    with contextlib.suppress(OSError):
        about = os.stat(file)  # noqa: PTH116  takes a str
        return about.st_mtime_ns, about.st_size
    return None


def _texts(fix: Fix, then: _State | None) -> tuple[Path, bytes, bytes]:
    """Return the resolved path of the file to change, its current content and its new content. Raises CannotApply."""
    name, path = near(fix.file), Path(fix.file).resolve()
    try:
        before = path.read_bytes()
    except OSError as error:
        raise CannotApply(f"{name} cannot be read: {error.strerror}.") from error
    if then is None or _state(fix.file) != then:
        raise CannotApply(f"{name} has changed since the answer, and is left as it is: `fix` looks again.")
    ends = "\r\n" if b"\r\n" in before else "\n"
    try:
        text = before.decode("utf-8")
        return path, before, mended(text.replace("\r\n", "\n"), fix.diff).replace("\n", ends).encode("utf-8")
    except UnicodeDecodeError:
        raise CannotApply(f"{name} is not UTF-8: change it in your editor.") from None
    except CannotMend as error:
        raise CannotApply(f"{name} is another text than the program runs ({error}), and is left as it is.") from error


def _kept(path: Path, before: bytes) -> Path:
    """Save a file's old content to a backup file and return the backup's path. Raises CannotApply."""
    folder = user_state_path("dap-ai") / "before-fixes"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        old = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime)
        for each in old[: max(0, len(old) - _KEPT + 1)]:
            each.unlink()
        handle, name = tempfile.mkstemp(f"-{path.name}", "", folder)
        with os.fdopen(handle, "wb") as file:
            file.write(before)
    except OSError as error:
        raise CannotApply(f"{folder} cannot keep the old text ({error.strerror}): nothing is written.") from error
    return Path(name)


def _write(path: Path, after: bytes) -> None:
    """Replace a file atomically, so that a reader sees either the old or the new content. Raises CannotApply."""
    try:
        handle, name = tempfile.mkstemp("", f".{path.name}.", path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(after)
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except OSError as error:
        raise CannotApply(f"{near(str(path))} cannot be written: {error.strerror}.") from error
