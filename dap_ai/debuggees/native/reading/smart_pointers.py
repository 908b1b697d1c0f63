"""Reads the contents of optionals and smart pointers from the library's own members, if the adapter lists them."""

from __future__ import annotations

import re

from dap_ai.debuggees.native.reading import adapter_literals, types
from dap_ai.debuggees.native.reading.adapter_reader import AdapterReader
from dap_ai.debuggees.native.reading.adapter_variables import AdapterVariable, UnreadVariable
from dap_ai.debuggees.native.reading.variable_kinds import kind_of, number_of

_EMPTY_OPTIONAL = re.compile(r"no contained value|Has Value=false|^None$|::None$")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_WITH_OWN_DELETER = re.compile(r"unique_ptr<.*,.*>$")
_LENGTH_NAMES = frozenset({"length", "len", "_M_node_count", "_M_element_count"})
_MAX_TEXT = 400
_LIBRARYS = re.compile(r"_|\[|get\(\)$|pointer$|Value$")
"""Matches member names of the standard libraries' optionals and smart pointers, and of debugger formatters. A member
with another name belongs to a class of the program whose type has a library's name."""


async def optional_value(reader: AdapterReader, raw: AdapterVariable, frame_id: int) -> list[AdapterVariable] | None:
    """Return an optional's content as a list, with one row if the content is known; None if the optional is empty.

    Raises UnreadVariable, NotStopped or BudgetSpent.
    """
    if _EMPTY_OPTIONAL.search(raw.text.strip()):
        if "=false" in raw.text and not await _is_whole(reader, raw, frame_id):
            raise UnreadVariable("the debugger does not tell whether it holds a value")
        return None
    rows = await reader.children(raw, frame_id, 2)
    if rows and not _is_librarys(raw, rows[0]):
        raise UnreadVariable(f"{raw.type} is a class of the program's own")
    if len(rows) == 1 and rows[0].type == f"{raw.type}::{rows[0].name}":  # gdb lists the variant as a member
        return None if rows[0].name == "None" else await reader.children(rows[0], frame_id, 2)
    return rows


async def _is_whole(reader: AdapterReader, optional: AdapterVariable, frame_id: int) -> bool:
    """Whether lldb-dap can read optionals of libstdc++. If it cannot, it shows every optional as empty."""
    if not optional.path:
        return True
    try:
        kept = await reader.hover(frame_id, f"{optional.path}._M_payload")
    except UnreadVariable:
        return True  # another library's
    return bool(await reader.children(kept, frame_id, 1))


async def pointer_in(
    reader: AdapterReader, raw: AdapterVariable, frame_id: int, count: int
) -> tuple[AdapterVariable | None, list[AdapterVariable]]:
    """Return the pointer in a standard smart pointer, or None if unknown, and the smart pointer's listed children.

    Raises UnreadVariable, NotStopped or BudgetSpent.
    """
    if raw.text == "nullptr":
        return AdapterVariable(raw.name, "void *", "0x0"), []
    rows = await reader.children(raw, frame_id, count)
    held = next((row for row in rows if kind_of(row) in ("pointer", "str") and _is_librarys(raw, row)), None)
    if held is None and not rows and not _ADDRESS.search(raw.text):
        held = await _first_word(reader, raw)
    return held, rows


def _is_librarys(raw: AdapterVariable, row: AdapterVariable) -> bool:
    return types.is_of_rusts_library(raw.type) or bool(_LIBRARYS.match(row.name))


async def _first_word(reader: AdapterReader, raw: AdapterVariable) -> AdapterVariable | None:
    """Read a smart pointer's pointer from memory. lldb-dap 23 may list no children for a second class of unique_ptr."""
    if raw.text and not raw.text.startswith(raw.type):  # "empty"
        return AdapterVariable(raw.name, "void *", "0x0")
    if not raw.place or _WITH_OWN_DELETER.search(raw.type):
        return None
    try:
        word = int.from_bytes(await reader.memory(raw.place, 8), "little")
    except UnreadVariable:
        return None
    element = raw.type[raw.type.find("<") + 1 : raw.type.rfind(">")].strip().removesuffix("[]")
    return AdapterVariable(raw.name, f"{element} *", hex(word))


async def boxed_text(reader: AdapterReader, raw: AdapterVariable, rows: list[AdapterVariable]) -> str | None:
    """Return the string literal in a Rust `Box<str>`, or None if the variable is not a `Box<str>` or is unreadable.

    gdb lists the text's bytes, lldb-dap its address.
    """
    if not types.is_byte_text(raw.type) or not rows:
        return None
    numbers = [number_of(row) for row in rows]
    if rows[0].name.strip("[]").isdigit():
        more = "..." if len(rows) < (raw.length or 0) else ""
        return adapter_literals.spelled(bytes(int(n.value) & 255 for n in numbers if n)) + more
    size = next((int(n.value) for row, n in zip(rows, numbers, strict=True) if row.name == "length" and n), 0)
    try:
        data = await reader.memory(rows[0].address or 0, min(size, _MAX_TEXT)) if size else b""
    except UnreadVariable:
        return None
    return adapter_literals.spelled(data) + ("..." if size > _MAX_TEXT else "")


def declared_length(rows: list[AdapterVariable]) -> int | None:
    """Return a container's length, read from its length member; None if it has no such member."""
    found = (number_of(row) for row in rows if row.name in _LENGTH_NAMES)
    return next((int(number.value) for number in found if number), None)
