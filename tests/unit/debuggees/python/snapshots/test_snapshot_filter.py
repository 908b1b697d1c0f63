from __future__ import annotations

import functools
import struct

import pytest

from dap_ai.debuggees.python.snapshots.isolation import seccomp_filter, syscalls

pytestmark = pytest.mark.skipif(not syscalls.SUPPORTED, reason="snapshots need Linux")
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, REFUSED, KILLED, ASKED, DENIED = 0x7FFF0000, 0x00050001, 0x80000000, 0x7FC00000, 0x0005000D


@functools.lru_cache
def instructions(may_open: bool, lookups: str, again_at: int) -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("=HBBI", seccomp_filter.program(may_open, lookups, again_at)))


def decision(
    number: int,
    *arguments: int,
    may_open: bool = True,
    architecture: int | None = None,
    lookups: str = seccomp_filter.FREE,
    at: int = 0,
    again_at: int = 0,
) -> int:
    """What the kernel would decide: it runs the program as described in bpf(4)."""
    architecture = architecture or ARCHITECTURE[syscalls.MACHINE]
    data = struct.pack("=IIQ6Q", number, architecture, at, *arguments, *(0,) * (6 - len(arguments)))
    code = instructions(may_open, lookups, again_at)
    at, accumulator = 0, 0
    while True:
        operation, if_true, if_false, constant = code[at]
        if operation == 0x05:
            at += 1 + constant
            continue
        if operation == 0x06:
            return constant
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
            at += 1
            continue
        holds = {
            0x15: accumulator == constant,
            0x35: accumulator >= constant,
            0x45: bool(accumulator & constant),
        }[operation]
        at += 1 + (if_true if holds else if_false)


def test_every_call_that_is_not_listed_is_refused() -> None:
    listed = {
        *seccomp_filter._PLAIN.split(),
        *seccomp_filter._OF_PATHS,
        *seccomp_filter._BY_VALUE,
        *seccomp_filter._READ_ONLY,
        "prlimit64",
    }
    numbers = {syscalls.NUMBERS[name] for name in listed if name in syscalls.NUMBERS}

    assert {decision(number, 9) for number in range(600) if number not in numbers} == {REFUSED}


def test_every_plain_call_is_allowed() -> None:
    numbers = [syscalls.NUMBERS[name] for name in seccomp_filter._PLAIN.split() if name in syscalls.NUMBERS]

    assert {decision(number) for number in numbers} == {ALLOWED}


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("write", (1,), ALLOWED),
        ("write", (2,), ALLOWED),
        ("write", (3,), REFUSED),
        ("openat", (0, 0, 0o2000000), ALLOWED),
        ("openat", (0, 0, 0o1), REFUSED),
        ("openat", (0, 0, 0o2), REFUSED),
        ("openat", (0, 0, 0o100), REFUSED),
        ("openat", (0, 0, 0o1000), REFUSED),
        ("fcntl", (5, 3), ALLOWED),
        ("fcntl", (5, 8), REFUSED),
        ("madvise", (0, 0, 4), ALLOWED),
        ("madvise", (0, 0, 100), REFUSED),
        ("prlimit64", (0, 7, 0), ALLOWED),
        ("prlimit64", (0, 7, 1), REFUSED),
        ("prlimit64", (0, 7, 1 << 32), REFUSED),
    ],
)
def test_arguments_decide(name: str, arguments: tuple[int, ...], wanted: int) -> None:
    assert decision(syscalls.NUMBERS[name], *arguments) == wanted


@pytest.mark.parametrize(
    ("lookups", "wanted"),
    [(seccomp_filter.FREE, ALLOWED), (seccomp_filter.ASKED, ASKED), (seccomp_filter.DENIED, DENIED)],
)
def test_every_call_that_takes_a_path_to_read_is_free_asked_about_or_denied(lookups: str, wanted: int) -> None:
    names = [name for name in (*seccomp_filter._OF_PATHS, *seccomp_filter._READ_ONLY) if name in syscalls.NUMBERS]
    writing = {
        decision(syscalls.NUMBERS[name], 0, 1, 1, lookups=lookups)
        for name in seccomp_filter._READ_ONLY
        if name in names
    }

    assert {decision(syscalls.NUMBERS[name], lookups=lookups) for name in names} == {wanted}
    assert writing == {REFUSED}


AGAIN = 0x7FFF12345678


@pytest.mark.parametrize("lookups", [seccomp_filter.FREE, seccomp_filter.ASKED, seccomp_filter.DENIED])
def test_what_the_handler_calls_again_meets_the_plain_filter_and_from_elsewhere_no_more_is_allowed(
    lookups: str,
) -> None:
    rows = [(), (9,), (1,), (0, 0, 0o1), (0, 0x5401), (0, 1, 0), (5, 8), (0, 0, 100), (0, 7, 1)]
    for number in range(470):
        for arguments in rows:
            plain = decision(number, *arguments, lookups=lookups)
            again = decision(number, *arguments, lookups=lookups, at=AGAIN, again_at=AGAIN)
            trapped = decision(number, *arguments, lookups=lookups, at=AGAIN + (1 << 32), again_at=AGAIN)
            assert again == plain, (number, arguments)
            assert trapped == plain or trapped >> 16 in (3, 5), (number, arguments, hex(trapped))


def test_what_the_plain_filter_refuses_is_trapped_but_for_what_no_result_hangs_on() -> None:
    refused = [number for number in range(470) if decision(number, 9) == REFUSED]
    untrapped = [number for number in refused if decision(number, 9, again_at=AGAIN) >> 16 != 3]
    assert untrapped == [273, 324, 334]  # set_robust_list, membarrier, rseq


def test_without_landlock_nothing_is_opened() -> None:
    assert decision(syscalls.NUMBERS["openat"], may_open=False) == REFUSED


def test_another_machines_calls_end_the_copy() -> None:
    assert decision(0, architecture=0x40000003) == KILLED


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_can_be_built_for(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp_filter, "MACHINE", machine)
    monkeypatch.setattr(syscalls, "MACHINE", machine)
    monkeypatch.setattr(seccomp_filter, "NUMBERS", syscalls._numbers())

    assert seccomp_filter.program(may_open=True)
