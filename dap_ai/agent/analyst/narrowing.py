"""An edited file without what has no part in the edit, so that a copy compiles a function and not a module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from dap_ai.agent.analyst.edits import Edit, text_after
from dap_ai.agent.source import FunctionNode, SourceFile, last_line, own_statements

Lines = range


def narrowed(source: SourceFile, edits: Sequence[Edit]) -> tuple[str, str]:
    """The file's text before and after, in which only the function around the edits is left, with its classes.

    And the module's imports: Python compiles the call of an imported module's function in another way than that of a
    method. All other lines are empty, so that each line keeps its number. The whole texts where the edits are in no one
    function: a run from the start needs all of the module then. Raises ValueError as `text_after`.
    """
    old, new = source.text, text_after(source, edits)
    own = [edit for edit in edits if edit.source.path == source.path]
    kept = _kept(source, own) if not {"\r", "\f"} & set(old + new) else []
    if not kept:
        return old, new
    growth = sum(edit.growth for edit in own)
    last, imports = kept[-1], _imports(source)
    moved = {line + growth * (line >= last.stop): text for line, text in imports.items()}
    return _only(old, kept, imports), _only(new, [*kept[:-1], Lines(last.start, last.stop + growth)], moved)


def _imports(source: SourceFile) -> dict[int, str]:
    """The module's own, as one line each, by the line where they begin; also those in its `if` and `try`."""
    found: dict[int, str] = {}
    for node in own_statements(source.tree) if source.tree else ():
        if isinstance(node, ast.Import | ast.ImportFrom):
            before = f"{found[node.lineno]}; " if node.lineno in found else ""
            found[node.lineno] = before + ast.unparse(node)
    return found


def _kept(source: SourceFile, edits: Sequence[Edit]) -> list[Lines]:
    """The headers of classes, then the function of all edits; empty: there is none."""
    body = source.tree.body if source.tree else []
    first = min(min(edit.first, edit.last) for edit in edits)
    last = max(max(edit.first, edit.last) for edit in edits)
    kept: list[Lines] = []
    while holder := next((n for n in body if first in _lines(n) and last in _lines(n)), None):
        start, inner = _lines(holder).start, _lines(holder.body[0]).start if isinstance(holder, ast.ClassDef) else 0
        if isinstance(holder, FunctionNode):
            return [*kept, _lines(holder)]
        if not isinstance(holder, ast.ClassDef) or not start < inner <= first:
            return []
        kept.append(Lines(start, inner))
        body = holder.body
    return []


def _lines(node: ast.stmt) -> Lines:
    decorators = node.decorator_list if isinstance(node, FunctionNode | ast.ClassDef) else []
    return Lines(min([node.lineno, *(each.lineno for each in decorators)]), last_line(node) + 1)


def _only(text: str, kept: Iterable[Lines], imports: Mapping[int, str]) -> str:
    wanted = {line for lines in kept for line in lines}
    rows = enumerate(text.split("\n"), 1)
    return "\n".join(row if number in wanted else imports.get(number, "") for number, row in rows)
