"""Texts as lldb-dap 19, lldb-dap 23 and gdb 18 have said them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dap_ai.debuggees.native.reading.faults import fault_in_stop_text, fault_of
from dap_ai.debuggees.native.reading.native_threads import threads_of, waiting_of
from dap_ai.protocol.contracts.inspection import Fault, Query
from dap_ai.protocol.wire.errors import RequestFailed

pytestmark = pytest.mark.anyio
FRAME = 7


@pytest.mark.parametrize(
    ("stopped", "fault"),
    [
        (
            "exception; signal SIGSEGV: address not mapped to object (fault address=0x0)",
            Fault("SIGSEGV", "address not mapped", 0),
        ),
        (
            "exception; signal SIGSEGV: address not mapped to object (fault address: 0x10)",
            Fault("SIGSEGV", "address not mapped", 16),
        ),
        (
            "exception; signal SIGSEGV: invalid permissions for mapped object (fault address=0x5555)",
            Fault("SIGSEGV", "invalid permissions", 0x5555),
        ),
        ("exception; signal SIGSEGV: invalid address (fault address: 0x0)", Fault("SIGSEGV", "invalid address")),
        ("exception; signal SIGSEGV: sent by kernel (SI_KERNEL)", Fault("SIGSEGV", "invalid address")),
        ("exception; signal SIGSEGV: sent by tkill system call", Fault("SIGSEGV", "sent by a process")),
        ("exception; signal SIGSEGV", Fault("SIGSEGV")),
        (
            "exception; signal SIGBUS: illegal address (fault address=0x7f0a)",
            Fault("SIGBUS", "illegal address", 0x7F0A),
        ),
        ("exception; signal SIGFPE: integer divide by zero", Fault("SIGFPE", "integer divide by zero")),
        ("exception; signal SIGILL: illegal operand", Fault("SIGILL", "illegal operand")),
        ("exception; signal SIGABRT", Fault("SIGABRT")),
        ("exception; SIGABRT: sent by tkill system call (sender pid=90, uid=0)", Fault("SIGABRT")),
        (
            "exception; SIGSEGV: address not mapped to object (fault address=0x8)",
            Fault("SIGSEGV", "address not mapped", 8),
        ),
        ("exception; signal SIGSTOP", None),
        ("exception; Heap buffer overflow", None),
        ("breakpoint; breakpoint 1.1", None),
    ],
)
def test_the_words_of_a_stop_tell_its_fault(stopped: str, fault: Fault | None):
    assert fault_in_stop_text(stopped) == fault


class Adapter:
    """Answers from what it was given; fails what it was not."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.hovers: dict[str, str] = {}
        self.asked: list[str] = []

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(command)
        if command == "evaluate" and arguments["context"] == "hover" and arguments["expression"] in self.hovers:
            return {"result": self.hovers[arguments["expression"]], "variablesReference": 0}
        answer = self.answers.get(command)
        if answer is None:
            raise RequestFailed(command, "cannot")
        return answer(arguments) if callable(answer) else answer


def gdb(signal: int, code: int, address: str, instruction: str, at: str = "0x400") -> Adapter:
    registers = [
        {"name": "rax", "value": "16"},
        {"name": "rip", "value": "0x400 <main+9>"},
        {"name": "st0", "value": "0"},
    ]
    adapter = Adapter(
        scopes={"scopes": [{"name": "Registers", "variablesReference": 2}]},
        variables={"variables": registers},
        stackTrace={"stackFrames": [{"id": FRAME, "instructionPointerReference": "0x400"}]},
        disassemble={"instructions": [{"address": at, "instruction": instruction, "instructionBytes": "8b00"}]},
    )
    adapter.hovers = {
        "$_siginfo.si_signo": str(signal),
        "$_siginfo.si_code": str(code),
        "$_siginfo._sifields._sigfault.si_addr": address,
    }
    return adapter


async def fault_in(adapter: Adapter, stopped: str = "signal") -> tuple[Fault | None, dict[str, str]]:
    return await fault_of(adapter.request, Query([], thread_id=1, stopped=stopped), FRAME, hovers=True)


async def test_gdb_is_asked_for_the_signal_that_its_event_does_not_name():
    fault, _ = await fault_in(gdb(11, 2, "0x555555556030 <text>", "movb   $0x54,(%rax)"))

    assert fault == Fault("SIGSEGV", "invalid permissions", 0x555555556030, "write", "movb $0x54,(%rax)")


async def test_an_address_that_is_not_told_is_computed_from_the_instruction():
    fault, _ = await fault_in(gdb(11, 128, "0x0", "mov    0x8(%rax),%eax"))

    assert fault == Fault("SIGSEGV", "invalid address", 0x18, "read", "mov 0x8(%rax),%eax")


async def test_code_at_the_faulting_address_is_executed_not_read():
    fault, _ = await fault_in(gdb(11, 1, "0x400", "add    %al,(%rax)"))

    assert fault == Fault("SIGSEGV", "address not mapped", 0x400, "execute")


async def test_a_signal_that_a_process_has_sent_has_neither_address_nor_instruction():
    fault, _ = await fault_in(gdb(11, -6, "0x565d", "mov    %eax,%ebp"))

    assert fault == Fault("SIGSEGV", "sent by a process")


async def test_the_general_registers_come_in_hexadecimal():
    _, registers = await fault_in(gdb(8, 1, "0x400", "idiv   %ecx"))

    assert registers == {"rax": "0x10", "rip": "0x400"}


