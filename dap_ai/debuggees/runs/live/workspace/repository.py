"""Saves a directory's states as commits; each nested repository has its own index, and all trees are joined.

Uses git plumbing instead of `git add` and `git commit`: `git add` stores a nested repository as a link to its commit,
without its files, and `git commit` runs hooks. The index takes the changed files, write-tree turns the index into a
tree, commit-tree turns the tree into a commit with the last state as parent, and update-ref moves the branch. `mktree`
puts a nested repository's tree into the outer tree.

The index stores size and times of each file, so git reads only changed files; every other file costs one stat call. Two
states are equal if their trees have the same id, so checking for changes is one comparison.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dap_ai.debuggees.runs.live.workspace.git import Git, GitError, names, users
from dap_ai.debuggees.runs.live.workspace.ignore_patterns import patterns

MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_BYTES = 4 * 1024**3
MAX_FILES = 200_000
"""Maximum number of files in a workspace directory."""
_MANY = 200
"""Number of new files above which git stores one pack instead of loose objects."""
_BRANCH = "refs/heads/run"


class CannotFollow(Exception):  # noqa: N818  named for what is wrong with the directory
    """The directory's states can't be saved; the message says why."""


class Commit(NamedTuple):
    """A state of the directory that differs from the previous state."""

    sha: str
    files: Sequence[tuple[str, str]]
    """(status, path) pairs; the status is `A`, `M`, `D` or `T` (another type)."""
    left_out: Sequence[str]
    """One sentence per file that is not saved; each sentence appears in one commit only."""


class Repository:
    """Saves a directory's states in a git directory. Not thread-safe."""

    def __init__(self, directory: Path, git_dir: Path) -> None:
        """Create the repository or reuse the existing one. Raises CannotFollow."""
        try:
            self._git = Git(git_dir, directory, git_dir / "index")
            self._git.create(patterns(directory, git_dir.parent))
        except (GitError, OSError) as error:
            raise CannotFollow(str(error)) from error
        self._git_dir = git_dir
        self._top = _Part(self._git)
        self._nested: dict[str, _Part] = {}
        self._tree: str = ""
        self._told: set[str] = set()
        self.head = ""

    def begin(self) -> None:
        """Save the first state. Raises CannotFollow."""
        try:
            sha = self._git("rev-parse", "--verify", "--quiet", f"{_BRANCH}^{{commit}}")
            self.head = sha.decode().strip()
            self._tree = self._git("rev-parse", f"{self.head}^{{tree}}").decode().strip()
        except GitError:
            self.head = ""
        try:
            self.commit("the workspace before the run" if not self.head else "the workspace when the recording went on")
        except GitError as error:
            raise CannotFollow(str(error)) from error

    def commit(self, title: str) -> Commit | None:
        """Commit the changes to the branch `run`; None without changes. Raises GitError."""
        told = set[str]()
        tree = self._joined(told)
        left_out = sorted(told - self._told)
        self._told |= told
        if tree == self._tree:
            return Commit("", (), left_out) if left_out else None
        files = self._files(tree) if self._tree else []
        words = title + (f": {_few(files)}" if files else "")
        parent = ("-p", self.head) if self.head else ()
        sha = self._git("commit-tree", tree, *parent, stdin=words.encode("utf-8", "surrogateescape")).decode().strip()
        self._git("update-ref", _BRANCH, sha)
        self.head, self._tree = sha, tree
        return Commit(sha, files, left_out)

    def _joined(self, told: set[str]) -> str:
        """Return the tree of the directory with all nested repositories."""
        top, found = self._top.tree(told, first=not self._tree)
        waiting: list[str] = list(found)
        trees: dict[str, str] = {}
        while waiting:
            place = waiting.pop()
            part = self._nested.get(place) or self._part(place)
            self._nested[place] = part
            trees[place], deeper = part.tree(told, first=not self._tree, below=f"{place}/")
            waiting += [f"{place}/{each}" for each in deeper]
        # Outer before inner: the tree of an outer repository replaces everything below its place.
        for place in sorted(trees):
            top = self._grafted(top, place.split("/"), trees[place])
        return top

    def _part(self, place: str) -> _Part:
        name = hashlib.blake2b(os.fsencode(place), digest_size=8).hexdigest()
        return _Part(Git(self._git_dir, self._git.work_tree / place, self._git_dir / f"index-{name}"))

    def _grafted(self, tree: str, path: Sequence[str], below: str) -> str:
        """Return the tree with the tree `below` inserted at a path."""
        # Trees are immutable: list each level on the path, replace one row, and make a new tree of the rows,
        # innermost first.
        listed = filter(None, self._git("ls-tree", "-z", tree).split(b"\0"))
        rows = {row.partition(b"\t")[2]: row for row in listed}
        name = os.fsencode(path[0])
        if len(path) > 1:
            row = rows.get(name, b"")
            inner = row.split()[2].decode() if row.startswith(b"040000") else self._git("mktree").decode().strip()
            below = self._grafted(inner, path[1:], below)
        rows[name] = b"040000 tree %b\t%b" % (below.encode(), name)
        return self._git("mktree", "-z", stdin=b"".join(row + b"\0" for row in rows.values())).decode().strip()

    def _files(self, tree: str) -> list[tuple[str, str]]:
        found = names(self._git("diff-tree", "-r", "-z", "--no-renames", "--name-status", self._tree, tree))
        return list(zip(found[::2], found[1::2], strict=True))


