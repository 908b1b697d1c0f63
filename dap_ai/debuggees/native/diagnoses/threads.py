"""Diagnoses threads that wait for each other, or access the same memory without a common lock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.source.parsed import Function
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder, short_name
from dap_ai.debuggees.native.diagnoses.freed_memory import own_frame
from dap_ai.debuggees.native.source.frame_folding import is_user_frame
from dap_ai.debuggees.native.source.languages import function_at, unit_of
from dap_ai.protocol.contracts.inspection import ThreadFacts, ThreadFrame
from dap_ai.system.texts import code

_SELF = "Release it before this line, call a variant that expects the lock to be held, or use a recursive mutex."


def diagnose(draft: ReportBuilder) -> bool:
    """Explain a deadlock, or a data race that a report describes. Return whether the stop is such a failure."""
    report = draft.report
    if report and report.tool == "ThreadSanitizer":
        _race(draft)
        return True
    threads = draft.case.inspection.threads
    if draft.signal or report:
        return False
    ring = cycle(threads)
    if not ring:
        return _stuck(draft, [t for t in threads if t.waiting == "mutex" and not t.owner])
    draft.analysis.kind = "deadlock"
    _deadlock(draft, ring)
    return True


def tell_ring(draft: ReportBuilder) -> None:
    """Add a sentence about threads in a deadlock, for a stop that has another cause."""
    ring = cycle(draft.case.inspection.threads)
    if not ring:
        return
    names = " and ".join(_called(thread) for thread in ring)
    alone = f"thread {names} waits for a lock that it holds itself"
    draft.say(f"Meanwhile there is a deadlock: {alone if len(ring) == 1 else f'threads {names} wait for each other'}.")
    for thread in ring:
        if frame := _own(draft, thread):
            _waits(draft, frame, thread.wants or "the lock", 0.6, "locks while it holds another lock")


def _waits(draft: ReportBuilder, frame: ThreadFrame, lock: str, score: float, reason: str) -> None:
    draft.link(frame.file, frame.line, "waits for", lock, short_name(frame.name))
    draft.suspect(frame.line, score, reason, frame.file)


def cycle(threads: list[ThreadFacts]) -> list[ThreadFacts]:
    """Return the threads of a deadlock: each waits for a lock of the next, and the last for a lock of the first.

    The list is empty if there is no deadlock.
    """
    by_ident = {t.ident: t for t in threads}
    for start in sorted(threads, key=lambda t: not t.current):
        path: list[ThreadFacts] = []
        thread: ThreadFacts | None = start
        while thread is not None and thread not in path:
            path.append(thread)
            thread = by_ident.get(thread.owner) if thread.owner else None
        if thread is not None and any(t.waiting in ("mutex", "lock", "rwlock") for t in path[path.index(thread) :]):
            return path[path.index(thread) :]
    return []


def _deadlock(draft: ReportBuilder, ring: list[ThreadFacts]) -> None:
    alone = len(ring) == 1
    held: list[tuple[str, str]] = []
    for thread in ring:
        frame = _own(draft, thread)
        where = f" at {draft.spot(frame.line, frame.file)}, in {code(short_name(frame.name))}" if frame else ""
        quoted = f": {code(draft.line_text(frame.line, frame.file))}" if frame else ""
        owner = "itself" if alone else f"thread {_called(next(t for t in ring if t.ident == thread.owner))}"
        wants = code(thread.wants) if thread.wants else "a lock"
        draft.say(f"Thread {_called(thread)} waits{where}, for {wants}, which {owner} holds{quoted}.")
        if frame:
            reason = "locks what this thread holds already" if alone else "locks while it holds another lock"
            _waits(draft, frame, thread.wants or "the lock", 0.9, reason)
            held += _orders(draft, frame)
    _cite_here(draft)
    if alone:
        draft.advise(_SELF)
        return
    orders = {order for order in held if order[0]}
    if len(orders) == 1:
        first, second = next(iter(orders))
        draft.say(
            f"Each has locked {code(first)} and then wants {code(second)}: with the two swapped, the order is opposite."
        )
    draft.advise("Lock in the same order everywhere (by address or number), or take both at once: "
                 "`std::scoped_lock`, or try the second and release the first.")  # fmt: skip


def _orders(draft: ReportBuilder, frame: ThreadFrame) -> list[tuple[str, str]]:
    """Return the locks that the thread took in this function, each paired with the lock that it waits for."""
    wanted, found = locked_in(draft.line_text(frame.line, frame.file)), _locks_of(draft, frame)
    for name, line in found.items():
        draft.link(frame.file, line, "locks", name, short_name(frame.name))
        draft.suspect(line, 0.8, f"takes {code(name)} first", frame.file)
    return [(name, wanted) for name in found if wanted]


def _stuck(draft: ReportBuilder, waiting: list[ThreadFacts]) -> bool:
    """Explain threads that wait for a lock whose holder is unknown.

    Return whether the code shows who keeps the lock.
    """
    known = False
    for thread in waiting:
        frame = _own(draft, thread)
        lock = locked_in(draft.line_text(frame.line, frame.file)) if frame else ""
        if (
            frame
            and lock
            and (_explain_outer_lock(draft, thread, frame, lock) or _never_given_back(draft, frame, lock))
        ):
            known = True
            _waits(draft, frame, lock, 0.7, f"waits for {code(lock)}")
    if known:
        draft.analysis.kind = "deadlock"
        _cite_here(draft)
    return known


def _explain_outer_lock(draft: ReportBuilder, thread: ThreadFacts, inner: ThreadFrame, lock: str) -> bool:
    """Explain a lock that an outer function on the same stack has already taken.

    Return whether such a function exists.
    """
    where = draft.spot(inner.line, inner.file)
    for frame in thread.frames:
        held = _locks_of(draft, frame)
        if lock not in held:
            continue
        line, name = held[lock], short_name(frame.name)
        draft.say(f"Thread {_called(thread)} waits at {where} for {code(lock)}, which it holds itself: "
                  f"{code(name)} took it at {draft.spot(line, frame.file)}.")  # fmt: skip
        draft.link(frame.file, line, "locks", lock, name)
        draft.suspect(line, 0.75, f"takes {code(lock)}, and keeps it", frame.file)
        draft.suspect(frame.line, 0.9, f"calls, with {code(lock)} held, what takes it again", frame.file)
        draft.advise(_SELF)
        return True
    return False


def _never_given_back(draft: ReportBuilder, frame: ThreadFrame, lock: str) -> bool:
    """Explain a function in the file that returns without releasing the lock. Return whether such a function exists."""
    source = draft.case.sources.read(frame.file)
    unit = unit_of(source)
    functions = unit.functions if unit else ()
    lines = [(f, n) for f in functions for n in left_locked(source, f, lock)] if source else []
    for function, line in lines:
        draft.say(f"{code(function.name)} leaves at {draft.spot(line, frame.file)} without releasing {code(lock)}.")
        draft.link(frame.file, line, "leaves holding", lock, function.name)
        draft.suspect(line, 0.9, f"returns from the function with {code(lock)} held", frame.file)
        draft.advise(f"Release {code(lock)} before this `return`, or let a guard do so (`std::lock_guard`).")
    return bool(lines)


def _locks_of(draft: ReportBuilder, frame: ThreadFrame) -> dict[str, int]:
    """Return the locks that a frame's function took before its current line, each with the line that took it."""
    source = draft.case.sources.read(frame.file)
    function = function_at(source, frame.line)
    return locks_at(source, function, frame.line) if source and function else {}


