"""The tool `memory`, which shows bytes of a native program in hexadecimal and as text, without bytes of secrets."""

from __future__ import annotations

import base64
import binascii
import re

from dap_ai.agent.masking.secret_names import secret_name
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.agent.tools.tool_reads import read
from dap_ai.debuggees.native.tools.native_forms import refused
from dap_ai.protocol.contracts.inspection import ExpressionResult
from dap_ai.protocol.contracts.tool_arguments import MemoryArguments
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.protocol.wire.safe import Safe
from dap_ai.system.texts import code, fenced

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ROW = 16
_PAGE = 4096
_AROUND = 256
"""Number of bytes read on both sides, so that a secret is recognised even if only part of it is shown."""
_POINTING = ("pointer", "reference", "smart", "str", "function")
_MAX_ADDRESS = (1 << 64) - 1


class MemoryReadError(Exception):
    """The memory cannot be read. The message states the reason."""


class MemoryTool(Tool[MemoryArguments]):
    """`count` bytes of memory in hexadecimal and as text. Bytes of a secret are blank.

    `address` is a number or an expression. For a pointer, its target is shown; for any other value, its own memory.
    """

    description = "Bytes of memory in hex and ASCII. `address`: a number, or an expression: where it points or lies."
    arguments = MemoryArguments
    level = "observe"
    main = "{address}"
    only = "native"

    async def run(self, bench: ToolContext, arguments: MemoryArguments) -> ToolResult:
        """Show rows of 16 bytes, and state how many of the requested bytes cannot be read."""
        try:
            address = await address_of(bench, arguments.address)
            data, hidden = await _bytes(bench, address, arguments.count)
        except MemoryReadError as error:
            return ToolResult(f"{code(arguments.address)}: {error}.", failed=True)
        rows = "\n".join(_rows(address, data, hidden))
        missing = arguments.count - len(data)
        left = f"\n\nThe {missing} bytes after them cannot be read." if missing else ""
        secret = "\n\n`**` is a byte of a secret." if any(hidden) else ""
        return ToolResult(f"{len(data)} bytes at {code(hex(address))}:\n\n{fenced(rows)}{left}{secret}")


async def address_of(bench: ToolContext, text: str) -> int:
    """Return the memory address that a number or an expression names.

    Raises MemoryReadError, NotStopped or RequestFailed.
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return _checked(int(text, 16 if text[:2].lower() == "0x" else 10))
    if (refusal := refused(bench, text, "read")) is not None:
        raise MemoryReadError(refusal.text.rstrip("."))
    if name := next((word for word in _WORD.findall(text) if secret_name(word)), ""):
        raise MemoryReadError(f"{name} may hold a secret: its bytes are not shown")
    number = "({}) as usize" if bench.dialect == "rust" else "(unsigned long)({})"
    wanted = [text, number.format(text), f"&({text})", number.format(f"&({text})")]
    value, itself, place, spot = await read(bench, wanted)
    points = value.value is not None and value.value.type.rstrip().endswith("*")
    return _checked(_pointed(value) or (_pointed(itself) if points else _pointed(place) or _pointed(spot)))


def _pointed(fact: ExpressionResult) -> int:
    """Return the address that a value points to; 0 if it points nowhere. A large integer counts as an address."""
    value = fact.value
    if value is None:
        return 0
    if value.kind in _POINTING and value.address:
        return value.address
    shown = value.kind in (*_POINTING, "int") and _NUMBER.match(value.text)
    number = int(shown[0], 0) if shown else 0
    return number if number >= _PAGE else 0


def _checked(address: int) -> int:
    if not 0 < address <= _MAX_ADDRESS:
        raise MemoryReadError("it is no address, or a null one")
    return address


async def _bytes(bench: ToolContext, address: int, count: int) -> tuple[bytes, list[bool]]:
    """Return the readable bytes, and for each byte whether it belongs to a secret.

    Raises MemoryReadError or NotStopped.
    """
    before = min(_AROUND, address % _PAGE)  # on the same page, so readable if the first byte is
    data = await _read(bench, address, address - before, before + count + _AROUND)
    if len(data) <= before:
        raise MemoryReadError(f"no memory can be read at {address:#x}")
    return data[before : before + count], secrets_in(bench, data)[before : before + count]


async def _read(bench: ToolContext, wanted: int, address: int, count: int) -> bytes:
    """Read as many contiguous bytes as possible from `address` on. Errors name the address `wanted`.

    gdb reads either all bytes or none, so the function also tries smaller pieces that end at a page's end.
    """
    sizes = (count, min(count, 2 * _PAGE - address % _PAGE), min(count, _PAGE - address % _PAGE))
    why = ""
    for size in dict.fromkeys(sizes):
        data, reason = await _piece(bench, address, size)
        if data:
            return data
        why = why or reason
    raise MemoryReadError(why if why and "0x" not in why else f"no memory can be read at {wanted:#x}")


async def _piece(bench: ToolContext, address: int, count: int) -> tuple[bytes, str]:
    """Read bytes with one request. Return the bytes and an empty reason, or no bytes and the reason."""
    try:
        body = await bench.debugger.request("readMemory", {"memoryReference": hex(address), "count": count})
        return base64.b64decode(str(body.get("data") or ""), validate=True)[:count], ""
    except NotStopped:
        raise
    except RequestFailed as error:
        return b"", error.user_text.rstrip(".")
    except binascii.Error:
        return b"", "the debug adapter sent no base64"


def secrets_in(bench: ToolContext, data: bytes) -> list[bool]:
    """Return for each byte whether it belongs to a masked text. The text may have zero bytes between its letters."""
    hidden = [False] * len(data)
    for places in (range(len(data)), [n for n, byte in enumerate(data) if byte]):
        text = "".join(_letter(data[n]) for n in places)
        for n in places[_replaced(text, bench.mask(text))]:
            hidden[n] = True
    return hidden


def _replaced(text: str, masked: Safe) -> slice:
    """Return the range of characters in `text` that masking replaced."""
    if masked == text:
        return slice(0)
    first = next((n for n, (a, b) in enumerate(zip(text, masked, strict=False)) if a != b), 0)
    ends = zip(reversed(text), reversed(masked), strict=False)
    last = len(text) - next((n for n, (a, b) in enumerate(ends) if a != b), 0)
    return slice(min(first, last), max(first, last))


def _letter(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 else "."


def _rows(address: int, data: bytes, hidden: list[bool]) -> list[str]:
    rows: list[str] = []
    for start in range(0, len(data), _ROW):
        part = range(start, min(start + _ROW, len(data)))
        digits = " ".join("**" if hidden[n] else f"{data[n]:02x}" for n in part)
        letters = "".join("*" if hidden[n] else _letter(data[n]) for n in part)
        rows.append(f"{address + start:#x}  {digits:<{3 * _ROW - 1}}  {letters}")
    return rows


memory = MemoryTool()
