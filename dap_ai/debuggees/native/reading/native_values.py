"""Converts variables of a debug adapter to Values: structure, and one line of text as a programmer would write it."""

from __future__ import annotations

import re
from dataclasses import replace

from dap_ai.debuggees.native.reading import types
from dap_ai.debuggees.native.reading.adapter_literals import is_cut, spelled
from dap_ai.debuggees.native.reading.adapter_reader import AdapterReader, BudgetSpent
from dap_ai.debuggees.native.reading.adapter_variables import ADDRESS, AdapterVariable, UnreadVariable
from dap_ai.debuggees.native.reading.numbers import Number, shown
from dap_ai.debuggees.native.reading.smart_pointers import boxed_text, declared_length, optional_value, pointer_in
from dap_ai.debuggees.native.reading.variable_kinds import codes_of, kind_of, number_of, string_of
from dap_ai.protocol.contracts.inspection import Field, Query, Value

_COUNTS = re.compile(r"strong=(\d+)|use count (\d+)")
_FUNCTION = re.compile(r"(0x[0-9a-fA-F]+) \([^`]*`(?:::)?(.+?)(?:::h[0-9a-f]{16})?(?: at [^()]*)?\)$")
_FORMATTED = re.compile(r"[A-Za-z_]\w*[({]|[A-Za-z_]\w*$|\(")
_ELLIPSIS = "..."
_MAX_BYTES = 200


def of_number(number: Number) -> Value:
    """Convert a computed number to a Value."""
    return Value(text=shown(number), type=number.type.name, kind=number.type.kind)


