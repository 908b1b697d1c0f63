"""An edited file without what has no part in the edit, so that a copy compiles a function and not a module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from dap_ai.agent.analyst.edits import Edit, text_after
from dap_ai.agent.source import FunctionNode, SourceFile, last_line

Lines = range


def narrowed(source: SourceFile, edits: Sequence[Edit]) -> tuple[str, str]:
    """The file's text before and after, in which only the function around the edits is left, with its classes.

    All other lines are empty, so that each line keeps its number. The whole texts where the edits are in no one
    function: a run from the start needs all of the module then. Raises ValueError as `text_after`.
    """
    old, new = source.text, text_after(source, edits)
    own = [edit for edit in edits if edit.source.path == source.path]
    kept = _kept(source, own) if not {"\r", "\f"} & set(old + new) else []
    if not kept:
        return old, new
    growth = sum(edit.growth for edit in own)
    last = kept[-1]
    return _only(old, kept), _only(new, [*kept[:-1], Lines(last.start, last.stop + growth)])


def _kept(source: SourceFile, edits: Sequence[Edit]) -> list[Lines]:
    """Imports from `__future__`, the headers of classes, then the function of all edits; empty: there is none."""
    body = source.tree.body if source.tree else []
    first = min(min(edit.first, edit.last) for edit in edits)
    last = max(max(edit.first, edit.last) for edit in edits)
    kept = [_lines(n) for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
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


def _only(text: str, kept: Iterable[Lines]) -> str:
    wanted = {line for lines in kept for line in lines}
    return "\n".join(row if number in wanted else "" for number, row in enumerate(text.split("\n"), 1))
