"""Records the calls that a copy's restrictions refuse, including calls by C code and calls whose error is caught.

The filter does not refuse by itself: it traps (SECCOMP_RET_TRAP), and the kernel calls the handler below, on a separate
stack. The handler makes the same call again from its own page, where the plain filter applies, so the handler allows no
more than the plain filter. If the call is refused, the handler records it in memory that the copy shares with the
debuggee. The handler is machine code, because no line of Python may run in the middle of a system call.

A call that the process itself may not make is not a refusal of the copy: `faccessat2` checks it, without Landlock.

The debuggee does not decide here, as it does in lookups.py, because that stops the copy at every call until it is
polled; ptrace would need a separate process. A trap's SIGSYS is forced: where it is blocked, the kernel ends the
process, so the copy, in which all signals are blocked, unblocks this one alone. The page is never writable and
executable at once: data in the debuggee and until the last of `steps`, then code.
"""

from __future__ import annotations

import struct

from .syscalls import MACHINE, PAGE, Step, attempt, call, step, store

REFUSED_BITS, OF_FIRST, OF_SECOND, MAY_READ, MAY_WRITE = 0xFF, 0x200, 0x400, 0x800, 0x1000
"""Bits from the filter to the handler.

They contain the refusal's errno, which argument is a path, and what the process itself must be allowed to do for the
call to count as refused.
"""
MOST_RECORDS, RECORD_BYTES = 30, 256
RECORDS_BYTES = 64 + MOST_RECORDS * RECORD_BYTES
"""Size of the records: a count, then from byte 64 on the first 30 refusals.

Each record has the call's number, bits, three arguments and a path of up to 223 bytes.
"""

# Assembled from trapping.s, which explains it; a test assembles it again.
X86_64 = bytes.fromhex(
    "535541544889d38b6e04448b66184489e0488b7b68488b7370488b93880000004c8b53384c8b43284c8b4b30e84b01000048"
    "898390000000400fb6cd4801c10f8532010000f7c5001800000f848d00000048c7c79cffffff488b7368f7c500040000480f"
    "45fe480f457370ba04000000f7c5001000007405ba0200000041ba00020000b8b7010000e8ef000000f7c500100000750c48"
    "83f8f30f84d8000000eb3d4885c074384883f8da74324883f8ff742c4883f8fe751a488b4b70f7c500040000480f458b8800"
    "0000f7c140000000750c48898390000000e9990000004c8b05a1000000498b0049ff004883f81e0f838200000048c1e00849"
    "8d7c0040448927896f04488b436848894708488b4b7048894f10488b938800000048895718c64720004889c6f7c500020000"
    "750b4889cef7c500040000743e4889fb48c7c79cffffff31d24531d2b8b7010000e82a0000004889df4883f8f2741c31c98a"
    "040e88440f2084c0740fffc181f9de00000072ebc6440f2000415c5d5bc30f05c3b80f0000000f05"
)
_AGAIN, _RETURN, _RECORDS = 0x17C, 0x17F, 0x186
"""Byte offsets of `again`, `restorer` and `records` in the machine code."""
_READ_WRITE, _READ_RUN, _PRIVATE_ANONYMOUS = 3, 5, 0x22
_STACK_BYTES = 1 << 16
_TRAP, _UNBLOCK, _MASK_SIZE = 31, 1, 8  # SIGSYS
_FLAGS = 0x0C000004  # SA_SIGINFO, SA_RESTORER, SA_ONSTACK


class Trap:
    """The handler's page of machine code and its stack.

    In the debuggee the page is data; the copy makes it executable.
    """

    def __init__(self) -> None:
        self._page = 0
        if MACHINE != "x86_64":  # the handler is untested on other machines
            return
        page = call("mmap", 0, PAGE + _STACK_BYTES, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        store(page, X86_64)
        # Tried in the debuggee: where a policy forbids data to become code, the copy goes without records, instead of
        # ending at the step that fails. `store`s below need the page writable, so it is given back.
        can_run = attempt("mprotect", page, PAGE, _READ_RUN) == 0  # some systems forbid it
        attempt("mprotect", page, PAGE, _READ_WRITE)
        if can_run:
            self._page = page
            after = page + _RECORDS + 8
            store(after, struct.pack("=QQQQ", page, _FLAGS, page + _RETURN, 0))
            store(after + 32, struct.pack("=QI4xQ", page + PAGE, 0, _STACK_BYTES))
            store(after + 56, struct.pack("=Q", 1 << _TRAP - 1))

    @property
    def again_at(self) -> int:
        """The address from which the handler makes calls, as the kernel sees it; 0 if refusals are not recorded."""
        # `syscall` is two bytes long, and seccomp is given the address of the instruction that follows.
        return self._page and self._page + _AGAIN + 2

    def steps(self, records: int) -> list[Step]:
        """Returns steps that install the handler, to be made before the filter's.

        `records`: the address for records.
        """
        if not self._page:
            return []
        after = self._page + _RECORDS + 8
        store(self._page + _RECORDS, struct.pack("=Q", records))
        return [
            step("sigaltstack", after + 32, 0),
            step("rt_sigaction", _TRAP, after, 0, _MASK_SIZE),
            step("rt_sigprocmask", _UNBLOCK, after + 56, 0, _MASK_SIZE),
            step("mprotect", self._page, PAGE, _READ_RUN),
        ]