class NativeDescriber:
    """Converts the variables of one frame to Values."""

    def __init__(self, reader: AdapterReader, query: Query, frame_id: int) -> None:
        self._reader = reader
        self._query = query
        self._frame_id = frame_id

    async def value(self, raw: AdapterVariable, depth: int = 1) -> Value:
        """Describe a variable and `depth` levels below it. Raises NotStopped.

        Parts that cannot be read within the budget are shown as `...`.
        """
        try:
            raw.check()
            value = await self._value(raw, depth)
        except UnreadVariable as error:
            value = self._unread(raw, error)
        except BudgetSpent:
            value = self._shallow(raw)
        self._bound(value)
        return value

    def _unread(self, raw: AdapterVariable, error: UnreadVariable) -> Value:
        if error.address and kind_of(raw) == "str" and error.address == raw.address:
            return Value(hex(error.address), raw.type, "pointer", address=error.address, note="not readable")
        note = error.text if error.text == "optimised out" else "not readable"
        return Value(text=f"<{error.text}>", type=raw.type, kind=kind_of(raw), note=note)

    def _bound(self, value: Value) -> None:
        value.text = " ".join(value.text.split("\n"))
        limit = self._query.max_text
        if len(value.text) > limit:
            value.text = value.text[: limit - 3] + _ELLIPSIS
            value.truncated = True
        fields = value.fields or ()
        self._reader.bytes_left -= (
            len(value.text) + len(value.type) + sum(len(f.text) + len(f.name) + 30 for f in fields)
        )

    def _shallow(self, raw: AdapterVariable) -> Value:
        """Describe a variable without sending further requests."""
        kind = kind_of(raw)
        if kind in ("pointer", "reference") and raw.address is not None:
            return self._pointer(raw, kind)
        if kind == "str" and string_of(raw) and not _may_lead_nowhere(raw):
            return self._string(raw)
        if kind == "str" and raw.address is not None:
            return self._pointer(raw, kind)
        number = number_of(raw)
        if number is not None:
            return Value(text=shown(number), type=raw.type, kind=number.type.kind)
        if kind == "function" and (found := _FUNCTION.match(raw.text)):
            return Value(text=f"{int(found[1], 16):#x} <{found[2]}>", type=raw.type, kind=kind)
        if kind == "function" and raw.address == 0:
            return self._pointer(raw, kind)
        opened = {"array": "[...]", "list": "[...]", "dict": "{...}", "set": "{...}", "struct": "{...}"}
        text = string_of(raw) or _formatted(raw) or opened.get(kind) or raw.text.strip() or "{...}"
        return Value(text=text, type=raw.type, kind=kind, length=raw.length, truncated=bool(raw.reference))

    async def _value(self, raw: AdapterVariable, depth: int) -> Value:
        kind = kind_of(raw)
        if _may_lead_nowhere(raw) and not await self._is_readable(raw):
            return self._shallow(raw)
        if kind == "str" and string_of(raw):
            return self._string(raw)
        if kind == "str" and raw.address is not None:
            return self._pointer(raw, "str")
        if kind == "str" and (spelled_ := await self._bytes(raw)):
            return self._string(replace(raw, text=spelled_))
        if kind in ("int", "bool", "char", "float", "enum", "none", "object", "function"):
            value = self._shallow(raw)
            value.truncated = False
            return value
        if depth < 0:
            return self._shallow(raw)
        make = {
            "pointer": self._pointed, "reference": self._referred, "smart": self._smart, "optional": self._optional,
            "array": self._sequence, "list": self._sequence, "set": self._sequence, "dict": self._dict,
        }.get(kind, self._struct)  # fmt: skip
        value = await make(raw, depth)
        if value.kind == "object":
            value.kind = kind
        return value

    async def _is_readable(self, raw: AdapterVariable) -> bool:
        """Whether a pointer's target can be read; False if this is unknown.

        Raises UnreadVariable if the target cannot be read, or BudgetSpent.
        """
        try:
            await self._reader.pointed(raw, self._frame_id, 1)
        except UnreadVariable as error:
            if error.address is not None:
                raise
            return False
        return True

    async def _bytes(self, raw: AdapterVariable) -> str:
        """Return the string literal of a text that lldb-dap lists byte by byte; empty for any other variable."""
        length = raw.indexed or types.fixed_length(raw.type) or 0
        if not length or not raw.reference:
            return ""
        rows = await self._reader.children(raw, self._frame_id, _MAX_BYTES)
        numbers = [number_of(row) for row in rows if row.name.strip("[]").isdigit()]
        cut = _ELLIPSIS if len(rows) < length else ""
        return spelled(bytes(int(n.value) & 255 for n in numbers if n)) + cut

    def _string(self, raw: AdapterVariable, kind: str = "str") -> Value:
        text = string_of(raw)
        cut = is_cut(raw.text)
        value = Value(text=text + (_ELLIPSIS if cut else ""), type=raw.type, kind=kind, truncated=cut)
        value.length = None if cut else len(codes_of(raw))
        if types.pointee(raw.type):
            value.address = raw.address or 0
        return value

    def _pointer(self, raw: AdapterVariable, kind: str) -> Value:
        address = raw.address or 0
        note = "" if address or raw.address is None else "null"
        text = "null" if note else hex(address) if raw.address is not None else raw.text
        return Value(text=text, type=raw.type, kind=kind, address=address, note=note)

    async def _pointed(self, raw: AdapterVariable, depth: int) -> Value:
        value = self._pointer(raw, "pointer")
        element = types.pointee(raw.type) if types.kind_of(raw.type) else ""
        if value.note or depth < 1 or element in (None, "void", "()") or not (raw.reference or self._reader.lldb):
            return value
        try:
            target = await self._reader.pointed(raw, self._frame_id, self._query.max_fields)
            await self._show_target(value, target, depth)
        except UnreadVariable as error:
            value.note = "not readable" if error.address is not None else ""
        except BudgetSpent:
            value.truncated = True
        return value

    async def _show_target(self, value: Value, target: AdapterVariable, depth: int) -> None:
        inner = await self.value(target, depth - 1)
        if inner.note == "not readable":
            value.note = inner.note
            return
        value.fields = inner.fields or [Field(name="*", text=inner.text, type=inner.type, address=inner.address)]
        value.text += f" -> {inner.text}"
        value.length, value.truncated = inner.length, inner.truncated

    async def _referred(self, raw: AdapterVariable, depth: int) -> Value:
        """Describe a C++ reference by describing its target."""
        if not raw.reference:
            if string_of(text := replace(raw, text=ADDRESS.sub("", raw.text))):
                return self._string(text)
            number = number_of(replace(raw, type=types.pointee(raw.type) or "", text=re.sub(r"^@\S+: ", "", raw.text)))
            return of_number(number) if number else self._pointer(raw, "reference")
        if raw.address == 0:
            return self._pointer(raw, "reference")
        target = await self._reader.pointed(raw, self._frame_id, self._query.max_fields)
        inner = await self.value(target, depth - types.is_reference(target.type))
        inner.type, inner.address = raw.type, raw.address or 0
        inner.kind = "reference" if inner.kind == "struct" else inner.kind
        return inner

    async def _smart(self, raw: AdapterVariable, depth: int) -> Value:
        held, rows = await pointer_in(self._reader, raw, self._frame_id, self._query.max_fields)
        if (text := await boxed_text(self._reader, raw, rows)) is not None:
            return self._string(replace(raw, text=text), "smart")
        held = held or next(iter(rows), None)
        counted = _COUNTS.search(raw.text)
        count = f"{counted[1] or counted[2]} owners" if counted and (counted[1] or counted[2]) != "1" else ""
        if held is None or kind_of(held) not in ("pointer", "str"):
            found = re.search(r"0x[0-9a-fA-F]+", raw.text)
            text = hex(int(found[0], 16)) if found else "" if rows else "{...}"
            value = Value(text=text, type=raw.type, kind="smart", note=count)
            if held is not None:
                await self._show_target(value, held, depth)
                value.text = value.text.removeprefix(" -> ")
            return value
        value = await self._value(held, depth)
        value.type, value.kind, value.note = raw.type, "smart", value.note or count
        return value

    async def _optional(self, raw: AdapterVariable, depth: int) -> Value:
        rows = await optional_value(self._reader, raw, self._frame_id)
        if rows is None:
            return Value(text="None" if "core::" in raw.type else "nullopt", type=raw.type, kind="optional")
        if len(rows) != 1:
            return Value(text=raw.text.strip() or "{...}", type=raw.type, kind="optional")
        inner = await self.value(rows[0], depth - 1)
        text = f"Some({inner.text})" if "core::" in raw.type else inner.text
        return Value(text=text, type=raw.type, kind="optional", fields=[_field("value", inner)], note=inner.note)

    async def _sequence(self, raw: AdapterVariable, depth: int) -> Value:
        kind = kind_of(raw)
        if kind == "array" and not raw.reference and string_of(raw):
            return self._string(raw, kind)
        length = raw.length or await self._hashed(raw)
        value = Value(text="", type=raw.type, kind=kind, length=length)
        wanted = bool(raw.length) or raw.length is None
        rows = await self._reader.children(raw, self._frame_id, self._query.max_items) if wanted else []
        if (raw.length is None or rows) and not (rows and rows[0].name.strip("[]").isdigit()):
            return await self._unlisted(raw, rows, depth)
        shown_ = [(await self.value(row, depth - 1)) for row in rows[: self._query.max_items]]
        value.text = _listed([each.text for each in shown_], length - len(shown_), "{}" if kind == "set" else "[]")
        value.fields = [_field(f"[{n}]", each) for n, each in enumerate(shown_)]
        value.truncated = len(shown_) < length or any(each.truncated for each in shown_)
        return value

    async def _unlisted(self, raw: AdapterVariable, rows: list[AdapterVariable], depth: int) -> Value:
        """Describe a container for which the adapter lists parts instead of items.

        std::array and std::stack contain another container.
        """
        container = bool(types.kind_of(raw.type))
        if not rows and container:
            return self._shallow(raw)
        if container and len(rows) == 1 and kind_of(rows[0]) in ("array", "list", "str"):
            value = await self._value(rows[0], depth)
            value.type, value.kind = raw.type, kind_of(raw)
            return value
        length = declared_length(rows)
        if length is None:
            return await self._struct(raw, depth)
        brackets = "{}" if kind_of(raw) in ("set", "dict") else "[]"
        text = _listed([], length, brackets)
        return Value(text=text, type=raw.type, kind=kind_of(raw), length=length, truncated=length > 0)

    async def _dict(self, raw: AdapterVariable, depth: int) -> Value:
        if raw.length is None:
            return await self._unlisted(raw, await self._reader.children(raw, self._frame_id, 8), depth)
        length = raw.length or await self._hashed(raw)
        pairs = await self.pairs(raw, self._query.max_items) if raw.length else []
        inner = depth - 1
        fields = [
            Field((await self.value(key, inner)).text, (await self.value(held, inner)).text, held.type)
            for key, held in pairs
        ]
        text = _listed([f"{f.name}: {f.text}" for f in fields], length - len(fields), "{}")
        keys = [f.name for f in fields]
        return Value(
            text=text,
            type=raw.type,
            kind="dict",
            length=length,
            keys=keys,
            fields=fields,
            truncated=len(fields) < length,
        )

    async def _hashed(self, raw: AdapterVariable) -> int:
        """Return the size of a hash table that the adapter shows as empty.

        lldb-dap 19 shows every hash table of libstdc++ as empty.
        """
        if "unordered_" not in raw.type or not self._reader.lldb:
            return 0
        try:
            count = await self._reader.hover(self._frame_id, f"{raw.path}._M_h._M_element_count")
        except UnreadVariable:
            return 0
        return int(count.text) if count.text.isdigit() else 0

    async def pairs(self, raw: AdapterVariable, count: int) -> list[tuple[AdapterVariable, AdapterVariable]]:
        """Return a map's first keys and values. gdb lists them alternately; lldb-dap lists pairs.

        Raises UnreadVariable, NotStopped or BudgetSpent.
        """
        length = raw.length or 0
        in_turn = bool(raw.named) and raw.named == 2 * length
        rows = await self._reader.children(raw, self._frame_id, 2 * count if in_turn else count)
        if in_turn:
            return list(zip(rows[::2], rows[1::2], strict=False))
        found: list[tuple[AdapterVariable, AdapterVariable]] = []
        for row in rows[:count]:
            parts = await self._reader.children(row, self._frame_id, 2)
            if len(parts) == 2:
                found.append((parts[0], parts[1]))
        return found

    async def _struct(self, raw: AdapterVariable, depth: int) -> Value:
        if depth < 1 and raw.text not in ("", raw.type, "None") and not raw.text.startswith(raw.type):
            return self._shallow(raw)
        limit = self._query.max_fields
        rows = await self._reader.children(raw, self._frame_id, limit + 1)
        fields = [_field(row.name, await self.value(row, depth - 1)) for row in rows[:limit]]
        kind = "struct"
        more = [_ELLIPSIS] if len(rows) > limit else []
        text = _formatted(raw) or "{" + ", ".join([f"{f.name}={f.text}" for f in fields] + more) + "}"
        return Value(text=text, type=raw.type, kind=kind, fields=fields, truncated=len(rows) > limit)


def _may_lead_nowhere(raw: AdapterVariable) -> bool:
    """Whether a string may be unreadable. lldb-dap shows `""` both for an empty text and for an unreadable pointer."""
    return bool(raw.address) and raw.text.startswith("0x") and kind_of(raw) == "str" and not codes_of(raw)


def _field(name: str, value: Value) -> Field:
    return Field(name=name, text=value.text, type=value.type, address=value.address)


def _formatted(raw: AdapterVariable) -> str:
    """Return the text that a Rust formatter wrote, such as `Circle(2)`, `Sq{w:3}` or `(1, "t")`; else empty."""
    own = raw.text not in ("", "None", raw.type) and not raw.text.startswith(raw.type) and kind_of(raw) == "struct"
    return raw.text if own and ("::" in raw.type or raw.type.startswith("(")) and _FORMATTED.match(raw.text) else ""


def _listed(texts: list[str], more: int, brackets: str) -> str:
    rest = [f"... {more} more"] if more > 0 else []
    return brackets[0] + ", ".join(texts + rest) + brackets[1]