class _Part:
    """Index of the directory, or of one repository nested in the directory."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def tree(self, told: set[str], *, first: bool, below: str = "") -> tuple[str, list[str]]:
        """Return (current tree, paths of nested repositories); add sentences about omitted files to `told`."""
        # What differs from the index: new, modified, deleted. A nested repository is a name that ends in a slash. For
        # the first state, the files tracked by the user's repository are added, because they may be ignored but are
        # saved anyway.
        seen = names(self._git("ls-files", "-z", "-o", "-m", "-d", "--exclude-standard"))
        if first:
            seen += tracked(self._git.work_tree)
        nested = sorted({name.rstrip("/") for name in seen if name.endswith("/")})
        files = [name for name in dict.fromkeys(seen) if not name.endswith("/")]
        wanted = _kept(self._git.work_tree, files, told, below)
        if wanted:
            self._add(wanted, told, below)
        return self._git("write-tree").decode().strip(), nested

    def _add(self, wanted: Mapping[str, int], told: set[str], below: str) -> None:
        if len(wanted) > MAX_FILES or sum(wanted.values()) > MAX_BYTES:
            raise GitError(f"{self._git.work_tree} has more than {MAX_FILES:,} files or {MAX_BYTES // 1024**3} GB")
        # Files above this size are streamed into one pack instead of a loose object each, which for the first state
        # would be as many files again as the workspace has.
        packed = ("-c", "core.bigFileThreshold=1") if len(wanted) > _MANY else ()
        try:
            self._update(wanted, *packed)
        except GitError:
            for name in wanted:  # one of them can't be read, or no longer exists
                self._add_alone(name, told, below)

    def _add_alone(self, name: str, told: set[str], below: str) -> None:
        try:
            self._update([name])
        except GitError as error:
            told.add(f"{below}{name} is not kept: {error}")

    def _update(self, wanted: Iterable[str], *options: str) -> None:
        stdin = b"".join(os.fsencode(name) + b"\0" for name in wanted)
        self._git(*options, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=stdin)


def _kept(top: Path, found: Iterable[str], told: set[str], below: str) -> dict[str, int]:
    """Return the files to save, including deleted ones, with their sizes in bytes."""
    wanted = dict[str, int]()
    for name in found:
        path = f"{top}/{name}"
        try:
            status = os.lstat(path)
        except OSError:
            wanted[name] = 0
            continue
        if status.st_size > MAX_FILE_BYTES and stat.S_ISREG(status.st_mode):
            told.add(f"{below}{name} is not kept: it has more than {MAX_FILE_BYTES // 1024**2} MB")
        elif stat.S_ISREG(status.st_mode) and not os.access(path, os.R_OK):
            told.add(f"{below}{name} is not kept: it may not be read")
        elif stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            wanted[name] = status.st_size
    return wanted


def _few(files: Sequence[tuple[str, str]]) -> str:
    """Format a short list of files: `a.py, b.py and 3 more`."""
    shown = ", ".join(" ".join(path.split()) for _, path in files[:3])
    return shown + (f" and {len(files) - 3} more" if len(files) > 3 else "")


def tracked(directory: Path) -> list[str]:
    """Return the files that the user's repository tracks, ignored or not, relative to the directory."""
    return names(users(directory, "ls-files", "-z", "--cached"))
