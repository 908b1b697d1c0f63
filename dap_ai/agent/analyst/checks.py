"""Checks: what of the program can be run again in a copy to see its failure again, from narrow to wide."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.analyst.definitions import bindings, mutations, root_name
from dap_ai.agent.analyst.edits import Edit, edited_files, moved, shorten, touches
from dap_ai.agent.source import SourceFile, body_fields, header_expressions, last_line
from dap_ai.agent.stack import Case, Place, sub_expressions
from dap_ai.protocol.snapshot import SnapshotQuery, Statements

MAX_CHECKS = 6
MAX_WATCHED = 8
MEMORY_BYTES = 256 << 20

_BUILTINS = frozenset(dir(builtins))
_LEAVES_LOOP = ast.Break | ast.Continue
_SUSPENDS = ast.Yield | ast.YieldFrom


@dataclass(frozen=True)
class Failure:
    """The failing statement of the user's code, which a check must reach again."""

    place: Place
    statement: ast.stmt
    watch: list[str] = field(default_factory=list[str])
    """Expressions whose values tell how it failed: operands first, then the names of the statement."""

    @property
    def is_demand(self) -> bool:
        """An assertion or a raise: the demand itself is not what an edit may change."""
        return isinstance(self.statement, ast.Assert | ast.Raise)

    def holds(self, edit: Edit) -> bool:
        """Whether the edit changes the failing statement."""
        return touches(self.place.frame.path, self.statement.lineno, last_line(self.statement), [edit])

    def is_touched(self, edits: Sequence[Edit]) -> bool:
        """Whether an edit changes the demand itself."""
        first, last = self.statement.lineno, last_line(self.statement)
        return self.is_demand and touches(self.place.frame.path, first, last, edits)


@dataclass(frozen=True)
class Check:
    """Statements, lines `first` to `last` of a frame's file; or the whole program afresh."""

    place: Place
    source: SourceFile
    first: int
    last: int
    words: str
    """What it is, as an answer says it."""
    fresh: bool = False
    text: str = ""
    """Statements of the asker's own instead of the file's lines."""

    def query(
        self, edits: Sequence[Edit] = (), *, trace: bool = False, watch: Sequence[str] = (), deadline_s: float = 1.0
    ) -> SnapshotQuery:
        """What a snapshot is asked to run it, with edits. Raises ValueError if the edits cannot be applied."""
        changed = edited_files(edits)
        return SnapshotQuery(
            frame_id=self.place.frame.id,
            statements=Statements(self._code(edits), self._first(edits), self.source.path, self.fresh),
            edits=changed,
            trace=trace,
            watch=list(watch),
            deadline_s=deadline_s,
            memory_bytes=MEMORY_BYTES,
        )

    def _first(self, edits: Sequence[Edit]) -> int:
        return 1 if self.fresh else moved(self.source.path, self.first - 1, edits) + 1

    def _code(self, edits: Sequence[Edit]) -> str:
        if self.text or self.fresh:
            return self.text or self.source.text  # the copy itself puts the edits into a whole module
        new = next((e.new for e in edited_files(edits) if e.file == self.source.path), self.source.text)
        rows = new.splitlines()[self._first(edits) - 1 : moved(self.source.path, self.last, edits)]
        return textwrap.dedent("\n".join(rows)) + "\n"


def failure_of(case: Case) -> Failure | None:
    """What failed; None at a stop without an exception, or where the failing statement is not known."""
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
    texts = [t for t in texts if t not in _BUILTINS]
    yield from list(dict.fromkeys(texts))[:MAX_WATCHED]


