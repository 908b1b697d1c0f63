"""Classifies the files of a run as work, tests, or scripts that the agent made for its own use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite, Role
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.rule_tables import find_words

_WORD = re.compile(r"[\w.+-]+")
_MAX_TASK = 200_000


class FileRoles:
    """Maps each file to its role.

    `made` are the files that the agent created, `removed` those that the agent deleted later. Only the part of a path
    below `workspace` is considered.
    """

    def __init__(
        self, task: str, made: Iterable[str], removed: Iterable[str], executed: Iterable[str], workspace: str = ""
    ) -> None:
        self._top = f"{workspace.rstrip('/')}/" if workspace.strip("/") else ""
        self.named = {word.strip(".") for word in _WORD.findall(task[:_MAX_TASK])}
        self.made, self.removed, self.executed = set(made), set(removed), set(executed)
        self._roles: dict[str, Role] = {}

    def in_task(self, path: str) -> bool:
        """Return whether the task mentions the file by name."""
        name = paths.name(path)
        return "." in name and name in self.named

    def role(self, path: str) -> Role:
        """Return the role of a file. The default is `work`."""
        if path not in self._roles:
            self._roles[path] = self._role(path, path.removeprefix(self._top))
        return self._roles[path]

    def _role(self, path: str, place: str) -> Role:
        name = paths.name(path)
        if find_words("scratch_folders", place):
            return "scratch"
        if self.in_task(path):
            return "work"
        if paths.is_temporary(place):
            return "scratch"
        if path in self.made:
            script = path in self.executed or find_words("code_suffixes", name) is not None
            if path in self.removed and script:
                return "scratch"
            if not _in_tests(place) and find_words("scratch", name):
                return "scratch"
        return "test" if find_words("tests", place) else "work"

    def work(self, writes: Iterable[FileWrite]) -> list[FileWrite]:
        """Return the writes that change work files. Writes of logs are left out."""
        return [write for write in writes if write.how != "log" and self.role(write.path) == "work"]


def _in_tests(path: str) -> bool:
    """Return whether the path is below one of the project's test folders."""
    return re.search(r"(^|/)(tests?|__tests__|spec)/", path) is not None


def words_of(writes: Mapping[str, object]) -> frozenset[str]:
    """Return the stems and folder names in these paths, without those shorter than three letters.

    Code may mention a file by these names.
    """
    parts = {part for path in writes for part in path.split("/")[-4:]}
    return frozenset(stem for part in parts if len(stem := part.split(".")[0]) > 2)
