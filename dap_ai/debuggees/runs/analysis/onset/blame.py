"""Who wrote what is left: each line of the files that a run wrote, and the step that brought it.

Lines are compared without the blanks around them. Of a file that was there before, only the run's own lines are known.

As `git blame`, but from the calls of the run, since few runs have a repository. A line is known by its text, not by its
place: calls that replace text mostly say no line numbers. So equal lines of a file are one, and belong to the step that
brought the first of them. A file that is written whole keeps the steps of the lines that were there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite
from dap_ai.debuggees.runs.analysis.command_lines import paths

_MAX_LINES = 5_000
"""Of one write; what follows is nobody's."""
_TAKEN_OVER = frozenset({"move", "create"})

Lines = dict[str, int]
"""A line to the step that brought it."""


class Blame:
    """Follows the writes of a run, in order."""

    def __init__(self, writes: Iterable[tuple[Effect, FileWrite]]) -> None:
        self.files: dict[str, Lines] = {}
        """What is left of each file, by path."""
        self.last: dict[str, int] = {}
        """The step that wrote each file last."""
        self.became: dict[str, str] = {}
        """Files that were moved or copied to another place, and where to."""
        self._texts: dict[str, str] = {}
        for effect, write in writes:
            self._write(effect, write)

    def shares(self, path: str) -> Counter[int]:
        """How many lines of the file each step has left there."""
        return Counter(self.files.get(path, {}).values())

    def brought(self, words: str) -> int | None:
        """The first step that brought a line with `words`."""
        found = [place for place in self.files if words in self._whole(place)]
        lines = (one for place in found for one in self.files[place].items())
        return min((step for line, step in lines if words in line), default=None)

    def _whole(self, path: str) -> str:
        """All lines that are left of a file, as one text: looked through at once."""
        if path not in self._texts:
            self._texts[path] = "\n".join(self.files.get(path, ()))
        return self._texts[path]

    def place(self, path: str) -> str:
        """Where a file's text is at the end."""
        for _ in range(8):
            path = self.became.get(path, path)
        return path

    def named(self, text: str) -> Iterator[str]:
        """The files whose path, or name where it has a suffix, stands in `text`."""
        for path in self.last:
            name = paths.name(path)
            if path in text or ("." in name and name in text):
                yield path

    def _write(self, effect: Effect, write: FileWrite) -> None:
        path, step = write.path, effect.step
        if write.how in {"delete", "restore"}:
            self._forget(write)
            return
        lines = self.files.setdefault(path, {})
        if write.how in _TAKEN_OVER and write.new is None and (source := self._source(effect, path)):
            self.became[source] = path
            lines.clear()
            lines.update(self.files[source])
        elif write.how == "create":
            kept = {line: lines.get(line, step) for line in _lines(write.new)}
            lines.clear()
            lines.update(kept)
        else:
            new = _lines(write.new)
            # What is in both was not touched by this edit, though the call repeats it: it stays with whoever brought
            # it.
            for line in _lines(write.old):
                if line not in new:
                    lines.pop(line, None)
            for line in new:
                lines.setdefault(line, step)
        self.last[path] = step

    def _forget(self, write: FileWrite) -> None:
        gone = [p for p in self.files if p == write.path or write.tree or p.startswith(f"{write.path}/")]
        for path in gone:
            self.files[path].clear()
            self.last.pop(path, None)

    def _source(self, effect: Effect, path: str) -> str:
        """The file of the run's own that a move or a copy takes; "" where that is not known."""
        return next((read for read in effect.reads if read != path and self.files.get(read)), "")


def _lines(text: str | None) -> dict[str, None]:
    """The lines with something in them, in order."""
    found = (line.strip() for line in (text or "").split("\n", _MAX_LINES)[:_MAX_LINES])
    return dict.fromkeys(line for line in found if line)