def _own(draft: ReportBuilder, thread: ThreadFacts) -> ThreadFrame | None:
    frames = (f for f in thread.frames if f.line and is_user_frame(f.name, f.file))
    return next((f for f in frames if draft.case.sources.read(f.file)), None)


def _called(thread: ThreadFacts) -> str:
    return f"{thread.ident}" + (f" ({code(thread.name)})" if thread.name and thread.name != str(thread.ident) else "")


def _cite_here(draft: ReportBuilder) -> None:
    for text in list(draft.place.known)[:12]:
        value = draft.value(text)
        if value and text[0] != "&" and value.kind not in ("function", "none", "struct", "object", "union"):
            draft.cite(text)


def _race(draft: ReportBuilder) -> None:
    report = draft.report
    assert report is not None  # noqa: S101  checked by the caller
    order = "lock-order" in report.kind
    draft.analysis.kind = "deadlock" if order else "data race"
    draft.say("ThreadSanitizer: locks are taken in opposite orders." if order else
              "Two threads touch the same memory, one of them writes, and no lock is held by both.")  # fmt: skip
    fact = next((f for f in report.facts if "Location" in f), "")
    if fact:
        draft.say(f"{fact.strip().rstrip('.')}.")
    accesses = [s for s in report.stacks if order or re.search(r"\b(?:read|write)\b", s.title, re.IGNORECASE)]
    for nth, stack in enumerate(accesses[:4]):
        own = own_frame(draft, stack)
        if own is None:
            continue
        file, line, name = own
        title = stack.title[:1].upper() + stack.title[1:]
        draft.say(f"{title} at {draft.spot(line, file)}, in {code(name)}: {code(draft.line_text(line, file))}.")
        draft.link(file, line, "locks" if order else "touches it", "", name)
        draft.suspect(line, 0.9 - 0.1 * nth, "one of the two orders" if order else "touches it without the lock", file)
    _cite_here(draft)
    draft.advise("Use one locking order everywhere." if order else
                 "Guard both lines with the same mutex, or make the variable atomic.")  # fmt: skip


