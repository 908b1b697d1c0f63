from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.live.workspace import git as git_of_ours
from dap_ai.debuggees.runs.live.workspace import repository
from dap_ai.debuggees.runs.live.workspace.repository import CannotFollow, Commit, Repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

USER = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
NAME = ["-c", "user.name=u", "-c", "user.email=u@example.org"]


def git(directory: Path, *arguments: str) -> str:
    """The user's git."""
    command = ["git", *NAME, "-C", str(directory), *arguments]
    return subprocess.run(command, env=os.environ | USER, capture_output=True, text=True, check=True).stdout


def state(repository_: Repository, at: str = "") -> dict[str, str]:
    """The files of a commit and their contents."""
    head, git_dir = at or repository_.head, str(repository_._git_dir)
    listed = subprocess.run(["git", "--git-dir", git_dir, "ls-tree", "-rz", "--name-only", head], capture_output=True)
    found: dict[str, str] = {}
    for name in filter(None, listed.stdout.split(b"\0")):
        shown = subprocess.run(
            ["git", "--git-dir", git_dir, "show", f"{head}:{os.fsdecode(name)}"], capture_output=True
        )
        found[os.fsdecode(name)] = shown.stdout.decode()
    return found


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def follow(tmp_path: Path, work: Path) -> Callable[[], Repository]:
    def begin() -> Repository:
        (tmp_path / "kept").mkdir(exist_ok=True)
        found = Repository(work, tmp_path / "kept" / "workspace.git")
        found.begin()
        return found

    return begin


def made(commit: Commit | None) -> Commit:
    assert commit is not None
    return commit


def test_each_state_is_a_commit_that_any_git_shows(work: Path, follow: Callable[[], Repository]):
    (work / "a.txt").write_text("one\n")
    found = follow()
    (work / "a.txt").write_text("two\n")
    (work / "dir").mkdir()
    (work / "dir" / "new.txt").write_text("new\n")
    commit = made(found.commit("before query 3"))
    assert commit.files == [("M", "a.txt"), ("A", "dir/new.txt")]
    assert state(found) == {"a.txt": "two\n", "dir/new.txt": "new\n"}
    (work / "a.txt").unlink()
    assert made(found.commit("later")).files == [("D", "a.txt")]
    log = git(found._git_dir, "log", "--format=%s", "run")
    assert log.splitlines() == ["later: a.txt", "before query 3: a.txt, dir/new.txt", "the workspace before the run"]
    assert "two" in git(found._git_dir, "log", "-p", "run")


def test_a_state_like_the_one_before_makes_no_commit(work: Path, follow: Callable[[], Repository]):
    (work / "a.txt").write_text("one\n")
    found = follow()
    head = found.head
    (work / "a.txt").touch()
    assert found.commit("x") is None and found.head == head


def test_an_empty_directory_can_be_followed(work: Path, follow: Callable[[], Repository]):
    found = follow()
    (work / "a.txt").write_text("one\n")
    assert made(found.commit("x")).files == [("A", "a.txt")]


