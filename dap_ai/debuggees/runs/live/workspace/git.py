"""Runs git without the user's hooks, configuration and filters, and with dap_ai's own GIT_DIR for the user's directory.

git is used in two ways. For dap_ai's own repository (`Git`), the environment sets every path, so that git does not
search for a `.git`. For the user's repository (`users`), git only runs queries, with hooks, the file system monitor and
fetching switched off: a repository's configuration may name programs to run, and a cloned repository may come from
anybody (git-config(1), git(1)).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dap_ai.system import programs

_LIMIT_S = 120.0
_CONFIGURATION = {
    "core.autocrlf": "false",
    "core.bare": "false",
    "core.fsync": "none",  # data survives a killed process; only a system crash can lose it
    "core.fsmonitor": "false",
    "core.looseCompression": "1",
    "core.preloadIndex": "true",
    "core.quotePath": "false",
    "core.untrackedCache": "false",
    "gc.auto": "0",
}
_QUIET = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_NOWHERE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""Environment that prevents fetching of missing objects, because a remote's address can be a command."""
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"
"""Git attributes to store file contents byte for byte, without running the user's filter programs."""


class GitError(Exception):
    """git could not be started or failed; the message names the command."""


def program() -> str:
    """Return the path of git. Raises GitError if git is not installed."""
    found = programs.locate("git")
    if found is None:
        raise GitError("git is not installed")
    return found


def users(directory: Path, *arguments: str) -> bytes:
    """Return the output of a read-only query of the user's repository; empty outside a repository or on failure.

    Nothing that the repository configures starts a program or contacts another repository, because the repository may
    not be trusted.
    """
    return _output(["-C", str(directory), *_QUIET, *arguments], _NOWHERE)


def own(*arguments: str) -> bytes:
    """Return the output of the user's git outside any repository; empty on failure."""
    return _output(arguments, {"GIT_DIR": os.devnull})


def _output(arguments: Sequence[str], environ: Mapping[str, str]) -> bytes:
    command, environ = [program(), *arguments], {**_environment(), **environ}
    try:
        ran = subprocess.run(command, env=environ, capture_output=True, timeout=_LIMIT_S, check=False)  # noqa: S603  ours
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return ran.stdout if ran.returncode == 0 else b""


class Git:
    """Runs git for one directory and index, in a repository that several indexes may share."""

    def __init__(self, git_dir: Path, work_tree: Path, index: Path) -> None:
        self.git_dir, self.work_tree, self.index = git_dir, work_tree, index
        self._program = program()
        null = os.devnull
        places = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(work_tree), "GIT_INDEX_FILE": str(index)}
        alone = {"GIT_CONFIG_GLOBAL": null, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
        who = {f"GIT_{role}_{what}": word for role in ("AUTHOR", "COMMITTER") for what, word in _NAME.items()}
        self._environ = _environment() | places | alone | who | _NOWHERE | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git and return its stdout. Raises GitError if git fails."""
        command = [self._program, *_QUIET, *arguments]
        try:
            ran = subprocess.run(  # noqa: S603  a command of dap_ai
                command,
                env=self._environ,
                cwd=self.work_tree,
                input=stdin,
                capture_output=True,
                timeout=_LIMIT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitError(f"git {arguments[0]}: {error}") from error
        if ran.returncode:
            said = ran.stderr.decode("utf-8", "replace").strip()
            raise GitError(f"git {arguments[0]}: {said[-500:] or f'exit code {ran.returncode}'}")
        return ran.stdout

    def create(self, ignored: Iterable[str]) -> None:
        """Create the repository, or reuse the existing one. Raises GitError and OSError."""
        self.git_dir.mkdir(mode=0o700, exist_ok=True)
        if not (self.git_dir / "HEAD").exists():
            self("init", "-q", "--template=", "--initial-branch=run")
            for name, value in _CONFIGURATION.items():
                self("config", name, value)
            self("config", "core.worktree", str(self.work_tree))
        info = self.git_dir / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(_ATTRIBUTES, encoding="utf-8")
        (info / "exclude").write_bytes(b"".join(os.fsencode(line) + b"\n" for line in ignored))
        for lock in (Path(f"{self.index}.lock"), self.git_dir / "refs" / "heads" / "run.lock"):
            lock.unlink(missing_ok=True)  # left by a killed process of dap_ai: nothing else uses this repository


_NAME = {"NAME": "dap-ai record", "EMAIL": "dap-ai@localhost"}


def names(output: bytes) -> list[str]:
    """Split the NUL-separated output of a `-z` option into file names."""
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
