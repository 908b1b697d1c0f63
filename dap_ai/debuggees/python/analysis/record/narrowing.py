"""Reduces an edited file to the edited function, so that a copy of the process need not compile the whole module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from dap_ai.agent.report.source_edits import SourceEdit, lines_after, of_file, text_after
from dap_ai.agent.source.indexing import once_per_node
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import first_line, last_line, nodes_in, own_statements
from dap_ai.debuggees.python.analysis.syntax.nodes import parsed

Lines = range
_ODD_LINE_ENDS = "\r\f"
_WORD = re.compile(r"\w+")
_ALWAYS = "__future__"


def narrowed(source: SourceFile, edits: Sequence[SourceEdit]) -> tuple[str, str]:
    """Return the file's text before and after the edits, reduced to the edited function with its classes.

    The text also keeps imports of names that these lines use: Python compiles a call of an imported module's function
    differently from a method call. All other lines are empty, so that line numbers stay. Returns the full texts if the
    edits are not in a single function: a run from the start then needs the whole module. Raises ValueError if the edits
    overlap or are outside the file.
    """
    own = of_file(source.path, edits)
    kept = [] if _has_odd_line_ends(source, own) else _kept(source, own)
    if not kept:
        return source.text, text_after(source, edits)
    growth, last = sum(edit.growth for edit in own), kept[-1]
    olds = {n: source.line(n) for lines in kept for n in lines}
    news = {n: source.line(n) for lines in kept[:-1] for n in lines}
    news.update(enumerate(lines_after(source, own, last.start, last.stop - 1), last.start))
    words = {word for row in (*olds.values(), *news.values()) for word in _WORD.findall(row)}
    imports = _imports(source, words)
    moved = {line + growth * (line >= last.stop): text for line, text in imports.items()}
    return _text(imports | olds), _text(moved | news)


def is_inside(old: str, new: str) -> bool:
    """Whether the two texts differ only in function bodies."""
    outlines = _outline(old), _outline(new)
    return bool(outlines[0]) and outlines[0] == outlines[1]


def _outline(text: str) -> str:
    """Return an AST dump of the code without function bodies; an empty string if the text is not Python."""
    tree = parsed(text)
    for node in [n for n in nodes_in(tree) if isinstance(n, FunctionNode)]:
        node.body = []
    return ast.dump(tree) if tree else ""


def _has_odd_line_ends(source: SourceFile, edits: Iterable[SourceEdit]) -> bool:
    texts = (source.text, *(row for edit in edits for row in edit.lines))
    return any(end in text for text in texts for end in _ODD_LINE_ENDS)


def _imports(source: SourceFile, words: set[str]) -> dict[int, str]:
    """Map the first line of each import that binds one of the words to the import's text on one line."""
    found: dict[int, str] = {}
    for line, text, names in _all_imports(source.tree) if source.tree else ():
        if names & words or not names:
            found[line] = f"{found[line]}; {text}" if line in found else text
    return found


@once_per_node
def _all_imports(tree: ast.Module) -> list[tuple[int, str, set[str]]]:
    """Return (line, text, bound names) for each import at module level; the names are empty if unknown."""
    nodes = [node for node in own_statements(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return [(node.lineno, ast.unparse(node), _bound(node)) for node in nodes]


def _bound(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.ImportFrom) and (node.module == _ALWAYS or node.names[0].name == "*"):
        return set()
    return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}


def _kept(source: SourceFile, edits: Sequence[SourceEdit]) -> list[Lines]:
    """Return the lines of class headers and of the function that contains all edits; empty if no function does."""
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
    first = first_line(node) if isinstance(node, FunctionNode | ast.ClassDef) else node.lineno
    return Lines(first, last_line(node) + 1)


def _text(rows: Mapping[int, str]) -> str:
    """Return the rows as text, each at its line number, with empty lines in between."""
    parts: list[str] = []
    before = 1
    for number in sorted(rows):
        parts.append("\n" * (number - before) + rows[number])
        before = number
    return "".join(parts) + "\n"