def test_the_users_repository_stays_as_it_is(work: Path, follow: Callable[[], Repository]):
    git(work, "init", "-q")
    (work / "a.txt").write_text("committed\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "theirs")
    (work / "a.txt").write_text("staged\n")
    git(work, "add", ".")
    (work / "a.txt").write_text("dirty\n")
    (work / "untracked.txt").write_text("x\n")
    hook = work / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    before = {path: path.read_bytes() for path in (work / ".git").rglob("*") if path.is_file()}
    found = follow()
    (work / "b.txt").write_text("b\n")
    found.commit("x")
    assert {path: path.read_bytes() for path in (work / ".git").rglob("*") if path.is_file()} == before
    assert state(found) == {"a.txt": "dirty\n", "b.txt": "b\n", "untracked.txt": "x\n"}
    assert sorted(path.name for path in work.iterdir()) == [".git", "a.txt", "b.txt", "untracked.txt"]


def test_what_the_user_ignores_is_left_out_but_not_what_the_user_tracks(work: Path, follow: Callable[[], Repository]):
    git(work, "init", "-q")
    (work / "forced.log").write_text("1\n")
    git(work, "add", "-f", "forced.log")
    (work / ".gitignore").write_text("*.log\n")
    (work / ".git" / "info" / "exclude").write_text("secret/\n")
    (work / "other.log").write_text("1\n")
    (work / "secret").mkdir()
    (work / "secret" / "key").write_text("k\n")
    found = follow()
    assert sorted(state(found)) == [".gitignore", "forced.log"]
    (work / "forced.log").write_text("2\n")
    (work / "other.log").write_text("2\n")
    assert made(found.commit("x")).files == [("M", "forced.log")]


def test_a_folder_of_a_repository_obeys_the_ignore_files_above_it(
    tmp_path: Path, work: Path, follow: Callable[[], Repository]
):
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("*.pyc\n/kept\n")
    (work / "a.pyc").write_text("x")
    (work / "a.py").write_text("x")
    assert list(state(follow())) == ["a.py"]


def planted(work: Path, how: str) -> Path:
    """A file outside of the workspace, to which its repository leads."""
    secret = work.parent / "outside" / "id_secret"
    secret.parent.mkdir()
    secret.write_text("PLANTED-4711\n")
    if how == "gitdir":
        git(secret.parent, "init", "-q")
        (secret.parent / ".git" / "info" / "exclude").write_text("PLANTED-4711\n")
        (work / ".git").write_text(f"gitdir: {secret.parent / '.git'}\n")
        return secret
    git(work, "init", "-q")
    exclude = work / ".git" / "info" / "exclude"
    if how in ("core.excludesFile", "core.attributesFile", "include.path"):
        git(work, "config", how, str(secret))
    elif how == "an included file's excludesFile":
        (work / "more").write_text(f"[core]\n\texcludesFile = {secret}\n")
        git(work, "config", "include.path", str(work / "more"))
    elif how == "core.worktree":
        (work.parent / ".gitignore").write_text("PLANTED-4711\n")
        git(work, "config", "core.worktree", str(work.parent))
    elif how == "a link":
        exclude.unlink()
        exclude.symlink_to(secret)
    elif how == "a linked folder":
        shutil.rmtree(exclude.parent)
        (secret.parent / "exclude").write_text("PLANTED-4711\n")
        exclude.parent.symlink_to(secret.parent)
    elif how == "a linked .gitignore":
        (work / ".gitignore").symlink_to(secret)
    elif how == "an index":
        (work / "sub").mkdir()
        (work / "sub" / "id_secret").write_text("x\n")
        git(work, "add", "sub/id_secret")
        shutil.rmtree(work / "sub")
        (work / "sub").symlink_to(secret.parent)
    return secret


HOWS = (
    *("core.excludesFile", "core.attributesFile", "include.path", "an included file's excludesFile", "core.worktree"),
    *("a link", "a linked folder", "a linked .gitignore", "gitdir", "an index"),
)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("below", [False, True], ids=["its top", "a folder of it"])
def test_nothing_that_a_repository_leads_to_outside_of_it_is_in_a_recording(how: str, *, below: bool, tmp_path: Path):
    top = tmp_path / "work"
    (top / "folder").mkdir(parents=True)
    planted(top, how)
    (top / "folder" / "a.txt").write_text("a\n")
    (tmp_path / "kept").mkdir()
    Repository(top / "folder" if below else top, tmp_path / "kept" / "workspace.git").begin()
    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert [path.name for path in files if b"PLANTED" in path.read_bytes()] == []
    kept = subprocess.run(
        ["git", "--git-dir", tmp_path / "kept" / "workspace.git", "log", "-p", "--format=", "run"], capture_output=True
    ).stdout
    assert b"+a\n" in kept
    assert b"PLANTED" not in kept


def test_the_users_own_list_of_what_to_ignore_holds_wherever_it_lies(
    tmp_path: Path, work: Path, follow: Callable[[], Repository], monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "list").write_text("*.own\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path / 'list'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    monkeypatch.setattr(git_of_ours, "_environment", lambda: dict(os.environ))
    git(work, "init", "-q")
    (work / "a.own").write_text("x")
    (work / "a.py").write_text("x")
    assert list(state(follow())) == ["a.py"]


def test_a_repository_starts_no_program(work: Path, follow: Callable[[], Repository], tmp_path: Path):
    ran = tmp_path / "ran"
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (tmp_path / "hooks").mkdir()
    for name in ("post-index-change", "post-checkout", "pre-commit"):
        (tmp_path / "hooks" / name).symlink_to(hook)
    git(work, "init", "-q")
    (work / "a.txt").write_text("a\n")
    (work / ".gitattributes").write_text("* filter=x diff=x\n")
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"):
        git(work, "config", key, str(hook))
    git(work, "config", "core.hooksPath", str(tmp_path / "hooks"))
    found = follow()
    (work / "a.txt").write_text("b\n")
    assert made(found.commit("x")).files == [("M", "a.txt")]
    assert not ran.exists()


def test_repositories_within_are_followed_as_files(work: Path, follow: Callable[[], Repository]):
    git(work, "init", "-q")
    (work / "lib" / "inner").mkdir(parents=True)
    (work / "lib" / "own.txt").write_text("own\n")
    for place in ("lib/inner", "lib/inner/deeper", "empty"):
        (work / place).mkdir(parents=True, exist_ok=True)
        git(work / place, "init", "-q")
    (work / "lib" / "inner" / "a.txt").write_text("one\n")
    (work / "lib" / "inner" / "deeper" / "b.txt").write_text("b\n")
    found = follow()
    everything = {"lib/own.txt": "own\n", "lib/inner/a.txt": "one\n", "lib/inner/deeper/b.txt": "b\n"}
    assert state(found) == everything
    (work / "lib" / "inner" / "a.txt").write_text("two\n")
    assert made(found.commit("x")).files == [("M", "lib/inner/a.txt")]
    assert found.commit("again") is None


def test_a_repository_that_is_cloned_meanwhile_is_followed(work: Path, follow: Callable[[], Repository]):
    found = follow()
    (work / "clone").mkdir()
    git(work / "clone", "init", "-q")
    (work / "clone" / "a.txt").write_text("a\n")
    assert made(found.commit("x")).files == [("A", "clone/a.txt")]
    shutil.rmtree(work / "clone")
    assert made(found.commit("x")).files == [("D", "clone/a.txt")]


def test_a_submodule_is_followed_as_files(tmp_path: Path, work: Path, follow: Callable[[], Repository]):
    (tmp_path / "module").mkdir()
    git(tmp_path / "module", "init", "-q")
    (tmp_path / "module" / "m.txt").write_text("m\n")
    git(tmp_path / "module", "add", ".")
    git(tmp_path / "module", "commit", "-qm", "m")
    git(work, "init", "-q")
    git(work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "module"), "mod")
    found = follow()
    assert sorted(state(found)) == [".gitmodules", "mod/m.txt"]
    (work / "mod" / "m.txt").write_text("changed\n")
    assert made(found.commit("x")).files == [("M", "mod/m.txt")]


def test_a_file_above_the_limit_is_told_once_and_left_out(
    work: Path, follow: Callable[[], Repository], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(repository, "MAX_FILE_BYTES", 1024 * 1024)
    found = follow()
    (work / "big.bin").write_bytes(b"x" * (1024 * 1024 + 1))
    commit = made(found.commit("x"))
    assert (commit.sha, commit.left_out) == ("", ["big.bin is not kept: it has more than 1 MB"])
    assert found.commit("x") is None


def test_odd_files_do_no_harm(work: Path, follow: Callable[[], Repository]):
    (work / "read-only.txt").write_text("r\n")
    (work / "read-only.txt").chmod(0o444)
    (work / "link").symlink_to("nowhere")
    os.mkfifo(work / "pipe")
    odd = work / os.fsdecode(b"odd \xff\n'\" name")
    odd.write_text("odd\n")
    (work / "-dash").write_text("d\n")
    (work / ":(top)").write_text("magic\n")
    (work / "crlf.txt").write_bytes(b"a\r\n")
    (work / ".gitattributes").write_text("* text=auto eol=lf\n*.txt filter=evil ident\n")
    found = follow()
    kept = state(found)
    assert sorted(kept) == sorted([".gitattributes", "-dash", ":(top)", "crlf.txt", "link", odd.name, "read-only.txt"])
    assert kept["crlf.txt"] == "a\r\n"
    odd.unlink()
    assert made(found.commit("x")).files == [("D", odd.name)]


def test_a_folder_in_a_files_place_is_followed(work: Path, follow: Callable[[], Repository]):
    (work / "a").write_text("file\n")
    found = follow()
    (work / "a").unlink()
    (work / "a").mkdir()
    (work / "a" / "b").write_text("b\n")
    found.commit("x")
    assert state(found) == {"a/b": "b\n"}


def test_hundreds_of_files_become_one_pack(work: Path, follow: Callable[[], Repository]):
    for number in range(300):
        (work / f"{number}.txt").write_text(f"{number}\n")
    found = follow()
    assert len(list((found._git_dir / "objects" / "pack").glob("*.pack"))) == 1


def test_the_recording_within_the_directory_is_no_part_of_it(work: Path):
    (work / "[runs]" / "one").mkdir(parents=True)
    (work / "a.txt").write_text("a\n")
    found = Repository(work, work / "[runs]" / "one" / "workspace.git")
    found.begin()
    assert list(state(found)) == ["a.txt"]


def test_following_goes_on_after_a_kill(work: Path, follow: Callable[[], Repository]):
    (work / "a.txt").write_text("one\n")
    first = follow()
    (first._git_dir / "index.lock").write_text("")  # left by a git that was killed
    (work / "a.txt").write_text("two\n")
    second = follow()
    assert git(second._git_dir, "log", "--format=%s", "run").splitlines() == [
        "the workspace when the recording went on: a.txt",
        "the workspace before the run",
    ]


def test_without_git_it_is_said(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotFollow, match="git is not installed"):
        Repository(work, tmp_path / "workspace.git")
