"""Finds members, items and pointer targets in the variables that the adapter lists, without calling the program.

An operand is either an AdapterVariable (a variable, or a computed pointer) or a Number.
"""

from __future__ import annotations

import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import cast

from dap_ai.debuggees.native.reading import numbers, types
from dap_ai.debuggees.native.reading.adapter_literals import is_cut
from dap_ai.debuggees.native.reading.adapter_reader import AdapterReader
from dap_ai.debuggees.native.reading.adapter_variables import (
    AdapterVariable,
    UnreadVariable,
    item_path,
    member_path,
    target_path,
)
from dap_ai.debuggees.native.reading.native_values import NativeDescriber
from dap_ai.debuggees.native.reading.numbers import ArithmeticTrap, Number
from dap_ai.debuggees.native.reading.smart_pointers import optional_value, pointer_in
from dap_ai.debuggees.native.reading.unparsing import source_of
from dap_ai.debuggees.native.reading.variable_kinds import codes_of, kind_of, number_of, string_of
from dap_ai.protocol.contracts.inspection import Node
from dap_ai.system.texts import code

Operand = AdapterVariable | Number
MAX_KEYS = 60
_ADDRESSED = ("pointer", "function")
_MAX_BASES = 3


class UnreadablePath(Exception):  # noqa: N818  a rule, not a mistake
    """The expression would run code of the program or is not supported. The message names the rule."""


class UnknownName(Exception):  # noqa: N818  a state of the program
    """The frame has no variable of this name."""


