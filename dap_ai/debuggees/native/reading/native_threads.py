"""Reads a native program's threads: where each thread is, what it waits for, and which other thread holds that lock.

The function names of a thread's frames show that the thread waits. The first argument of its system call shows what it
waits for (glibc on x86-64 leaves the argument in `rdi`), or else the frames of the lock's own functions. glibc's locks
store the thread that owns them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from dap_ai.debuggees.native.reading.faults import numbers_of, registers_of, tried
from dap_ai.debuggees.native.reading.locks import guarded_in, locks_of
from dap_ai.protocol.contracts.backend import Request
from dap_ai.protocol.contracts.inspection import Query, ThreadFacts, ThreadFrame

MAX_THREADS = 32
MAX_FRAMES = 6
_LEVELS = 14
_MAX_GUARDING = 3
"""Maximum number of a thread's frames that are searched for Rust's mutex guards."""
_RUST_LOCK = ("std::sys::sync::mutex", "<std::sys::sync::mutex", "std::sync::poison::mutex", "std::sync::mutex")
_MAX_HOLDERS = 8
"""Maximum number of waiting threads for which dap_ai looks up the thread that holds the lock."""

_WAITS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (waiting, re.compile(pattern))
    for waiting, pattern in (
        ("join", r"(?:__)?pthread_(?:\w+_)?(?:clock|timed)?join(?:_ex|_np)?\b|std::thread::join|JoinHandle.*join"),
        ("condition", r"_*pthread_cond_\w*wait|std::condition_variable\w*::|std::.*[Cc]ondvar"),
        ("rwlock", r"_*pthread_rwlock_\w+|std::shared_(?:timed_)?mutex::|std::.*::[Rr]w_?[Ll]ock"),
        ("barrier", r"_*pthread_barrier_wait|std::barrier|std::.*::barrier::"),
        ("semaphore", r"(?:__new_|_*)sem_(?:\w*)wait\w*|std::(?:counting_)?semaphore"),
        ("once", r"_*pthread_once\w*|std::call_once|std::.*::once::"),
        ("mutex", r"_*(?:GI___)?lll_lock_wait|lll_mutex_lock\w*|_*pthread_mutex_\w*lock\w*"),
        ("mutex", r"(?:std::)?(?:recursive_|timed_)*mutex::\w*lock|std::.*::[Mm]utex(?:<.*>)?::lock"),
        ("park", r"std::.*::park(?:_timeout)?\b|std::.*::[Pp]arker::"),
        ("sleep", r"(?:_*GI_)?_*(?:clock_)?nanosleep|u?sleep$|std::this_thread::sleep|std::.*::sleep"),
        ("poll", r"(?:_*GI_)?_*(?:libc_)?(?:ppoll|poll|select|pselect\w*|epoll_p?wait)$"),
        ("accept", r"(?:_*GI_)?_*(?:libc_)?accept4?$"),
        ("connect", r"(?:_*GI_)?_*(?:libc_)?connect$"),
        ("read", r"(?:_*GI_)?_*(?:libc_)?(?:p?read(?:v|64)?|recv(?:from|msg)?|getrandom)$"),
        ("write", r"(?:_*GI_)?_*(?:libc_)?(?:p?write(?:v|64)?|send(?:to|msg)?)$"),
        ("child process", r"(?:_*GI_)?_*(?:libc_)?(?:waitpid|wait4|waitid)$"),
        ("signal", r"(?:_*GI_)?_*(?:libc_)?(?:pause|sig(?:suspend|wait\w*|timedwait))$"),
    )
)
_FUTEX = re.compile(r"_*(?:GI_)?_*futex|__lll_\w+|std::.*::futex|syscall$")
_HELD = ("mutex", "rwlock", "join")

_MUTEX_OWNER = 8
"""Offset of the owner in glibc's pthread_mutex_t on 64-bit systems. The offsets below are for the same systems."""
_RWLOCK_FUTEXES = (8, 12)
_RWLOCK_WRITER = 24
_OWNER_TEXTS = ("mutex->__data.__owner", "this->_M_mutex.__data.__owner", "__mutex->__data.__owner")
_ADDRESS_TEXTS = ("mutex", "this", "__mutex")
_OWNER_FRAMES = re.compile(r"_*pthread_mutex_\w*lock|std::(?:recursive_)?mutex::lock|_*gthread_mutex_lock")
_NAMELESS = re.compile(r"\?\?|_*lldb_unnamed_symbol|0x")
_START_MARK = re.compile(r"::h[0-9a-f]{16}$|\s*\[(?:inlined|opt)\]")


class _Thread(NamedTuple):
    facts: ThreadFacts
    rows: list[dict[str, Any]]