async def test_the_registers_of_lldb_are_in_a_group():
    adapter = gdb(0, 0, "0x0", "movl    (%rax), %eax")
    groups = [{"name": "General Purpose Registers", "variablesReference": 4}, {"name": "Floating Point Registers"}]
    inside = [{"name": "rsp", "value": "0x00007ffff7dd2a48"}, {"name": "sp", "value": "0x2a48"}]
    adapter.answers["variables"] = lambda a: {"variables": inside if a["variablesReference"] == 4 else groups}

    _, registers = await fault_in(
        adapter, "exception; signal SIGSEGV: address not mapped to object (fault address=0x0)"
    )

    assert registers == {"rsp": "0x7ffff7dd2a48"}


@pytest.mark.parametrize("stopped", ["breakpoint; breakpoint 1.1", "step", "pause"])
async def test_at_an_ordinary_stop_nothing_is_asked(stopped: str):
    adapter = gdb(5, 1, "0x0", "nop")

    assert await fault_in(adapter, stopped) == (None, {})
    assert adapter.asked == []


@pytest.mark.parametrize(
    ("names", "waiting"),
    [
        (["futex_wait", "__GI___lll_lock_wait", "lll_mutex_lock_optimized", "___pthread_mutex_lock"], "mutex"),
        (["___lldb_unnamed_symbol3481", "pthread_mutex_lock"], "mutex"),
        (["__futex_abstimed_wait_common64", "__pthread_cond_wait_common", "___pthread_cond_wait"], "condition"),
        (["__GI___lll_lock_wait", "__pthread_mutex_cond_lock", "___pthread_cond_wait"], "mutex"),
        (["__futex_abstimed_wait_common64", "__pthread_clockjoin_ex"], "join"),
        (["__futex_abstimed_wait_common64", "__pthread_rwlock_wrlock_full64"], "rwlock"),
        (["do_futex_wait", "__new_sem_wait_slow64"], "semaphore"),
        (["__GI___clock_nanosleep", "__GI___nanosleep"], "sleep"),
        (["__GI___libc_read"], "read"),
        (["__GI___poll"], "poll"),
        (["syscall", "std::sys::pal::unix::futex::futex_wait", "std::sys::sync::mutex::futex::Mutex::lock_contended"],
         "mutex"),
        (["std::mutex::lock()"], "mutex"),
        (["syscall"], "futex"),
        (["compute"], ""),
    ],
)  # fmt: skip
def test_a_wait_is_known_by_the_names_on_the_stack(names: list[str], waiting: str):
    assert waiting_of(names) == waiting


def deadlock(numbers: Mapping[int, int]) -> Adapter:
    """Two threads, by their DAP numbers with those of the system, each waiting for what the other holds; gdb's."""
    first, second = numbers
    held = {first: 0x1000, second: 0x2000}
    frames = [("futex_wait", ""), ("___pthread_mutex_lock", ""), ("transfer", "/home/me/bank.c")]

    def stack(arguments: Mapping[str, Any]) -> dict[str, Any]:
        number = arguments["threadId"]
        return {
            "stackFrames": [
                {"id": 100 * number + n, "name": name, "line": 8, "source": {"path": path}}
                for n, (name, path) in enumerate(frames)
            ]
        }

    def evaluated(arguments: Mapping[str, Any]) -> dict[str, Any]:
        number, other = (first, second) if arguments["frameId"] // 100 == first else (second, first)
        results = {"$rdi": held[other], "*(int *)($fs_base + 720)": numbers[number]}
        results |= {f"*(int *){place + 8:#x}": numbers[owner] for owner, place in held.items()}
        if arguments["expression"] not in results:
            raise RequestFailed("evaluate", "no")
        return {"result": str(results[arguments["expression"]])}

    rows = [{"id": number, "name": "bank"} for number in numbers]
    return Adapter(threads={"threads": rows}, stackTrace=stack, evaluate=evaluated)


@pytest.mark.parametrize("numbers", [{1: 4001, 2: 4002}, {4001: 4001, 4002: 4002}], ids=["gdb", "lldb-dap"])
async def test_each_thread_of_a_deadlock_wants_what_the_other_owns(numbers: dict[int, int]):
    adapter = deadlock(numbers)
    first, second = numbers

    found = await threads_of(adapter.request, Query([], thread_id=second), hovers=True)

    assert [(t.ident, t.current, t.waiting, t.wants, t.owner) for t in found] == [
        (second, True, "mutex", "0x1000", first),
        (first, False, "mutex", "0x2000", second),
    ]


async def test_a_thread_is_shown_with_the_programs_own_frames_only():
    adapter = deadlock({1: 4001, 2: 4002})

    found = await threads_of(adapter.request, Query([], thread_id=1), hovers=False)

    assert [frame.name for frame in found[0].frames] == ["transfer"]


async def test_without_an_adapter_that_can_tell_threads_there_are_none():
    assert await threads_of(Adapter().request, Query([], thread_id=1), hovers=True) == []


async def test_a_reference_that_is_no_number_tells_no_instruction():
    adapter = gdb(11, 1, "0x10", "mov (%rax),%eax")
    adapter.answers["stackTrace"] = {"stackFrames": [{"id": FRAME, "instructionPointerReference": "main+9"}]}

    fault, _ = await fault_in(adapter)

    assert fault == Fault("SIGSEGV", "address not mapped", 16)


async def test_a_register_that_the_adapter_cannot_read_leaves_the_owner_unknown():
    adapter = deadlock({4001: 4001, 4002: 4002})
    del adapter.answers["evaluate"]
    adapter.answers["scopes"] = {"scopes": [{"name": "Registers", "variablesReference": 2}]}
    adapter.answers["variables"] = {"variables": [{"name": "rdi", "value": "<unavailable>"}]}

    found = await threads_of(adapter.request, Query([], thread_id=4001), hovers=False)

    assert [(t.waiting, t.owner) for t in found] == [("mutex", 0), ("mutex", 0)]
