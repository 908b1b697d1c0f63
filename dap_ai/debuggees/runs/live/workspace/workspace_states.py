"""Reads saved states from a repository that may not be trusted: uses its objects and ignores its configuration."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dap_ai.debuggees.runs.live.workspace.git import Git, names

_PATCH = ("diff-tree", "-p", "--root", "--no-commit-id", "--no-renames", "--no-ext-diff", "--no-textconv")


class States:
    """Reads the states in the given repositories. Methods raise GitError if a commit is missing."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def patch(self, commit: str) -> str:
        """Return the patch that a commit makes."""
        return self._git(*_PATCH, commit).decode("utf-8", "replace")

    def between(self, commit: str, other: str) -> str:
        """Return the patch from one state to another."""
        return self._git(*_PATCH, commit, other).decode("utf-8", "replace")

    def write(self, commit: str, to: Path) -> None:
        """Write all files of a state to an empty folder."""
        self._checked_out(commit, to, self._listed(commit))

    def write_change(self, commit: str, before: Path, after: Path) -> None:
        """Write the files that a commit changes to two empty folders: as they are before and after the commit."""
        told = self._git("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", "--name-only", commit)
        parents = self._git("rev-list", "--parents", "-n", "1", commit).decode().split()[1:]
        changed = set(names(told))
        for parent in parents[:1]:
            self._checked_out(parent, before, [name for name in self._listed(parent) if name in changed])
        self._checked_out(commit, after, [name for name in self._listed(commit) if name in changed])

    def _listed(self, commit: str) -> Sequence[str]:
        return names(self._git("ls-tree", "-r", "-z", "--name-only", commit))

    def _checked_out(self, commit: str, to: Path, wanted: Sequence[str]) -> None:
        # Use a private index, from which checkout-index writes files: no branch and no working tree of the user's is
        # touched.
        self._git("read-tree", commit)
        stdin = b"".join(os.fsencode(name) + b"\0" for name in wanted)
        self._git("checkout-index", f"--prefix={to.absolute()}/", "-z", "--stdin", stdin=stdin)


@contextmanager
def states_of(*repositories: Path) -> Generator[States]:
    """Provide the states in these repositories, within a `with` block. Raises GitError and OSError."""
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        git = Git(top / "git", top, top / "index")
        git.create(())
        # gitrepository-layout(5): objects are looked up in these folders, too. The other repository lends its objects
        # and nothing else; its configuration, hooks and references are never read.
        alternates = top / "git" / "objects" / "info" / "alternates"
        alternates.write_text("".join(f"{each.absolute() / 'objects'}\n" for each in repositories), encoding="utf-8")
        yield States(git)
