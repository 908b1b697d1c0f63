"""Queries to a static inspector and its results: the contract between `agent` and a backend's inspector.

An inspector reads a stopped program and runs none of its code. For a debuggee without one (a generic adapter), the same
structs are filled from ordinary DAP requests.

An expression travels as a Node: JSON arrays that the agent (`agent/sanitize.py`) makes from source text and the
inspector interprets. So nothing is parsed or compiled inside the debuggee, and the exact types of the values decide
every operation:

    ["c", v]                      constant None, bool, int of at most 53 bits, float, str
    ["i", "123"] ["f", "inf"]     int or float that JSON cannot represent
    ["b", "base64"] ["e"]         bytes; Ellipsis
    ["n", name]                   local, enclosing, global, then builtin name
    ["a", x, name]                attribute, found statically
    ["s", x, i]                   subscript; i may be ["sl", lower, upper, step]
    ["u", op, x]                  op: - + ~ not
    ["o", op, x, y]               op: + - * / // % ** << >> & | ^ @
    ["and", [x...]] ["or", [x...]]
    ["cmp", x, [[op, y]...]]      op: == != < <= > >= is "is not" in "not in"
    ["if", test, x, y]            x if test else y
    ["call", f, [x...], {k: x}]   an item of the list may be ["*", x]; also in a tuple, list or set
    ["t", [x...]] ["l", [x...]] ["S", [x...]] ["d", [[k, v]...]]     tuple, list, set, dict
    ["fs", [part...]]             f-string; a part is a constant or ["fv", x, "" | "r" | "s" | "a", part | null]
    ["comp", kind, x, [[target, iterable, [condition...]]...]]       kind: list set dict gen; dict: x is ["t", [k, v]]
    target: ["n", name] or ["t", [target...]]

In C, C++ and Rust (made by `debuggees/native/source/expressions.py`; parsed there, never by the debugger) also:

    ["u", op, x]                  op: * (dereference), & (address), !
    ["a", x, name]                a member
    ["a", ["->", x], name]        a member of what x points to
    ["cast", type, x]             to a number or a pointer; the type is source text
    ["o", ...], ["cmp", ...]      with the widths, signs and integer division of the operands' types

Lines are 1-based; columns are 0-based UTF-8 byte offsets, as in CPython's `co_positions`. Lengths are in items, sizes
in bytes. After the next resume all of this is only a record of the past.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dap_ai.protocol.wire.ask_messages import Level

Node = list[Any]
"""An expression, as described in the module's docstring."""

Time = Literal["", "failed", "now"]
"""When a value was read, if cleanup (`finally`, `with`, a test's tear-down) has run since the failure; else empty.
failed: when the exception was raised; the value is different now. now: after the cleanup; the earlier value is
unknown."""

FactError = Literal["", "refused", "raised", "missing"]
"""Why an expression has no value. refused: reading it would run user code, or reach a limit. raised: evaluating it
raises an exception, named in `text`, as the sub-expression that failed does. missing: the name does not exist or is
not bound yet."""


class FrameQuery(msgspec.Struct, omit_defaults=True):
    """What to read in one frame."""

    frame_id: int
    """DAP frame id, from a stackTrace of this stop."""
    variables: bool = True
    """Read all arguments and locals."""
    names: list[str] | None = None
    """Names to read; None: all."""
    expressions: list[Node] = []
    """Expressions, evaluated independently; `FrameFacts.values` holds the results in the same order."""


class Query(msgspec.Struct, omit_defaults=True):
    """One request to the inspector. Reaching a limit shortens the reply but never fails it."""

    frames: list[FrameQuery]
    level: Level = "compute"
    """At `observe`, calls are refused (except `len` of exact builtin containers)."""
    exception: bool = True
    threads: bool = True
    max_text: int = 200
    """Maximum characters of one value's text."""
    max_items: int = 12
    """Maximum items of a container in its text; at most 4 times as many dict keys are listed."""
    max_depth: int = 3
    """Depth limit: containers nested deeper are shown as `[...]`."""
    max_fields: int = 16
    """Maximum fields of an object."""
    max_rows: int = 0
    """Maximum rows of a Table; 0: no tables."""
    first_row: int | None = None
    """0-based row at which a Table begins; None: the first and the last rows."""
    max_variables: int = 60
    """Maximum variables of a frame; `hidden_variables` counts the rest."""
    max_bytes: int = 200_000
    """Maximum size of the whole reply."""
    deadline_ms: int = 500
    """Time limit after which the inspector returns a partial result, with `truncated`. Processor time in a Python
    program; elapsed time, extended on a busy machine, where an adapter is asked."""
    thread_id: int = 0
    """The thread that stopped; native inspectors need it for `exception`, `threads` and the registers."""
    stopped: str = ""
    """Reason, description and text of the `stopped` event, joined with `; `."""
    secrets: bool = False
    """Also return every reachable value whose name suggests a secret, so that it can be masked."""


