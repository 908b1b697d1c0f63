"""Owner of the dependency tree-sitter: source text -> syntax nodes with their text and position."""

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
    """A parsed text of one language; never raises for what the text is. Raises MissingExtraError."""

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        self.data = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace")
        self._tree = _tree_sitter().Parser(_language(language)).parse(self.data)

    @property
    def root(self) -> Syntax:
        """The whole file."""
        return self._tree.root_node

    @cached_property
    def lines(self) -> list[bytes]:
        """Without line ends."""
        return self.data.split(b"\n")

    def fragment(self, text: str, line: int, column: int) -> ParsedSource:
        """A piece of the text parsed on its own, its nodes where they are in this source."""
        return ParsedSource("\n" * (line - 1) + " " * column + text + ";", self.language)

    def text(self, node: Syntax) -> str:
        """As it stands in the source."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def raw(self, node: Syntax) -> str:
        """On one line, and not longer than is fit to show."""
        end = min(node.end_byte, node.start_byte + 40 * _MAX_RAW_CHARS)
        return cut(" ".join(self.data[node.start_byte : end].decode("utf-8", "replace").split()), _MAX_RAW_CHARS)

    def line(self, node: Syntax) -> int:
        """Where it begins."""
        return node.start_point[0] + 1

    def column(self, node: Syntax) -> int:
        """Where it begins."""
        prefix = self.data[node.start_byte - node.start_point[1] : node.start_byte]
        return len(prefix.decode("utf-8", "replace"))

    def code(self, line: int) -> str:
        """The line, stripped."""
        return self.lines[line - 1].decode("utf-8", "replace").strip() if 0 < line <= len(self.lines) else ""

    def find(self, node: Syntax, types: Iterable[str]) -> list[Syntax]:
        """All nodes of these types under a node, itself included, in order of the source."""
        query = _query(self.language, tuple(types))
        found: list[Syntax] = _tree_sitter().QueryCursor(query).captures(node).get("x", [])
        return sorted(found, key=lambda n: (n.start_byte, -n.end_byte))


def field(node: Syntax, name: str) -> Syntax | None:
    """A child by the name that the grammar gives it."""
    return node.child_by_field_name(name)


def named(node: Syntax) -> list[Syntax]:
    """The children that are not mere punctuation, without comments."""
    return [child for child in node.named_children if not child.is_extra]


def walk(node: Syntax) -> Iterator[Syntax]:
    """A node and all below it, in order of the source."""
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
