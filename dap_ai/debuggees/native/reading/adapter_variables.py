"""Variables as debug adapters list them, adapter errors shown in place of values, and paths for `hover` requests."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from dap_ai.debuggees.native.reading import types

MAX_PATH = 400
_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,199}"
NAME = re.compile(rf"(?:::)?{_NAME}(?:::{_NAME}){{0,8}}")
MEMBER = re.compile(rf"{_NAME}|\d{{1,4}}")
PATH = re.compile(rf"[*&]{{0,3}}(?:\(long\))?{NAME.pattern}(?:(?:\.|->)(?:{_NAME})|\[-?\d{{1,18}}\])*")
"""Matches the only expressions sent to the adapter. They contain no `$`, `@`, `=`, quote, blank or backquote, and no
parentheses except `(long)`."""
_KEYWORDS = {"sizeof", "alignof", "typeof", "decltype", "new", "delete", "throw", "operator", "typeid", "noexcept"}
_LENGTH = re.compile(r"\b(?:size=|of length |with )(\d+)")
_UNREADABLE = re.compile(r"(?:memory (?:at address|from)|at) (0x[0-9a-fA-F]+)")
_ABSENT = re.compile(
    r"undeclared identifier|No symbol|invalid value object|no member|is not a member|not found|no field"
)
_OPTIMISED = re.compile(r"optimi[sz]ed out|not available|DW_OP_entry_value", re.IGNORECASE)
ADDRESS = re.compile(r"^@?0x[0-9a-fA-F]+:? ?")
_SHADOWED = re.compile(r" (?:@ .*|#\d+)$")


class UnreadVariable(Exception):  # noqa: N818  a state of the program
    """A variable has no readable value. `address` is the unreadable memory, or None if there is another reason."""

    def __init__(self, text: str, address: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.address = address


@dataclass(frozen=True)
class AdapterVariable:
    """A variable as the debug adapter lists it."""

    name: str
    type: str
    text: str
    path: str = ""
    """Expression with which `hover` reads the variable; empty if no such expression exists."""
    reference: int = 0
    indexed: int = 0
    named: int = 0
    place: int = 0
    """Address from `memoryReference`. It is the variable's own address, but for a pointer in gdb the target's
    address."""

    @property
    def length(self) -> int | None:
        """Length of a container or array; None if unknown."""
        if (fixed := types.fixed_length(self.type)) is not None:
            return fixed
        if (found := _LENGTH.search(self.text)) and '"' not in self.text[: found.start()]:
            return int(found[1])
        kind = types.kind_of(self.type)
        named = {"list": self.named, "set": self.named, "dict": self.named // 2}.get(kind, 0)
        return self.indexed or named or None

    @property
    def address(self) -> int | None:
        """Address a pointer points to, or address of an array that is shown as a string; None for other variables."""
        found = re.match(r"@?(?:\([^()]*\) )?(0x[0-9a-fA-F]+)", self.text)
        if found:
            return int(found[1], 16)
        if self.text.startswith('"') and self.place:
            return self.place
        return 0 if self.text in ("NULL", "nullptr", "<null>") else None

    def check(self) -> None:
        """Raise UnreadVariable if the adapter shows an error in place of the value."""
        if self.text.startswith(("<error", "<optimized out", "<variable not available", "<not available", "<read ")):
            raise unread(self.text.strip("<>").removeprefix("error: "))


def unread(text: str) -> UnreadVariable:
    """Convert an adapter's error message to an UnreadVariable."""
    if "parent is NULL" in text:
        return UnreadVariable("0x0 is not readable", 0)
    if found := _UNREADABLE.search(text):
        address = int(found[1], 16)
        return UnreadVariable(f"{address:#x} is not readable", address)
    return UnreadVariable(
        "optimised out" if _OPTIMISED.search(text) else text.splitlines()[0][:200] if text else "unreadable"
    )


def is_absent(text: str) -> bool:
    """Whether an adapter's error message means that the name does not exist."""
    return bool(_ABSENT.search(text))


def safe_name(name: str) -> bool:
    """Whether the text is a valid name that is not an operator keyword such as `sizeof`."""
    return len(name) <= MAX_PATH and bool(NAME.fullmatch(name)) and not _KEYWORDS & set(name.split("::"))


def member_path(path: str, name: str, *, pointer: bool) -> str:
    """Return the `hover` path of a member; empty if the member cannot be reached by a path."""
    if not path or not re.fullmatch(_NAME, name) or name in _KEYWORDS:
        return ""
    if path.startswith("*") and not path.startswith("**") and not pointer:
        return f"{path[1:]}->{name}"
    return "" if path.startswith(("*", "&")) else f"{path}{'->' if pointer else '.'}{name}"


def item_path(path: str, index: int) -> str:
    """Return the `hover` path of a container's item; empty if the item cannot be reached by a path."""
    return "" if not path or path.startswith(("*", "&")) else f"{path}[{index}]"


def target_path(path: str, *, plain: bool) -> str:
    """Return the `hover` path of a pointer's target; empty if the target cannot be reached by a path.

    `plain`: `pointer[0]` is the target itself, not an item of a container.
    """
    if path.startswith("&"):
        return path[1:]
    return item_path(path, 0) if plain else f"*{path}" if path and not path.startswith("*") else ""


def raw_of(row: dict[str, Any], name: str) -> AdapterVariable:
    """Convert a variable in an adapter's response to an AdapterVariable."""
    named = _SHADOWED.sub("", name)
    return AdapterVariable(
        name=name,
        type=str(row.get("type") or ""),
        text=str(row.get("value") or ""),
        path=named if safe_name(named) or PATH.fullmatch(named) else "",
        reference=int(row.get("variablesReference") or 0),
        indexed=int(row.get("indexedVariables") or 0),
        named=int(row.get("namedVariables") or 0),
        place=number_in(row.get("memoryReference")) or 0,
    )


def number_in(reference: Any) -> int | None:
    """Parse an adapter's memory reference, which may be any text in DAP. Return None if the text is not a number."""
    found = re.fullmatch(r"0x[0-9a-fA-F]{1,16}|[1-9]\d{0,19}", str(reference or ""))
    return int(found[0], 0) if found else None


def child_path(parent: AdapterVariable, name: str) -> str:
    """Return the `hover` path of a child that the adapter lists under `name`; empty if no path reaches the child."""
    if found := re.fullmatch(r"\[?(\d{1,18})\]?", name):
        in_order = types.kind_of(parent.type) in ("array", "list", "pointer", "str")
        return item_path(parent.path, int(found[1])) if in_order else ""
    if types.kind_of(parent.type) in ("smart", "optional", "dict", "set"):
        return ""
    return member_path(parent.path, name, pointer=types.kind_of(parent.type) == "pointer")


def unshadowed(rows: list[AdapterVariable]) -> list[AdapterVariable]:
    """Keep only the innermost variable of each name, and remove the debugger's mark from the name.

    lldb-dap lists the innermost variable last and marks all of them (`x @ a.c:3`). gdb lists it first and marks the
    others (`x #2`).
    """
    found: dict[str, AdapterVariable] = {}
    for row in rows:
        name = _SHADOWED.sub("", row.name)
        if name not in found or " @ " in row.name:
            found[name] = replace(row, name=name)
    return list(found.values())
