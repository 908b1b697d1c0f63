"""Reads a stopped native program by DAP requests, without calling its functions or changing its memory.

Values are read with `scopes` and `variables`. If the adapter's `hover` has no side effects, values are also read with
`evaluate` in context `hover` with a frame id. dap_ai itself does the arithmetic.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, cast

from dap_ai.backends.native.elf import binary_of, debug_names
from dap_ai.debuggees.native.reading.adapter_reader import AdapterReader, BudgetSpent
from dap_ai.debuggees.native.reading.adapter_variables import AdapterVariable, UnreadVariable, safe_name
from dap_ai.debuggees.native.reading.faults import fault_of
from dap_ai.debuggees.native.reading.native_interpreter import NativeInterpreter
from dap_ai.debuggees.native.reading.native_threads import threads_of
from dap_ai.debuggees.native.reading.native_values import NativeDescriber, of_number
from dap_ai.debuggees.native.reading.numbers import ArithmeticTrap, Number
from dap_ai.debuggees.native.reading.operand_paths import UnknownName, UnreadablePath
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import (
    Binary,
    ExceptionFacts,
    ExpressionResult,
    Fault,
    FrameFacts,
    FrameQuery,
    Inspection,
    Node,
    Query,
    Value,
    Variable,
)
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

INNER_REQUESTS = 50
OUTER_REQUESTS = 10
"""Maximum number of requests for the expressions of an outer frame (INNER_REQUESTS for the innermost frame). The
frame's variables may use the same number again."""
MOST_FRAMES = 200


@dataclass
class _Frame:
    """A frame of the query, with the variables that the adapter listed."""

    query: FrameQuery
    facts: FrameFacts
    arguments: list[AdapterVariable] = field(default_factory=list[AdapterVariable])
    locals: list[AdapterVariable] = field(default_factory=list[AdapterVariable])

    @property
    def rust(self) -> bool:
        return self.facts.file.endswith(".rs")


class NativeInspector:
    """Reads stopped native programs for one session.

    `hovers`: the adapter's `hover` has no side effects (lldb-dap, gdb).
    """

    def __init__(self, *, hovers: bool) -> None:
        self._hovers = hovers
        self._binary: Binary | None = None
        self._binary_sought = False

    async def inspect(self, request: Request, query: Query) -> Inspection:
        """Read the frames and values that the query names. Raises RequestFailed or NotStopped."""
        begun = time.monotonic()
        reader = AdapterReader(request, query, hovers=self._hovers)
        rows = await _stack(reader, query)
        frames: list[_Frame] = []
        for each in query.frames:  # in turn: lldb-dap 19 ends if it is asked about a frame that it has left
            allowance = OUTER_REQUESTS if frames else INNER_REQUESTS
            reader.allowance = allowance
            frames.append(await _opened(reader, query, each, rows.get(each.frame_id, {})))
            await _read(reader, query, frames[-1], allowance)
        reply = Inspection(frames=[frame.facts for frame in frames], kind="native", truncated=reader.truncated)
        await self._add_what_happened(request, query, reply, rows)
        reply.milliseconds = (time.monotonic() - begun) * 1000
        return reply

    async def _add_what_happened(
        self, request: Request, query: Query, reply: Inspection, rows: dict[int, dict[str, Any]]
    ) -> None:
        innermost = next(iter(rows), query.frames[0].frame_id if query.frames else 0)
        if query.exception and (rows or query.frames):
            reply.fault, reply.registers = await fault_of(request, query, innermost, hovers=self._hovers)
            reply.exceptions = [_as_exception(reply.fault)] if reply.fault else []
            reply.binary = await self._program(request, rows)
        if query.threads:
            reply.threads = await threads_of(request, query, hovers=self._hovers)

    async def _program(self, request: Request, rows: dict[int, dict[str, Any]]) -> Binary | None:
        """Return the program's executable file, which is searched only once per session.

        gdb names the file in frames; lldb-dap lists it as the first module.
        """
        if not self._binary_sought:
            for path in await _program_paths(request, rows):
                self._binary = await asyncio.to_thread(binary_of, path)
                if self._binary:
                    break
            self._binary_sought = True
        return self._binary


