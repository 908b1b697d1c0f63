"""Finds the functions in a source file, with their qualified names and parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.source.parsed import Function
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field, named

DEFINITIONS = ("function_definition", "function_item")
CLASSES = ("struct_specifier", "class_specifier", "union_specifier", "impl_item", "trait_item")
_NAMES = frozenset(
    """identifier field_identifier qualified_identifier operator_name destructor_name operator_cast
    template_function""".split()  # noqa: SIM905  as a table
)
_ANGLES = re.compile(r"<[^<>]*>")


def functions(source: ParsedSource) -> list[tuple[Function, Syntax]]:
    """Return all functions of a source in order, each with its syntax node."""
    found: list[tuple[Function, Syntax]] = []
    classes: list[Syntax] = []
    for node in source.find(source.root, (*DEFINITIONS, *CLASSES)):
        classes = [c for c in classes if c.end_byte >= node.end_byte]
        if node.type in CLASSES:
            classes.append(node)
        elif (function := _function(source, node, classes)) is not None:
            found.append((function, node))
    return found


def _function(source: ParsedSource, node: Syntax, classes: list[Syntax]) -> Function | None:
    own = _own_name(source, node)
    if not own or field(node, "body") is None:
        return None
    owners = [name for c in classes if (name := _class_name(source, c))]
    rows = list(parameters(source, node))
    names, types = tuple(name for name, _ in rows), tuple(kind for _, kind in rows)
    return Function("::".join([*owners, own]), source.line(node), node.end_point[0] + 1, names, types)


def _own_name(source: ParsedSource, node: Syntax) -> str:
    name = field(node, "name") if node.type == "function_item" else _declared(node)
    return _plain(source.text(name)) if name is not None else ""


def _declared(node: Syntax) -> Syntax | None:
    inner = field(node, "declarator")
    while inner is not None and inner.type not in _NAMES:
        inner = _below(inner)
    return inner


def _below(declarator: Syntax) -> Syntax | None:
    children = named(declarator)
    return field(declarator, "declarator") or (children[-1] if children else None)


def _class_name(source: ParsedSource, node: Syntax) -> str:
    name = field(node, "type" if node.type == "impl_item" else "name")
    return _plain(source.text(name)) if name is not None else ""


def _plain(text: str) -> str:
    if "operator" in text:
        return "".join(text.split()) if not re.search(r"operator\s+\w", text) else " ".join(text.split())
    while _ANGLES.search(text):
        text = _ANGLES.sub("", text)
    return "".join(text.split())


def parameters(source: ParsedSource, node: Syntax) -> Iterator[tuple[str, str]]:
    """Yield name and type of each parameter of a function, lambda or closure. Rust's `self` is omitted."""
    for parameter in parameter_nodes(node):
        for name in names_of(source, parameter):
            yield name, _type(source, parameter, name)


def parameter_nodes(node: Syntax) -> list[Syntax]:
    """Return the syntax nodes of the parameters of a function, lambda or closure."""
    inner: Syntax | None = node
    while inner is not None:
        if (found := field(inner, "parameters")) is not None:
            return [p for p in named(found) if p.type != "self_parameter"]
        inner = field(inner, "declarator") or next((c for c in named(inner) if c.type == "function_declarator"), None)
    return []


def names_of(source: ParsedSource, parameter: Syntax) -> list[str]:
    """Return the names that a parameter, declarator or pattern binds."""
    return [source.text(node).removeprefix("r#") for node in bound(source, parameter)]


def bound(source: ParsedSource, node: Syntax) -> Iterator[Syntax]:
    """Yield the syntax nodes of the names that a parameter, declarator or pattern binds."""
    if source.language == "rust":
        yield from _bound_by_pattern(source, node)
    else:
        yield from _bound_by_declarator(node)


def _bound_by_declarator(node: Syntax) -> Iterator[Syntax]:
    inner: Syntax | None = node
    if node.type.endswith("parameter_declaration"):
        inner = field(node, "declarator")
    for _ in range(40):
        if inner is None:
            return
        if inner.type in ("identifier", "field_identifier"):
            yield inner
            return
        if inner.type == "structured_binding_declarator":
            yield from (child for child in named(inner) if child.type == "identifier")
            return
        inner = _below(inner) if inner.type.endswith("declarator") else None


def _bound_by_pattern(source: ParsedSource, node: Syntax, depth: int = 0) -> Iterator[Syntax]:
    if node.type in ("identifier", "shorthand_field_identifier"):
        if not source.text(node)[:1].isupper():
            yield node
        return
    if depth > 20 or not (node.type.endswith("pattern") or node.type == "parameter"):
        return
    skipped = [field(node, "type"), field(node, "condition")]
    if node.type == "field_pattern" and field(node, "pattern") is not None:
        skipped.append(field(node, "name"))
    for child in named(node):
        if child not in skipped:
            yield from _bound_by_pattern(source, child, depth + 1)


def _type(source: ParsedSource, parameter: Syntax, name: str) -> str:
    if source.language == "rust":
        kind = field(parameter, "type")
        return source.raw(kind) if kind is not None else ""
    text, default = source.text(parameter), field(parameter, "default_value")
    if default is not None:
        text = text[: text.rfind("=")]
    node = next(iter(bound(source, parameter)))
    at = len(source.data[parameter.start_byte : node.start_byte].decode("utf-8", "replace"))
    return " ".join((text[:at] + text[at + len(name) :]).split())
