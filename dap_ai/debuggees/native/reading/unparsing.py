"""Converts expression Nodes to source text for messages, and measures their depth."""

from __future__ import annotations

from typing import Any, cast

from dap_ai.protocol.contracts.inspection import Node
from dap_ai.system.texts import cut

MAX_DEPTH = 40
_MAX_NODES = 400
_MAX_TEXT = 100


def depth_of(node: Node) -> int:
    """Return how many levels of lists a node contains. A node with too many parts counts as deeper than MAX_DEPTH."""
    level: list[Any] = [node]
    depth = seen = 0
    while level:
        depth, seen = depth + 1, seen + len(level)
        if seen > _MAX_NODES or depth > 2 * MAX_DEPTH:
            return MAX_DEPTH + 1
        lists = [cast("list[Any]", x) for x in level if isinstance(x, list)]
        level = [part for each in lists for part in each]
    return depth // 2


def source_of(node: Any, arrows: frozenset[int] | set[int] = frozenset()) -> str:
    """Return an expression node as printable source text of at most 100 characters.

    `arrows` holds the `id` of member nodes that are written with `->`.
    """
    try:
        text = _text(node, arrows)
    except (ValueError, TypeError, LookupError, RecursionError):
        text = "?"
    return cut("".join(c if c.isprintable() else "?" for c in text), _MAX_TEXT)


def _text(node: Any, arrows: frozenset[int] | set[int]) -> str:
    def part(inner: Any) -> str:
        return _text(inner, arrows)

    kind = node[0]
    if kind == "c":
        return _literal(node[1])
    if kind in ("i", "f", "n"):
        return str(node[1])
    if kind == "->":
        return part(node[1])
    if kind == "a":
        return f"{part(node[1])}{'->' if id(node) in arrows or node[1][0] == '->' else '.'}{node[2]}"
    if kind == "s":
        return f"{part(node[1])}[{part(node[2])}]"
    if kind == "u":
        return f"{node[1]}{part(node[2])}"
    if kind == "o":
        return f"{part(node[2])} {node[1]} {part(node[3])}"
    if kind == "cast":
        return f"({node[1]}){part(node[2])}"
    if kind == "cmp":
        return part(node[1]) + "".join(f" {op} {part(x)}" for op, x in node[2])
    if kind in ("and", "or"):
        return (" && " if kind == "and" else " || ").join(part(x) for x in node[1])
    if kind == "if":
        return f"{part(node[1])} ? {part(node[2])} : {part(node[3])}"
    return f"{part(node[1])}()" if kind == "call" else "?"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nullptr", True: "true", False: "false"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)
