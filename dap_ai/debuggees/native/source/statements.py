"""Finds statements in a source file: the statements at a line, their headers, and their expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dap_ai.agent.source.parsed import CompiledStatement, Expression, StatementKind
from dap_ai.debuggees.native.source.expressions import EXPRESSIONS, build
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named
from dap_ai.system.texts import cut

_SIMPLE_KINDS: dict[StatementKind, str] = {
    "declaration": "declaration let_declaration const_item static_item",
    "expression": "expression_statement field_initializer",
    "return": "return_statement co_return_statement",
    "other": "co_yield_statement throw_statement goto_statement break_statement continue_statement",
}
_SIMPLE: dict[str, StatementKind] = {name: kind for kind, names in _SIMPLE_KINDS.items() for name in names.split()}
_COMPOUND_KINDS: dict[StatementKind, str] = {
    "if": "if_statement if_expression",
    "while": "while_statement do_statement while_expression loop_expression",
    "for": "for_statement for_range_loop for_expression",
    "switch": "switch_statement match_expression",
    "other": "case_statement catch_clause match_arm",
}
_COMPOUND: dict[str, StatementKind] = {name: kind for kind, names in _COMPOUND_KINDS.items() for name in names.split()}
_BODIES = frozenset(
    """compound_statement block else_clause match_block declaration_list field_declaration_list catch_clause
    try_block""".split()  # noqa: SIM905  as a table
)
_BODY_FIELDS = ("body", "consequence", "alternative")
_NOT_RUN = frozenset(
    """type_descriptor parameter_list parameters type_arguments template_argument_list attribute_item
    lambda_capture_specifier label lifetime loop_label field_identifier statement_identifier type_identifier
    primitive_type sized_type_specifier struct_specifier enum_specifier union_specifier class_specifier
    template_type placeholder_type_specifier qualified_type mutable_specifier""".split()  # noqa: SIM905  as a table
)
_ROOTS = {
    "declaration": ("declarator", "value", "default_value"),
    "init_declarator": ("value",),
    "for_range_loop": ("initializer", "right"),
    "match_pattern": ("condition",),
    "match_arm": ("pattern", "value"),
    **dict.fromkeys(("let_declaration", "let_condition", "for_expression", "const_item", "static_item"), ("value",)),
}
_MAX_BESIDE = 12
"""Maximum number of statements considered on one line, because generated code may have thousands."""
_EMBEDDED = frozenset(["if_expression", "match_expression", "unsafe_block", "block", "loop_expression"])


@dataclass(frozen=True)
class StatementNode:
    """A statement's syntax node and its nesting depth."""

    node: Syntax
    kind: StatementKind
    depth: int
    outer: StatementNode | None = None


def spots_at(source: ParsedSource, line: int) -> list[StatementNode]:
    """Return the statements whose header includes the line, the outer ones first."""
    row = line - 1
    found: list[StatementNode] = []
    todo: list[tuple[Syntax, Syntax | None, StatementNode | None]] = [(source.root, None, None)]
    while todo:
        node, parent, outer = todo.pop()
        kind = _kind(node, parent)
        spot = outer
        if kind is not None:
            spot = StatementNode(node, kind, outer.depth + 1 if outer else 0, outer)
            if any(_holds(child, row) for child in _header(node)):
                found.append(spot)
        inside = _bodies(node) if kind is not None and node.type in _COMPOUND else node.children
        todo.extend((child, node, spot) for child in reversed(inside) if _holds(child, row))
    return found


def all_spots(root: Syntax) -> Iterator[StatementNode]:
    """Yield every statement under a syntax node, in source order."""
    todo: list[tuple[Syntax, Syntax | None]] = [(root, root.parent)]
    while todo:
        node, parent = todo.pop()
        kind = _kind(node, parent)
        if kind is not None:
            yield StatementNode(node, kind, 0)
        compound = kind is not None and node.type in _COMPOUND
        todo.extend((child, node) for child in reversed(_bodies(node) if compound else node.named_children))


def innermost(spots: list[StatementNode]) -> StatementNode | None:
    """Return the first of the most deeply nested statements, or None if the list is empty."""
    return max(spots, key=lambda spot: spot.depth, default=None)


def beside(spots: list[StatementNode], spot: StatementNode) -> list[StatementNode]:
    """Return the statement, then others on its first line: `if (p) return p->next;` contains two statements."""
    row = spot.node.start_point[0]
    others = [other for other in spots if other.node.type in _COMPOUND or other.node.start_point[0] == row]
    return [spot, *(other for other in others[:_MAX_BESIDE] if other is not spot)]


