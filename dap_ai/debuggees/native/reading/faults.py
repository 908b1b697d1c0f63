"""Reads why the processor stopped a native program: signal, address, kind of access, instruction and registers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from dap_ai.debuggees.native.reading.adapter_variables import number_in
from dap_ai.debuggees.native.reading.instruction_operands import access_of, address_of
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import Fault, Query
from dap_ai.protocol.contracts.register_names import general_registers
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

FATAL = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV", 31: "SIGSYS"}
"""Names of signals that the program's own actions cause, by Linux signal number."""
_ABOUT_MEMORY = ("SIGSEGV", "SIGBUS")
_BY_INSTRUCTION = (*_ABOUT_MEMORY, "SIGFPE", "SIGILL")
_ORDINARY = ("breakpoint", "function breakpoint", "data breakpoint", "instruction breakpoint", "step", "goto", "pause")
"""Reasons of stops that no signal causes."""

_SAID = re.compile(
    r"(?:^|; |\bsignal )(?P<signal>SIG[A-Z]+)\b(?:: (?P<code>[^;(]*(?:\(SI_\w+\))?))?"
    r"(?:\s*\(fault address[:=] ?(?P<address>0x[0-9a-fA-F]+)\))?"
)
_NO_ADDRESS = ("invalid address", "sent by kernel")
_WORDS: dict[tuple[str, int], str] = {
    ("SIGSEGV", 1): "address not mapped",
    ("SIGSEGV", 2): "invalid permissions",
    ("SIGSEGV", 128): "invalid address",
    ("SIGBUS", 1): "misaligned address",
    ("SIGBUS", 2): "illegal address",
    ("SIGBUS", 128): "invalid address",
    ("SIGFPE", 1): "integer divide by zero",
    ("SIGFPE", 2): "integer overflow",
    ("SIGFPE", 3): "floating point divide by zero",
    ("SIGFPE", 4): "floating point overflow",
    ("SIGFPE", 5): "floating point underflow",
    ("SIGFPE", 6): "floating point inexact result",
    ("SIGFPE", 7): "invalid floating point operation",
    ("SIGILL", 1): "illegal opcode",
    ("SIGILL", 2): "illegal operand",
    ("SIGSEGV", 0): "sent by a process",
    ("SIGSEGV", -6): "sent by a process",
    ("SIGBUS", -6): "sent by a process",
}
_SIMPLER = {
    "address not mapped to object": "address not mapped",
    "invalid permissions for mapped object": "invalid permissions",
    "sent by tkill system call": "sent by a process",
}
_VALUE = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)")


async def fault_of(
    request: Request, query: Query, frame_id: int, *, hovers: bool
) -> tuple[Fault | None, dict[str, str]]:
    """Return the fault and the general registers of the innermost frame; (None, {}) if no fault stopped the program.

    Facts that the adapter cannot provide are left out. Raises NotStopped.
    """
    asked = _Asked(request, query.thread_id, frame_id, hovers=hovers)
    fault = fault_in_stop_text(query.stopped) or await asked.signal(query.stopped)
    if fault is None:
        return None, {}
    registers = await registers_of(request, frame_id)
    if fault.signal in _BY_INSTRUCTION and fault.code != "sent by a process":
        await _instruct(fault, asked, registers)
    return fault, registers


def fault_in_stop_text(stopped: str) -> Fault | None:
    """Parse the fault from the text that lldb-dap puts into a `stopped` event.

    Return None if the text describes no fault.
    """
    found = _SAID.search(stopped)
    if found is None or found["signal"] not in FATAL.values():
        return None
    code = "" if found["signal"] == "SIGABRT" else (found["code"] or "").strip()
    if code.startswith(_NO_ADDRESS):
        return Fault(found["signal"], "invalid address")
    about_memory = found["signal"] in _ABOUT_MEMORY and found["address"]
    return Fault(found["signal"], _SIMPLER.get(code, code), int(found["address"], 16) if about_memory else None)