def checks_of(case: Case) -> list[Check]:
    """The checks that may show the failure again, narrow before wide, the program's whole run last; at most six."""
    whole = _whole_program(case)
    inner, *outer = [list(_in_frame(case, place)) for place in case.places] or [[]]
    outer = [found for found in outer if found]
    around = [found[0] for found in outer]
    if outer and len(outer[-1]) > 1:
        around.append(outer[-1][-1])
    room = MAX_CHECKS - len(whole)
    kept = inner[: max(room // 2, room - len(around))]
    room -= len(kept)
    return [*kept, *(around if len(around) <= room else [*around[: room - 1], around[-1]]), *whole]


def _in_frame(case: Case, place: Place) -> Iterator[Check]:
    """The statement the frame stands at; then from what makes its values, in its block and in the blocks around."""
    source, scope, statement = place.source, place.scope, place.statement
    if source is None or scope is None or statement is None:
        return
    seen: set[int] = set()
    for block, index in _blocks_around(scope, statement):
        start = _values_begin(block, index)
        for first, last in ((block[index], block[index]), (block[start], block[index])):
            key = first.lineno
            if isinstance(first, ast.Raise) and first is last:
                continue  # it fails whatever is edited
            if key in seen or not _can_run_alone(source, block[block.index(first) : index + 1]):
                continue
            seen.add(key)
            yield Check(place, source, first.lineno, last_line(last), _words(case, place, first.lineno, statement))


def _blocks_around(scope: ast.AST, statement: ast.stmt) -> list[tuple[list[ast.stmt], int]]:
    """The statement lists that hold the statement, its own first, each with the index of what holds it."""
    found: list[tuple[list[ast.stmt], int]] = []
    holder: ast.AST = scope
    while holder is not statement:
        for block in body_fields(holder):
            index = next((n for n, s in enumerate(block) if s.lineno <= statement.lineno <= last_line(s)), None)
            if index is not None:
                found.append((block, index))
                holder = block[index]
                break
        else:
            break
    found.reverse()
    return [*found[:1], *found[1:][-1:]]


def _values_begin(block: list[ast.stmt], index: int) -> int:
    """The index from which on every value that is used has been made in this block, as far as it is made here."""
    start = index
    needed = _used(block[index])
    while True:
        makers = (n for n in range(start) if needed & _made(block[n]))
        first = next(makers, None)
        if first is None:
            return start
        for statement in block[first:start]:
            needed |= _used(statement)
        start = first


def _used(statement: ast.stmt) -> set[str]:
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return names - _BUILTINS


def _made(statement: ast.stmt) -> set[str]:
    """Names that the statement binds, or whose objects it may change."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return set()
    made: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt):
            made |= set(bindings(node)) | {root for root, _, _ in mutations(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            held = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            made |= {root for part in [*held, *call.args] if (root := root_name(part))}
    return made


def _can_run_alone(source: SourceFile, statements: list[ast.stmt]) -> bool:
    first = statements[0]
    if source.line(first.lineno).encode()[: first.col_offset].strip():
        return False  # it begins in the middle of a line
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, _SUSPENDS):
                return False
        if any(True for _ in _leaving(statement)):
            return False
    return True


def _leaving(statement: ast.stmt) -> Iterator[ast.stmt]:
    """`break` and `continue` of a loop that is not part of the statement."""
    if isinstance(statement, _LEAVES_LOOP):
        yield statement
    if isinstance(
        statement, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ):
        return
    for block in body_fields(statement):
        for inner in block:
            yield from _leaving(inner)


def _words(case: Case, place: Place, first: int, statement: ast.stmt) -> str:
    name = shorten(place.frame.path, case.inspection.cwd)
    inside = f" in `{place.frame.name}`" if place.function else ""
    innermost = place is case.places[0]
    if first == statement.lineno:
        return f"the failing statement `{name}:{first}`" if innermost else f"the call at `{name}:{first}`{inside}"
    return f"the run of `{name}` lines {first} to {last_line(statement)}{inside}"


def _whole_program(case: Case) -> list[Check]:
    """The main module from its start, where one of the frames runs it."""
    frame = next((f for f in reversed(case.frames) if f.user and f.name == "<module>"), None)
    source = case.sources.read(frame.path) if frame else None
    argv = case.inspection.argv
    if frame is None or source is None or not argv:
        return []
    main = Path(case.inspection.cwd or ".", argv[0])
    if Path(frame.path) != main and Path(frame.path).resolve() != main.resolve():
        return []
    name = shorten(frame.path, case.inspection.cwd)
    return [Check(case.places[0], source, 1, len(source.lines), f"the whole program `{name}`", fresh=True)]
