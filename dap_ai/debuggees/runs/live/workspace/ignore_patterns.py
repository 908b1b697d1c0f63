"""Ignore patterns for a directory: the user's global list, and the lists in the directory's repository.

The patterns are stored in a recording, and the repository may not be trusted. Therefore no file outside the repository
is read for it, whether through its configuration, a link, or a `.git` that points elsewhere.

gitignore(5): the last matching pattern decides, and a pattern with a slash inside is relative to its own file. All
patterns go into one list here. So the outermost folder's patterns come first, and patterns relative to a folder above
the directory are left out because they would match other places.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from dap_ai.debuggees.runs.live.workspace.git import own, users

_MAX_BYTES = 1024 * 1024


def patterns(directory: Path, recording: Path) -> list[str]:
    """Return lines for `info/exclude`, in addition to `.gitignore` files; includes the `recording` folder."""
    found = [*_lines(_own_list(), anchored=True), *_of_the_repository(directory)]
    if recording.is_relative_to(directory):
        found.append(f"/{_escaped(recording.relative_to(directory).as_posix())}/")
    return found


def _own_list() -> str:
    """Return the text of the user's global ignore list, found through the user's git configuration."""
    name = os.fsdecode(own("config", "--path", "core.excludesFile")).rstrip("\n")
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return _text(Path(name) if name else Path(home) / "git" / "ignore")


def _of_the_repository(directory: Path) -> Iterator[str]:
    top = next((each for each in (directory, *directory.parents) if os.path.lexists(each / ".git")), None)
    if top is None or not users(directory, "rev-parse", "--git-dir"):
        return
    yield from _lines(_text_within(top, top / ".git" / "info" / "exclude"), anchored=top == directory)
    for folder in reversed([each for each in directory.parents if each.is_relative_to(top)]):
        yield from _lines(_text_within(top, folder / ".gitignore"), anchored=False)


def _text_within(top: Path, path: Path) -> str:
    """Return the text of a file; empty if any part of its path below `top` is a link."""
    is_there = path.resolve() == top.resolve() / path.relative_to(top)
    return _text(path) if is_there else ""


def _text(path: Path) -> str:
    """Return the text of a regular file, up to 1 MB; empty without such a file."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            is_list = stat.S_ISREG(os.fstat(fd).st_mode)
            return file.read(_MAX_BYTES).decode("utf-8", "surrogateescape") if is_list else ""
    except OSError:
        return ""


def _lines(text: str, *, anchored: bool) -> Iterator[str]:
    """Yield the patterns in a text; without `anchored`, only patterns that mean the same in every folder."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#") and (anchored or "/" not in line.strip().rstrip("/")):
            yield line


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*?[! #" else letter for letter in path)
