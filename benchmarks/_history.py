"""Small bug fixes from the history of a project that the user has cloned: the fix's tests on the source before it.

A commit counts if it changes one function of one source file and at least one test file, and if exactly those tests
fail before it that pass after it.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _projects import PROJECTS, Project, Suite, say, sides
from _truth import Fault, function

COMMITS, MOST_LINES = 1500, 20
"""How far back it looks, and how many lines of source a small fix changes."""
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
IS_TEST = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)(?:test_\w+|\w+_test|conftest)\.py$")
FIX = re.compile(
    r"\b(?:fix\w*|bug\w*|handle\w*|crash\w*|wrong\w*|incorrect\w*|regression|raise\w*|support\w*)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Commit:
    """A fix: what it changes."""

    sha: str
    subject: str
    source: str
    tests: tuple[str, ...]


def git(clone: Path, *words: str) -> bytes:
    """What git prints of a clone, with a work tree or without. Raises CalledProcessError."""
    where = ["-C", str(clone)] if (clone / ".git").exists() else [f"--git-dir={clone}"]
    return subprocess.run(["git", *where, *words], capture_output=True, check=True).stdout


def commits(clone: Path) -> Iterator[Commit]:
    """The commits that look like a small fix, newest first."""
    log = git(clone, "log", "--no-merges", "--name-only", f"-n{COMMITS}", "--format=%x00%H%x01%s", "HEAD", "--")
    for entry in log.decode(errors="replace").split("\0")[1:]:
        head, *names = entry.splitlines()
        sha, _, subject = head.partition("\1")
        python = [name for name in names if name.endswith(".py")]
        tests = tuple(name for name in python if IS_TEST.search(name))
        source = [name for name in python if name not in tests and Path(name).name not in ("__about__.py", "setup.py")]
        if len(source) == 1 and tests and FIX.search(subject):
            yield Commit(sha, subject, source[0], tests)


def faults(name: str, clone: Path, cache: Path, most: int) -> Iterator[tuple[Fault, Suite]]:
    """The fixes of a history that can be shown to be one. LeftOut if the project cannot be installed."""
    known = next((each for each in PROJECTS if each.name == name), Project(name, "", (), ()))
    project = f"{name}=={known.version}" if known.version else name
    python = sides(cache, f"{name}-{known.version or 'newest'}", (project, *known.needs))
    for commit in commits(clone):
        lines = changed(clone, commit)
        if not lines:
            continue
        folder = cache / "cases" / f"{name}-{commit.sha[:10]}"
        path = "src" if commit.source.startswith("src/") else ""
        suite = Suite(python, tuple(each for each in commit.tests if not each.endswith("conftest.py")), path)
        if suite.tests and (test := failing_before(clone, commit, folder, suite, most)):
            functions = {function(folder / commit.source, each) for each in lines}
            if len(functions) == 1 and None not in functions:
                yield Fault(f"{name}-{commit.sha[:8]}", "fix", folder, commit.source, tuple(lines), test), suite


def changed(clone: Path, commit: Commit) -> list[int]:
    """The lines of the parent's source that a fix changes; beside the gap where it only adds. Empty: not small."""
    diff = git(clone, "diff", "-U0", f"{commit.sha}~", commit.sha, "--", commit.source).decode(errors="replace")
    found: list[int] = []
    size = 0
    for match in HUNK.finditer(diff):
        first, old, new = int(match[1]), int(match[2] or 1), int(match[4] or 1)
        size += max(old, new)
        found += range(first, first + old) if old else [first, first + 1]
    return found if size <= MOST_LINES else []


def failing_before(clone: Path, commit: Commit, folder: Path, suite: Suite, most: int) -> str:
    """Lays the parent's source with the fix's tests out in a folder; a test that fails there only, or ""."""
    verdict = folder.with_suffix(".test")
    if verdict.is_file() and (folder.is_dir() or not verdict.read_text(encoding="utf-8")):
        return verdict.read_text(encoding="utf-8")
    say(f"{folder.name}: {commit.subject[:80]}")
    extract(clone, commit.sha, folder)
    test = ""
    if suite.failing(folder) == []:
        before = git(clone, "show", f"{commit.sha}~:{commit.source}") if exists(clone, commit) else b""
        (folder / commit.source).write_bytes(before)
        failing = suite.failing(folder, most=most) if before else None
        test = min(failing) if failing and len(failing) <= most else ""
    if not test:
        shutil.rmtree(folder)
    verdict.write_text(test, encoding="utf-8")
    return test


def exists(clone: Path, commit: Commit) -> bool:
    """Whether the source was there before the fix."""
    return bool(git(clone, "ls-tree", f"{commit.sha}~", "--", commit.source).strip())


def extract(clone: Path, sha: str, folder: Path) -> None:
    """The files of a commit, in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(git(clone, "archive", sha))) as archive:
        archive.extractall(folder, filter="data")
