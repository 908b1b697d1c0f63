"""A check: a part of the program that can be rerun in a copy, and the failure that it must reproduce."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot, sub_expressions
from dap_ai.agent.report.source_edits import SourceEdit, lines_after, moved, text_after, touches
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import header_expressions, last_line
from dap_ai.debuggees.python.analysis.record.narrowing import is_inside, narrowed
from dap_ai.protocol.contracts.rewind_messages import Rewind
from dap_ai.protocol.contracts.snapshot_messages import EditedSource, FollowQuery, SnapshotQuery, Statements

MAX_WATCHED = 8
MEMORY_BYTES = 256 << 20
WAITS = 3.0

BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Failure:
    """The failing statement of user code, which a check must reach again."""

    place: FramePlace
    statement: ast.stmt
    watch: list[str] = field(default_factory=list[str])
    """Expressions whose values show how the statement failed: compared operands first, then the statement's names."""

    @property
    def is_demand(self) -> bool:
        """Whether the statement is an `assert` or `raise`, which an edit must not change."""
        return isinstance(self.statement, ast.Assert | ast.Raise)

    def holds(self, edit: SourceEdit) -> bool:
        """Whether the edit changes the failing statement."""
        return touches(self.place.frame.path, self.statement.lineno, last_line(self.statement), [edit])

    def is_touched(self, edits: Sequence[SourceEdit]) -> bool:
        """Whether the failing statement is an `assert` or `raise` that an edit changes."""
        first, last = self.statement.lineno, last_line(self.statement)
        return self.is_demand and touches(self.place.frame.path, first, last, edits)


@dataclass(frozen=True)
class FailureCheck:
    """Code to rerun: lines `first` to `last` of a frame's file, or the whole program from its start."""

    place: FramePlace
    source: SourceFile
    first: int
    last: int
    words: str
    """Noun phrase that describes the check to the user."""
    fresh: bool = False
    text: str = ""
    """Statements to run instead of the file's lines, such as the caller's own; else empty."""
    file: str = ""
    """File name of `text`; empty for the frame's file."""
    whole: bool = False
    """Whether the check runs the whole program or test, as the user does, so that a pass means verified."""

    def query(
        self,
        edits: Sequence[SourceEdit] = (),
        *,
        trace: bool = False,
        follow: FollowQuery | None = None,
        rewind: Rewind | None = None,
        watch: Sequence[str] = (),
        deadline_s: float = 1.0,
        folders: Sequence[str] = (),
    ) -> SnapshotQuery:
        """Return the query to run the check with edits in a copy. Raises ValueError if the edits cannot be applied."""
        others, file = [edit for edit in edits if not self._holds(edit)], self.file or self.source.path
        anew = self.fresh and (follow is not None or rewind is not None)
        is_edited = len(others) < len(edits)
        return SnapshotQuery(
            frame_id=self.place.frame.id,
            statements=Statements(self._code(edits), self._first(edits), file, self.fresh, anew, is_edited),
            edits=self._edited(others),
            trace=trace,
            follow=follow,
            rewind=rewind,
            steps=trace and not edits,
            watch=list(watch),
            deadline_s=deadline_s,
            waits=WAITS,
            memory_bytes=MEMORY_BYTES,
            folders=list(folders),
        )

    def _edited(self, edits: Sequence[SourceEdit]) -> list[EditedSource]:
        """Return the edited files, each reduced to its edited function if this works for all files, else in full."""
        sources = {edit.source.path: edit.source for edit in edits}
        own = self.source.path if self.fresh else ""  # its text is run directly
        parts = {path: self._part(sources[path], edits) for path in sources if path != own}
        if any(part.old == sources[path].text for path, part in parts.items()):
            parts = {}
        return [
            parts.get(path) or EditedSource(path, source.text, text_after(source, edits))
            for path, source in sources.items()
        ]

    def _holds(self, edit: SourceEdit) -> bool:
        """Whether the edit changes only module-level lines of the check, so that the check's text includes the edit."""
        is_module = self.place.function is None and not (self.text or self.fresh)
        return is_module and edit.source.path == self.source.path and self.first <= edit.first <= edit.last <= self.last

    def _part(self, source: SourceFile, edits: Sequence[SourceEdit]) -> EditedSource:
        old, new = narrowed(source, edits)
        return EditedSource(source.path, old, new, inside=self.fresh and is_inside(old, new))

    def _first(self, edits: Sequence[SourceEdit]) -> int:
        return 1 if self.fresh or self.file else moved(self.source.path, self.first - 1, edits) + 1

    def _code(self, edits: Sequence[SourceEdit]) -> str:
        if self.text or self.fresh:
            return self.text or self.source.text  # the copy applies the edits to a whole module itself
        new = lines_after(self.source, edits)
        rows = new[self._first(edits) - 1 : moved(self.source.path, self.last, edits)]
        return textwrap.dedent("\n".join(rows)) + "\n"


def failure_of(case: StopSnapshot) -> Failure | None:
    """Return the failure; None if the stop has no exception or the failing statement is unknown."""
    place = case.places[0] if case.places else None
    statement = place.statement if place else None
    if place is None or statement is None or not case.exception:
        return None
    return Failure(place, statement, list(_watched(statement)))


def _watched(statement: ast.stmt) -> Iterator[str]:
    demand = statement.test if isinstance(statement, ast.Assert) else None
    operands = [demand.left, *demand.comparators] if isinstance(demand, ast.Compare) else []
    roots = [e for e in header_expressions(statement) if not isinstance(getattr(e, "ctx", None), ast.Store)]
    parts = [n for n in sub_expressions(roots) if isinstance(n, ast.Name | ast.Attribute | ast.Subscript)]
    called = {id(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)}
    kept = (n for n in [*operands, *parts] if not isinstance(n, ast.Constant) and id(n) not in called)
    texts = [ast.unparse(n) for n in kept]
    texts = [t for t in texts if t not in BUILTINS]
    yield from list(dict.fromkeys(texts))[:MAX_WATCHED]
