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
"""An expression as nested JSON arrays; the module's docstring lists the forms."""

Time = Literal["", "failed", "now"]
"""When a value was read. Empty unless cleanup (`finally`, `with`, a test's tear-down) has run since the failure.
failed: read when the exception was raised; the value is different now. now: read after the cleanup; the earlier value
is unknown."""

FactError = Literal["", "refused", "raised", "missing"]
"""Why an expression has no value. refused: reading it would run user code or exceed a limit. raised: its evaluation
raises an exception, whose type and message are in `text`. missing: the name does not exist or is not bound yet."""


class FrameQuery(msgspec.Struct, omit_defaults=True):
    """The variables and expressions to read in one frame."""

    frame_id: int
    """DAP frame id, from a `stackTrace` response of this stop."""
    variables: bool = True
    """Whether to read all arguments and locals."""
    names: list[str] | None = None
    """Names of the variables to read; None reads all."""
    expressions: list[Node] = []
    """Expressions, each evaluated on its own. `FrameFacts.values` holds their results in the same order."""


class Query(msgspec.Struct, omit_defaults=True):
    """One request to the inspector. Reaching a limit shortens the reply and raises no error."""

    frames: list[FrameQuery]
    level: Level = "compute"
    """At the level `observe`, the inspector refuses all calls except `len` of exact builtin containers."""
    exception: bool = True
    threads: bool = True
    max_text: int = 200
    """Maximum length of one value's text, in characters."""
    max_items: int = 12
    """Maximum items of a container in its text. A dict's list of keys has at most 4 times as many."""
    max_depth: int = 3
    """Maximum nesting depth of containers; deeper containers are shown as `[...]`."""
    max_fields: int = 16
    """Maximum number of fields listed of an object."""
    max_rows: int = 0
    """Maximum number of rows of a Table; 0 requests no tables."""
    first_row: int | None = None
    """0-based row at which a Table begins. None requests the first and the last rows."""
    max_variables: int = 60
    """Maximum number of variables listed of a frame; `hidden_variables` counts the rest."""
    max_bytes: int = 200_000
    """Maximum size of the whole reply, in bytes."""
    deadline_ms: int = 500
    """Time limit, after which the inspector returns a partial result with `truncated` set. In a Python program the
    limit is processor time. For other adapters it is elapsed time, extended on a busy machine."""
    thread_id: int = 0
    """DAP id of the thread that stopped. Native inspectors need it for `exception`, `threads` and the registers."""
    stopped: str = ""
    """Reason, description and text of the `stopped` event, joined with `; `."""
    secrets: bool = False
    """Whether to return also every reachable value whose name suggests a secret, so that dap_ai can mask it."""


class CodeDefinition(msgspec.Struct, omit_defaults=True):
    """Location of the definition of a function, class, generator or method.

    Lines are 1-based; `end_line` is inclusive.
    """

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
    """The column's name. If the table's columns have several label levels, one text per level."""
    cells: list[str]
    """Text of each cell. Strings have no quotes. Missing values are `NaN`, `NaT`, `<NA>` or `None`, unreadable cells
    `...`."""
    dtype: str = ""


class Table(msgspec.Struct, omit_defaults=True):
    """Some cells of a data frame, a series, or a multi-level index."""

    rows: int
    """Total number of rows."""
    index: list[Column] = []
    columns: list[Column] = []
    first: int = 0
    """0-based number of the first row that is shown."""
    head: int = 0
    """Number of consecutive cells in each column from row `first`. The remaining cells are the table's last rows."""
    left: int = 0
    """Number of columns shown to the left of the omitted columns."""
    hidden_columns: int = 0
    label_names: list[str] = []
    """Name of each level of the columns' labels."""


class TracebackRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of a traceback: file, line and function. `line` is 1-based."""

    file: str
    line: int
    function: str


class Value(msgspec.Struct, omit_defaults=True):
    """A value as text and structure, without any pickle or live reference."""

    text: str
    """One line like a repr, of limited length: `[1, 2, 3, ... 97 more]`, `<Order id=3 total=9.5>`, `None`."""
    type: str
    """Qualified name of the exact type: `int`, `collections.deque`, `shop.Order`."""
    kind: str = "object"
    """Kind of value. Python: none bool int float complex str bytes list tuple set dict range view (of a dict) proxy
    buffer memory slice weak function class module ndarray series dataframe index extension (an array of pandas)
    grouping exception iterator file lock thread enum date path object. Native: none bool int float char str enum
    pointer reference struct union array list dict set optional smart (an owning pointer) function object."""
    length: int | None = None
    """Number of items or characters; None unless the exact (base) type gives the number without running user code."""
    shape: list[int] | None = None
    dtype: str = ""
    keys: list[str] | None = None
    """Reprs of a dict's keys, or a data frame's column names. Their number is limited."""
    fields: list[Field] | None = None
    """An object's stored attributes (never computed ones), or a function's defaults."""
    definition: CodeDefinition | None = None
    table: Table | None = None
    """Cells of a data frame or a similar value, if the query's `max_rows` requests tables."""
    raised: list[TracebackRow] = []
    """The innermost traceback rows of an exception, the row that raised it first. Empty if it was never raised."""
    address: int = 0
    """Address of a mutable object: within one reply, equal addresses mean the same object. For a native pointer, the
    address it points to."""
    note: str = ""
    """A note for the reader: "suspended at line 12", "2 of 5 consumed", "contains nan", "property: not read"; for a
    native value "null", "not readable", "optimised out"."""
    truncated: bool = False
    """Whether `text` was shortened."""
    time: Time = ""
    now: str = ""
    """The value's text now, if `time` is "failed"."""


