"""Where a function of Python source begins to run. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def function_at(source: Sequence[str], name: str) -> int:
    """The first line that runs in a function or method (`total`, `Account.withdraw`); 0: none of that name."""
    try:
        tree: ast.AST = ast.parse("\n".join(source))
    except (SyntaxError, ValueError):
        return 0
    wanted = name.split(".")
    for part in wanted:
        found = next((node for node in ast.walk(tree) if getattr(node, "name", None) == part), None)
        if found is None:
            return 0
        tree = found
    if not isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return 0
    first = tree.body[1] if ast.get_docstring(tree) is not None and len(tree.body) > 1 else tree.body[0]
    return first.lineno