class OperandPaths:
    """Resolves access paths such as `a->b[2]` in one frame. `names` holds the frame's arguments and locals.

    `overloads_address` tells whether `&` may call a function of the program. None means that the language has no
    overloads.
    """

    def __init__(
        self,
        reader: AdapterReader,
        describer: NativeDescriber,
        frame_id: int,
        names: Mapping[str, AdapterVariable],
        *,
        rust: bool,
        overloads_address: Callable[[], Awaitable[bool]] | None,
    ) -> None:
        self._reader = reader
        self._describer = describer
        self._frame_id = frame_id
        self._names = names
        self._rust = rust
        self._globals: list[AdapterVariable] | None = None
        self._overloads_address = overloads_address
        self._arrows: set[int] = set()

    def _source(self, node: Node) -> str:
        return source_of(node, self._arrows)

    async def _hovered(self, path: str) -> AdapterVariable | None:
        """Return the variable at a `hover` path, or None if it is not found.

        Raises UnreadVariable if the variable exists but is unreadable.
        """
        try:
            return await self._reader.hover(self._frame_id, path)
        except UnreadVariable as error:
            if error.address is not None:
                raise
            return None

    async def _elsewhere(self, name: str) -> AdapterVariable:
        """Return a member of `this`, or a global variable, by its name."""
        tries = [name, *([f"this->{name}"] if "this" in self._names and "::" not in name else [])]
        for path in tries if self._reader.hovers else []:
            if (found := await self._hovered(path)) is not None:
                return found
        if self._globals is None and "::" in name:
            self._globals = await self._reader.globals(self._frame_id)
        for raw in self._globals or []:
            if raw.name.removeprefix("::") == name.removeprefix("::"):
                return raw
        raise UnknownName(f"no variable {code(name)} here")

    async def _settled(self, raw: Operand) -> Operand:
        """Replace a C++ reference by its target. Return any other operand unchanged."""
        if isinstance(raw, Number) or not types.is_reference(raw.type):
            return raw
        if not raw.reference:
            return replace(raw, type=types.pointee(raw.type) or "", text=raw.text.partition(": ")[2] or raw.text)
        return await self._reader.pointed(raw, self._frame_id, 30)

    def _kind(self, raw: AdapterVariable) -> str:
        """Return the kind of a variable.

        A C++ class named like a class of Rust's library counts as the program's own struct.
        """
        return "struct" if not self._rust and types.is_of_rusts_library(raw.type) else kind_of(raw)

    async def _arrow(self, base: AdapterVariable, node: Node) -> AdapterVariable:
        """Return the pointer that `->` follows, without calling an operator."""
        kind = self._kind(base)
        if kind in ("smart", "pointer"):
            return await self._pointer_of(base) if kind == "smart" else base
        if kind == "array":
            return self._raw(await self._item(base, 0, node), node)
        if kind == "optional":
            return await self._contained(base, node)
        raise UnreadablePath(f"{code(self._source(node))} would call operator-> of {base.type or 'its class'}")

    async def _contained(self, optional: AdapterVariable, node: Node) -> AdapterVariable:
        rows = await optional_value(self._reader, optional, self._frame_id)
        if rows is None or len(rows) != 1:
            raise ArithmeticTrap(f"{self._source(node)} holds nothing")
        return rows[0]

    async def _check_address(self, path: str, node: Node) -> None:
        """Raise UnreadablePath if `&` may call an `operator&` of the program."""
        if self._overloads_address is None:
            return
        try:
            found = await self._reader.hover(self._frame_id, path)
        except UnreadVariable:
            return  # after the end, or unreadable: then its address is unknown too, or is the items'
        if not types.is_plain(found.type) and await self._overloads_address():
            raise UnreadablePath(
                f"{code(f'&{self._source(node)}')} would call operator& of {found.type}: ask for its members"
            )

    async def _found_member(self, base: AdapterVariable, name: str, *, pointer: bool) -> AdapterVariable:
        path = member_path(base.path, name, pointer=pointer)
        if path and not name.isdigit() and (found := await self._hovered(path)) is not None:
            return found
        holder = await self._reader.pointed(base, self._frame_id, 60) if pointer else base
        found = await self._among(holder, name, _MAX_BASES)
        if found is None:
            raise UnknownName(f"no member {code(name)} in {holder.type or base.type or 'it'}")
        found.check()
        return found

    async def _among(self, holder: AdapterVariable, name: str, bases: int) -> AdapterVariable | None:
        """Return a member of the holder or of its base classes.

        The adapter lists a base class among the members, by its type.
        """
        rows = await self._reader.children(holder, self._frame_id, 60)
        spellings = {name, f"__{name}", f"[{name}]"} if name.isdigit() else {name}
        for row in rows:
            if row.name in spellings:
                return row
        for row in rows:
            base = types.plain(row.type).split("<")[0] == row.name.strip("<>").split("<")[0]
            if bases and base and (found := await self._among(row, name, bases - 1)):
                return found
        return None

    async def _pointer_of(self, smart: AdapterVariable) -> AdapterVariable:
        """Return the pointer in a standard smart pointer, without calling a method."""
        held, rows = await pointer_in(self._reader, smart, self._frame_id, 4)
        if held is not None:
            return held
        if rows:
            return replace(rows[0], path="")
        raise UnknownName(f"what {smart.name or 'it'} holds is not told")

    async def _item(self, base: AdapterVariable, index: int, node: Node) -> Operand:
        length = base.length
        text = string_of(base) if kind_of(base) == "str" else ""
        codes = codes_of(base) if text and not is_cut(base.text) else []
        if length is None and text and not is_cut(base.text):
            length = len(codes)
        if length is not None and not 0 <= index < length:
            raise ArithmeticTrap(self._outside(base, index, length, node))
        try:
            return await self._settled(await self._reader.hover(self._frame_id, item_path(base.path, index)))
        except UnreadVariable as error:
            if error.address is not None:
                raise
        if codes and types.array_of(base.type) is None:
            return Number(cast("types.Scalar", types.scalar_of("char")), codes[index])
        rows = await self._reader.children(base, self._frame_id, index + 1)
        if len(rows) == 1 and types.fixed_length(rows[0].type) == base.length:
            return await self._item(rows[0], index, node)  # std::array's only member
        if index >= len(rows) or rows[index].name.strip("[]") != str(index):
            raise UnknownName(f"item {index} of {self._source(node[1])} is not listed")
        rows[index].check()
        return await self._settled(rows[index])

    def _outside(self, base: AdapterVariable, index: int, length: int, node: Node) -> str:
        if self._rust:
            return f"index out of bounds: the len is {length} but the index is {index}"
        if array := types.array_of(base.type):
            return f"index {index} outside of {array.element}[{array.length}]"
        return f"index {index} outside of the {length} items of {self._source(node[1])}"

    async def _looked_up(self, base: AdapterVariable, key: Operand, node: Node) -> Operand:
        wanted = numbers.shown(key) if isinstance(key, Number) else string_of(key) or key.text
        length = base.length or 0
        if length > MAX_KEYS:
            raise UnreadablePath(
                f"{self._source(node[1])} has {length} keys: only the first {MAX_KEYS} are looked through"
            )
        for each, value in await self._describer.pairs(base, MAX_KEYS):
            number = number_of(each)
            if wanted == (numbers.shown(number) if number else string_of(each) or each.text):
                return await self._settled(value)
        if self._rust:
            raise ArithmeticTrap(f"no entry found for key {wanted}")
        raise UnreadablePath(f"{self._source(node[1])} has no key {wanted}: operator[] would insert it")

    async def _behind(self, pointer: AdapterVariable, index: int, node: Node) -> Operand:
        """Return the operand `pointer[index]`."""
        self._reachable(pointer, node)
        element = types.pointee(pointer.type) or ""
        if element in ("void", "()") or types.kind_of(pointer.type) == "function":
            raise UnreadablePath(f"what {self._source(node)} points to has no type")
        plain = types.kind_of(element) in ("", "int", "float", "bool", "char", "pointer", "str", "array")
        path = item_path(pointer.path, index) if plain and not pointer.path.startswith("&") else ""
        if not index:
            path = target_path(pointer.path, plain=plain)
        if path and (found := await self._hovered(path)) is not None:
            return found
        scalar = types.scalar_of(element)
        if scalar and pointer.address:
            return await self._loaded(pointer.address + index * scalar.bits // 8, scalar)
        if index:
            raise UnknownName(f"what lies {index} items behind {self._source(node)} is not told")
        return await self._reader.pointed(pointer, self._frame_id, 60)

    async def _loaded(self, address: int, type_: types.Scalar) -> Number:
        if type_.bits > 64 and type_.kind == "float":
            raise UnknownName(f"a {type_.name} is not read from memory: its layout depends on the processor")
        data = await self._reader.memory(address, type_.bits // 8)
        if type_.kind == "float":
            return Number(type_, struct.unpack("<f" if type_.bits == 32 else "<d", data)[0])
        return numbers.fitted(type_, int.from_bytes(data, "little"))

    def _reachable(self, pointer: AdapterVariable, node: Node) -> None:
        """Raise ArithmeticTrap if the pointer is null."""
        if pointer.address == 0:
            raise ArithmeticTrap(f"null dereference of {self._source(node)}")

    async def _target(self, base: AdapterVariable, node: Node) -> AdapterVariable:
        self._reachable(base, node)
        return await self._reader.pointed(base, self._frame_id, 60)

    async def _size(self, pointer: AdapterVariable, node: Node) -> int:
        element = types.pointee(pointer.type) or ""
        if scalar := types.scalar_of(element):
            return scalar.bits // 8
        if element == "void" or types.pointee(element) is not None:
            return 1 if element == "void" else 8
        path = item_path(pointer.path, 1)
        if not path or pointer.address is None:
            raise UnreadablePath(f"{code(self._source(node))}: the size of {element} is not told")
        following = await self._reader.hover(self._frame_id, f"&{path}")
        return max(1, (following.address or 0) - pointer.address)

    async def _enum_number(self, operand: AdapterVariable, node: Node) -> Number:
        try:
            return Number(numbers.INT, int(await self._reader.enumerator(self._frame_id, operand.path), 0))
        except (UnreadVariable, ValueError) as error:
            rule = f"the number of {operand.text} is not told; compare it with a name"
            raise UnreadablePath(f"{code(self._source(node))}: {rule}") from error

    async def _place(self, operand: Operand, node: Node) -> int:
        if isinstance(operand, Number):
            return int(operand.value)
        if operand.address is not None:
            return operand.address
        if kind_of(operand) in ("array", "str") and operand.place:
            return operand.place
        if self._kind(operand) == "smart":
            return await self._place(await self._pointer_of(operand), node)
        raise UnreadablePath(f"{code(self._source(node))} would call an operator of {operand.type}")

    def _raw(self, operand: Operand, node: Node) -> AdapterVariable:
        if isinstance(operand, Number):
            raise UnreadablePath(f"{code(self._source(node))}: {operand.type.name} has no parts")
        return operand


def is_pointer(operand: Operand) -> bool:
    """Whether the operand holds an address: a pointer of any kind, including pointers to characters and functions."""
    if isinstance(operand, Number):
        return False
    kind = kind_of(operand)
    return kind in _ADDRESSED or (kind == "str" and bool(types.pointee(operand.type)) and operand.address is not None)
