"""Decides which files below a folder git ignores, by the `.gitignore` files in the folder and below.

git itself is never run: a repository's own settings can make it run commands. In doubt, a file counts as ignored.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, Pattern

_MAX_BYTES = 65_536
_MAX_STARS = 3
"""Maximum stars in a pattern, where `**` counts as one star. Patterns with more stars can take very long to match."""


class Ignored:
    """The git ignore rules of one folder and everything below it."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._known: dict[tuple[str, ...], list[_Rule]] = {}

    def holds(self, path: Path) -> bool:
        """Whether git ignores a file below the folder, or a folder on the file's path."""
        parts = path.relative_to(self._top).parts
        return any(self._is_ignored(parts[:n], is_folder=n < len(parts)) for n in range(1, len(parts) + 1))

    def holds_entry(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a rule ignores this entry. The caller has already checked the folders on its path."""
        return self._is_ignored(path.relative_to(self._top).parts, is_folder=is_folder)

    def _is_ignored(self, parts: tuple[str, ...], *, is_folder: bool) -> bool:
        for depth in range(len(parts) - 1, -1, -1):  # the nearest file with a matching rule decides
            for rule in self._rules(parts[:depth]):
                if rule.matches(parts[depth:], is_folder=is_folder):
                    return rule.ignores
        return False

    def _rules(self, folder: tuple[str, ...]) -> list[_Rule]:
        """Returns the rules of one folder. The last rule of the file, which takes precedence, is first."""
        if folder not in self._known:
            self._known[folder] = self._load(folder)
        return self._known[folder]

    def _load(self, folder: tuple[str, ...]) -> list[_Rule]:
        files = [self._top.joinpath(*folder, ".gitignore")]
        if not folder:
            files.insert(0, self._top / ".git" / "info" / "exclude")
        texts = [_text(file) for file in files]
        if None in texts:
            return _parsed(["*"])
        return _parsed(line for text in texts if text for line in text.split("\n"))


def _text(file: Path) -> str | None:
    """Returns the file's text. Returns an empty string if the file does not exist, None if it is unreadable."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
            return None
        return file.read_text("utf-8-sig", "replace")  # universal newlines remove carriage returns
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError:
        return None


def _parsed(lines: Iterable[str]) -> list[_Rule]:
    """Parses ignore rules and returns them in reverse order. Skips invalid lines, as git does."""
    rules = [rule for line in lines if (rule := _rule(_tamed(line)))]
    return rules[::-1]


@dataclass
class _Rule:
    """One line of a `.gitignore`.

    It matches only the entry itself; pathspec's pattern also matches everything below.
    """

    ignores: bool
    pattern: Pattern
    last: Pattern | None
    """Pattern for the entry's name, set if the whole pattern can match at several depths."""
    names: int
    """Number of path parts that the pattern matches. 0 means any number; -1 means only the entry's name, at any depth.
    """

    def matches(self, parts: tuple[str, ...], *, is_folder: bool) -> bool:
        """Whether the rule matches a path, given as its parts."""
        slash = "/" * is_folder
        if self.names < 0:
            return self.pattern.match_file(parts[-1] + slash) is not None
        if self.names not in (0, len(parts)) or not self.pattern.match_file("/".join(parts) + slash):
            return False
        return self.last is None or self.last.match_file(parts[-1]) is not None


def _rule(line: str) -> _Rule | None:
    pattern = _pattern(line)
    if pattern is None or pattern.include is None:
        return None
    core = line.rstrip().removeprefix("!").rstrip("/")
    names = core.split("/")
    if len(names) == 1:  # without a slash, the pattern matches a name in any folder
        return _Rule(pattern.include, pattern, None, -1)
    if "**" not in names:
        return _Rule(pattern.include, pattern, None, len(core.strip("/").split("/")))
    return _Rule(pattern.include, pattern, _pattern("/" + names[-1]) if names[-1] != "**" else None, 0)


def _tamed(line: str) -> str:
    """Simplifies a pattern with too many stars to a pattern that ignores more files.

    Returns an empty string for a negated pattern, because it would un-ignore more files.
    """
    if len(re.findall(r"\*+", line)) <= _MAX_STARS:
        return line
    if line.startswith("!"):
        return ""
    parts = [part if part == "**" else re.sub(r"\*.*\*", "*", part) for part in line.split("/")]
    deep = [index for index, part in enumerate(parts) if part == "**"]
    if len(deep) > 1:
        parts[deep[0] : deep[-1] + 1] = ["**"]
    return "/".join(parts) if "[" not in line else "*"


def _pattern(line: str) -> Pattern | None:
    try:
        return next(iter(GitIgnoreSpec.from_lines([line]).patterns), None)
    except ValueError:
        return None
