"""Expands executed lines to the whole statements they belong to."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import body_fields, last_line
from dap_ai.debuggees.python.analysis.record.check_runs import Control


def ran_lines(source: SourceFile, usable: Sequence[Control]) -> set[int]:
    """Returns all lines of the statements that the checks ran, and of the headers of functions that they called."""
    return whole_lines(source, {line for control in usable for path, line in control.counts if path == source.path})


def whole_lines(source: SourceFile, ran: set[int]) -> set[int]:
    """Returns all lines of the statements that contain a line in `ran`, and of the headers of called functions."""
    if source.tree is None:
        return ran
    found = set(ran)
    for node in source.index.statements:
        inner = next(body_fields(node), None)
        own = range(node.lineno, inner[0].lineno if inner else last_line(node) + 1)
        called = isinstance(node, ast.FunctionDef) and ran & set(range(node.body[0].lineno, last_line(node) + 1))
        if called or ran & set(own):
            found |= set(own)
    return found
