"""Analyses control flow in a function: conditions around a statement, loops, and whether the end is reached."""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.source.expressions import build
from dap_ai.debuggees.native.source.functions import DEFINITIONS
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named

Condition = tuple[Expression | None, bool]
"""A condition and the value it must have for a line to run. The condition is None if it cannot be evaluated."""
_CONDITIONAL = ("if_statement", "while_statement", "for_statement")
_RUN_WHEN_TRUE = ("body", "consequence", "update")
_NULLS = frozenset(["NULL", "nullptr", "0"])
_LOOPS = (
    *("while_statement", "do_statement", "for_statement", "for_range_loop", "lambda_expression"),
    *("while_expression", "loop_expression", "for_expression", "closure_expression"),
)
_GIVE_NOTHING = frozenset(["void", "auto"])
_DECIDING = (
    *_LOOPS,
    *("if_statement", "switch_statement", "conditional_expression", "try_statement", "catch_clause"),
    *("if_expression", "match_expression"),
)
_LEAVING = frozenset(["return_statement", "throw_statement", "return_expression"])
_MAY_LEAVE = (*_LEAVING, *("goto_statement", "try_expression", "call_expression", "macro_invocation"))
"""Types of syntax nodes that may leave a function. A call is included, since it may end the program or throw."""
_NEVER_RETURN = frozenset(["exit", "_exit", "abort", "std::abort", "std::exit", "std::terminate", "__assert_fail"])


def not_null(source: ParsedSource, node: Syntax) -> Iterator[str]:
    """Yield C and C++ expressions that are not null at a node, such as `p->next` inside `if (p->next != NULL)`."""
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


def decisions(source: ParsedSource, node: Syntax) -> Iterator[tuple[Syntax, Condition]]:
    """Yield the syntax that decides whether a node runs, with its condition, innermost first."""
    inner, outer = node, node.parent
    while outer is not None and outer.type not in DEFINITIONS:
        if _decides(source, outer, inner):
            yield outer, _condition(source, outer, inner)
        inner, outer = outer, outer.parent


def _decides(source: ParsedSource, outer: Syntax, inner: Syntax) -> bool:
    if outer.type == "binary_expression":
        sign = field(outer, "operator")
        return inner == field(outer, "right") and sign is not None and source.text(sign) in ("&&", "||")
    return outer.type in _DECIDING and inner != field(outer, "condition") and inner != field(outer, "initializer")


def is_always_reached(source: ParsedSource, function: Syntax, node: Syntax) -> bool:
    """Whether every call of a function reaches a node: no condition surrounds the node and no exit precedes it."""
    before = source.find(function, _MAY_LEAVE)
    leaving = any(other.start_byte < node.end_byte and not is_around(other, node) for other in before)
    return not leaving and not any(True for _ in decisions(source, node))


def _condition(source: ParsedSource, outer: Syntax, inner: Syntax) -> Condition:
    """Return an `if`'s condition and the value it must have. Return (None, True) for any other syntax."""
    condition = field(outer, "condition") if outer.type in ("if_statement", "if_expression") else None
    if condition is None:
        return None, True
    return build(source, field(condition, "value") or condition), inner == field(outer, "consequence")


def is_around(outer: Syntax, node: Syntax) -> bool:
    """Whether the syntax node `outer` contains `node`."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def leaves(source: ParsedSource, node: Syntax, to: Syntax) -> bool:
    """Whether running a statement means that the function ends before it can reach the later node `to`.

    This is so if a block that contains the statement but not `to` leaves the function after the statement.
    """
    inner, outer = node, node.parent
    while outer is not None and outer.type not in DEFINITIONS:
        if is_around(outer, to):
            return False
        if outer.type in ("compound_statement", "block", "case_statement"):
            after = [child for child in named(outer) if child.start_byte >= inner.start_byte]
            if any(_ends_function(source, child) for child in after):
                return True
        inner, outer = outer, outer.parent
    return False


def fork_of(node: Syntax, to: Syntax) -> Syntax | None:
    """Return the `if` that has two nodes in different branches, so that one run of it reaches only one; else None."""
    inner, outer = node, node.parent
    while outer is not None and not is_around(inner, to) and outer.type not in DEFINITIONS:
        branches = [field(outer, name) for name in ("consequence", "alternative")]
        others = [branch for branch in branches if branch is not None and branch != inner]
        if inner in branches and any(is_around(branch, to) for branch in others):
            return outer
        inner, outer = outer, outer.parent
    return None


def _ends_function(source: ParsedSource, node: Syntax) -> bool:
    if node.type == "expression_statement" and named(node):
        node = named(node)[0]
    callee = field(node, "function") if node.type == "call_expression" else None
    return node.type in _LEAVING or (callee is not None and source.text(callee) in _NEVER_RETURN)


def returns_before(source: ParsedSource, function: Syntax, node: Syntax) -> bool:
    """Whether a function may return before it reaches a syntax node."""
    found = source.find(function, [*_LEAVING, "goto_statement"])
    return any(other.start_byte < node.start_byte for other in found)


def may_keep_from(source: ParsedSource, node: Syntax, line: int) -> bool:
    """Whether an `if` can keep a line from running.

    The `if` contains the line, or it comes before the line and may return.
    """
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return first <= line and (line <= last or bool(source.find(node, _LEAVING)))


def repeated(source: ParsedSource, function: Syntax) -> list[tuple[int, int]]:
    """Return first and last line of each piece of code that may repeat: a loop, lambda, or function with a `goto`."""
    found = source.find(function, ["goto_statement", *_LOOPS])
    again = [function if node.type == "goto_statement" else node for node in found]
    return [(node.start_point[0] + 1, node.end_point[0] + 1) for node in again]


def has_open_end(source: ParsedSource, function: Syntax) -> bool:
    """Whether a C or C++ function that must return a value can certainly reach its end without a `return`."""
    kind, declarator, body = (field(function, name) for name in ("type", "declarator", "body"))
    if kind is None or declarator is None or body is None or source.language == "rust":
        return False
    nothing = source.text(kind) in _GIVE_NOTHING and declarator.type == "function_declarator"
    named_main = source.text(declarator).startswith("main(")
    return not nothing and not named_main and _is_passed(source, body)


def _is_passed(source: ParsedSource, node: Syntax) -> bool:
    """Whether the program certainly reaches the code after a statement."""
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


def _may_be_jumped(source: ParsedSource, node: Syntax) -> bool:
    return bool(source.find(node, ["goto_statement", "co_return_statement", "co_yield_statement"]))
