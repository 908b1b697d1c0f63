"""Expressions of C and C++: what each kind of syntax node is made of. What has no rule here is refused."""

from __future__ import annotations

from dap_ai.debuggees.native.source import literals
from dap_ai.debuggees.native.source.c_types import cast_type
from dap_ai.debuggees.native.source.grammar import Source, Syntax, field, named
from dap_ai.debuggees.native.source.shapes import (
    IDENTIFIER,
    PLAIN,
    STEP,
    Rule,
    Shape,
    assignment,
    binary,
    call,
    constant,
    listed,
    member_node,
    name,
    opaque,
    refused,
)

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
_UNARY = frozenset(["-", "+", "~", "!"])
_STREAMS = frozenset(["cout", "cerr", "clog", "cin", "endl", "flush", "wcout", "wcerr"])
_STREAM = "a stream is not read, it would write or wait: ask for the values that go into it"
_LAMBDA = "a lambda is not read: ask for a value that it captures"
_MEMORY = "it allocates, frees or throws: ask for the pointer or value alone"


def shape(source: Source, node: Syntax) -> Shape:
    """The shape of an expression."""
    rule = _RULES.get(node.type)
    return rule(source, node) if rule else opaque(source, node)


def _identifier(source: Source, node: Syntax) -> Shape:
    return _name(source, node, source.text(node))


def _name(source: Source, node: Syntax, text: str) -> Shape:
    if source.language == "cpp" and text.removeprefix("std::") in _STREAMS:
        return Shape("name", [text], refusal=_STREAM, others=len(node.named_children))
    return name(source, node, text)


def _qualified(source: Source, node: Syntax) -> Shape:
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


def _member(source: Source, node: Syntax) -> Shape:
    base, operator, member = (field(node, key) for key in ("argument", "operator", "field"))
    if base is None or operator is None or member is None or operator.type not in (".", "->"):
        return opaque(source, node)
    text = source.text(member)
    if member.type != "field_identifier" or not IDENTIFIER.fullmatch(text):
        refusal = f"the member {source.raw(member)} is not read: ask for a plain member"
        return Shape("member", [0, operator.type, source.raw(member)], (base,), None, refusal, operator.type)
    sign = operator.type
    return Shape("member", [0, sign, text], (base,), lambda x: member_node(x[0], sign, text), "", sign, others=1)


def _subscript(source: Source, node: Syntax) -> Shape:
    base, index = field(node, "argument"), field(node, "index")
    indices = field(node, "indices")
    if indices is not None and len(named(indices)) == 1:
        index = named(indices)[0]
    if base is None or index is None:
        return opaque(source, node, f"more than one index is not read: {PLAIN}")
    return Shape("subscript", [0, "[", 1, "]"], (base, index), lambda x: ["s", *x])


def _pointer(source: Source, node: Syntax) -> Shape:
    operator, operand = field(node, "operator"), field(node, "argument")
    if operator is None or operand is None:
        return opaque(source, node)
    sign = operator.type
    kind = "deref" if sign == "*" else "unary"
    return Shape(kind, [sign, 0], (operand,), lambda x: ["u", sign, x[0]], operator=sign)


def _unary(source: Source, node: Syntax) -> Shape:
    operator, operand = field(node, "operator"), field(node, "argument")
    sign = _ALTERNATIVES.get(operator.type, operator.type) if operator else ""
    if operand is None or sign not in _UNARY:
        return opaque(source, node)
    return Shape("unary", [sign, 0], (operand,), lambda x: ["u", sign, x[0]], operator=sign)


