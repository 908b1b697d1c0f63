"""Converts syntax nodes to Expressions, with a Node if the expression can be read.

Only this module makes Nodes from text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from dap_ai.agent.sanitize import MAX_DEPTH, MAX_EXPRESSION_CHARS, SyntaxRefused
from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.source import c_shapes, rust_shapes
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named, walk
from dap_ai.debuggees.native.source.shapes import ExpressionShape, member_node, shape_by
from dap_ai.system.extras import MissingExtraError
from dap_ai.system.texts import cut

_DEEP = f"the expression is nested deeper than {MAX_DEPTH}: ask for a part of it"
_ADJOINING = frozenset("+-&")
_SPLIT = re.compile(r"""b?"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|[()\[\]{},;]""", re.DOTALL)
_CAPTURED = re.compile(r"(?<!\{)\{([a-z_][A-Za-z0-9_]*)(?::[^{}]*)?\}")
_FOREIGN = {
    "$": "registers and the debugger's own variables are not read here: ask for a variable of the program",
    "`": "the debugger's own language is not read: write a plain expression",
    "@": "the debugger's `@` is not read: ask for single items, `p[0]`",
    "#": "the preprocessor's language is not read: write a plain expression",
    "\\": "a backslash stands only in a constant: write a plain expression",
}
_LITERAL = re.compile(
    r"""b?r(#*)".*?"\1|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|\\x[0-9a-fA-F]+|\\u\{?[0-9a-fA-F_]+\}?|\\[0-7]+)'"""
)
_FRAMES = {"c": ("int _ = ", ";"), "cpp": ("int _ = ", ";"), "rust": ("const _: () = ", ";")}
_LANGUAGES = {"c": "C", "cpp": "C++", "rust": "Rust"}
EXPRESSIONS = {"c": c_shapes.EXPRESSIONS, "cpp": c_shapes.EXPRESSIONS, "rust": rust_shapes.EXPRESSIONS}


def parse_expression(text: str, language: str) -> Expression:
    """Parse the text of one expression. Raises SyntaxRefused if it is not a single expression that can be read."""
    text = text.strip()
    _check_characters(text)
    before, after = _FRAMES[language]
    source = _parsed(before + text + after, language)
    root = source.root
    if root.has_error or any(node.is_extra for node in walk(root)):
        raise SyntaxRefused(f"not an expression of {_LANGUAGES[language]}: {cut(text, 60)}")
    value = _only_value(root)
    if value is None or (value.start_byte, value.end_byte) != (len(before), len(before) + len(text.encode())):
        raise SyntaxRefused(f"not one expression: {cut(text, 60)}; ask for one expression at a time, without a suffix")
    expression = build(source, value)
    if expression.node is None:
        raise SyntaxRefused(expression.refusal)
    return expression


def _parsed(text: str, language: str) -> ParsedSource:
    try:
        return ParsedSource(text, language)
    except MissingExtraError as error:
        raise SyntaxRefused(f"it cannot be parsed here: {error}") from error


def _check_characters(text: str) -> None:
    if len(text) > MAX_EXPRESSION_CHARS:
        raise SyntaxRefused(f"the expression is longer than {MAX_EXPRESSION_CHARS} characters")
    if not text:
        raise SyntaxRefused("there is no expression")
    if not text.isprintable():
        raise SyntaxRefused("an expression is one line of printable characters")
    if text.startswith("{"):
        raise SyntaxRefused("the debugger's `{type} address` is not read: cast the address to a pointer")
    for character in _LITERAL.sub("", text).replace("r#", ""):
        if character in _FOREIGN:
            raise SyntaxRefused(_FOREIGN[character])
        if not character.isascii():
            raise SyntaxRefused(f"the character {character!r} stands only in a constant: write a plain expression")


def _only_value(root: Syntax) -> Syntax | None:
    items = root.named_children
    if len(items) != 1:
        return None
    if items[0].type == "const_item":
        return field(items[0], "value")
    declarators = items[0].children_by_field_name("declarator")
    if len(declarators) != 1 or declarators[0].type != "init_declarator":
        return None
    return field(declarators[0], "value")


def bare(node: Syntax) -> tuple[Syntax, int]:
    """Strip the parentheses around a syntax node. Return the inner node and the number of parentheses."""
    count = 0
    while node.type == "parenthesized_expression" and len(inner := named(node)) == 1:
        node, count = inner[0], count + 1
    return node, count


def build(source: ParsedSource, node: Syntax, depth: int = 0) -> Expression:
    """Convert a syntax node to an Expression with all its operands."""
    node, parentheses = bare(node)
    depth += parentheses
    if node.type == "macro_invocation" and depth < MAX_DEPTH:
        return _macro(source, node, depth)
    if depth >= MAX_DEPTH:
        shape = ExpressionShape("other", [source.raw(node)], refusal=_DEEP)
    else:
        shape = shape_by((rust_shapes if source.language == "rust" else c_shapes).RULES, source, node)
    parts = tuple(build(source, operand, depth + 1) for operand in shape.operands)
    refusal = _refusal(source, node, shape, parts)
    made = shape.node([part.node for part in parts if part.node is not None]) if shape.node and not refusal else None
    text = _text(shape, parts)
    return Expression(text, shape.kind, source.line(node), source.column(node), made, parts, shape.operator, refusal)