async def threads_of(request: Request, query: Query, *, hovers: bool) -> list[ThreadFacts]:
    """Return at most 32 threads, the stopped thread first. Unknown facts are left out. Raises NotStopped."""
    rows: list[dict[str, Any]] = (await tried(request, "threads", {})).get("threads", [])
    if len(rows) == 1:  # lldb-dap's first response after the start lists the threads at the start
        rows = (await tried(request, "threads", {})).get("threads", rows)
    rows.sort(key=lambda row: row.get("id") != query.thread_id)
    threads = [await _thread(request, row, query.thread_id) for row in rows[:MAX_THREADS]]
    blocked = [each for each in threads if each.rows and (each.facts.waiting in _HELD or _is_nameless(each))]
    if len(threads) > 1 and blocked:
        await _Holders(request, threads, hovers=hovers).tell(blocked[:_MAX_HOLDERS])
    return [each.facts for each in threads]


def waiting_of(names: Sequence[str]) -> str:
    """Return the kind of operation that a thread waits in, given its functions, innermost first; empty if unknown."""
    for name in names:
        plain = _plain(name)
        for waiting, pattern in _WAITS:
            if pattern.match(plain):
                return waiting
    return "futex" if names and _FUTEX.match(_plain(names[0])) else ""


def _is_nameless(thread: _Thread) -> bool:
    """Whether the thread is in a function without debug information, which may wait as `pthread_join` does."""
    name = str(thread.rows[0].get("name", ""))
    return not (thread.facts.waiting or thread.facts.current) and bool(_NAMELESS.match(name))


def _plain(name: str) -> str:
    """Return a function's name without lldb's marks, C++ arguments and Rust's hash."""
    return _START_MARK.sub("", name).partition("(")[0].lstrip(":").removeprefix("<")


async def _thread(request: Request, row: dict[str, Any], stopped: int) -> _Thread:
    number = int(row.get("id", 0))
    frames = (await tried(request, "stackTrace", {"threadId": number, "levels": _LEVELS})).get("stackFrames", [])
    facts = ThreadFacts(name=str(row.get("name", "")), ident=number, current=number == stopped)
    facts.waiting = waiting_of([str(frame.get("name", "")) for frame in frames if not _has_source(frame)])
    shown = [frame for frame in frames if _has_source(frame)] or frames
    facts.frames = [_shown(frame) for frame in shown[:MAX_FRAMES]]
    return _Thread(facts, frames)


def _has_source(frame: dict[str, Any]) -> bool:
    """Whether the path of a frame's source allows that the frame is the program's own code.

    The agent can decide this better, but it does not receive the frames omitted here.
    """
    source: dict[str, Any] = frame.get("source") or {}
    path = str(source.get("path") or "")
    return path.startswith("/") and not path.startswith(("/usr/include/", "/usr/lib/", "/rustc/")) and "`" not in path


def _shown(frame: dict[str, Any]) -> ThreadFrame:
    source: dict[str, Any] = frame.get("source") or {}
    name = _START_MARK.sub("", str(frame.get("name", "?")))
    return ThreadFrame(name, str(source.get("path") or source.get("name") or ""), int(frame.get("line") or 0))