_LOCK = re.compile(
    r"(?:pthread_(?:mutex|rwlock|spin)_(?:wr|rd)?lock\s*\(\s*&?(?P<c>[^),]+)\)|mtx_lock\s*\(\s*&?(?P<m>[^)]+)\)"
    r"|(?P<method>[\w.>\-\[\]():]+?)(?:\.|->)(?:lock|write|read)\(\)"
    r"|(?:lock_guard|unique_lock|scoped_lock|shared_lock)\s*(?:<[^;()]*>)?\s*\w*[\s({]+(?P<guard>[^)},]+)[)}])"
)
_UNLOCK = re.compile(
    r"(?:pthread_\w+_|mtx_)unlock\s*\(\s*&?([^)]+)\)|([\w.>\-\[\]]+?)(?:\.|->)unlock\(\)|\bdrop\((\w+)\)"
)
_LEAVES = re.compile(r"\b(?:return|throw|goto)\b|\?;")


def locked_in(code: str) -> str:
    """Return the lock that a line of code takes, such as `from.lock`; empty if the line takes no lock."""
    found = _LOCK.search(code)
    return _name(found) if found else ""


def locks_at(source: SourceFile, function: Function, line: int) -> dict[str, int]:
    """Return the locks that a function took before the line and has not released, each with the line that took it."""
    taken: dict[str, int] = {}
    for number in range(function.first, line):
        code = source.line(number)
        for found in _LOCK.finditer(code):
            taken[_name(found)] = number
        for found in _UNLOCK.finditer(code):
            taken.pop(_name(found), None)
    return taken


def left_locked(source: SourceFile, function: Function, lock: str) -> Iterator[int]:
    """Yield lines that leave the function while it holds the lock.

    A function without any line that releases the lock is skipped.
    """
    lines = range(function.first, function.last + 1)
    if not any(_name(found) == lock for n in lines for found in _UNLOCK.finditer(source.line(n))):
        return
    for number in lines:
        if _LEAVES.search(source.line(number)) and lock in locks_at(source, function, number):
            yield number


def _name(found: re.Match[str]) -> str:
    return next((g for g in found.groups() if g), "").strip()