async def registers_of(request: Request, frame_id: int) -> dict[str, str]:
    """Return a frame's general registers in hexadecimal; empty if the adapter shows no registers. Raises NotStopped."""
    shown = await general_registers(partial(tried, request), frame_id)
    return {name: _hexadecimal(value) for name, value in shown.items()}


def numbers_of(registers: dict[str, str]) -> dict[str, int]:
    """Return as integers those registers whose values are numbers."""
    return {name: int(value, 0) for name, value in registers.items() if _VALUE.fullmatch(value)}


class _Asked:
    """Sends requests about the thread that stopped."""

    def __init__(self, request: Request, thread_id: int, frame_id: int, *, hovers: bool) -> None:
        self._request = request
        self._thread_id = thread_id
        self._frame_id = frame_id
        self._hovers = hovers

    async def signal(self, stopped: str) -> Fault | None:
        """Return the signal of a stop whose `stopped` event does not name it, as in gdb or for a core file."""
        if stopped.partition(";")[0] in _ORDINARY:
            return None
        number = await self._number("$_siginfo.si_signo")
        if number not in FATAL:
            return None
        name, code = FATAL[number], await self._number("$_siginfo.si_code")
        fault = Fault(name, _WORDS.get((name, code), "") if code is not None else "")
        if name in _ABOUT_MEMORY and code is not None and 0 < code < 128:
            fault.address = await self._number("$_siginfo._sifields._sigfault.si_addr")
        return fault

    async def instruction(self) -> tuple[str, int, int]:
        """Return the current instruction's text and address, and the next instruction's address.

        Returns ("", address, 0) if the instruction cannot be read.
        """
        body = await tried(self._request, "stackTrace", {"threadId": self._thread_id, "levels": 1})
        reference = next((str(f.get("instructionPointerReference") or "") for f in body.get("stackFrames", [])), "")
        here = number_in(reference)
        if here is None:
            return "", -1, 0
        wanted = {"memoryReference": reference, "instructionOffset": 0, "instructionCount": 1}
        rows = (await tried(self._request, "disassemble", wanted)).get("instructions", [])
        if not rows or number_in(rows[0].get("address")) != here:
            return "", here, 0
        size = len(str(rows[0].get("instructionBytes", "")).replace(" ", "")) // 2
        return " ".join(str(rows[0].get("instruction", "")).split()), here, here + size

    async def _number(self, constant: str) -> int | None:
        """Read a number from one of gdb's convenience variables. `constant` is always a constant of this module."""
        if not self._hovers:
            return None
        arguments = {"expression": constant, "context": "hover", "frameId": self._frame_id}
        found = _VALUE.match(str((await tried(self._request, "evaluate", arguments)).get("result", "")))
        return int(found[0], 0) if found else None


async def _instruct(fault: Fault, asked: _Asked, registers: dict[str, str]) -> None:
    """Add facts from the instruction to the fault: text, kind of access, and the address if the adapter gave none."""
    text, here, end = await asked.instruction()
    if fault.signal in _ABOUT_MEMORY and fault.address == here:
        fault.access = "execute"
        return
    fault.instruction = text
    if fault.signal not in _ABOUT_MEMORY:
        return
    fault.access = access_of(text)
    if not fault.access and not fault.code:  # sent by a process, so not caused by the instruction
        fault.instruction = ""
    if fault.address is None:
        fault.address = address_of(text, numbers_of(registers), end)


def _hexadecimal(value: str) -> str:
    """Shorten `0x0000000000000010 symbol`, `16` and `0x10 <symbol>` to `0x10`. Leave flags that are words unchanged."""
    found = _VALUE.match(value)
    return hex(int(found[0], 0) & ((1 << 64) - 1)) if found else value


async def tried(request: Request, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request and return the response's body, or an empty dict if the request fails. Raises NotStopped."""
    try:
        return await request(command, arguments)
    except NotStopped:
        raise
    except RequestFailed:
        return {}
