"""Expressions of Rust: what each kind of syntax node is made of. What has no rule here is refused."""

from __future__ import annotations

from dap_ai.debuggees.native.source import literals
from dap_ai.debuggees.native.source.grammar import Source, Syntax, field, named
from dap_ai.debuggees.native.source.shapes import (
    IDENTIFIER,
    PLAIN,
    Rule,
    Shape,
    assignment,
    binary,
    call,
    constant,
    listed,
    name,
    opaque,
    refused,
)

_NUMBERS = frozenset(
    """i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char c_int c_uint c_long c_ulong c_char
    c_uchar c_schar c_short c_ushort c_longlong c_ulonglong c_float c_double size_t""".split()  # noqa: SIM905  as a table
)
_MAX_STARS = 8
_UNARY = frozenset(["-", "!", "*"])
_MACRO = "a macro's call is not read, it would run code of the program: ask for the values that it works on"


def shape(source: Source, node: Syntax) -> Shape:
    """The shape of an expression."""
    rule = _RULES.get(node.type)
    return rule(source, node) if rule else opaque(source, node)


def _identifier(source: Source, node: Syntax) -> Shape:
    text = source.text(node)
    if text == "None":
        return constant(source, node, ["c", None])
    return name(source, node, text.removeprefix("r#"), text)


def _scoped(source: Source, node: Syntax) -> Shape:
    parts: list[str] = []
    inner: Syntax | None = node
    while inner is not None and inner.type == "scoped_identifier":
        last = field(inner, "name")
        if last is None or last.type != "identifier":
            return opaque(source, node)
        parts.insert(0, source.text(last).removeprefix("r#"))
        inner = field(inner, "path")
    if inner is None or inner.type not in ("identifier", "crate", "self", "super"):
        return opaque(source, node, f"the path {source.raw(node)} is not read: name it without `<...>` or leading `::`")
    return name(source, node, "::".join([source.text(inner), *parts]))


def _member(source: Source, node: Syntax) -> Shape:
    base, member = field(node, "value"), field(node, "field")
    if base is None or member is None:
        return opaque(source, node)
    text = source.text(member).removeprefix("r#")
    digits = member.type == "integer_literal" and text.isascii() and text.isdigit()
    if not digits and not (member.type == "field_identifier" and IDENTIFIER.fullmatch(text)):
        return opaque(source, node)
    return Shape("member", [0, f".{text}"], (base,), lambda x: ["a", x[0], text], "", ".", others=1)


def _subscript(source: Source, node: Syntax) -> Shape:
    values = named(node)
    if len(values) != 2:
        return opaque(source, node)
    return Shape("subscript", [0, "[", 1, "]"], values, lambda x: ["s", *x])


def _unary(source: Source, node: Syntax) -> Shape:
    values = named(node)
    sign = node.children[0].type if node.children else ""
    if len(values) != 1 or sign not in _UNARY:
        return opaque(source, node)
    kind = "deref" if sign == "*" else "unary"
    return Shape(kind, [sign, 0], values, lambda x: ["u", sign, x[0]], operator=sign)


def _reference(source: Source, node: Syntax) -> Shape:
    value = field(node, "value")
    if value is None or any(child.type == "raw" for child in node.children):
        return opaque(source, node, "`&raw` is not read: write `&x`")
    mutable = any(child.type == "mutable_specifier" for child in node.children)
    sign = "&mut " if mutable else "&"
    return Shape("unary", [sign, 0], (value,), lambda x: ["u", "&", x[0]], "", sign.strip(), others=int(mutable))


def _binary(source: Source, node: Syntax) -> Shape:
    left, operator, right = (field(node, key) for key in ("left", "operator", "right"))
    if left is None or operator is None or right is None:
        return opaque(source, node)
    return binary(left, operator.type, right, operator.type)


def _cast(source: Source, node: Syntax) -> Shape:
    value, kind = field(node, "value"), field(node, "type")
    if value is None or kind is None:
        return opaque(source, node)
    wanted = _cast_type(source, kind)
    form: list[str | int] = [0, f" as {wanted or source.raw(kind)}"]
    if wanted is None:
        refusal = f"a cast to {source.raw(kind)} is not read: cast to a number or a raw pointer"
        return Shape("cast", form, (value,), refusal=refusal, operator=source.raw(kind))
    return Shape("cast", form, (value,), lambda x: ["cast", wanted, x[0]], "", wanted, others=1)


def _cast_type(source: Source, kind: Syntax) -> str | None:
    stars: list[str] = []
    while kind.type == "pointer_type":
        inner = field(kind, "type")
        if inner is None or len(stars) >= _MAX_STARS:
            return None
        mutable = any(child.type == "mutable_specifier" for child in kind.children)
        stars.append("*mut " if mutable else "*const ")
        kind = inner
    text = "".join(source.text(kind).split())
    plain = kind.type in ("primitive_type", "type_identifier", "scoped_type_identifier")
    plain = plain and all(IDENTIFIER.fullmatch(part) for part in text.split("::"))
    return "".join(stars) + text if plain and (stars or text in _NUMBERS) else None


