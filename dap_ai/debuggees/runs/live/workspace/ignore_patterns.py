"""What a directory's user ignores: the user's own list, and those that the directory's repository holds.

The lines go into a recording, and the repository may be anybody's: no file outside of it is read because it says so, be
it by its configuration, by a link, or by a `.git` that leads elsewhere.

gitignore(5): of several patterns the last that matches decides, and one with a slash inside means places below its own
file. All lines come into one list here, so the outermost folder's stand first, and those that are bound to a folder
above the directory are left out: they would mean other places.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from dap_ai.debuggees.runs.live.workspace.git import own, users

_MAX_BYTES = 1024 * 1024


def patterns(directory: Path, recording: Path) -> list[str]:
    """Lines for `info/exclude` beside the directory's `.gitignore` files. `recording`: its folder is none of it."""
    found = [*_lines(_own_list(), anchored=True), *_of_the_repository(directory)]
    if recording.is_relative_to(directory):
        found.append(f"/{_escaped(recording.relative_to(directory).as_posix())}/")
    return found


def _own_list() -> str:
    """The user's, as their own configuration names it."""
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
    """Of a file that is really there: no part of its path below `top` is a link."""
    is_there = path.resolve() == top.resolve() / path.relative_to(top)
    return _text(path) if is_there else ""


def _text(path: Path) -> str:
    """Of a file, as far as it is one and no larger than such lists are; empty: there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            is_list = stat.S_ISREG(os.fstat(fd).st_mode)
            return file.read(_MAX_BYTES).decode("utf-8", "surrogateescape") if is_list else ""
    except OSError:
        return ""


def _lines(text: str, *, anchored: bool) -> Iterator[str]:
    """Its patterns; without `anchored` only those that mean the same in every folder."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#") and (anchored or "/" not in line.strip().rstrip("/")):
            yield line


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*?[! #" else letter for letter in path)
