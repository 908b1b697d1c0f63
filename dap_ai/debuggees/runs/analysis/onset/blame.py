"""Blame for files that a run wrote: maps each remaining line to the step that added the line.

Works like `git blame` but on the run's calls, since few runs have a repository. For files that existed before the run,
only the lines that the run wrote are known. Calls that replace text mostly have no line numbers, so a line is
identified by its text without surrounding whitespace. Equal lines of a file therefore count as one line, added by the
first step that wrote it. If a file is rewritten as a whole, its unchanged lines keep their steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import Effect, FileWrite
from dap_ai.debuggees.runs.analysis.command_lines import paths

_MAX_LINES = 5_000
"""Maximum lines considered per write."""
_TAKEN_OVER = frozenset({"move", "create"})

Lines = dict[str, int]
"""Maps each line of a file to the step that added the line."""


class Blame:
    """Applies a run's writes in order and tracks who added each line."""

    def __init__(self, writes: Iterable[tuple[Effect, FileWrite]]) -> None:
        self.files: dict[str, Lines] = {}
        """Remaining lines of each file, by path."""
        self.last: dict[str, int] = {}
        """Last step that wrote each file."""
        self.became: dict[str, str] = {}
        """Files that were moved or copied, mapped to their new paths."""
        self._texts: dict[str, str] = {}
        for effect, write in writes:
            self._write(effect, write)

    def shares(self, path: str) -> Counter[int]:
        """Return how many remaining lines of the file each step added."""
        return Counter(self.files.get(path, {}).values())

    def brought(self, words: str) -> int | None:
        """Return the first step that added a remaining line containing `words`, or None."""
        found = [place for place in self.files if words in self._whole(place)]
        lines = (one for place in found for one in self.files[place].items())
        return min((step for line, step in lines if words in line), default=None)

    def _whole(self, path: str) -> str:
        """Return the remaining lines of a file as one text, for fast searches."""
        if path not in self._texts:
            self._texts[path] = "\n".join(self.files.get(path, ()))
        return self._texts[path]

    def place(self, path: str) -> str:
        """Return the final path of a file after moves and copies."""
        for _ in range(8):
            path = self.became.get(path, path)
        return path

    def named(self, text: str) -> Iterator[str]:
        """Yields the files mentioned in `text` by path, or by name if it has a suffix."""
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
            # Lines in both old and new text are unchanged, though the call repeats them: they keep their step.
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
        """Return the file of the run that a move or copy reads; empty if unknown."""
        return next((read for read in effect.reads if read != path and self.files.get(read)), "")


def _lines(text: str | None) -> dict[str, None]:
    """Return the stripped, non-blank lines of a text, in order."""
    found = (line.strip() for line in (text or "").split("\n", _MAX_LINES)[:_MAX_LINES])
    return dict.fromkeys(line for line in found if line)