async def _program_paths(request: Request, rows: dict[int, dict[str, Any]]) -> list[str]:
    modules = [str(row.get("moduleId", "")) for row in reversed(rows.values())]
    named = [path for path in modules if "/" in path and ".so" not in path]
    if named or not rows:
        return named[:1]
    try:
        body = await request("modules", {"startModule": 0, "moduleCount": 1})
    except NotStopped:
        raise
    except RequestFailed:
        return []
    return [str(each["path"]) for each in body.get("modules", [])[:1] if each.get("path")]


def _as_exception(fault: Fault) -> ExceptionFacts:
    address = f"{fault.address:#x}" if fault.address is not None else ""
    return ExceptionFacts(type=fault.signal, message=", ".join(filter(None, [fault.code, address])))


async def _stack(reader: AdapterReader, query: Query) -> dict[int, dict[str, Any]]:
    """Return the thread's frames by id. The list is long enough to include the frames of the query."""
    wanted = {each.frame_id for each in query.frames}
    rows: dict[int, dict[str, Any]] = {}
    for levels in (20, MOST_FRAMES) if query.thread_id else ():
        arguments = {"threadId": query.thread_id, "startFrame": 0, "levels": levels}
        body = await reader.send("stackTrace", arguments)
        rows = {int(row["id"]): row for row in cast("list[dict[str, Any]]", body.get("stackFrames", []))}
        if wanted <= rows.keys() or len(rows) < levels:
            break
    return rows


async def _opened(reader: AdapterReader, query: Query, asked: FrameQuery, row: dict[str, Any]) -> _Frame:
    """Return a frame with its variables as the adapter lists them, without their contents."""
    name = str(row.get("name", ""))
    file = str(cast("dict[str, Any]", row.get("source") or {}).get("path", ""))
    frame = _Frame(asked, FrameFacts(frame_id=asked.frame_id, name=name, file=file, line=int(row.get("line") or 0)))
    reader.rust = frame.rust
    try:
        frame.arguments, frame.locals = await reader.frame_variables(asked.frame_id, 4 * query.max_variables)
    except NotStopped:
        raise
    except RequestFailed as error:
        frame.facts.error = error.user_text[:200]
    except BudgetSpent:
        frame.facts.error = "the time for reading was used up"
    if not frame.arguments:
        count = _parameters(name, frame.locals)
        frame.arguments, frame.locals = frame.locals[:count], frame.locals[count:]
    return frame


def _parameters(name: str, rows: list[AdapterVariable]) -> int:
    """Return how many of the variables are arguments, counted in a C++ function's name as lldb-dap writes it."""
    opened = name.rfind("(")
    if opened <= 0 or not name.rstrip(" const&").endswith(")"):
        return 0
    inside, depth, count = name[opened + 1 : name.rfind(")")], 0, 1
    for character in inside:
        depth += {"<": 1, ">": -1}.get(character, 0)
        count += character == "," and not depth
    return (count if inside.strip() not in ("", "void") else 0) + (bool(rows) and rows[0].name == "this")


async def _read(reader: AdapterReader, query: Query, frame: _Frame, allowance: int) -> None:
    """Read a frame's expressions first, since the failing line uses them, then the frame's variables."""
    has_no_operators = frame.rust or frame.facts.file.endswith(".c")
    describer = NativeDescriber(reader, query, frame.query.frame_id)
    rows = {row.name: row for row in [*frame.locals, *frame.arguments]}
    interpreter = NativeInterpreter(
        reader,
        describer,
        frame.query.frame_id,
        rows,
        rust=frame.rust,
        overloads_address=None if has_no_operators else partial(overloads_address, reader.send),
    )
    reader.allowance = allowance
    frame.facts.values = [await _fact(interpreter, describer, node) for node in frame.query.expressions]
    reader.allowance = allowance
    if frame.query.variables or frame.query.names is not None:
        await _describe(reader, query, describer, frame)


