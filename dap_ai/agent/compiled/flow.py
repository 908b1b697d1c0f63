"""How a function runs: what conditions around a statement say, what a loop repeats, whether its end is reached."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.agent.compiled.constructs import Expression
from dap_ai.agent.compiled.expressions import build
from dap_ai.agent.compiled.functions import DEFINITIONS
from dap_ai.agent.compiled.grammar import Source, Syntax, field, named

_CONDITIONAL = ("if_statement", "while_statement", "for_statement")
_RUN_WHEN_TRUE = ("body", "consequence", "update")
_NULLS = frozenset(["NULL", "nullptr", "0"])
_LOOPS = (
    *("while_statement", "do_statement", "for_statement", "for_range_loop", "lambda_expression"),
    *("while_expression", "loop_expression", "for_expression", "closure_expression"),
)
_GIVE_NOTHING = frozenset(["void", "auto"])


def not_null(source: Source, node: Syntax) -> Iterator[str]:
    """Of C and C++: `p->next`, where a loop `while (p->next)` or an `if (p->next != NULL)` is around the node."""
    inner, outer = node, node.parent
    while outer is not None and outer.type not in DEFINITIONS:
        condition = field(outer, "condition") if outer.type in _CONDITIONAL else None
        if condition is not None and any(inner == field(outer, name) for name in _RUN_WHEN_TRUE):
            yield from _true(build(source, field(condition, "value") or condition))
        inner, outer = outer, outer.parent


def _true(condition: Expression) -> Iterator[str]:
    if condition.kind in ("name", "member", "subscript"):
        yield condition.text
    elif condition.operator == "&&":
        for part in condition.parts:
            yield from _true(part)
    elif condition.operator == "!=" and len(condition.parts) == 2:
        left, right = condition.parts
        yield from [left.text] * (right.text in _NULLS) + [right.text] * (left.text in _NULLS)


def repeated(source: Source, function: Syntax) -> list[tuple[int, int]]:
    """First and last line of what may run more than once: loops, lambdas, all of a function with a `goto`."""
    found = source.find(function, ["goto_statement", *_LOOPS])
    again = [function if node.type == "goto_statement" else node for node in found]
    return [(node.start_point[0] + 1, node.end_point[0] + 1) for node in again]


def has_open_end(source: Source, function: Syntax) -> bool:
    """Whether a function of C or C++ that is to give a value may surely come to its end without a `return`."""
    kind, declarator, body = (field(function, name) for name in ("type", "declarator", "body"))
    if kind is None or declarator is None or body is None or source.language == "rust":
        return False
    nothing = source.text(kind) in _GIVE_NOTHING and declarator.type == "function_declarator"
    named_main = source.text(declarator).startswith("main(")
    return not nothing and not named_main and _is_passed(source, body)


def _is_passed(source: Source, node: Syntax) -> bool:
    """Whether what follows a statement is reached; what is not known is taken as not reached."""
    if node.type == "compound_statement":
        inside = named(node)
        return not inside or (_is_passed(source, inside[-1]) and not _may_be_jumped(source, node))
    if node.type == "else_clause":
        return all(_is_passed(source, child) for child in named(node)[:1])
    if node.type == "if_statement":
        branches = (field(node, "consequence"), field(node, "alternative"))
        return any(branch is None or _is_passed(source, branch) for branch in branches)
    if node.type in ("while_statement", "for_statement"):
        condition = field(node, "condition")
        return condition is not None and source.text(condition) not in ("(1)", "(true)", "1", "true")
    if node.type == "expression_statement":
        return named(node)[:1] != [] and named(node)[0].type in ("assignment_expression", "update_expression")
    return node.type in ("declaration", "for_range_loop")


def _may_be_jumped(source: Source, node: Syntax) -> bool:
    return bool(source.find(node, ["goto_statement", "co_return_statement", "co_yield_statement"]))
