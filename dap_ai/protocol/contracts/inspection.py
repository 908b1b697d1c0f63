"""What a static inspector is asked and what it brings back: the contract between `agent` and a backend's inspector.

A inspector reads a stopped program and runs none of its code. A debuggee that has none (a generic adapter) gets the
same structs filled from ordinary DAP requests.

An expression travels as a Node: JSON arrays, made by the agent (`agent/sanitize.py`) from source text, interpreted
by the inspector, so that nothing is parsed or compiled inside the debuggee and every operation is decided by the exact
types of the values it meets:

    ["c", v]                      constant None, bool, int of at most 53 bits, float, str
    ["i", "123"] ["f", "inf"]     int or float that JSON cannot carry
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

    ["u", op, x]                  op: * (what a pointer points to), & (address), !
    ["a", x, name]                a member
    ["a", ["->", x], name]        the same of what x points to
    ["cast", type, x]             to a number or a pointer; the type is source text
    ["o", ...], ["cmp", ...]      with the widths, signs and whole-number division of the operands' types

Lines are 1-based, columns 0-based UTF-8 byte offsets as CPython's `co_positions` has them; lengths are items, sizes
are bytes. Nothing here is valid after the next resume but as a record.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dap_ai.protocol.wire.ask_messages import Level

Node = list[Any]
"""An expression, as described above."""

Time = Literal["", "failed", "now"]
"""When a value was read, where cleanup (`finally`, `with`, a test's tear-down) has run since the program failed.
failed: when the exception was raised; now it is another. now: after the cleanup; what it was is not known."""

FactError = Literal["", "refused", "raised", "missing"]
"""refused: the inspector would have had to run user code, or a limit was hit. raised: evaluating it raises (text: which
exception; for the failing sub-expression this is the point). missing: no such name, or not bound at this moment."""


class FrameQuery(msgspec.Struct, omit_defaults=True):
    """What to read in one frame."""

    frame_id: int
    """DAP frame id, of a stackTrace of this stop."""
    variables: bool = True
    """Bring all arguments and locals."""
    names: list[str] | None = None
    """Only these of them (None: all)."""
    expressions: list[Node] = []
    """Evaluated in order, each on its own; the answers stand in `FrameFacts.values` in the same order."""


class Query(msgspec.Struct, omit_defaults=True):
    """One visit of the inspector. Every limit degrades the reply; none fails it."""

    frames: list[FrameQuery]
    level: Level = "compute"
    """At `observe` calls are refused (but `len` of exact builtin containers)."""
    exception: bool = True
    threads: bool = True
    max_text: int = 200
    """Characters of one value's text."""
    max_items: int = 12
    """Items of a container shown in its text; dict keys listed at most 4 times this."""
    max_depth: int = 3
    """Containers nested deeper are shown as `[...]`."""
    max_fields: int = 16
    """Fields of an object."""
    max_rows: int = 0
    """Rows of a Table; 0: no tables."""
    first_row: int | None = None
    """The row that a Table begins with, from 0 on. None: it shows the first rows and the last ones."""
    max_variables: int = 60
    """Variables of a frame; the rest is counted in `hidden_variables`."""
    max_bytes: int = 200_000
    """Of the whole reply."""
    deadline_ms: int = 500
    """After which the inspector returns what it has, with `truncated`. Processor time in a Python program; by the
    clock, and longer on a busy machine, where an adapter is asked."""
    thread_id: int = 0
    """The thread that stopped; native inspectors need it for `exception`, `threads` and the registers."""
    stopped: str = ""
    """What the `stopped` event said of it: reason, description and text, with `; ` between them."""
    secrets: bool = False
    """Bring also what may be secret, by its name, of all that can be reached: so that it can be masked."""


class CodeDefinition(msgspec.Struct, omit_defaults=True):
    """Where a function, class, generator or method was written. Lines are 1-based; `end_line` is inclusive."""

    file: str
    line: int
    end_line: int = 0
    name: str = ""
    """Qualified name: `Account.withdraw`."""


class Field(msgspec.Struct, omit_defaults=True):
    """A named part of a value: an object's attribute, or a function's parameter that has a default."""

    name: str
    text: str
    type: str = ""
    address: int = 0


class Column(msgspec.Struct, omit_defaults=True):
    """A column of a Table, or a level of the labels of its rows."""

    labels: list[str]
    """Its name; several where the columns have labels of several levels."""
    cells: list[str]
    """Strings without quotes, what is missing as `NaN`, `NaT`, `<NA>` or `None`, what cannot be read as `...`."""
    dtype: str = ""


class Table(msgspec.Struct, omit_defaults=True):
    """Some cells of a frame of data, a series, or an index with several levels."""

    rows: int
    """In all."""
    index: list[Column] = []
    columns: list[Column] = []
    first: int = 0
    """The number of the first row that is shown, from 0 on."""
    head: int = 0
    """So many of the cells of each column are of the rows from there on, the others are of the last rows."""
    left: int = 0
    """So many of the columns stand before those that are left out."""
    hidden_columns: int = 0
    label_names: list[str] = []
    """What each level of the columns' labels is called."""


class TracebackRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of a traceback. `line` is 1-based."""

    file: str
    line: int
    function: str


class Value(msgspec.Struct, omit_defaults=True):
    """A value as text and structure; never a pickle, never a live reference."""

    text: str
    """One line, like a repr, bounded: `[1, 2, 3, ... 97 more]`, `<Order id=3 total=9.5>`, `None`."""
    type: str
    """Qualified name of its exact type: `int`, `collections.deque`, `shop.Order`."""
    kind: str = "object"
    """none bool int float complex str bytes list tuple set dict range view (of a dict) proxy buffer memory slice weak
    function class module ndarray series dataframe index extension (an array of pandas) grouping exception iterator file
    lock thread enum date path object. In native programs: none bool int float char str enum pointer reference struct
    union array list dict set optional smart (a pointer that owns) function object."""
    length: int | None = None
    """Items or characters, where the exact (base) type knows it without running user code."""
    shape: list[int] | None = None
    dtype: str = ""
    keys: list[str] | None = None
    """A dict's keys as reprs, bounded; a dataframe's columns."""
    fields: list[Field] | None = None
    """An object's attributes that are stored (never computed); a function's defaults."""
    definition: CodeDefinition | None = None
    table: Table | None = None
    """Of a frame of data and the like, if `max_rows` asks for it."""
    raised: list[TracebackRow] = []
    """Of an exception: the innermost rows of its traceback, that where it was raised first; empty if it never was."""
    address: int = 0
    """Identity of a mutable object: equal addresses within one reply are the same object. Of a native pointer: where
    it points."""
    note: str = ""
    """What a reader should know: "suspended at line 12", "2 of 5 consumed", "contains nan", "property: not read"; of a
    native value "null", "not readable", "optimised out"."""
    truncated: bool = False
    """`text` does not show everything."""
    time: Time = ""
    now: str = ""
    """With `failed`: its text as it is now."""


class Variable(msgspec.Struct, omit_defaults=True):
    """A name bound in a frame."""

    name: str
    value: Value


class ExpressionResult(msgspec.Struct, omit_defaults=True):
    """The answer to one expression: a value, or why there is none."""

    value: Value | None = None
    error: FactError = ""
    text: str = ""
    """With `error`: the rule that refused and what to do instead, or `ZeroDivisionError: division by zero`."""
    time: Time = ""
    """Of an error; that of a value is the value's own."""
    now: str = ""


class FrameFacts(msgspec.Struct, omit_defaults=True):
    """One frame."""

    frame_id: int
    name: str
    """Qualified where the interpreter knows it."""
    file: str
    line: int
    position: list[int] | None = None
    """[line, column, end line, end column] of the instruction it stands at (3.11+): the very expression that failed."""
    arguments: list[Variable] = []
    """Parameters, in order, with their values *now* (a parameter may have been rebound)."""
    locals: list[Variable] = []
    """All other names, in the order of their first binding where known."""
    hidden_variables: int = 0
    values: list[ExpressionResult] = []
    expressions: list[str] = []
    """What they are of, where nobody here has asked for them."""
    unwound: bool = False
    """The frame is dead: an uncaught exception has left it, and its `finally` blocks have run."""
    captured: bool = False
    """Its values were copied when the exception was raised, so those given here are from then."""
    cleaned: bool = False
    """Cleanup has run since the failure and may have changed what the frame holds: see Value.time."""
    error: str = ""
    """Why nothing could be read."""


class ExceptionFacts(msgspec.Struct, omit_defaults=True):
    """One exception of a chain."""

    type: str
    message: str
    relation: str = ""
    """How it hangs on the one before it in the list: "" (the first), "cause", "context", "member" (of a group)."""
    arguments: list[Value] = []
    notes: list[str] = []
    file: str = ""
    line: int = 0
    """Where it was raised: the last entry of its traceback."""
    traceback: str = ""
    """The last traceback that its message holds as a text, if any: what it tells of was raised in another process."""
    frames: list[FrameFacts] = []
    """The user's of that traceback, as the other process read them at its end, innermost first. `frame_id`: how far
    from the end of the traceback."""
    fields: list[Field] | None = None
    """What it carries: KeyError's key, OSError's filename, an instance's own attributes."""


class ThreadFrame(msgspec.Struct, omit_defaults=True):
    """A line of another thread's stack."""

    name: str
    file: str
    line: int


class ThreadFacts(msgspec.Struct, omit_defaults=True):
    """A thread of the debuggee (the debugger's own are left out)."""

    name: str
    ident: int
    current: bool = False
    daemon: bool = False
    frames: list[ThreadFrame] = []
    """Innermost first, at most 6."""
    waiting: str = ""
    """For a thread blocked in a known call: `Lock.acquire`, `Thread.join`, `Queue.get`, `sleep`, ...; in a native
    program `mutex`, `join`, `condition`, `semaphore`, `read`, ..."""
    wants: str = ""
    """The lock or thread it waits for, as its source or its address names it: `&accounts[1].lock`, `0x55d0`."""
    owner: int = 0
    """`ident` of the thread that holds what it waits for; 0: unknown."""


class Fault(msgspec.Struct, omit_defaults=True):
    """What the processor refused to do: the signal of a native program's stop, and the instruction it stands at."""

    signal: str
    """`SIGSEGV`."""
    code: str = ""
    """In words: `address not mapped`, `integer divide by zero`."""
    address: int | None = None
    """Of the memory that could not be reached; None: unknown, or the signal is about none."""
    access: Literal["", "read", "write", "execute"] = ""
    instruction: str = ""
    """The machine's: `movl (%rax), %eax`."""


class Binary(msgspec.Struct, omit_defaults=True):
    """The program's executable file, as far as it decides what can be read."""

    path: str
    debug_info: bool = True
    stripped: bool = False
    """It has not even symbols."""
    optimised: bool | None = None
    """Compiled with -O1 or more; None: it does not say."""
    sanitizers: list[str] = []
    """`address`, `undefined`, `thread`, ..."""


class Secret(msgspec.Struct):
    """A string that stands under a name such as `password`, whole."""

    name: str
    text: str


class Inspection(msgspec.Struct, omit_defaults=True):
    """What one visit brought."""

    frames: list[FrameFacts]
    """In the order of the query."""
    exceptions: list[ExceptionFacts] = []
    """The one that stopped the program first, then its causes and contexts."""
    threads: list[ThreadFacts] = []
    python: str = ""
    """`3.11.7`."""
    kind: str = "python"
    """What kind of debuggee it is: the name of an entry point of the group `dap_ai.kinds`."""
    fault: Fault | None = None
    binary: Binary | None = None
    registers: dict[str, str] = {}
    """Of the innermost frame, the general ones."""
    argv: list[str] = []
    against: str = ""
    """Of a recorded run: the path of another one of the same task, which the user has named."""
    cwd: str = ""
    secrets: list[Secret] = []
    """What may be secret, if it was asked for; never for anybody to see."""
    truncated: bool = False
    milliseconds: float = 0.0
    """Spent inside the debuggee."""
