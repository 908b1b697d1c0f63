"""Parses source text with tree-sitter into syntax nodes. Only this module uses tree-sitter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from dap_ai.system.extras import GRAMMARS
from dap_ai.system.texts import cut

if TYPE_CHECKING:
    from tree_sitter import Language, Query
    from tree_sitter import Node as Syntax
else:
    Syntax = Any

_GRAMMARS = {"c": "tree_sitter_c", "cpp": "tree_sitter_cpp", "rust": "tree_sitter_rust"}
_MAX_RAW_CHARS = 200

__all__ = ["ParsedSource", "Syntax", "field", "named", "walk"]


class ParsedSource:
    """The parsed text of a source file, which may contain syntax errors.

    Raises MissingExtraError without tree-sitter.
    """

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        self.data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace")
        self._tree = _tree_sitter().Parser(_language(language)).parse(self.data)

    @property
    def root(self) -> Syntax:
        """Syntax node of the whole file."""
        return self._tree.root_node

    @cached_property
    def lines(self) -> list[bytes]:
        """The source's lines, as bytes without line ends."""
        return self.data.split(b"\n")

    def fragment(self, text: str, line: int, column: int) -> ParsedSource:
        """Parse a piece of the text separately. Its nodes keep the positions that the piece has in this source."""
        return ParsedSource("\n" * (line - 1) + " " * column + text + ";", self.language)

    def text(self, node: Syntax) -> str:
        """Return the source text of a syntax node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def raw(self, node: Syntax) -> str:
        """Return the source text of a syntax node on one line, cut to at most 200 characters."""
        end = min(node.end_byte, node.start_byte + 40 * _MAX_RAW_CHARS)
        return cut(" ".join(self.data[node.start_byte : end].decode("utf-8", "replace").split()), _MAX_RAW_CHARS)

    def line(self, node: Syntax) -> int:
        """Return the 1-based line where a syntax node begins."""
        return node.start_point[0] + 1

    def column(self, node: Syntax) -> int:
        """Return the 0-based column where a syntax node begins, in characters."""
        prefix = self.data[node.start_byte - node.start_point[1] : node.start_byte]
        return len(prefix.decode("utf-8", "replace"))

    def code(self, line: int) -> str:
        """Return a line of the source without surrounding blanks; empty if the source has no such line."""
        return self.lines[line - 1].decode("utf-8", "replace").strip() if 0 < line <= len(self.lines) else ""

    def find(self, node: Syntax, types: Iterable[str]) -> list[Syntax]:
        """Return all syntax nodes of these types in and below a node, in source order."""
        query = _query(self.language, tuple(types))
        found: list[Syntax] = _tree_sitter().QueryCursor(query).captures(node).get("x", [])
        return sorted(found, key=lambda n: (n.start_byte, -n.end_byte))


def field(node: Syntax, name: str) -> Syntax | None:
    """Return a syntax node's child by the grammar's field name, or None."""
    return node.child_by_field_name(name)


def named(node: Syntax) -> list[Syntax]:
    """Return a syntax node's children without punctuation and comments."""
    return [child for child in node.named_children if not child.is_extra]


def walk(node: Syntax) -> Iterator[Syntax]:
    """Yield a syntax node and all nodes below it, in source order."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.children))


def _tree_sitter() -> Any:
    return GRAMMARS.load("tree_sitter")


@cache
def _language(name: str) -> Language:
    return _tree_sitter().Language(GRAMMARS.load(_GRAMMARS[name]).language())


@cache
def _query(language: str, types: tuple[str, ...]) -> Query:
    grammar = _language(language)
    known = [name for name in types if grammar.id_for_node_kind(name, True)]
    return _tree_sitter().Query(grammar, "[" + " ".join(f"({name})" for name in known) + "] @x")
