"""Finds the places in a function where its variables get, change or lose their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dap_ai.agent.source.parsed import Expression, NameWrite, Role
from dap_ai.debuggees.native.source.expressions import bare, build
from dap_ai.debuggees.native.source.flow import not_null
from dap_ai.debuggees.native.source.functions import DEFINITIONS, bound, parameter_nodes
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, named
from dap_ai.debuggees.native.source.grammar import field as child_of
from dap_ai.debuggees.native.source.known_calls import changes_receiver, role_of_argument

_ZEROED = frozenset(["static", "thread_local", "_Thread_local", "__thread"])


@dataclass
class _Found:
    write: NameWrite
    chain: frozenset[str]
    at: int


@dataclass
class Writes:
    """All writes to variables in one function."""

    source: ParsedSource
    function: Syntax
    _found: list[_Found] = field(default_factory=list[_Found])
    _loops: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def __post_init__(self) -> None:
        """Collect all writes of the function."""
        for parameter in parameter_nodes(self.function):
            self._names(parameter, "argument", None)
        rules = _RUST_RULES if self.source.language == "rust" else _C_RULES
        nested = [n for n in self.source.find(self.function, DEFINITIONS) if n != self.function]
        for node in self.source.find(self.function, rules):
            if not any(n.start_byte <= node.start_byte < n.end_byte for n in nested):
                rules[node.type](self, node)
        self._found.sort(key=lambda found: found.at)

    def of(self, name: str) -> list[NameWrite]:
        """Return the writes to a name or to its parts."""
        return [found.write for found in self._found if name in found.chain]

    @property
    def names(self) -> set[str]:
        """Names that the function declares: its parameters and local variables."""
        return {f.write.name for f in self._found if f.write.name.isidentifier()}

    def _add(
        self, target: Expression, role: Role, value: Expression | None, at: int, known: frozenset[str] = frozenset()
    ) -> None:
        write = NameWrite(target.text, target.line, role, value, self.source.code(target.line), known)
        self._found.append(_Found(write, frozenset(_chain(target)), at))

    def _names(self, node: Syntax, role: Role, value: Expression | None) -> None:
        for name in bound(self.source, node):
            self._add(build(self.source, name), role, value, name.start_byte)

    def _value(self, node: Syntax, name: str) -> Expression | None:
        value = child_of(node, name)
        return build(self.source, value) if value is not None else None

    def _role(self, node: Syntax, role: Role) -> Role:
        in_header = any(start <= node.start_byte < end for start, end in self._loops)
        return "loop" if in_header else role

    def loop(self, node: Syntax) -> None:
        """Record the range of a loop's header."""
        body = child_of(node, "body")
        self._loops.append((node.start_byte, body.start_byte if body is not None else node.end_byte))

    def declaration(self, node: Syntax) -> None:
        """Record the writes of a declaration such as `int x, *p = q;`."""
        given = self._value(node, "value")
        for declarator in node.children_by_field_name("declarator"):
            if declarator.type == "init_declarator":
                inner = child_of(declarator, "declarator")
                if inner is not None:
                    self._names(inner, self._role(node, "assigned"), self._value(declarator, "value"))
            elif _is_function(declarator):
                if self.source.language == "cpp" and _looks_constructed(declarator):
                    self._names(declarator, "assigned", None)
            elif given is not None:
                self._names(declarator, self._role(node, "assigned"), given)
            elif "extern" not in (words := self._storage(node)):
                kind = child_of(node, "type")
                constructed = kind is not None and self.source.text(kind).startswith("std::")
                zeroed = not words.isdisjoint(_ZEROED)
                by_itself = zeroed or (constructed and declarator.type == "identifier")
                self._names(declarator, "assigned" if by_itself else "declared", None)

    def _storage(self, node: Syntax) -> set[str]:
        return {
            self.source.text(child) for child in node.children if child.type in ("storage_class_specifier", "extern")
        }

    def assignment(self, node: Syntax) -> None:
        """Record the writes of an assignment: `x = y`, `x += y`, and in Rust also `(a, b) = (b, a)`."""
        left = child_of(node, "left")
        if left is None:
            return
        whole = build(self.source, node)
        changed = whole.operator not in ("=", "")
        role = self._role(node, "changed" if changed else "assigned")
        value = whole.parts[1] if len(whole.parts) > 1 else None
        if left.type not in ("tuple_expression", "array_expression"):
            target = whole.parts[0] if whole.parts else build(self.source, left)
            self._add(target, role, value, left.start_byte, frozenset(not_null(self.source, node)))
            return
        for target in named(left):
            self._add(build(self.source, target), role, value, target.start_byte)

    def update(self, node: Syntax) -> None:
        """Record the write of an increment or decrement, such as `x++`."""
        target = child_of(node, "argument")
        if target is not None:
            self._add(build(self.source, target), self._role(node, "changed"), None, target.start_byte)

    def call(self, node: Syntax) -> None:
        """Record the effects of a call such as `free(p)`, `f(&p)`, `std::move(p)`, `memset(p, ...)` or `p.reset()`."""
        callee, arguments = child_of(node, "function"), child_of(node, "arguments")
        if callee is None or arguments is None:
            return
        name = self.source.text(callee).replace(" ", "").removeprefix("::")
        receiver = child_of(callee, "argument") or child_of(callee, "value")
        if receiver is not None and changes_receiver(name):
            self._add(build(self.source, receiver), "changed", build(self.source, node), receiver.start_byte)
        for index, value in enumerate(named(arguments)):
            self._argument(node, value, role_of_argument(name, index, self.source.language))

    def _argument(self, call: Syntax, value: Syntax, role: Role | None) -> None:
        target = _addressed(bare(value)[0], self.source.language)
        if target is None and role is None:
            return
        shown = build(self.source, value if target is None else target)
        if _chain(shown):
            self._add(shown, role or "address", build(self.source, call), value.start_byte)

    def delete(self, node: Syntax) -> None:
        """Record the effect of C++'s `delete p`."""
        for target in named(node)[:1]:
            self._add(build(self.source, target), "freed", build(self.source, node), target.start_byte)

    def member(self, node: Syntax) -> None:
        """Record the write of a constructor's initialiser, such as `: count(3)`."""
        children = named(node)
        if len(children) > 1:
            given = build(self.source, children[1])
            value = given.parts[0] if len(given.parts) == 1 else given
            self._add(build(self.source, children[0]), "assigned", value, node.start_byte)

    def inner_function(self, node: Syntax) -> None:
        """Record the parameters of a lambda or closure as writes."""
        for parameter in parameter_nodes(node):
            self._names(parameter, "argument", None)

    def bound(self, node: Syntax) -> None:
        """Record names that a loop over elements, a pattern or a `let` binds: `for (auto &x : items)`, `for x in y`."""
        names, values, role = _BINDING[node.type]
        holder, target = node, child_of(node, names)
        if node.type == "match_arm":
            holder = node.parent and node.parent.parent  # the match around the block
        if target is None or holder is None:
            return
        value = self._value(holder, values)
        given = "declared" if value is None and node.type == "let_declaration" else role
        self._names(target, self._role(node, given), value)