def _refusal(source: ParsedSource, node: Syntax, shape: ExpressionShape, parts: Sequence[Expression]) -> str:
    if shape.refusal:
        return shape.refusal
    if below := next((part.refusal for part in parts if part.refusal), ""):
        return below
    if node.is_missing or any(child.is_error or child.is_missing for child in node.children):
        return f"{source.raw(node)} does not parse: write a plain expression"
    if node.type == "subscript_expression":
        return ""
    expected = len(shape.operands) + shape.others
    if shape.kind not in ("literal", "name", "cast") and len(named(node)) != expected:
        return f"{source.raw(node)} holds what is not read: write a plain expression"
    return ""


def _text(shape: ExpressionShape, parts: Sequence[Expression]) -> str:
    pieces: list[str] = []
    for item in shape.form:
        piece = item
        if isinstance(piece, int):
            piece = parts[piece].text
            if bare(shape.operands[item])[1]:  # type: ignore[index]
                piece = f"({piece})"
        if pieces and pieces[-1][-1:] in _ADJOINING and piece[:1] == pieces[-1][-1:]:
            piece = " " + piece
        pieces.append(piece)
    return "".join(pieces)


def _macro(source: ParsedSource, node: Syntax, depth: int) -> Expression:
    shape = shape_by(rust_shapes.RULES, source, node)
    name = field(node, "macro")
    tokens = next((child for child in node.children if child.type == "token_tree"), None)
    line, column = source.line(node), source.column(node)
    if name is None or tokens is None:
        return Expression(source.raw(node), "other", line, column, refusal=shape.refusal)
    callee = Expression(source.text(name), "name", line, column, refusal=shape.refusal)
    parts = (callee, *_macro_arguments(source, tokens, depth))
    return Expression(source.raw(node), "call", line, column, None, parts, "!", shape.refusal)


def _macro_arguments(source: ParsedSource, tokens: Syntax, depth: int) -> Iterator[Expression]:
    text = source.text(tokens)
    start, line, column = 1, source.line(tokens), source.column(tokens)
    for end in _separators(text):
        before, argument = text[:start], text[start:end]
        start = end + 1
        lead = len(argument) - len(argument.lstrip())
        before, argument = before + argument[:lead], argument.strip()
        newlines = before.count("\n")
        at = len(before) - before.rfind("\n") - 1 if newlines else column + len(before)
        if argument:
            yield from _argument(source.fragment(argument, line + newlines, at), argument, depth)


def _separators(text: str) -> list[int]:
    """Return the positions in a macro's text where its outermost arguments end."""
    depth, found = 0, list[int]()
    for match in _SPLIT.finditer(text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        if depth == (0 if match[0] in ")]}" else 1) and match[0] in ",;)]}":
            found.append(match.start())
    return found


def _argument(source: ParsedSource, text: str, depth: int) -> Iterator[Expression]:
    statements = named(source.root)
    if source.root.has_error or len(statements) != 1:
        return
    values = named(statements[0]) if statements[0].type == "expression_statement" else statements
    if len(values) != 1 or values[0].type not in rust_shapes.EXPRESSIONS:
        return
    if values[0].type != "string_literal":
        yield build(source, values[0], depth + 1)
        return
    line, column = source.line(values[0]), source.column(values[0])
    for match in _CAPTURED.finditer(text):
        yield Expression(match[1], "name", line, column + match.start(1), ["n", match[1]])


def sub_expressions(
    roots: Iterable[Expression], is_value: Callable[[Expression], bool] = lambda _: False
) -> Iterator[Expression]:
    """Yield every expression under the roots that has a value, outermost first. For `*p++`, also yield `*p`.

    A called function has no value unless `is_value` accepts it, as for a pointer to a function.
    """
    for root in roots:
        if root.kind != "literal" and (root.kind != "other" or root.node is not None):
            yield root
            if (settled := _settled(root)) is not None:
                yield settled
        parts = root.parts
        if root.kind == "call" and parts and parts[0].kind in ("name", "member") and not is_value(parts[0]):
            parts = [*parts[0].parts, *parts[1:]]
        yield from sub_expressions(parts, is_value)


def _settled(expression: Expression) -> Expression | None:
    """Return the expression that a dereference or subscript reads if it contains `p++`: `*p` for `*p++`. Else None."""
    if expression.kind not in ("deref", "subscript", "member") or expression.node is not None:
        return None
    parts = tuple(_before_step(part) for part in expression.parts)
    if any(part.node is None for part in parts):
        return None
    nodes = [part.node for part in parts]
    match expression.kind:
        case "deref":
            text, node = f"*{parts[0].text}", ["u", "*", nodes[0]]
        case "subscript":
            text, node = f"{parts[0].text}[{parts[1].text}]", ["s", *nodes]
        case _:
            member = expression.text.rpartition(expression.operator)[2]
            text = f"{parts[0].text}{expression.operator}{member}"
            node = member_node(nodes[0], expression.operator, member)
    return replace(expression, text=text, node=node, parts=parts, refusal="")


def _before_step(part: Expression) -> Expression:
    if part.kind == "unary" and part.text.endswith(("++", "--")):
        return part.parts[0]
    return part if part.node is not None else _settled(part) or part