class Variable(msgspec.Struct, omit_defaults=True):
    """A name in a frame, and the value bound to it."""

    name: str
    value: Value


class ExpressionResult(msgspec.Struct, omit_defaults=True):
    """The result of one expression: a value, or an error."""

    value: Value | None = None
    error: FactError = ""
    text: str = ""
    """If `error` is set: the rule that refused the expression and what to do instead, or the exception, such as
    `ZeroDivisionError: division by zero`."""
    time: Time = ""
    """If `error` is set: when the error was found. A value has its own `time`."""
    now: str = ""


class FrameFacts(msgspec.Struct, omit_defaults=True):
    """Variables and expressions read in one frame."""

    frame_id: int
    name: str
    """Name of the frame's function, qualified if the interpreter knows the qualified name."""
    file: str
    line: int
    position: list[int] | None = None
    """[line, column, end line, end column] of the current instruction, from Python 3.11: the expression that failed."""
    arguments: list[Variable] = []
    """The function's parameters in order, with their current values. The function may have rebound a parameter."""
    locals: list[Variable] = []
    """All other names of the frame, in the order of their first binding if that order is known."""
    hidden_variables: int = 0
    values: list[ExpressionResult] = []
    expressions: list[str] = []
    """Source texts of the expressions in `values`, for a reader that did not request them."""
    unwound: bool = False
    """Whether an uncaught exception has already left the frame, so that its `finally` blocks have run."""
    captured: bool = False
    """Whether the values were copied when the exception was raised."""
    cleaned: bool = False
    """Whether cleanup has run since the failure and may have changed the frame's values. See Value.time."""
    error: str = ""
    """Why nothing in the frame could be read; empty if something was read."""


class ExceptionFacts(msgspec.Struct, omit_defaults=True):
    """One exception of a chain of causes and contexts."""

    type: str
    message: str
    relation: str = ""
    """Relation to the list's previous exception: "cause", "context" or "member" (of a group). Empty for the first."""
    arguments: list[Value] = []
    notes: list[str] = []
    file: str = ""
    line: int = 0
    """1-based line that raised the exception: the last row of its traceback."""
    traceback: str = ""
    """The last traceback quoted in the exception's message; empty if none. It describes an exception in another
    process."""
    frames: list[FrameFacts] = []
    """User frames of the traceback quoted in the message, innermost first. The other process read them when it ended.
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
    """Stack frames of the thread, innermost first, at most 6."""
    waiting: str = ""
    """The operation that blocks the thread, if known: `Lock.acquire`, `Thread.join`, `Queue.get`, `sleep`, ... In a
    native program: `mutex`, `join`, `condition`, `semaphore`, `read`, ..."""
    wants: str = ""
    """The lock or thread that this thread waits for, as source text or address: `&accounts[1].lock`, `0x55d0`."""
    owner: int = 0
    """`ident` of the thread that holds the lock this thread waits for; 0 if unknown."""


class Fault(msgspec.Struct, omit_defaults=True):
    """A processor fault in a native program: the signal that stopped it, and the instruction that failed."""

    signal: str
    """Name of the signal, such as `SIGSEGV`."""
    code: str = ""
    """Description of the fault, such as `address not mapped` or `integer divide by zero`."""
    address: int | None = None
    """Address that could not be accessed; None if unknown, or if the signal involves no address."""
    access: Literal["", "read", "write", "execute"] = ""
    instruction: str = ""
    """The machine instruction that failed, such as `movl (%rax), %eax`."""


class Binary(msgspec.Struct, omit_defaults=True):
    """Properties of the program's executable that limit what a debugger can read."""

    path: str
    debug_info: bool = True
    stripped: bool = False
    """Whether the executable lacks symbols as well as debug information."""
    optimised: bool | None = None
    """Whether the executable was compiled with -O1 or more; None if unknown."""
    sanitizers: list[str] = []
    """Sanitizers built into the executable: `address`, `undefined`, `thread`, ..."""


class Secret(msgspec.Struct):
    """A complete string stored under a name such as `password`."""

    name: str
    text: str


class Inspection(msgspec.Struct, omit_defaults=True):
    """The result of one Query."""

    frames: list[FrameFacts]
    """Result for each frame, in the order of the query."""
    exceptions: list[ExceptionFacts] = []
    """The exception that stopped the program, then its causes and contexts."""
    threads: list[ThreadFacts] = []
    python: str = ""
    """Version of the program's Python, such as `3.11.7`."""
    kind: str = "python"
    """Kind of debuggee: the name of an entry point in the group `dap_ai.kinds`."""
    fault: Fault | None = None
    binary: Binary | None = None
    registers: dict[str, str] = {}
    """General registers of the innermost frame: displayed value by name."""
    argv: list[str] = []
    against: str = ""
    """Path of another run of the same task, which the user named for a comparison. Only for recorded runs."""
    cwd: str = ""
    secrets: list[Secret] = []
    """Possible secrets, if the query requests them. dap_ai never shows them to anyone."""
    truncated: bool = False
    milliseconds: float = 0.0
    """Time that the inspection took inside the debuggee."""
