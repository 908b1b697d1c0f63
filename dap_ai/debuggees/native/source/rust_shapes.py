"""Rules for Rust expressions, one per kind of syntax node. An expression without a rule is refused."""

from __future__ import annotations

from dap_ai.debuggees.native.source import shapes
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named
from dap_ai.debuggees.native.source.shapes import PLAIN, ExpressionShape, Rule, fields, opaque, refused

_NUMBERS = frozenset(
    """i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char c_int c_uint c_long c_ulong c_char
    c_uchar c_schar c_short c_ushort c_longlong c_ulonglong c_float c_double size_t""".split()  # noqa: SIM905  as a table
)
_MAX_STARS = 8
_UNARY = frozenset(["-", "!", "*"])
_MACRO = "a macro's call is not read, it would run code of the program: ask for the values that it works on"


def _identifier(source: ParsedSource, node: Syntax) -> ExpressionShape:
    text = source.text(node)
    if text == "None":
        return shapes.constant(source, node, ["c", None])
    return shapes.name(source, node, text.removeprefix("r#"), text)


def _scoped(source: ParsedSource, node: Syntax) -> ExpressionShape:
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
    return shapes.name(source, node, "::".join([source.text(inner), *parts]))


def _member(source: ParsedSource, node: Syntax) -> ExpressionShape:
    base, member = fields(node, "value", "field")
    text = source.text(member).removeprefix("r#")
    digits = member.type == "integer_literal" and text.isascii() and text.isdigit()
    if not digits and not (member.type == "field_identifier" and shapes.IDENTIFIER.fullmatch(text)):
        return opaque(source, node)
    return ExpressionShape("member", [0, f".{text}"], (base,), lambda x: ["a", x[0], text], "", ".", others=1)


def _subscript(source: ParsedSource, node: Syntax) -> ExpressionShape:
    values = named(node)
    if len(values) != 2:
        return opaque(source, node)
    return ExpressionShape("subscript", [0, "[", 1, "]"], values, lambda x: ["s", *x])


def _unary(source: ParsedSource, node: Syntax) -> ExpressionShape:
    values = named(node)
    sign = node.children[0].type if node.children else ""
    if len(values) != 1 or sign not in _UNARY:
        return opaque(source, node)
    return shapes.prefixed(sign, values[0])


def _reference(source: ParsedSource, node: Syntax) -> ExpressionShape:
    value = field(node, "value")
    if value is None or any(child.type == "raw" for child in node.children):
        return opaque(source, node, "`&raw` is not read: write `&x`")
    mutable = any(child.type == "mutable_specifier" for child in node.children)
    sign = "&mut " if mutable else "&"
    return ExpressionShape(
        "unary", [sign, 0], (value,), lambda x: ["u", "&", x[0]], "", sign.strip(), others=int(mutable)
    )


def _binary(source: ParsedSource, node: Syntax) -> ExpressionShape:
    del source
    left, operator, right = fields(node, "left", "operator", "right")
    return shapes.binary(left, operator.type, right)


def _cast(source: ParsedSource, node: Syntax) -> ExpressionShape:
    value, kind = fields(node, "value", "type")
    wanted = _cast_type(source, kind)
    written = source.raw(kind)
    return shapes.cast(written, wanted, value, [0, f" as {wanted or written}"], "a number or a raw pointer")


def _cast_type(source: ParsedSource, kind: Syntax) -> str | None:
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
    plain = plain and all(shapes.IDENTIFIER.fullmatch(part) for part in text.split("::"))
    return "".join(stars) + text if plain and (stars or text in _NUMBERS) else None


def _call(source: ParsedSource, node: Syntax) -> ExpressionShape:
    callee, arguments = fields(node, "function", "arguments")
    return shapes.call(source, node, callee, [v for v in named(arguments) if v.type != "attribute_item"])


def _generic(source: ParsedSource, node: Syntax) -> ExpressionShape:
    (function,) = fields(node, "function")
    inner = shapes.shape_by(RULES, source, function)
    refusal = f"the generic {source.raw(node)} is not read: {PLAIN}"
    return ExpressionShape(inner.kind, inner.form, inner.operands, None, refusal, inner.operator)


def _after(sign: str, refusal: str) -> Rule:
    def rule(source: ParsedSource, node: Syntax) -> ExpressionShape:
        values = named(node)
        if len(values) != 1:
            return opaque(source, node, refusal)
        return ExpressionShape("unary", [0, sign], values, refusal=refusal, operator=sign)

    return rule


def _range(source: ParsedSource, node: Syntax) -> ExpressionShape:
    sign = next((child.type for child in node.children if child.type in ("..", "..=", "...")), "..")
    values = named(node)
    form = [0, sign, 1] if len(values) == 2 else [source.raw(node)]
    refusal = "a range is not read: ask for its ends, or for one item"
    return ExpressionShape("other", form, values, refusal=refusal, operator=sign)


def _listed(brackets: str, what: str) -> Rule:
    refusal = f"{what} is not read: ask for its values one by one"
    return lambda source, node: shapes.listed(source, node, named(node), brackets, refusal)


def _struct(source: ParsedSource, node: Syntax) -> ExpressionShape:
    body = field(node, "body")
    fields = named(body) if body else []
    values = [named(f)[0] if f.type == "shorthand_field_initializer" else field(f, "value") for f in fields]
    refusal = "a struct's making is not read: ask for its values one by one"
    return ExpressionShape("other", [source.raw(node)], [v for v in values if v is not None], refusal=refusal)


def _inner(source: ParsedSource, node: Syntax) -> ExpressionShape:
    values = [child for child in named(node) if child.type in EXPRESSIONS]
    return ExpressionShape("other", [source.raw(node)], values, refusal=f"{node.type.split('_')[0]}: not read, {PLAIN}")


RULES: dict[str, Rule] = {
    "identifier": _identifier,
    "shorthand_field_identifier": _identifier,
    "self": _identifier,
    "scoped_identifier": _scoped,
    "field_expression": _member,
    "index_expression": _subscript,
    "unary_expression": _unary,
    "reference_expression": _reference,
    "binary_expression": _binary,
    "assignment_expression": shapes.assignment,
    "compound_assignment_expr": shapes.assignment,
    "type_cast_expression": _cast,
    "call_expression": _call,
    "generic_function": _generic,
    "try_expression": _after("?", "`?` is not read, it may return: ask for its operand"),
    "await_expression": _after(".await", "`.await` is not read, it would run the program: ask for its operand"),
    "range_expression": _range,
    "tuple_expression": _listed("()", "a tuple"),
    "array_expression": _listed("[]", "an array"),
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
    **shapes.LITERALS,
    "boolean_literal": lambda s, n: shapes.constant(s, n, ["c", s.text(n) == "true"]),
}
EXPRESSIONS = frozenset(RULES).union(
    """parenthesized_expression while_expression loop_expression for_expression async_block const_block
    continue_expression""".split()  # noqa: SIM905  as a table
)
"""Types of the syntax nodes that are expressions."""