class CodeDefinition(msgspec.Struct, omit_defaults=True):
    """Where a function, class, generator or method is defined. Lines are 1-based; `end_line` is inclusive."""

    file: str
    line: int
    end_line: int = 0
    name: str = ""
    """Qualified name, such as `Account.withdraw`."""


class Field(msgspec.Struct, omit_defaults=True):
    """A named part of a value: an object's attribute, or a function's parameter with a default."""

    name: str
    text: str
    type: str = ""
    address: int = 0


class Column(msgspec.Struct, omit_defaults=True):
    """A column of a Table, or one level of its row labels."""

    labels: list[str]
    """The column's name; several where column labels have several levels."""
    cells: list[str]
    """Cell texts: strings without quotes; missing values as `NaN`, `NaT`, `<NA>` or `None`; unreadable ones as
    `...`."""
    dtype: str = ""


class Table(msgspec.Struct, omit_defaults=True):
    """Some cells of a data frame, a series, or a multi-level index."""

    rows: int
    """Total number of rows."""
    index: list[Column] = []
    columns: list[Column] = []
    first: int = 0
    """0-based number of the first row shown."""
    head: int = 0
    """Number of cells in each column that follow row `first`; the remaining cells are from the last rows."""
    left: int = 0
    """Number of columns shown before the omitted ones."""
    hidden_columns: int = 0
    label_names: list[str] = []
    """Name of each level of the column labels."""


class TracebackRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of a traceback. `line` is 1-based."""

    file: str
    line: int
    function: str


class Value(msgspec.Struct, omit_defaults=True):
    """A value as text and structure: never a pickle or a live reference."""

    text: str
    """One line like a repr, bounded: `[1, 2, 3, ... 97 more]`, `<Order id=3 total=9.5>`, `None`."""
    type: str
    """Qualified name of the exact type: `int`, `collections.deque`, `shop.Order`."""
    kind: str = "object"
    """Kind of value. Python: none bool int float complex str bytes list tuple set dict range view (of a dict) proxy
    buffer memory slice weak function class module ndarray series dataframe index extension (an array of pandas)
    grouping exception iterator file lock thread enum date path object. Native: none bool int float char str enum
    pointer reference struct union array list dict set optional smart (an owning pointer) function object."""
    length: int | None = None
    """Number of items or characters, if the exact (base) type gives it without running user code."""
    shape: list[int] | None = None
    dtype: str = ""
    keys: list[str] | None = None
    """Reprs of a dict's keys, or a data frame's column names; bounded."""
    fields: list[Field] | None = None
    """An object's stored attributes (never computed ones), or a function's defaults."""
    definition: CodeDefinition | None = None
    table: Table | None = None
    """Cells of a data frame or the like, if `max_rows` asks for them."""
    raised: list[TracebackRow] = []
    """For an exception: the innermost traceback rows, the one that raised it first; empty if it was never raised."""
    address: int = 0
    """Address of a mutable object: equal addresses within one reply mean the same object. For a native pointer: the
    address it points to."""
    note: str = ""
    """A note for the reader: "suspended at line 12", "2 of 5 consumed", "contains nan", "property: not read"; for a
    native value "null", "not readable", "optimised out"."""
    truncated: bool = False
    """Whether `text` is shortened."""
    time: Time = ""
    now: str = ""
    """With `time` "failed": the value's text now."""


class Variable(msgspec.Struct, omit_defaults=True):
    """A name bound in a frame, and its value."""

    name: str
    value: Value


class ExpressionResult(msgspec.Struct, omit_defaults=True):
    """The result of one expression: a value, or an error."""

    value: Value | None = None
    error: FactError = ""
    text: str = ""
    """With `error`: the rule that refused the expression and what to do instead, or `ZeroDivisionError: division by
    zero`."""
    time: Time = ""
    """With `error`: when the error was found. A value has its own `time`."""
    now: str = ""