async def _describe(reader: AdapterReader, query: Query, describer: NativeDescriber, frame: _Frame) -> None:
    facts, names = frame.facts, frame.query.names
    left = query.max_variables
    known = {row.name for row in [*frame.arguments, *frame.locals]}
    frame.locals += [await _sought(reader, frame.query.frame_id, name) for name in names or () if name not in known]
    for rows, into in ((frame.arguments, facts.arguments), (frame.locals, facts.locals)):
        wanted = [row for row in rows if row.name and (names is None or row.name in names)]
        for row in wanted:
            if left <= 0 or reader.bytes_left <= 0:
                facts.hidden_variables += 1
                continue
            left -= 1
            into.append(Variable(name=row.name, value=await describer.value(row)))


async def _sought(reader: AdapterReader, frame_id: int, name: str) -> AdapterVariable:
    """Return a static or global variable by name, or a variable with an empty name if it is not found."""
    with contextlib.suppress(UnreadVariable, BudgetSpent):
        if safe_name(name):
            return replace(await reader.hover(frame_id, name), name=name)
    return AdapterVariable("", "", "")


async def _fact(interpreter: NativeInterpreter, describer: NativeDescriber, node: Node) -> ExpressionResult:
    try:
        operand = await interpreter.evaluate(node)
        return ExpressionResult(value=await _valued(describer, operand))
    except UnreadablePath as error:
        return ExpressionResult(error="refused", text=str(error))
    except ArithmeticTrap as error:
        return ExpressionResult(error="raised", text=str(error))
    except UnknownName as error:
        return ExpressionResult(error="missing", text=str(error))
    except UnreadVariable as error:
        return ExpressionResult(error="missing" if error.address is None else "raised", text=error.text)
    except BudgetSpent:
        return ExpressionResult(error="refused", text="the visit's time or requests were used up before it")


async def _valued(describer: NativeDescriber, operand: AdapterVariable | Number) -> Value:
    return of_number(operand) if isinstance(operand, Number) else await describer.value(operand)


_MAX_MODULES = 200
_SYSTEM = re.compile(r"/(?:usr|lib|lib32|lib64)/|\[")
_ADDRESS_OF = re.compile(rb"_Z[^\0]{0,1000}?ad(?=[E\dNRO])")
"""Matches unary `operator&` in a mangled C++ name. It is written `ad`, which may also be part of another name; a number
before each name gives that name's length."""
_NAME = re.compile(rb"\d+")


async def overloads_address(request: Request) -> bool:
    """Whether a module of the program defines unary `operator&`. True also if this is unknown. Raises NotStopped."""
    try:
        body = await request("modules", {"startModule": 0, "moduleCount": _MAX_MODULES})
    except NotStopped:
        raise
    except RequestFailed:
        return True
    paths = [str(row.get("path") or "") for row in cast("list[dict[str, Any]]", body.get("modules", []))]
    own = [path for path in paths if path.startswith("/") and not _SYSTEM.match(path)]
    return not own or any([await asyncio.to_thread(_names_it, path) for path in own])


@lru_cache(maxsize=64)
def _names_it(path: str) -> bool:
    names = debug_names(path)
    return names is None or any(map(_is_operator, _ADDRESS_OF.finditer(names)))


def _is_operator(found: re.Match[bytes]) -> bool:
    """Whether the final `ad` of the mangled text is an operator and not part of a name."""
    mangled, at = found[0], 2
    while number := _NAME.search(mangled, at):
        at = number.end() + int(number[0])
        if at > len(mangled) - 2:
            return False
    return True