_BINDING: dict[str, tuple[str, str, Role]] = {
    "for_range_loop": ("declarator", "right", "loop"),
    "for_expression": ("pattern", "value", "loop"),
    "let_declaration": ("pattern", "value", "assigned"),
    "let_condition": ("pattern", "value", "assigned"),
    "match_arm": ("pattern", "value", "assigned"),
}
"""For each type of node that binds names: its field with the names, its field with the value, and the role of the
write."""
_C_RULES = {
    "declaration": Writes.declaration,
    "assignment_expression": Writes.assignment,
    "update_expression": Writes.update,
    "call_expression": Writes.call,
    "delete_expression": Writes.delete,
    "for_range_loop": Writes.bound,
    "for_statement": Writes.loop,
    "field_initializer": Writes.member,
    "lambda_expression": Writes.inner_function,
}
_RUST_RULES = {
    "let_declaration": Writes.bound,
    "assignment_expression": Writes.assignment,
    "compound_assignment_expr": Writes.assignment,
    "call_expression": Writes.call,
    "for_expression": Writes.bound,
    "while_expression": Writes.loop,
    "let_condition": Writes.bound,
    "match_arm": Writes.bound,
    "closure_expression": Writes.inner_function,
}


def _chain(target: Expression) -> Iterator[str]:
    inner: Expression | None = target
    while inner is not None:
        if inner.kind in ("name", "member", "subscript", "deref"):
            yield inner.text
            yield from _plain_member(inner)
        steps = inner.kind in ("member", "subscript", "deref", "cast", "unary") or inner.operator == "+"
        inner = inner.parts[0] if steps and inner.parts else None


def _plain_member(member: Expression) -> Iterator[str]:
    if member.text.startswith("this->") and member.text[6:].isidentifier():
        yield member.text[6:]


def _addressed(value: Syntax, language: str) -> Syntax | None:
    """Return the operand of `&x`, or in Rust of `&mut x`. Return None for any other expression."""
    if language == "rust":
        mutable = any(child.type == "mutable_specifier" for child in value.children)
        return child_of(value, "value") if value.type == "reference_expression" and mutable else None
    operator = child_of(value, "operator")
    address = value.type == "pointer_expression" and operator is not None and operator.type == "&"
    return child_of(value, "argument") if address else None


def _is_function(declarator: Syntax) -> bool:
    inner = child_of(declarator, "declarator")
    if declarator.type in ("pointer_declarator", "reference_declarator"):
        inner = inner or (named(declarator)[-1] if named(declarator) else None)
        return inner is not None and _is_function(inner)
    return declarator.type == "function_declarator" and (inner is None or inner.type != "parenthesized_declarator")


def _looks_constructed(declarator: Syntax) -> bool:
    """Whether a declaration such as `Widget w(name);` is a constructor call.

    It parses as a function with a parameter `name`.
    """
    found = parameter_nodes(declarator)
    return bool(found) and all(len(named(p)) == 1 and named(p)[0].type == "type_identifier" for p in found)