class FrameFacts(msgspec.Struct, omit_defaults=True):
    """What was read in one frame."""

    frame_id: int
    name: str
    """Function name, qualified where the interpreter knows it."""
    file: str
    line: int
    position: list[int] | None = None
    """[line, column, end line, end column] of the current instruction (3.11+): the expression that failed."""
    arguments: list[Variable] = []
    """Parameters in order, with their current values (a parameter may have been rebound)."""
    locals: list[Variable] = []
    """All other names, in the order of their first binding where it is known."""
    hidden_variables: int = 0
    values: list[ExpressionResult] = []
    expressions: list[str] = []
    """Source texts of `values`, if the reader of this reply did not ask for them."""
    unwound: bool = False
    """Whether an uncaught exception has left the frame, and its `finally` blocks have run."""
    captured: bool = False
    """Whether the values were copied when the exception was raised."""
    cleaned: bool = False
    """Whether cleanup has run since the failure and may have changed the frame's values: see Value.time."""
    error: str = ""
    """Why nothing could be read; empty if something was."""


class ExceptionFacts(msgspec.Struct, omit_defaults=True):
    """One exception of a chain."""

    type: str
    message: str
    relation: str = ""
    """Relation to the previous exception in the list: "" (the first), "cause", "context", "member" (of a group)."""
    arguments: list[Value] = []
    notes: list[str] = []
    file: str = ""
    line: int = 0
    """Where the exception was raised: the last entry of its traceback."""
    traceback: str = ""
    """The last traceback text in the message, if any: it describes an exception raised in another process."""
    frames: list[FrameFacts] = []
    """User frames of the traceback in the message, innermost first, as the other process read them when it ended.
    `frame_id` counts from the end of the traceback."""
    fields: list[Field] | None = None
    """Data stored on the exception: KeyError's key, OSError's filename, an instance's own attributes."""


class ThreadFrame(msgspec.Struct, omit_defaults=True):
    """A line of another thread's stack."""

    name: str
    file: str
    line: int


class ThreadFacts(msgspec.Struct, omit_defaults=True):
    """A thread of the debuggee. The debugger's own threads are omitted."""

    name: str
    ident: int
    current: bool = False
    daemon: bool = False
    frames: list[ThreadFrame] = []
    """Innermost frame first, at most 6."""
    waiting: str = ""
    """What the thread is blocked in, if known: `Lock.acquire`, `Thread.join`, `Queue.get`, `sleep`, ...; in a native
    program `mutex`, `join`, `condition`, `semaphore`, `read`, ..."""
    wants: str = ""
    """The lock or thread that the thread waits for, by source text or address: `&accounts[1].lock`, `0x55d0`."""
    owner: int = 0
    """`ident` of the thread that holds what this thread waits for; 0: unknown."""


class Fault(msgspec.Struct, omit_defaults=True):
    """A processor fault: the signal of a native program's stop, and the instruction that failed."""

    signal: str
    """Signal name: `SIGSEGV`."""
    code: str = ""
    """Description: `address not mapped`, `integer divide by zero`."""
    address: int | None = None
    """Address that could not be accessed; None: unknown, or the signal involves no address."""
    access: Literal["", "read", "write", "execute"] = ""
    instruction: str = ""
    """The machine instruction: `movl (%rax), %eax`."""


class Binary(msgspec.Struct, omit_defaults=True):
    """Properties of the program's executable that limit what can be read."""

    path: str
    debug_info: bool = True
    stripped: bool = False
    """Whether the executable lacks even symbols."""
    optimised: bool | None = None
    """Whether the executable was compiled with -O1 or more; None: unknown."""
    sanitizers: list[str] = []
    """Sanitizers built into the executable: `address`, `undefined`, `thread`, ..."""


class Secret(msgspec.Struct):
    """A complete string stored under a name such as `password`."""

    name: str
    text: str


class Inspection(msgspec.Struct, omit_defaults=True):
    """The result of one Query."""

    frames: list[FrameFacts]
    """Frames in the order of the query."""
    exceptions: list[ExceptionFacts] = []
    """The exception that stopped the program, then its causes and contexts."""
    threads: list[ThreadFacts] = []
    python: str = ""
    """Python version: `3.11.7`."""
    kind: str = "python"
    """Kind of debuggee: the name of an entry point in the group `dap_ai.kinds`."""
    fault: Fault | None = None
    binary: Binary | None = None
    registers: dict[str, str] = {}
    """General registers of the innermost frame."""
    argv: list[str] = []
    against: str = ""
    """For a recorded run: path of another run of the same task, which the user named."""
    cwd: str = ""
    secrets: list[Secret] = []
    """Possible secrets, if requested; never shown to anyone."""
    truncated: bool = False
    milliseconds: float = 0.0
    """Time spent inside the debuggee."""