class _Holders:
    """Finds the threads that hold the locks that other threads wait for."""

    def __init__(self, request: Request, threads: list[_Thread], *, hovers: bool) -> None:
        self._request = request
        self._threads = threads
        self._memory = WordReader(request, hovers=hovers)
        self._idents: dict[int, int] = {}

    async def tell(self, blocked: Sequence[_Thread]) -> None:
        """Set `wants` and `owner` of the blocked threads."""
        self._idents = await self._by_system_number()
        for thread in blocked:
            await self._by_its_system_call(thread)
            if thread.facts.waiting == "mutex" and not thread.facts.owner:
                await self._by_its_frames(thread)
            if thread.facts.waiting == "mutex" and not thread.facts.owner:
                await self._by_its_variables(thread)
        await self._by_guards([each for each in blocked if each.facts.wants and not each.facts.owner])

    async def _by_guards(self, blocked: Sequence[_Thread]) -> None:
        """Set the owners of Rust mutexes.

        Rust does not store an owner, so the owner is the thread whose variables hold the guard.
        """
        if not any(str(row.get("name", "")).startswith(_RUST_LOCK) for each in blocked for row in each.rows):
            return
        owners: dict[str, int] = {}
        for thread in self._threads[:_MAX_HOLDERS]:
            for row in [row for row in thread.rows if _has_source(row)][:_MAX_GUARDING]:
                held = await guarded_in(self._request, int(row["id"]))
                owners |= {hex(address): thread.facts.ident for address in held}
        for thread in blocked:
            owner = owners.get(thread.facts.wants, 0)
            thread.facts.owner = owner if owner != thread.facts.ident else 0

    async def _by_its_system_call(self, thread: _Thread) -> None:
        facts, address = thread.facts, await self._first_argument(thread)
        if not address:
            return
        places = [address]
        if facts.waiting == "rwlock":
            places = [address - futex + _RWLOCK_WRITER for futex in _RWLOCK_FUTEXES]
        elif facts.waiting == "mutex":
            places, facts.wants = [address + _MUTEX_OWNER], hex(address)
        for place in places:
            owner = self._idents.get(await self._memory.number(place, self._frame(thread)) or 0, 0)
            facts.owner = facts.owner or (owner if owner != facts.ident else 0)
        if facts.owner and not facts.waiting:
            facts.waiting = "join"

    async def _by_system_number(self) -> dict[int, int]:
        """Return the threads' DAP ids by operating-system thread number.

        lldb-dap uses these numbers as DAP ids; gdb counts 1, 2, ...
        """
        numbers = [each.facts.ident for each in self._threads]
        if min(numbers) > len(numbers):
            return {number: number for number in numbers}
        found: dict[int, int] = {}
        for each in self._threads:
            if each.rows and (number := await self._memory.thread_number(self._frame(each))):
                found[number] = each.facts.ident
        return found

    async def _first_argument(self, thread: _Thread) -> int:
        """Return the first argument of the thread's current system call; 0 if unknown."""
        frame = self._frame(thread)
        told = await self._memory.hovered("$rdi", frame)
        if told is None:
            return numbers_of(await registers_of(self._request, frame)).get("rdi", 0)
        return int(told, 0)

    async def _by_its_frames(self, thread: _Thread) -> None:
        """Find a lock's owner in the frames of the lock's own functions, for adapters that cannot read memory."""
        for row in thread.rows:
            if not _OWNER_FRAMES.match(_plain(str(row.get("name", "")))):
                continue
            for owner_text, address_text in zip(_OWNER_TEXTS, _ADDRESS_TEXTS, strict=True):
                told = await self._memory.hovered(owner_text, int(row["id"]))
                if told and (owner := self._idents.get(int(told, 0), 0)) != thread.facts.ident and owner:
                    thread.facts.owner = owner
                    address = await self._memory.hovered(address_text, int(row["id"]))
                    thread.facts.wants = hex(int(address, 0)) if address else thread.facts.wants
                    return

    async def _by_its_variables(self, thread: _Thread) -> None:
        """Find a lock's owner among the locks in the variables of the thread's innermost frame with source."""
        row = next((row for row in thread.rows if _has_source(row)), None)
        for lock in await locks_of(self._request, int(row["id"])) if row else ():
            owner = self._idents.get(lock.owner, 0)
            if owner and owner != thread.facts.ident:
                thread.facts.wants, thread.facts.owner = lock.text, owner
                return

    def _frame(self, thread: _Thread) -> int:
        return int(thread.rows[0]["id"])


_NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)")
_THREAD_NUMBER = "*(int *)($fs_base + 720)"
"""Expression for the operating-system number of a thread, which glibc on x86-64 stores in `struct pthread`."""


class WordReader:
    """Reads single words of the program's memory. Raises NotStopped."""

    def __init__(self, request: Request, *, hovers: bool) -> None:
        self._request = request
        self._hovers = hovers
        self._by_request = True

    async def number(self, address: int, frame_id: int) -> int | None:
        """Return the 32-bit integer at an address, or None if the address is unreadable."""
        if self._by_request:
            wanted = {"memoryReference": hex(address), "count": 4}
            data = base64.b64decode(str((await tried(self._request, "readMemory", wanted)).get("data") or ""))
            if len(data) == 4:
                return int.from_bytes(data, "little", signed=True)
            self._by_request = False
        told = await self.hovered(f"*(int *){address:#x}", frame_id)
        return int(told, 0) if told else None

    async def thread_number(self, frame_id: int) -> int | None:
        """Return the operating-system number of a frame's thread, read through gdb."""
        told = await self.hovered(_THREAD_NUMBER, frame_id)
        return int(told, 0) if told else None

    async def hovered(self, text: str, frame_id: int) -> str | None:
        """Evaluate an expression that yields a number.

        Return the number as text, or None if the result is not a number. `text` is a constant of this module, or it
        contains only an address.
        """
        if not self._hovers:
            return None
        arguments = {"expression": text, "context": "hover", "frameId": frame_id}
        found = _NUMBER.match(str((await tried(self._request, "evaluate", arguments)).get("result", "")))
        return found[0] if found else None
