"""Rules for C and C++ expressions, one per kind of syntax node. An expression without a rule is refused."""

from __future__ import annotations

from dap_ai.debuggees.native.source import literals, shapes
from dap_ai.debuggees.native.source.c_types import cast_type
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named
from dap_ai.debuggees.native.source.shapes import PLAIN, ExpressionShape, Rule, fields, opaque, refused

_ALTERNATIVES = {
    "and": "&&",
    "or": "||",
    "not_eq": "!=",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "not": "!",
    "compl": "~",
}
_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast"])
_PREFIXES = frozenset(["-", "+", "~", "!", "*", "&"])
_STREAMS = frozenset(["cout", "cerr", "clog", "cin", "endl", "flush", "wcout", "wcerr"])
_STREAM = "a stream is not read, it would write or wait: ask for the values that go into it"
_LAMBDA = "a lambda is not read: ask for a value that it captures"
_MEMORY = "it allocates, frees or throws: ask for the pointer or value alone"


def _identifier(source: ParsedSource, node: Syntax) -> ExpressionShape:
    return _name(source, node, source.text(node))


def _name(source: ParsedSource, node: Syntax, text: str) -> ExpressionShape:
    if source.language == "cpp" and text.removeprefix("std::") in _STREAMS:
        return ExpressionShape("name", [text], refusal=_STREAM, others=len(node.named_children))
    return shapes.name(source, node, text)


def _qualified(source: ParsedSource, node: Syntax) -> ExpressionShape:
    parts: list[str] = []
    inner: Syntax | None = node
    while inner is not None and inner.type == "qualified_identifier":
        scope = field(inner, "scope")
        if scope is None or scope.type not in ("namespace_identifier", "identifier", "type_identifier"):
            refusal = f"the name {source.raw(node)} is not read: name it without `<...>` or leading `::`"
            return opaque(source, node, refusal)
        parts.append(source.text(scope))
        inner = field(inner, "name")
    if inner is None or inner.type not in ("identifier", "type_identifier", "field_identifier"):
        return opaque(source, node)
    return _name(source, node, "::".join([*parts, source.text(inner)]))


def _member(source: ParsedSource, node: Syntax) -> ExpressionShape:
    base, operator, member = fields(node, "argument", "operator", "field")
    sign, text = operator.type, source.text(member)
    if sign not in (".", "->"):
        return opaque(source, node)
    if member.type != "field_identifier" or not shapes.IDENTIFIER.fullmatch(text):
        refusal = f"the member {source.raw(member)} is not read: ask for a plain member"
        return ExpressionShape("member", [0, sign, source.raw(member)], (base,), None, refusal, sign)
    return ExpressionShape(
        "member", [0, sign, text], (base,), lambda x: shapes.member_node(x[0], sign, text), "", sign, others=1
    )


def _subscript(source: ParsedSource, node: Syntax) -> ExpressionShape:
    base, index = field(node, "argument"), field(node, "index")
    indices = field(node, "indices")
    if indices is not None and len(named(indices)) == 1:
        index = named(indices)[0]
    if base is None or index is None:
        return opaque(source, node, f"more than one index is not read: {PLAIN}")
    return ExpressionShape("subscript", [0, "[", 1, "]"], (base, index), lambda x: ["s", *x])


def _prefixed(source: ParsedSource, node: Syntax) -> ExpressionShape:
    operator, operand = fields(node, "operator", "argument")
    sign = _ALTERNATIVES.get(operator.type, operator.type)
    return shapes.prefixed(sign, operand) if sign in _PREFIXES else opaque(source, node)


def _binary(source: ParsedSource, node: Syntax) -> ExpressionShape:
    del source
    left, operator, right = fields(node, "left", "operator", "right")
    return shapes.binary(left, _ALTERNATIVES.get(operator.type, operator.type), right)


def _update(source: ParsedSource, node: Syntax) -> ExpressionShape:
    del source
    operand, operator = fields(node, "argument", "operator", refusal=shapes.STEP)
    before = operator.start_byte < operand.start_byte
    form: list[str | int] = [operator.type, 0] if before else [0, operator.type]
    return ExpressionShape("unary", form, (operand,), refusal=shapes.STEP, operator=operator.type)


def _conditional(source: ParsedSource, node: Syntax) -> ExpressionShape:
    del source
    refusal = "`?:` without its middle is not read: write both values"
    operands = fields(node, "condition", "consequence", "alternative", refusal=refusal)
    return ExpressionShape("other", [0, " ? ", 1, " : ", 2], operands, lambda x: ["if", *x], operator="?")


def _cast(source: ParsedSource, node: Syntax) -> ExpressionShape:
    kind, operand = fields(node, "type", "value")
    return _to_type(source, kind, operand, [f"({source.raw(kind)})", 0])


def _to_type(source: ParsedSource, kind: Syntax, operand: Syntax, form: list[str | int]) -> ExpressionShape:
    instead = "a number or a pointer, or ask for the operand alone"
    return shapes.cast(source.raw(kind), cast_type(source, kind), operand, form, instead)