def _call(source: Source, node: Syntax) -> Shape:
    callee, arguments = field(node, "function"), field(node, "arguments")
    if callee is None or arguments is None:
        return opaque(source, node)
    return call(source, node, callee, [v for v in named(arguments) if v.type != "attribute_item"])


def _generic(source: Source, node: Syntax) -> Shape:
    function = field(node, "function")
    if function is None:
        return opaque(source, node)
    inner = shape(source, function)
    refusal = f"the generic {source.raw(node)} is not read: {PLAIN}"
    return Shape(inner.kind, inner.form, inner.operands, None, refusal, inner.operator)


def _after(sign: str, refusal: str) -> Rule:
    def rule(source: Source, node: Syntax) -> Shape:
        values = named(node)
        if len(values) != 1:
            return opaque(source, node, refusal)
        return Shape("unary", [0, sign], values, refusal=refusal, operator=sign)

    return rule


def _range(source: Source, node: Syntax) -> Shape:
    sign = next((child.type for child in node.children if child.type in ("..", "..=", "...")), "..")
    values = named(node)
    refusal = "a range is not read: ask for its ends, or for one item"
    if len(values) == 2:
        return Shape("other", [0, sign, 1], values, refusal=refusal, operator=sign)
    return Shape("other", [source.raw(node)], values, refusal=refusal, operator=sign)


def _tuple(source: Source, node: Syntax) -> Shape:
    return listed(source, node, named(node), "()", "a tuple is not read: ask for its values one by one")


def _array(source: Source, node: Syntax) -> Shape:
    return listed(source, node, named(node), "[]", "an array is not read: ask for its values one by one")


def _struct(source: Source, node: Syntax) -> Shape:
    body = field(node, "body")
    fields = named(body) if body else []
    values = [named(f)[0] if f.type == "shorthand_field_initializer" else field(f, "value") for f in fields]
    refusal = "a struct's making is not read: ask for its values one by one"
    return Shape("other", [source.raw(node)], [v for v in values if v is not None], refusal=refusal)


def _inner(source: Source, node: Syntax) -> Shape:
    values = [child for child in named(node) if child.type in EXPRESSIONS]
    return Shape("other", [source.raw(node)], values, refusal=f"{node.type.split('_')[0]}: not read, {PLAIN}")


_RULES: dict[str, Rule] = {
    "identifier": _identifier,
    "shorthand_field_identifier": _identifier,
    "self": _identifier,
    "scoped_identifier": _scoped,
    "field_expression": _member,
    "index_expression": _subscript,
    "unary_expression": _unary,
    "reference_expression": _reference,
    "binary_expression": _binary,
    "assignment_expression": assignment,
    "compound_assignment_expr": assignment,
    "type_cast_expression": _cast,
    "call_expression": _call,
    "generic_function": _generic,
    "try_expression": _after("?", "`?` is not read, it may return: ask for its operand"),
    "await_expression": _after(".await", "`.await` is not read, it would run the program: ask for its operand"),
    "range_expression": _range,
    "tuple_expression": _tuple,
    "array_expression": _array,
    "struct_expression": _struct,
    "unit_expression": refused(f"`()` is not read: {PLAIN}"),
    "return_expression": _inner,
    "break_expression": _inner,
    "yield_expression": _inner,
    "macro_invocation": refused(_MACRO),
    "closure_expression": refused("a closure is not read: ask for a value that it captures"),
    "if_expression": refused("`if` is not read: ask for its condition or one of its values"),
    "match_expression": refused("`match` is not read: ask for the value that is matched"),
    "block": refused("a block is not read: ask for one value"),
    "unsafe_block": refused("a block is not read: ask for one value"),
    "integer_literal": lambda s, n: constant(s, n, literals.number(s.text(n), "rust")),
    "float_literal": lambda s, n: constant(s, n, literals.number(s.text(n), "rust")),
    "char_literal": lambda s, n: constant(s, n, literals.character(s.text(n))),
    "string_literal": lambda s, n: constant(s, n, literals.string(s.text(n))),
    "raw_string_literal": lambda s, n: constant(s, n, literals.string(s.text(n))),
    "boolean_literal": lambda s, n: constant(s, n, ["c", s.text(n) == "true"]),
}
EXPRESSIONS = frozenset(_RULES).union(
    """parenthesized_expression while_expression loop_expression for_expression async_block const_block
    continue_expression""".split()  # noqa: SIM905  as a table
)
"""Types of syntax nodes that are expressions."""
