"""What stands where in a file: as a look at every node of the tree finds it."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import gc
import inspect
import textwrap
import weakref
from types import ModuleType

import pytest

from dap_ai.agent.source.indexing import FunctionNode, Index, nodes_below
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import header_nodes, mutations


def holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


@pytest.mark.parametrize("module", [argparse, dataclasses, textwrap])
def test_each_line_has_the_statement_and_the_function_that_a_whole_walk_finds(module: ModuleType):
    text = inspect.getsource(module)
    source = SourceFile("/x/p.py", text)
    nodes = [n for n in ast.walk(source.index.tree) if isinstance(n, ast.stmt)]
    for line in range(1, len(source.lines) + 2):
        around = [n for n in nodes if holds(n, line)]
        inside = [n for n in around if isinstance(n, FunctionNode)]
        innermost = max(around, key=lambda n: (n.lineno, -(n.end_lineno or 0)), default=None)
        assert source.statement_at(line) is innermost
        assert source.function_at(line) is max(inside, key=lambda n: n.lineno, default=None)


def test_of_statements_on_one_line_the_shortest_is_meant_and_of_equal_ones_the_outer():
    index = Index(ast.parse("if a: b = 1\nfor c in d: pass; e()\n"))
    assert ast.unparse(index.statement_at(1) or ast.Pass()) == "if a:\n    b = 1"
    assert isinstance(index.statement_at(2), ast.For)


def test_names_are_found_where_they_are_bound_first():
    index = Index(ast.parse("import a.b as c, d\ndef f():\n    from g import h as i\ndef f(): pass\nclass f: pass\n"))
    assert index.modules == {"c": "a.b", "d": "d"}
    assert index.imported["i"][1] == "h"
    assert index.top["f"] is index.tree.body[1]


def test_a_nested_function_is_found_below_its_own_holder_only():
    index = Index(ast.parse("def f():\n    def g(): pass\ndef h():\n    def g(): pass\n"))
    f, g, h, other = sorted(index.functions, key=lambda function: function.lineno)
    assert index.function_named("g", f) is g
    assert index.function_named("g", h) is other
    assert index.function_named("f", f) is None


def test_a_function_is_found_behind_more_lines_than_the_file_has_nodes():
    index = SourceFile("/x/p.py", "# words\n" * 500 + "def late():\n    pass\n").index
    assert index.function_named("late", index.tree) is index.functions[0]


def test_what_was_found_in_a_tree_goes_with_it():
    source = SourceFile("/x/p.py", "def f(a):\n    return [g(a)]\n")
    function = source.index.functions[0]
    assert nodes_below(function) and mutations(function.body[0]) == () and header_nodes(function.body[0])
    gone = weakref.ref(source.index.tree), weakref.ref(function), weakref.ref(function.body[0])
    del source, function
    gc.collect()
    assert [each() for each in gone] == [None] * 3
