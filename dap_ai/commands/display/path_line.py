"""Formats the origin of a value as a line of text, from the value back to its source. Has no side effects.

Example: `total -962.28 <- net -1188 <- discount 10 <- DISCOUNTS[name]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.protocol.wire.value_path import PathNode
from dap_ai.system.texts import cut

ARROW = " <- "
NOT_KNOWN = "?"
AT_STOP = " (when it stopped)"
_LEAST_LINKS = 3
"""Minimum number of links to show; a shorter path adds nothing to the answer."""
_MAX_VALUE, _MAX_EXPRESSION, _MAX_LINKS = 32, 32, 8


def links(path: Sequence[PathNode]) -> list[tuple[PathNode, bool]]:
    """Return the nodes of a value's path to show, each with a flag; repeated nodes are left out.

    A node is repeated if it has the name and the value of the node before. The flag tells whether the node has the
    value of the node before under another name.
    """
    shown: list[tuple[PathNode, bool]] = []
    before: PathNode | None = None
    for node in path:
        is_same = before is not None and before.value == node.value and bool(node.value)
        if before is None or not is_same or before.expression != node.expression:
            shown.append((node, is_same))
        before = node
    return shown


def chain(path: Sequence[PathNode]) -> str:
    """Format a value's path on one line; empty if the path is too short.

    A value appears under its first name only, except at the path's end.
    """
    shown = [(node, is_same) for node, is_same in links(path) if not is_same or node is path[-1]]
    if len(shown) < _LEAST_LINKS:
        return ""
    told = [_node_text(node, is_same) for node, is_same in shown]
    if len(told) > _MAX_LINKS:
        told = [*told[: _MAX_LINKS - 2], "...", told[-1]]
    return ARROW.join(told)


def _node_text(node: PathNode, is_same: bool) -> str:
    expression = cut(node.expression, _MAX_EXPRESSION)
    when = AT_STOP if node.known == "stop" else ""
    return expression if is_same else f"{expression} {cut(node.value or NOT_KNOWN, _MAX_VALUE)}{when}"