def _call(source: ParsedSource, node: Syntax) -> ExpressionShape:
    callee, arguments = fields(node, "function", "arguments")
    values = named(arguments)
    if callee.type == "primitive_type" and len(values) == 1:
        if arguments.type != "argument_list":
            return opaque(source, arguments)
        return _to_type(source, callee, values[0], [f"{source.raw(callee)}(", 0, ")"])
    if callee.type == "template_function" and len(values) == 1:
        word, kinds = fields(callee, "name", "arguments")
        if source.text(word) in _CASTS and len(named(kinds)) == 1:
            kind = named(kinds)[0]
            return _to_type(source, kind, values[0], [f"{source.text(word)}<{source.raw(kind)}>(", 0, ")"])
    return shapes.call(source, node, callee, values)


def _initializers(source: ParsedSource, node: Syntax) -> ExpressionShape:
    values = [field(child, "value") if child.type == "initializer_pair" else child for child in named(node)]
    known = [value for value in values if value is not None]
    return shapes.listed(source, node, known, "{}", "an initialiser is not read: ask for one of its values")


def _pair(source: ParsedSource, node: Syntax) -> ExpressionShape:
    del source
    refusal = "a comma is not read: ask for one expression at a time, without a format suffix"
    return ExpressionShape(
        "other", [0, ", ", 1], fields(node, "left", "right", refusal=refusal), refusal=refusal, operator=","
    )


def _delete(source: ParsedSource, node: Syntax) -> ExpressionShape:
    values = named(node)
    if len(values) != 1:
        return opaque(source, node)
    word = "delete[] " if any(child.type == "[" for child in node.children) else "delete "
    return ExpressionShape("unary", [word, 0], values, refusal=f"`delete` is not read, {_MEMORY}", operator="delete")


def _new(source: ParsedSource, node: Syntax) -> ExpressionShape:
    refusal = f"`new` is not read, {_MEMORY}"
    if any(child.type == "new_declarator" for child in node.children):
        return opaque(source, node, refusal, "new")
    kind, values = field(node, "type"), field(node, "arguments")
    form: list[str | int] = ["new ", source.raw(kind) if kind else "", *([0] if values else [])]
    return ExpressionShape("other", form, (values,) if values else (), refusal=refusal, operator="new")


def _strings(source: ParsedSource, node: Syntax) -> ExpressionShape:
    parts = [literals.string(source.text(child)) for child in named(node)]
    values = [part[1] for part in parts if part is not None]
    return shapes.constant(source, node, ["c", "".join(values)] if len(values) == len(parts) else None)


def _template(source: ParsedSource, node: Syntax) -> ExpressionShape:
    return ExpressionShape("name", [source.raw(node)], refusal=f"the template {source.raw(node)} is not read: {PLAIN}")


RULES: dict[str, Rule] = {
    "identifier": _identifier,
    "field_identifier": _identifier,
    "this": _identifier,
    "qualified_identifier": _qualified,
    "field_expression": _member,
    "subscript_expression": _subscript,
    "pointer_expression": _prefixed,
    "unary_expression": _prefixed,
    "binary_expression": _binary,
    "assignment_expression": shapes.assignment,
    "update_expression": _update,
    "conditional_expression": _conditional,
    "cast_expression": _cast,
    "call_expression": _call,
    "argument_list": lambda s, n: shapes.listed(s, n, named(n), "()", f"arguments are not read: {PLAIN}"),
    "initializer_list": _initializers,
    "comma_expression": _pair,
    "delete_expression": _delete,
    "new_expression": _new,
    "template_function": _template,
    **shapes.LITERALS,
    "concatenated_string": _strings,
    "true": lambda s, n: shapes.constant(s, n, ["c", True]),
    "false": lambda s, n: shapes.constant(s, n, ["c", False]),
    "null": lambda s, n: shapes.constant(s, n, ["c", None]),
    "lambda_expression": refused(_LAMBDA),
    "compound_statement": refused("a statement expression is not read: ask for one value"),
    "sizeof_expression": refused("`sizeof` is not read: ask for the value, its type says its size"),
    "alignof_expression": refused("`alignof` is not read: ask for the value"),
    "offsetof_expression": refused("`offsetof` is not read: ask for the member's address, `&x.member`"),
    "compound_literal_expression": refused("a compound literal is not read: ask for its values one by one"),
    "user_defined_literal": refused("a literal of the program's own is a call: write a plain number"),
    "co_await_expression": refused("`co_await` is not read, it would run the program"),
    "throw_statement": refused(f"`throw` is not read, {_MEMORY}"),
}
EXPRESSIONS = frozenset(RULES).union(
    """parenthesized_expression generic_expression fold_expression parameter_pack_expansion requires_expression
    gnu_asm_expression extension_expression""".split()  # noqa: SIM905  as a table
)
"""Types of the syntax nodes that are expressions."""
