"""git with nothing of the user's: no hook, no configuration, no filter; its own GIT_DIR over the user's directory.

Two kinds of git run here. Over our own repository (`Git`) it is told every place by its environment, so no `.git` is
looked for. Over the user's (`users`) it only answers questions, with hooks, the file system monitor and fetching
switched off: the configuration of a repository may name programs, and a cloned one may be anybody's (git-config(1),
git(1)).
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
    "core.fsync": "none",  # what a killed process has written stays; only a machine that goes down may lose it
    "core.fsmonitor": "false",
    "core.looseCompression": "1",
    "core.preloadIndex": "true",
    "core.quotePath": "false",
    "core.untrackedCache": "false",
    "gc.auto": "0",
}
_QUIET = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_NOWHERE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""An object that a repository lacks is not fetched: a remote's address can be a command."""
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"
"""Contents are kept byte for byte, and no program of the user's is started for them."""


class GitError(Exception):
    """git cannot be started, or has failed; the text says at what."""


def program() -> str:
    """Git's path. Raises GitError."""
    found = programs.locate("git")
    if found is None:
        raise GitError("git is not installed")
    return found


def users(directory: Path, *arguments: str) -> bytes:
    """What the user's own git says about a directory; empty where it is no repository of theirs. Changes nothing.

    What the repository configures starts no program and reaches no other one: it may be anybody's.
    """
    return _output(["-C", str(directory), *_QUIET, *arguments], _NOWHERE)


def own(*arguments: str) -> bytes:
    """What the user's own git says outside of every repository."""
    return _output(arguments, {"GIT_DIR": os.devnull})


def _output(arguments: Sequence[str], environ: Mapping[str, str]) -> bytes:
    command, environ = [program(), *arguments], {**_environment(), **environ}
    try:
        ran = subprocess.run(command, env=environ, capture_output=True, timeout=_LIMIT_S, check=False)  # noqa: S603  ours
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return ran.stdout if ran.returncode == 0 else b""


class Git:
    """One index over one directory, in a repository that several may share."""

    def __init__(self, git_dir: Path, work_tree: Path, index: Path) -> None:
        self.git_dir, self.work_tree, self.index = git_dir, work_tree, index
        self._program = program()
        null = os.devnull
        places = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(work_tree), "GIT_INDEX_FILE": str(index)}
        alone = {"GIT_CONFIG_GLOBAL": null, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
        who = {f"GIT_{role}_{what}": word for role in ("AUTHOR", "COMMITTER") for what, word in _NAME.items()}
        self._environ = _environment() | places | alone | who | _NOWHERE | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Its stdout. Raises GitError where it fails."""
        command = [self._program, *_QUIET, *arguments]
        try:
            ran = subprocess.run(  # noqa: S603  our own command
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
        """Makes the repository, or goes on with the one that is there. Raises GitError and OSError."""
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
            lock.unlink(missing_ok=True)  # of one of ours that was killed: nobody else works here


_NAME = {"NAME": "dap-ai record", "EMAIL": "dap-ai@localhost"}


def names(output: bytes) -> list[str]:
    """Of `-z`."""
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
