"""Private copies of a workspace: a state from the recording's repository, plus the files that git ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from dap_ai.debuggees.runs.live.replay.tape import CannotReplay
from dap_ai.debuggees.runs.live.workspace.git import Git, GitError, names
from dap_ai.debuggees.runs.live.workspace.workspace_states import states_of
from dap_ai.system import programs

MAX_BYTES = 2 * 1024**3
"""Maximum total bytes of ignored files to copy; a file or folder beyond the maximum is left out and reported."""


def made(repository: Path, commit: str, workspace: Path, to: Path, *, without: Sequence[Path] = ()) -> list[str]:
    """Copy a state to the empty folder `to`; return sentences about what differs. Raises CannotReplay.

    A state contains neither `.git` nor ignored files, such as installed packages. These are copied as they are today,
    except the folders in `without`.
    """
    to.mkdir(parents=True, mode=0o700)
    with tempfile.TemporaryDirectory() as scratch:
        index = Path(scratch) / "index"
        try:
            git = Git(repository, to, index)
            git("read-tree", commit)
            git("checkout-index", "-a", "-f")
            if not workspace.is_dir():
                return [f"{workspace} is gone: its ignored files and its .git are in no copy"]
            ignored = Git(repository, workspace, index)(
                "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"
            )
        except (GitError, OSError) as error:
            raise CannotReplay(f"the workspace cannot be restored: {error}") from error
    return list(_copied(workspace, to, [*names(ignored), ".git"], [path.absolute() for path in without]))


def whole(directory: Path, to: Path) -> list[str]:
    """Copy a directory with its current content; return sentences about files that are left out."""
    to.mkdir(parents=True, mode=0o700)
    inside = [path.name for path in directory.iterdir()]
    return list(_copied(directory, to, inside, [to.absolute()]))


def differing(repository: Path, commit: str, other: Path, other_commit: str) -> list[str]:
    """Return the sorted paths of files that differ between two states. Raises GitError."""
    then, now = _listed(repository, commit), _listed(other, other_commit)
    return sorted(path for path in then.keys() | now.keys() if then.get(path) != now.get(path))


def set_to(repository: Path, commit: str, directory: Path, paths: Sequence[str]) -> None:
    """Reset these paths of a directory to their content in a state; delete the paths that the state lacks.

    Raises GitError and OSError.
    """
    there = _listed(repository, commit)
    for path in paths:
        if path not in there:
            _remove(directory / path)
    wanted = [path for path in paths if path in there]
    with tempfile.TemporaryDirectory() as scratch:
        git = Git(repository, directory, Path(scratch) / "index")
        git("read-tree", commit)
        git("checkout-index", "-f", "-z", "--stdin", stdin=b"".join(os.fsencode(path) + b"\0" for path in wanted))


def diff(repository: Path, commit: str, other: Path, other_commit: str) -> str:
    """Return a patch from one repository's state to another's. Raises GitError."""
    with states_of(repository, other) as states:
        return states.between(commit, other_commit)


def remove(copy: Path) -> None:
    """Delete a copy, even if its folders are read-only."""
    shutil.rmtree(copy, onerror=_despite_its_mode)  # pyright: ignore[reportDeprecated]  3.10 has no onexc


def _despite_its_mode(again: object, path: str, _error: object) -> None:
    parent = Path(path).parent
    try:
        parent.chmod(0o700)
        if not Path(path).is_symlink():
            Path(path).chmod(0o700)
        if callable(again):
            again(path)
    except OSError:
        return


def _copied(workspace: Path, to: Path, ignored: Sequence[str], without: Sequence[Path]) -> Iterator[str]:
    """Copy the ignored files; yield a sentence about each file that is left out."""
    left = MAX_BYTES
    for name in ignored:
        source, target = workspace / name.rstrip("/"), to / name.rstrip("/")
        if name == ".git" and not source.is_dir():
            if source.exists():
                yield ".git is not in the copy: it is a file that leads to your own repository"
            continue
        if not os.path.lexists(source) or os.path.lexists(target) or _holds(source, without):
            continue
        left -= _bytes(source)
        if left < 0:
            yield f"{name} is not in the copy: the ignored files have more than {MAX_BYTES // 1024**3} GB"
            left += _bytes(source)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        clone = ["--reflink=auto"] if os.uname().sysname == "Linux" else []
        copy = [programs.locate("cp") or "/bin/cp", "-a", *clone, "--", str(source), str(target)]
        ran = subprocess.run(copy, capture_output=True, text=True, check=False)  # noqa: S603  a command of dap_ai
        if ran.returncode:
            yield f"{name} is not whole in the copy: {ran.stderr.strip()[-200:]}"


def _holds(source: Path, without: Sequence[Path]) -> bool:
    return any(path.is_relative_to(source) for path in without)


def _bytes(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(os.lstat(f"{folder}/{name}").st_size for folder, _, files in os.walk(path) for name in files)


def _listed(repository: Path, commit: str) -> dict[str, bytes]:
    git = Git(repository, repository, repository / "index")
    rows = filter(None, git("ls-tree", "-r", "-z", commit).split(b"\0"))
    return {os.fsdecode(path): facts for facts, _, path in (row.partition(b"\t") for row in rows)}


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
