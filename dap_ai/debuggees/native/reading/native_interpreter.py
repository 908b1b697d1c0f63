"""Evaluates expression Nodes (see protocol.contracts.inspection) by the rules of C, C++ or Rust, without any call.

An operand is either an AdapterVariable (a variable, or a computed pointer) or a Number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, cast

from dap_ai.debuggees.native.reading import numbers, types
from dap_ai.debuggees.native.reading.adapter_variables import (
    MEMBER,
    AdapterVariable,
    UnreadVariable,
    is_absent,
    item_path,
    safe_name,
)
from dap_ai.debuggees.native.reading.numbers import BOOL, DOUBLE, LITERAL, LONG, ArithmeticTrap, Number
from dap_ai.debuggees.native.reading.operand_paths import Operand, OperandPaths, UnknownName, UnreadablePath, is_pointer
from dap_ai.debuggees.native.reading.unparsing import MAX_DEPTH, depth_of
from dap_ai.debuggees.native.reading.variable_kinds import kind_of, number_of, string_of
from dap_ai.protocol.contracts.comparisons import COMPARE
from dap_ai.protocol.contracts.inspection import Node
from dap_ai.system.texts import code


class NativeInterpreter(OperandPaths):
    """Evaluates expressions in one frame. `names` holds the frame's arguments and locals."""

    async def evaluate(self, node: Node) -> Operand:
        """Evaluate an expression node to a variable or a number.

        Raises UnreadablePath, ArithmeticTrap, UnknownName, UnreadVariable, BudgetSpent or NotStopped.
        """
        if depth_of(node) > MAX_DEPTH:
            raise UnreadablePath(f"deeper than {MAX_DEPTH} levels, or too long: ask for its parts")
        try:
            return await self._value(node)
        except (ValueError, TypeError, IndexError, LookupError, AttributeError, OverflowError) as error:
            raise UnreadablePath("this is no expression that is read in a native program") from error

    async def _value(self, node: Node) -> Operand:
        make = self._MAKERS.get(str(node[0]))
        if make is None:
            rule = "would be called" if node[0] == "call" else "is not read in a native program"
            raise UnreadablePath(f"{code(self._source(node))} {rule}: name a variable, a member or an item instead")
        try:
            return await make(self, node)
        except UnreadVariable as error:
            raise self._explained(error, node) from error

    def _explained(self, error: UnreadVariable, node: Node) -> Exception:
        if error.address == 0:
            base = node[2] if node[0] == "u" else node[1]
            return ArithmeticTrap(f"null dereference of {self._source(base)}")
        if error.address is not None:
            return ArithmeticTrap(error.text)
        return UnknownName(
            f"{code(self._source(node))}: {'there is none here' if is_absent(error.text) else error.text}"
        )

    # -- leaves

    async def _constant(self, node: Node) -> Operand:
        value = node[1]
        if value is None:
            return AdapterVariable("", "void *", "0x0")
        if isinstance(value, bool):
            return Number(BOOL, int(value))
        if isinstance(value, int):
            return Number(LITERAL, value) if self._rust else numbers.literal(value)
        if isinstance(value, float):
            return Number(DOUBLE, value)
        if not isinstance(value, str):
            raise UnreadablePath(f"{code(self._source(node))} is no constant")
        text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return AdapterVariable("", "&str" if self._rust else "const char *", f'"{text}"')

    async def _large(self, node: Node) -> Operand:
        if node[0] == "f":
            return Number(DOUBLE, float(node[1]))
        value = int(str(node[1]))
        return Number(LITERAL, value) if self._rust else numbers.fitted(_long(value), value)

    async def _name(self, node: Node) -> Operand:
        name = node[1]
        if not isinstance(name, str) or not safe_name(name):
            raise UnreadablePath(f"{code(self._source(node))} is no name of a variable")
        if name in self._names:
            found = self._names[name]
            found.check()
            return await self._settled(found)
        if name in ("nullptr", "NULL"):
            return AdapterVariable("", "void *", "0x0")
        return await self._settled(await self._elsewhere(name))

    # -- paths

    async def _member(self, node: Node) -> Operand:
        _, base_node, name = node
        if not isinstance(name, str) or not MEMBER.fullmatch(name):
            raise UnreadablePath(f"{code(self._source(node))} is no name of a member")
        arrow = base_node[0] == "->"
        base_node = base_node[1] if arrow else base_node
        base = self._raw(await self._value(base_node), node)
        if arrow:
            base = await self._arrow(base, node)
        elif self._rust and kind_of(base) == "smart":
            base = await self._pointer_of(base)
        pointer = self._kind(base) == "pointer"
        if pointer and not self._rust:
            self._arrows.add(id(node))
        if pointer:
            self._reachable(base, base_node)
        found = await self._found_member(base, name, pointer=pointer)
        return await self._settled(found)

    async def _subscript(self, node: Node) -> Operand:
        _, base_node, index_node = node
        base = self._raw(await self._value(base_node), node)
        kind = self._kind(base)
        if kind == "dict":
            return await self._looked_up(base, await self._value(index_node), node)
        index = await self._whole(index_node)
        if self._rust and kind == "pointer" and kind_of(target := await self._target(base, base_node)) != "":
            base, kind = target, kind_of(target)
        if kind == "pointer":
            return await self._settled(await self._behind(base, index, base_node))
        if kind not in ("array", "list", "str"):
            raise UnreadablePath(f"{code(self._source(node))} would call operator[] of {base.type}")
        if kind == "str" and types.pointee(base.type) and base.address is not None:
            return await self._behind(base, index, base_node)
        return await self._item(base, index, node)

    async def _whole(self, node: Node) -> int:
        number = await self._number(await self._value(node), node)
        if number.type.kind == "float":
            raise UnreadablePath(f"{code(self._source(node))} is no whole number")
        return int(number.value)

    # -- operators

    async def _unary(self, node: Node) -> Operand:
        _, op, inner = node
        if op == "&":
            return await self._address(inner)
        value = await self._value(inner)
        if op == "*":
            return await self._deref(value, node)
        if op in ("!", "not") and isinstance(value, AdapterVariable) and number_of(value) is None:
            return Number(BOOL, int(not await self._truth(value, node)))
        return numbers.unary(op, await self._number(value, node), rust=self._rust)

    async def _deref(self, value: Operand, node: Node) -> Operand:
        raw = self._raw(value, node)
        raw = await self._pointer_of(raw) if self._kind(raw) == "smart" else raw
        kind = self._kind(raw)
        if kind == "optional":
            return await self._contained(raw, node[2])
        if kind == "array":
            return await self._item(raw, 0, node)
        if kind == "pointer" or (kind == "str" and types.pointee(raw.type)):
            return await self._settled(await self._behind(raw, 0, node[2]))
        if self._rust and kind != "struct":
            return raw  # a reference, shown by the debugger as its target
        raise UnreadablePath(f"{code(self._source(node))} would call operator* of {raw.type}")

    async def _address(self, inner: Node) -> Operand:
        """Return the address of an operand.

        Allowed even for the item after an array's last item, since nothing is read there.
        """
        if inner[0] == "s":
            base = self._raw(await self._value(inner[1]), inner)
            path = item_path(base.path, await self._whole(inner[2])) if kind_of(base) != "dict" else ""
        else:
            path = self._raw(await self._value(inner), inner).path
        if not path or path.startswith("&"):
            raise UnreadablePath(f"{code(f'&{self._source(inner)}')}: the address of this is not told")
        await self._check_address(path, inner)
        return await self._reader.hover(self._frame_id, path[1:] if path.startswith("*") else f"&{path}")

    async def _binary(self, node: Node) -> Operand:
        _, op, left_node, right_node = node
        left, right = await self._value(left_node), await self._value(right_node)
        if op in ("+", "-") and (is_pointer(left) or is_pointer(right)):
            return await self._moved(op, left, right, node)
        first, second = await self._number(left, node), await self._number(right, node)
        return numbers.binary(str(op), first, second, rust=self._rust)

    async def _moved(self, op: str, left: Operand, right: Operand, node: Node) -> Operand:
        """Evaluate pointer arithmetic: `p + n`, `p - n` or `p - q`."""
        if isinstance(left, Number) or not is_pointer(left):
            left, right = right, left
        pointer = cast("AdapterVariable", left)
        size = await self._size(pointer, node)
        if isinstance(right, AdapterVariable) and is_pointer(right):
            return Number(LONG, ((pointer.address or 0) - (right.address or 0)) // size)
        count = int((await self._number(right, node)).value) * (-1 if op == "-" else 1)
        address = ((pointer.address or 0) + count * size) & ((1 << 64) - 1)
        path = item_path(pointer.path, count)
        return AdapterVariable("", pointer.type, hex(address), path=f"&{path}" if path else "")

    async def _compared(self, node: Node) -> Operand:
        left_node = node[1]
        result: Operand | None = None
        for op, right_node in node[2]:
            if result is None and (named := await self._named(op, left_node, right_node)) is not None:
                result = named
                continue
            left = result if result is not None else await self._value(left_node)
            result = Number(BOOL, int(await self._holds(str(op), left, await self._value(right_node), node)))
        return result if result is not None else await self._value(left_node)

    async def _named(self, op: str, left: Node, right: Node) -> Number | None:
        """Compare an enum with a constant that the debugger knows only by name: `color == GREEN`."""
        if op not in ("==", "!="):
            return None
        for value_node, name_node in ((left, right), (right, left)):
            if name_node[0] != "n" or str(name_node[1]) in self._names:
                continue
            value = await self._value(value_node) if value_node[0] != "c" else None
            if isinstance(value, AdapterVariable) and kind_of(value) == "enum":
                same = value.text.rsplit("::", 1)[-1] == str(name_node[1]).rsplit("::", 1)[-1]
                return Number(BOOL, int(same == (op == "==")))
        return None

    async def _holds(self, op: str, left: Operand, right: Operand, node: Node) -> bool:
        if op not in COMPARE:
            raise UnreadablePath(f"{code(self._source(node))}: no such comparison")
        if is_pointer(left) or is_pointer(right):
            return COMPARE[op](await self._place(left, node), await self._place(right, node))
        texts = [string_of(x) if isinstance(x, AdapterVariable) and kind_of(x) == "str" else "" for x in (left, right)]
        if all(texts) and op in ("==", "!="):
            return COMPARE[op](*texts)
        enums = [
            x.text.rsplit("::", 1)[-1] for x in (left, right) if isinstance(x, AdapterVariable) and kind_of(x) == "enum"
        ]
        if len(enums) == 2 and op in ("==", "!="):
            return COMPARE[op](*enums)
        first, second = await self._number(left, node), await self._number(right, node)
        return numbers.compared(op, first, second, rust=self._rust)

    async def _truth(self, operand: Operand, node: Node) -> bool:
        if isinstance(operand, AdapterVariable) and (is_pointer(operand) or self._kind(operand) == "smart"):
            return bool(await self._place(operand, node))
        if isinstance(operand, AdapterVariable) and kind_of(operand) == "array":
            return True
        return bool((await self._number(operand, node)).value)

    async def _logical(self, node: Node) -> Operand:
        kind, parts = node
        value = kind == "and"
        for part in parts:
            value = await self._truth(await self._value(part), part)
            if value != (kind == "and"):
                break
        return Number(BOOL, int(value))

    async def _chosen(self, node: Node) -> Operand:
        return await self._value(node[2] if await self._truth(await self._value(node[1]), node) else node[3])

    async def _cast(self, node: Node) -> Operand:
        wanted = types.cast_type(node[1]) if isinstance(node[1], str) and len(node[1]) <= 200 else None
        if wanted is None:
            raise UnreadablePath(
                f"{code(self._source(node))} would call a conversion: cast to a number or a pointer type"
            )
        value = await self._value(node[2])
        if isinstance(wanted, str):
            return AdapterVariable("", wanted, hex(await self._place(value, node) & ((1 << 64) - 1)))
        if isinstance(value, AdapterVariable) and (is_pointer(value) or kind_of(value) == "array"):
            return numbers.fitted(wanted, await self._place(value, node))
        number = await self._number(value, node)
        if self._rust and number.type.kind == "float" and wanted.kind == "int":
            return numbers.saturated(wanted, float(number.value))
        return numbers.fitted(wanted, number.value)

    async def _number(self, operand: Operand, node: Node) -> Number:
        if isinstance(operand, Number):
            return operand
        number = number_of(operand)
        if number is not None:
            return number
        kind = kind_of(operand)
        if kind == "enum" and operand.path:
            return await self._enum_number(operand, node)
        if self._rust and kind == "pointer":  # arithmetic dereferences Rust's references
            return await self._number(await self._behind(operand, 0, node), node)
        if kind in ("pointer", "array", "str", "function", "enum"):
            raise UnreadablePath(f"{code(self._source(node))}: {operand.type} is no number here")
        raise UnreadablePath(
            f"{code(self._source(node))} would call an operator of {operand.type or 'its class'}: ask for its members"
        )

    _MAKERS: ClassVar[dict[str, Callable[[NativeInterpreter, Node], Awaitable[Operand]]]] = {
        "c": _constant, "i": _large, "f": _large, "n": _name, "a": _member, "s": _subscript, "u": _unary,
        "o": _binary, "cmp": _compared, "and": _logical, "or": _logical, "if": _chosen, "cast": _cast,
    }  # fmt: skip


def _long(value: int) -> types.Scalar:
    return LONG if value < 1 << 63 else types.Scalar("unsigned long", "int", 64, signed=False)
