"""Knowledge about sources of values: what known functions return, and which pointer an expression reads."""

from __future__ import annotations

import re

from dap_ai.agent.source.parsed import CompiledStatement, Expression, NameWrite
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, bare, callee, within
from dap_ai.debuggees.native.analysis.stop_evaluation import has_run
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

UNSET = frozenset({"malloc", "alloca", "aligned_alloc"})
"""Functions of the C library that return uninitialised memory."""
_NEVER_NULL = frozenset({"make_unique", "make_shared", "Some", "Ok"})
_EMPTIES = {
    "move": "moves {} away",
    "release": "releases {}",
    "reset": "resets {}",
    "take": "takes what {} holds",
}
_MAP = re.compile(r"(?:std::(?:__\w+::)?)?(?:unordered_)?map<")
_DECLARED_MAP = r"\bmap<[^;(){{}}]*>\s*&?\s*{}\s*[;={{,)]"
_NO_MEMORY = "returns NULL when there is no memory"
_NO_MATCH = "returns NULL for no match"
MAY_FAIL = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "strdup", "strndup"), _NO_MEMORY),
    **dict.fromkeys(("fopen", "freopen", "opendir", "popen"), "returns NULL when the file cannot be opened"),
    **dict.fromkeys(("strchr", "strrchr", "strstr", "strpbrk", "memchr", "strtok", "bsearch"), _NO_MATCH),
    "getenv": "returns NULL when the variable is not set",
    "fgets": "returns NULL at the end of the file",
    "find": "returns nothing where there is no match",
    "get": "returns nothing where there is no such entry",
    "dynamic_cast": "returns null when the object is of another class",
}
"""For functions that may return no pointer, a clause that states when they do so."""


def pointed(value: Expression) -> Expression:
    """Strip casts and `.get()` of smart pointers from an expression: `p` for `(T *)p` and `p.get()`."""
    value = bare(value)
    while value.kind == "call" and len(value.parts) == 1 and callee(value) == "get" and value.parts[0].kind == "member":
        value = bare(value.parts[0].parts[0])
    return value


def read_by(value: Expression) -> Expression | None:
    """Return the name or member at the start of a method chain, such as `text` in `text.trim().parse()`; else None."""
    while value.kind == "call" and value.parts[0].kind == "member":
        value = bare(value.parts[0].parts[0])
    return value if value.kind in ("name", "member") else None


def emptied(write: NameWrite) -> str:
    """Describe a call that takes away what a name holds, as in "moves `p` away". Empty if the write is no such call."""
    call = bare(write.value) if write.value else None
    if call is None or call.kind != "call" or len(call.parts) != (2 if callee(call) == "move" else 1):
        return ""  # p.reset(q) sets a new pointer
    return _EMPTIES.get(callee(call), "").format(code(write.name))


def is_never_null(value: Expression) -> bool:
    """Whether the expression can never be null, as for `new T` or `std::make_unique<T>()`."""
    value = bare(value)
    return value.text.startswith("new ") or (value.kind == "call" and callee(value) in _NEVER_NULL)


def follows(expression: Expression, pointer: str) -> bool:
    """Whether the expression dereferences the pointer, as in `p->next`, `*p` or `p[0]`."""
    return any(
        e.kind in ("deref", "subscript") or (e.kind == "member" and e.operator == "->")
        for e in within(expression)
        if e.parts and bare(e.parts[0]).text == pointer
    )


def is_in_map(element: Expression, holder: Value | None, text: str) -> bool:
    """Whether an element is read by `[]` from a C++ map, which creates a null element if the key is missing.

    `holder` is the object whose method reads the element. `text` is the source of the method's file, which is searched
    for the map's declaration.
    """
    if element.kind != "subscript" or not element.parts:
        return False
    name = bare(element.parts[0]).text.removeprefix("this->")
    types = [field.type for field in (holder.fields or () if holder else ()) if field.name == name]
    return any(_MAP.match(each) for each in types) or bool(re.search(_DECLARED_MAP.format(re.escape(name)), text))


def is_filled(spot: FunctionSpot, name: str) -> bool:
    """Whether a line of the function sets the whole object that a pointer points to: `*p = q`, `memset(p, ...)`."""
    writes = spot.unit.writes(name, spot.function)
    return any(w.name == f"*{name}" or (w.name == name and w.role in ("address", "changed")) for w in writes)


def was_stored_through(draft: ReportBuilder, spot: FunctionSpot, write: NameWrite) -> bool:
    """Whether a line that ran stored a value through the pointer. The pointer was then not null after the write."""
    lines = sorted({w.line for w in spot.unit.writes(write.name, spot.function) if w.name == write.name})
    end = next((line for line in lines if line > write.line), spot.line)
    between = ((line, spot.unit.statement_at(line)) for line in range(write.line + 1, min(end, spot.line)))
    return any(
        e.kind == "assign" and follows(e.parts[0], write.name) and has_run(draft, spot, line)
        for line, statement in between
        if statement is not None and statement.first == line
        for e in statement.expressions
    )


def returned(statement: CompiledStatement) -> Expression | None:
    """Return the value of a `return` statement, or None for any other statement."""
    return bare(statement.expressions[0]) if statement.kind == "return" and statement.expressions else None
