from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.case.depth import MAX_COUNTED, depth_of
from dap_ai.debuggees.native.source.frame_folding import (
    FoldedFrames,
    clean_name,
    folded,
    in_words,
    is_inlined,
    is_user_frame,
    recursion_of,
)


@dataclass
class Row:
    name: str
    user: bool = True


def rows(*names: str) -> list[Row]:
    """Names in brackets are a library's."""
    return [Row(name.strip("[]"), not name.startswith("[")) for name in names]


def test_a_frame_whose_source_is_there_is_the_users(tmp_path: Path):
    file = tmp_path / "shop.c"
    file.touch()

    assert is_user_frame("main", str(file))


@pytest.mark.parametrize(
    "path",
    [
        "",
        "sysdeps/nptl/libc_start_call_main.h",
        "./nptl/./nptl/pthread_kill.c",
        "../sysdeps/unix/sysv/linux/raise.c",
        "/usr/include/c++/12/bits/stl_vector.h",
        "/rustc/ab12/library/core/src/panicking.rs",
        "/home/me/.cargo/registry/src/index/serde-1.0/src/lib.rs",
        "/home/me/no_such_file.c",
        "/home/me/program`_start",
    ],
)
def test_a_frame_of_a_library_or_without_source_is_not_the_users(path: str):
    assert not is_user_frame("f", path)


@pytest.mark.parametrize("name", ["__asan_memcpy", "__interceptor_strlen", "___interceptor_free", "__libc_start_main"])
def test_a_frame_of_a_runtime_is_not_the_users_wherever_its_source_is(name: str, tmp_path: Path):
    file = tmp_path / "asan.cpp"
    file.touch()

    assert not is_user_frame(name, str(file))


@pytest.mark.parametrize(
    ("told", "clean"),
    [
        ("add [inlined]", "add"),
        ("add [opt]", "add"),
        ("add [inlined] [opt]", "add"),
        ("shop::total::h0f84a1b2c3d4e5f6", "shop::total"),
        ("rl::main::_$u7b$$u7b$closure$u7d$$u7d$::h55ab24d9970b16e3", "rl::main::{{closure}}"),
        ("_$LT$core..cell..Cell$LT$T$GT$$u20$as$u20$Tr$GT$::get", "<core::cell::Cell<T> as Tr>::get"),
        ("operator[](int)", "operator[](int)"),
        (
            "C<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "  # noqa: ISC004  one name
            "std::vector<int, std::allocator<int> > >::must",
            "C<std::string, std::vector<int>>::must",
        ),
    ],
)
def test_a_name_loses_the_marks_of_the_adapter_and_the_hash_of_rust(told: str, clean: str):
    assert clean_name(told) == clean


def test_a_frame_that_the_adapter_calls_inlined_is():
    assert (is_inlined("add [inlined]"), is_inlined("add")) == (True, False)


def test_a_recursion_is_one_run_with_its_length():
    assert folded(rows("fail", *["fib"] * 9, "main")) == [
        FoldedFrames(0, 1, ("fail",), ""),
        FoldedFrames(1, 9, ("fib",), "recursion"),
        FoldedFrames(10, 1, ("main",), ""),
    ]


def test_a_recursion_through_several_functions_is_told_by_its_period():
    runs = folded(rows(*["even", "odd"] * 5, "even", "main"))

    assert runs[0] == FoldedFrames(0, 11, ("even", "odd"), "recursion")


def test_a_recursion_through_a_library_is_a_recursion():
    runs = folded(rows(*["compare", "[qsort]", "sort"] * 4, "main"))

    assert runs[0] == FoldedFrames(0, 12, ("compare", "qsort", "sort"), "recursion")


def test_a_function_that_calls_itself_a_few_times_is_not_folded():
    assert [run.kind for run in folded(rows("f", "f", "f", "main"))] == [""] * 4


def test_library_frames_in_a_row_are_one_run():
    assert folded(rows("[raise]", "[abort]", "main"))[0] == FoldedFrames(0, 2, ("raise", "abort"), "library")


def test_a_recursion_on_both_sides_of_what_was_not_read_is_one():
    runs = folded(rows(*["fib"] * 80), 2004, rows(*["fib"] * 16, "main", "[start]", "[start2]", "[start3]"))

    assert runs[:2] == [FoldedFrames(0, 2000, ("fib",), "recursion"), FoldedFrames(2000, 1, ("main",), "")]


def test_what_was_not_read_and_is_no_recursion_is_told_as_such():
    runs = folded(rows(*map(str, range(80))), 100, rows("g", "main"))

    assert runs[80:] == [
        FoldedFrames(80, 18, (), ""),
        FoldedFrames(98, 1, ("g",), ""),
        FoldedFrames(99, 1, ("main",), ""),
    ]


def test_every_frame_is_in_exactly_one_run():
    runs = folded(rows("[a]", *["f"] * 79), 5000, rows(*["g", "h"] * 9, "main", "[start]"))

    assert [run.first for run in runs[1:]] == [run.last + 1 for run in runs[:-1]]


def test_the_longest_recursion_is_the_recursion():
    assert recursion_of(folded(rows(*["f"] * 7, "x", *["g"] * 8))) == FoldedFrames(8, 8, ("g",), "recursion")


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (FoldedFrames(0, 1994, ("fib",), "recursion"), "1,994 frames of fib -> fib"),
        (FoldedFrames(0, 10, ("even", "odd"), "recursion"), "10 frames of even -> odd -> even"),
        (FoldedFrames(0, 1, ("raise",), "library"), "1 library frame: raise"),
        (FoldedFrames(0, 12, (), ""), "12 frames not read"),
    ],
)
def test_a_run_in_words(run: FoldedFrames, words: str):
    assert in_words(run) == words


class Deep:
    """A stack of a given depth, read as an adapter gives it."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self.requests = 0

    async def read(self, start: int, count: int) -> list[dict[str, Any]]:
        self.requests += 1
        return [{"id": n} for n in range(start, min(self._depth, start + count))]


pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("depth", [80, 81, 99, 100, 101, 160, 161, 162, 500, 2004, 5119])
@pytest.mark.parametrize("claimed", [0, 100, -1], ids=["nothing", "an estimate", "the truth"])
async def test_the_depth_of_a_stack_is_found_whatever_the_adapter_claims(depth: int, claimed: int):
    stack = Deep(depth)

    found = await depth_of(stack.read, 80, depth if claimed == -1 else claimed)

    assert (found.total, found.more) == (depth, False)
    assert [row["id"] for row in found.outermost] == list(range(max(80, depth - 20), depth))


async def test_a_stack_that_is_too_deep_is_not_counted():
    stack = Deep(10 * MAX_COUNTED)

    found = await depth_of(stack.read, 80, 0)

    assert found.more
    assert (found.outermost, stack.requests < 10) == ([], True)