def statement(source: ParsedSource, spot: StatementNode) -> CompiledStatement:
    """Describe a statement by its lines, text, kind and expressions."""
    first, last, start, end, kind = spot.node, spot.node, spot.node.start_byte, spot.node.end_byte, spot.kind
    if spot.node.type in _COMPOUND:
        header = _header(spot.node)
        if spot.node.type == "do_statement":
            header = header[1:]
        first, last = header[0], header[-1]
        start, end = first.start_byte, last.end_byte
        outer = spot.outer
        if outer and outer.node.type in _SIMPLE and outer.node.start_point[0] == first.start_point[0]:
            first, start, kind = outer.node, outer.node.start_byte, outer.kind
    text = _shown(source, spot.node, start, end)
    return CompiledStatement(
        first.start_point[0] + 1, last.end_point[0] + 1, text, kind, tuple(expressions(source, spot))
    )


def _shown(source: ParsedSource, node: Syntax, start: int, end: int) -> str:
    data = source.data[start:end]
    for left_out in reversed(list(_left_out(node))):
        if start <= left_out.start_byte and left_out.end_byte <= end:
            put = b"" if left_out.is_extra else b"{ ... }"
            data = data[: left_out.start_byte - start] + put + data[left_out.end_byte - start :]
    return cut(" ".join(data.decode("utf-8", "replace").split()), 400)


def _left_out(node: Syntax) -> Iterator[Syntax]:
    """Yield the syntax nodes that a statement's text omits: comments, and multi-line bodies such as a lambda's."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node.is_extra or (node.type in _BODIES and node.start_point[0] != node.end_point[0]):
            yield node
        else:
            todo.extend(reversed(node.named_children))


def expressions(source: ParsedSource, spot: StatementNode) -> list[Expression]:
    """Return the outermost expressions in a statement's header."""
    return [build(source, node) for node in roots(source, spot.node)]


def roots(source: ParsedSource, node: Syntax) -> Iterator[Syntax]:
    """Yield the syntax nodes of the outermost expressions in a statement's header."""
    kinds = EXPRESSIONS[source.language]
    if node.type in kinds and node.type not in _COMPOUND and node.type not in ("throw_statement", "unsafe_block"):
        yield node
        return
    for child in _of_roots(node):
        yield from _roots_below(source, child, 0)


def _of_roots(node: Syntax) -> Iterable[Syntax]:
    if (fields := _ROOTS.get(node.type)) is None:
        bodies = _bodies(node) if node.type in _COMPOUND else []
        return [child for child in named(node) if child not in bodies]
    found = [child for key in fields for child in node.children_by_field_name(key)]
    if node.type == "declaration":
        return [child for child in found if child.type.endswith("init_declarator") or child.type not in _DECLARATORS]
    return [child for child in found if node.type != "match_arm" or child.type not in _EMBEDDED]


_DECLARATORS = frozenset(
    """identifier pointer_declarator array_declarator reference_declarator function_declarator
    parenthesized_declarator qualified_identifier structured_binding_declarator attributed_declarator""".split()  # noqa: SIM905  as a table
)


def _roots_below(source: ParsedSource, node: Syntax, depth: int) -> Iterator[Syntax]:
    if node.type in _BODIES or node.type in _NOT_RUN or node.type in _COMPOUND or node.type == "unsafe_block":
        return
    if node.type in ("return_expression", "break_expression"):
        for child in named(node):
            yield from _roots_below(source, child, depth + 1)
    elif node.type in EXPRESSIONS[source.language]:
        yield node
    elif depth < 8:
        for child in _of_roots(node):
            yield from _roots_below(source, child, depth + 1)


def _kind(node: Syntax, parent: Syntax | None) -> StatementKind | None:
    if node.type == "expression_statement":
        inner = named(node)
        if inner and (inner[0].type in _COMPOUND or inner[0].type in ("unsafe_block", "block")):
            return None
        return "return" if inner and inner[0].type == "return_expression" else "expression"
    if node.type in _SIMPLE:
        return _SIMPLE[node.type]
    if node.type in _COMPOUND:
        return _COMPOUND[node.type]
    if parent is None or not node.is_named or node.type in _BODIES or node.type == "unsafe_block":
        return None
    tail = parent.type == "block" and node.type in EXPRESSIONS["rust"]
    if tail or (parent.type == "closure_expression" and node == field(parent, "body")):
        return "return" if node.type == "return_expression" else "expression"
    return None


def _holds(node: Syntax, row: int) -> bool:
    return node.start_point[0] <= row <= node.end_point[0]


def _is_body(child: Syntax, node: Syntax) -> bool:
    if child.type in _BODIES:
        return True
    if node.type == "case_statement":
        return child.is_named and child != field(node, "value")
    if node.type == "match_arm":
        return child.type in _EMBEDDED
    return any(child == field(node, key) for key in _BODY_FIELDS)


def _bodies(node: Syntax) -> list[Syntax]:
    return [child for child in node.children if _is_body(child, node)]


def _header(node: Syntax) -> list[Syntax]:
    if node.type not in _COMPOUND:
        return [node]
    return [child for child in node.children if not child.is_extra and not _is_body(child, node)]