def _binary(source: Source, node: Syntax) -> Shape:
    left, operator, right = (field(node, key) for key in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return opaque(source, node)
    sign = _ALTERNATIVES.get(operator.type, operator.type)
    return binary(left, sign, right, sign)


def _update(source: Source, node: Syntax) -> Shape:
    operand, operator = field(node, "argument"), field(node, "operator")
    if operand is None or operator is None:
        return opaque(source, node, STEP)
    before = operator.start_byte < operand.start_byte
    form: list[str | int] = [operator.type, 0] if before else [0, operator.type]
    return Shape("unary", form, (operand,), refusal=STEP, operator=operator.type)


def _conditional(source: Source, node: Syntax) -> Shape:
    test, yes, no = (field(node, key) for key in ("condition", "consequence", "alternative"))
    if test is None or yes is None or no is None:
        return opaque(source, node, "`?:` without its middle is not read: write both values")
    return Shape("other", [0, " ? ", 1, " : ", 2], (test, yes, no), lambda x: ["if", *x], operator="?")


def _cast(source: Source, node: Syntax) -> Shape:
    kind, operand = field(node, "type"), field(node, "value")
    if kind is None or operand is None:
        return opaque(source, node)
    return _to_type(source, kind, operand, [f"({source.raw(kind)})", 0])


def _to_type(source: Source, kind: Syntax, operand: Syntax, form: list[str | int]) -> Shape:
    wanted = cast_type(source, kind)
    if wanted is None:
        refusal = (
            f"a cast to {source.raw(kind)} is not read: cast to a number or a pointer, or ask for the operand alone"
        )
        return Shape("cast", form, (operand,), refusal=refusal, operator=source.raw(kind))
    return Shape("cast", form, (operand,), lambda x: ["cast", wanted, x[0]], "", wanted, others=1)


def _call(source: Source, node: Syntax) -> Shape:
    callee, arguments = field(node, "function"), field(node, "arguments")
    if callee is None or arguments is None:
        return opaque(source, node)
    values = named(arguments)
    if callee.type == "primitive_type" and len(values) == 1:
        return _functional(source, callee, values[0], arguments)
    if callee.type == "template_function" and len(values) == 1:
        word, kinds = field(callee, "name"), field(callee, "arguments")
        if word and kinds and source.text(word) in _CASTS and len(named(kinds)) == 1:
            kind = named(kinds)[0]
            return _to_type(source, kind, values[0], [f"{source.text(word)}<{source.raw(kind)}>(", 0, ")"])
    return call(source, node, callee, values)


def _functional(source: Source, kind: Syntax, value: Syntax, arguments: Syntax) -> Shape:
    if arguments.type != "argument_list":
        return opaque(source, arguments)
    return _to_type(source, kind, value, [f"{source.raw(kind)}(", 0, ")"])


def _arguments(source: Source, node: Syntax) -> Shape:
    return listed(source, node, named(node), "()", f"arguments are not read: {PLAIN}")


def _initializers(source: Source, node: Syntax) -> Shape:
    values = [field(child, "value") if child.type == "initializer_pair" else child for child in named(node)]
    known = [value for value in values if value is not None]
    return listed(source, node, known, "{}", "an initialiser is not read: ask for one of its values")


def _pair(source: Source, node: Syntax) -> Shape:
    left, right = field(node, "left"), field(node, "right")
    refusal = "a comma is not read: ask for one expression at a time, without a format suffix"
    if left is None or right is None:
        return opaque(source, node, refusal)
    return Shape("other", [0, ", ", 1], (left, right), refusal=refusal, operator=",")


def _delete(source: Source, node: Syntax) -> Shape:
    values = named(node)
    if len(values) != 1:
        return opaque(source, node)
    word = "delete[] " if any(child.type == "[" for child in node.children) else "delete "
    return Shape("unary", [word, 0], values, refusal=f"`delete` is not read, {_MEMORY}", operator="delete")


def _new(source: Source, node: Syntax) -> Shape:
    values = [v for key in ("arguments",) if (v := field(node, key))]
    kind = field(node, "type")
    form: list[str | int] = ["new ", source.raw(kind) if kind else "", *([0] if values else [])]
    if any(child.type == "new_declarator" for child in node.children):
        return opaque(source, node, f"`new` is not read, {_MEMORY}", "new")
    return Shape("other", form, values, refusal=f"`new` is not read, {_MEMORY}", operator="new")


def _strings(source: Source, node: Syntax) -> Shape:
    parts = [literals.string(source.text(child)) for child in named(node)]
    values = [part[1] for part in parts if part is not None]
    return constant(source, node, ["c", "".join(values)] if len(values) == len(parts) else None)


def _template(source: Source, node: Syntax) -> Shape:
    word = field(node, "name")
    text = source.text(word) if word else ""
    refusal = f"the template {source.raw(node)} is not read: {PLAIN}"
    return Shape("name", [source.raw(node)], refusal=refusal) if text else opaque(source, node)


_RULES: dict[str, Rule] = {
    "identifier": _identifier,
    "field_identifier": _identifier,
    "this": _identifier,
    "qualified_identifier": _qualified,
    "field_expression": _member,
    "subscript_expression": _subscript,
    "pointer_expression": _pointer,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "assignment_expression": assignment,
    "update_expression": _update,
    "conditional_expression": _conditional,
    "cast_expression": _cast,
    "call_expression": _call,
    "argument_list": _arguments,
    "initializer_list": _initializers,
    "comma_expression": _pair,
    "delete_expression": _delete,
    "new_expression": _new,
    "template_function": _template,
    "number_literal": lambda s, n: constant(s, n, literals.number(s.text(n), s.language)),
    "char_literal": lambda s, n: constant(s, n, literals.character(s.text(n))),
    "string_literal": lambda s, n: constant(s, n, literals.string(s.text(n))),
    "raw_string_literal": lambda s, n: constant(s, n, literals.string(s.text(n))),
    "concatenated_string": _strings,
    "true": lambda s, n: constant(s, n, ["c", True]),
    "false": lambda s, n: constant(s, n, ["c", False]),
    "null": lambda s, n: constant(s, n, ["c", None]),
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
EXPRESSIONS = frozenset(_RULES).union(
    """parenthesized_expression generic_expression fold_expression parameter_pack_expansion requires_expression
    gnu_asm_expression extension_expression""".split()  # noqa: SIM905  as a table
)
"""Types of syntax nodes that are expressions."""
