"""What the user's own repository ignores, or has all the same: told to ours, which does not know it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dap_ai.backends.agents.live.workspace.git import names, users


def patterns(directory: Path, own: Path) -> list[str]:
    """Lines for `info/exclude` beside the directory's `.gitignore` files. `own` is the recording's folder."""
    found = list(_of_the_user(directory))
    if own.is_relative_to(directory):
        found.append(f"/{_escaped(own.relative_to(directory).as_posix())}/")
    return found


def tracked(directory: Path) -> list[str]:
    """Files that the user's repository has, ignored or not, relative to the directory."""
    return names(users(directory, "ls-files", "-z", "--cached"))


def _of_the_user(directory: Path) -> Iterator[str]:
    top = os.fsdecode(users(directory, "rev-parse", "--show-toplevel")).rstrip("\n")
    excludes = os.fsdecode(users(directory, "config", "--path", "core.excludesFile")).rstrip("\n")
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    yield from _lines(Path(excludes) if excludes else Path(home) / "git" / "ignore", anchored=True)
    if not top:
        return
    is_top = Path(top) == directory
    local = os.fsdecode(users(directory, "rev-parse", "--git-path", "info/exclude")).rstrip("\n")
    yield from _lines(directory / local, anchored=is_top)
    above = [each for each in directory.parents if each.is_relative_to(top)]
    for folder in reversed(above):
        yield from _lines(folder / ".gitignore", anchored=False)


def _lines(path: Path, *, anchored: bool) -> Iterator[str]:
    """Patterns of a file; without `anchored` only those that mean the same in every folder."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    for line in text.splitlines():
        if line.strip() and not line.startswith("#") and (anchored or "/" not in line.strip().rstrip("/")):
            yield line


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*?[! #" else letter for letter in path)
