"""What a program's own words become: real reports by gcc 12 and rustc, and others by their formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot
from dap_ai.debuggees.native.analysis.program_reports import NO_WORDS, Words, own_output, report_of
from dap_ai.debuggees.native.source.program_report import MAX_TEXT
from dap_ai.protocol.contracts.question import StopEvent
from tests.unit.debuggees.native.cases import At, stopped

SAID = Path(__file__).parents[1] / "said"
FILES = sorted(path.name for path in SAID.iterdir())
SOURCE = "int main(void) {\n    return 0;\n}\n"
BUSY = "__asan::ReportGenericError"


def said(name: str) -> str:
    return (SAID / name).read_text(encoding="utf-8")


def case_of(text: str, *inside: str, signal: str = "", stop: str = "") -> StopSnapshot:
    """A stop in `main`, with these frames further in, after the program printed the text."""
    case = stopped(SOURCE, [At("main", "return 0")], signal=signal)
    case.frames[:0] = [StackFrame(100 + n, name, "", 0, user=False) for n, name in enumerate(inside)]
    case.output = [("stdout", text)]
    case.stop = StopEvent(1, 1, None, "exception", stop)
    return case


def report(text: str, *inside: str, words: Words = NO_WORDS, stop: str = "") -> Report:
    found = report_of(case_of(text, *inside, signal="SIGABRT" if not inside else "", stop=stop), words)
    assert found is not None
    return found


def stacks(found: Report) -> list[tuple[str, list[tuple[str, int]]]]:
    return [(s.title, [(f.name, f.line) for f in s.frames]) for s in found.stacks]


# -- sanitizers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "access", "size", "line"),
    [
        ("heap", "heap-buffer-overflow", "read", 4, 6),
        ("uaf", "heap-use-after-free", "read", 4, 14),
        ("stack", "stack-buffer-overflow", "write", 21, 4),
        ("global", "global-buffer-overflow", "read", 4, 2),
        ("scope", "stack-use-after-scope", "read", 4, 2),
        ("dfree", "double-free", "", 0, 2),
        ("badfree", "bad-free", "", 0, 2),
        ("mismatch", "alloc-dealloc-mismatch", "", 0, 2),
        ("segv", "SEGV", "read", 0, 3),
        ("recurse", "stack-overflow", "", 0, 1),
    ],
)
def test_each_kind_of_address_sanitizer_is_told_with_its_access_and_place(
    name: str, kind: str, access: str, size: int, line: int
) -> None:
    found = report(said(f"{name}.asan.txt"), BUSY)
    assert (found.tool, found.kind, found.access, found.size, found.line) == (
        "AddressSanitizer", kind, access, size, line,
    )  # fmt: skip


def test_a_use_after_free_tells_of_the_access_the_free_and_the_allocation() -> None:
    assert stacks(report(said("uaf.asan.txt"), BUSY)) == [
        ("READ of size 4 thread T0", [("main", 14)]),
        ("freed by thread T0", [("release", 10), ("main", 13)]),
        ("previously allocated by thread T0", [("push", 5), ("main", 12)]),
    ]


def test_a_stack_knows_the_functions_of_the_runtime_that_it_leaves_out_further_in() -> None:
    found = report(said("uaf.asan.txt"), BUSY)
    assert [list(stack.inside) for stack in found.stacks] == [[], ["__interceptor_free"], ["__interceptor_malloc"]]


def test_the_variable_that_was_overflown_is_a_fact() -> None:
    assert (
        "'name' (line 3): Memory access at offset 40 overflows this variable"
        in report(said("stack.asan.txt"), BUSY).facts
    )


def test_a_leak_is_told_with_where_it_was_allocated() -> None:
    found = report(said("leak.asan.txt"), "__lsan::HandleLeaks")
    assert found.tool == "LeakSanitizer"
    assert stacks(found)[0] == ("Direct leak of 40 byte(s) in 1 object(s) allocated", [("make", 2), ("main", 3)])
    assert "80 byte(s) leaked in 2 allocation(s)." in found.facts


def test_a_data_race_tells_both_accesses_and_their_locks() -> None:
    found = report(said("race.tsan.txt"), "__tsan::ReportRace")
    assert found.kind == "data race"
    assert stacks(found)[:2] == [
        ("Read of size 4 by thread T2 (mutexes: write M0)", [("locked", 6)]),
        ("Previous write of size 4 by thread T1", [("plain", 5)]),
    ]
    assert found.facts == ["Location is global 'counter' of size 4 at 0x55f6b3d0b0a0"]


def test_a_lock_order_inversion_tells_who_took_what() -> None:
    found = report(said("order.tsan.txt"), "__tsan::ReportDeadlock")
    assert found.kind == "lock-order-inversion"
    assert [title for title, _ in stacks(found)][:2] == [
        "Mutex M1 acquired here while holding mutex M0 in thread T1",
        "Mutex M0 acquired here while holding mutex M1 in thread T2",
    ]


@pytest.mark.parametrize("name", [name for name in FILES if "san" in name])
def test_no_report_holds_shadow_bytes_legends_or_frames_of_the_runtime(name: str) -> None:
    text = report(said(name), BUSY, "__ubsan_handle").text
    assert not any(word in text for word in ("Shadow", "redzone", "__interceptor", "libsanitizer", "__libc_start"))
    assert len(text) <= MAX_TEXT


def test_clangs_frames_with_columns_and_build_ids_are_read() -> None:
    text = (
        "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3\n"
        "READ of size 8 at 0x602000000010 thread T3\n"
        "    #0 0x4c6f3d in shop::total(shop::Order const&) /home/dev/my shop/order.cpp:41:16\n"
        "    #1 0x4c7012 in main (/home/dev/shop+0x4c7012) (BuildId: 9a3f)\n"
    )
    found = report(text, BUSY)
    assert (found.file, found.line) == ("/home/dev/my shop/order.cpp", 41)
    assert stacks(found) == [("READ of size 8 thread T3", [("shop::total(shop::Order const&)", 41), ("main", 0)])]


def test_memory_sanitizer_tells_where_the_value_was_made() -> None:
    text = (
        "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x1 in main /src/a.c:9:7\n\n"
        "  Uninitialized value was created by a heap allocation\n    #0 0x2 in malloc (/src/a+0x2)\n"
        "    #1 0x3 in make /src/a.c:3:12\n\nSUMMARY: MemorySanitizer: use-of-uninitialized-value /src/a.c:9:7 in main\n"
    )
    found = report(text, "__msan_warning_noreturn")
    assert (found.kind, found.line) == ("use-of-uninitialized-value", 9)
    assert stacks(found)[1] == ("Uninitialized value was created by a heap allocation", [("make", 3)])


def test_colours_and_a_terminals_line_ends_make_no_difference() -> None:
    text = said("uaf.asan.txt").replace("==ERROR", "==\x1b[0mERROR").replace("READ of", "\x1b[1m\x1b[34mREAD of")
    coloured = report(text.replace("\x1b[0mERROR", "ERROR").replace("\n", "\r\n"), BUSY)
    assert coloured == report(said("uaf.asan.txt"), BUSY)


def test_of_a_report_whose_beginning_was_cut_off_the_summary_is_told() -> None:
    text = said("heap.asan.txt")
    found = report(text[text.index("0x603000000054 is located") :], BUSY)
    assert found.kind == "heap-buffer-overflow"


def test_what_the_program_printed_in_between_does_not_end_a_report() -> None:
    text = said("uaf.asan.txt").replace("freed by thread", "another thread prints\nfreed by thread")
    assert len(report(text, BUSY).stacks) == 3


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'", "signed-integer-overflow"),
        ("shift exponent 32 is too large for 32-bit type 'int'", "invalid-shift-exponent"),
        ("index 4 out of bounds for type 'int [4]'", "out-of-bounds-index"),
        ("load of misaligned address 0x7ff1 for type 'int', which requires 4 byte alignment", "misaligned-pointer-use"),
        ("load of value 7, which is not a valid value for type '_Bool'", "invalid-bool-load"),
        ("member access within null pointer of type 'struct s'", "null-pointer-use"),
        ("division by zero", "integer-divide-by-zero"),
        ("something new", "undefined-behavior"),
    ],
)
def test_each_kind_of_ubsan_is_named(message: str, kind: str) -> None:
    found = report(f"prompt> shop.c:2:31: runtime error: {message}\n", "__ubsan_handle_x", "abort")
    assert (found.tool, found.kind, found.message, found.file, found.line) == (
        "UndefinedBehaviorSanitizer", kind, message, "shop.c", 2,
    )  # fmt: skip


# -- panics, assertions, aborts -------------------------------------------------------------------------------------


def test_a_panic_tells_its_message_its_place_and_the_own_frames() -> None:
    found = report(said("panic.rust.txt"), "__rustc::rust_panic")
    assert found.message == "index out of bounds: the len is 3 but the index is 5"
    assert (found.file, found.line) == ("panic.rs", 2)
    assert stacks(found) == [("backtrace", [("panic::pick", 2), ("panic::main", 7)])]


def test_a_failed_assert_eq_tells_its_operands() -> None:
    assert report(said("panic2.rust.txt"), "rust_panic").facts == ["left: false", "right: true"]


def test_the_panic_of_another_thread_says_so() -> None:
    text = said("panic2.rust.txt")
    found = report(text[: text.index("thread 'main'")], "rust_panic")
    assert "in thread 'worker'" in found.facts


def test_a_panic_in_the_words_of_older_rust_is_read() -> None:
    found = report("thread 'main' panicked at 'no\nway', src/main.rs:7:5\nnote: run with `RUST_BACKTRACE=1`\n", "abort")
    assert (found.message, found.facts, found.file, found.line) == ("no", ["way"], "src/main.rs", 7)


@pytest.mark.parametrize(
    ("text", "said", "file", "line"),
    [
        ("prog: a.c:3: half: Assertion `x > 0 && \"it is\"' failed.", 'x > 0 && "it is"', "a.c", 3),
        ("a.cpp:3: int N::half(int): Assertion `x > 0' failed.", "x > 0", "a.cpp", 3),
        ("Assertion failed: (x > 0), function half, file a.c, line 3.", "x > 0", "a.c", 3),
        ("Assertion failed: x > 0, file C:\\src\\a.c, line 3", "x > 0", "C:\\src\\a.c", 3),
        ("Assertion failed: x > 0 (a.c: half: 3)", "x > 0", "a.c", 3),
        ('/src/a.c:3: half: assertion "x > 0" failed', "x > 0", "/src/a.c", 3),
        ("F1121 14:25:10.123456  4711 a.cc:3] Check failed: x > 0 (-4 vs. 0)", "x > 0 (-4 vs. 0)", "a.cc", 3),
        ("ERROR:a.c:3:half: assertion failed: (x > 0)", "x > 0", "a.c", 3),
        ("/usr/include/c++/12/bits/v.h:1123: T& v::operator[](size_type) [with T = int]: Assertion '__n < size' failed.",
         "__n < size", "/usr/include/c++/12/bits/v.h", 1123),
    ],
)  # fmt: skip
def test_a_failed_assertion_of_each_library_is_read(text: str, said: str, file: str, line: int) -> None:
    found = report(f"start\n{text}\n")
    assert (found.kind, found.message, found.file, found.line) == ("assertion", said, file, line)


@pytest.mark.parametrize(
    ("text", "tool", "kind", "message"),
    [
        ("terminate called after throwing an instance of 'std::out_of_range'\n  what():  too far\n",
         "terminate", "std::out_of_range", "too far"),
        ("terminate called after throwing an instance of 'Mine'\n", "terminate", "Mine", ""),
        ("terminate called without an active exception\n", "terminate", "without an active exception",
         "terminate called without an active exception"),
        ("libc++abi: terminating due to uncaught exception of type std::out_of_range: too far\n",
         "terminate", "std::out_of_range", "too far"),
        ("free(): double free detected in tcache 2\n", "libc", "double free", "free(): double free detected in tcache 2"),
        ("double free or corruption (fasttop)\n", "libc", "double free", "double free or corruption (fasttop)"),
        ("free(): invalid pointer\n", "libc", "invalid free", "free(): invalid pointer"),
        ("malloc(): corrupted top size\n", "libc", "heap corruption", "malloc(): corrupted top size"),
        ("*** stack smashing detected ***: terminated\n", "libc", "stack smashing",
         "*** stack smashing detected ***: terminated"),
    ],
)  # fmt: skip
def test_uncaught_exceptions_and_the_c_librarys_aborts_are_read(text: str, tool: str, kind: str, message: str) -> None:
    found = report(text)
    assert (found.tool, found.kind, found.message) == (tool, kind, message)


# -- which one is about this stop -----------------------------------------------------------------------------------


def test_a_stop_in_the_users_own_code_is_about_no_report_of_the_past() -> None:
    assert report_of(case_of(said("race.tsan.txt") + said("panic.rust.txt"))) is None


def test_what_ubsan_said_of_the_very_line_of_a_crash_is_about_it() -> None:
    found = report_of(case_of("/src/shop.c:2:9: runtime error: load of null pointer of type 'int'\n"))
    assert found is not None
    assert found.kind == "null-pointer-use"


def test_before_ubsan_has_printed_the_debuggers_words_are_told() -> None:
    earlier = "shop.c:1:1: runtime error: division by zero\n"
    found = report(earlier, "__ubsan::__ubsan_on_report()", stop="Signed integer overflow")
    assert (found.kind, found.message, found.line) == ("signed-integer-overflow", "Signed integer overflow", 2)


def test_the_words_that_ubsan_has_not_printed_yet_are_told() -> None:
    words = Words("signed-integer-overflow", "signed integer overflow: 2 + 1")
    found = report("", "__ubsan_on_report", words=words, stop="Signed integer overflow")
    assert (found.kind, found.message) == words
    assert (found.file, found.line) == ("/src/shop.c", 2)


def test_without_any_text_the_debuggers_words_for_address_sanitizer_are_told() -> None:
    found = report("", BUSY, stop="Use of deallocated memory")
    assert (found.tool, found.kind, found.line) == ("AddressSanitizer", "heap-use-after-free", 2)


def test_of_several_reports_the_last_is_told() -> None:
    assert report(said("uaf.asan.txt") + said("heap.asan.txt"), BUSY).kind == "heap-buffer-overflow"


def test_the_programs_own_output_is_left_without_the_report() -> None:
    case = case_of("summing\n" + said("segv.asan.txt"), BUSY)
    case.output.insert(0, ("console", "Attached to process 7.\r\n"))
    case.report = report_of(case)
    assert own_output(case).startswith("summing\nsegv.c:3:39: runtime error")
    assert "AddressSanitizer" not in own_output(case)


def test_a_race_whose_text_is_not_there_yet_is_told_where_it_stands():
    found = report("", "__tsan_on_report", "__tsan_write4")
    assert (found.tool, found.kind, found.file, found.line) == ("ThreadSanitizer", "data race", "/src/shop.c", 2)


def test_a_report_without_text_has_no_place_where_the_innermost_frame_is_not_the_users():
    case = case_of("", BUSY, stop="Use of deallocated memory")
    case.places[0].frame.user = False
    found = report_of(case)
    assert found is not None and (found.file, found.line) == ("", 0)


def test_what_a_cut_off_report_lacks_is_taken_from_the_debuggers_words():
    found = report("==7==ERROR: AddressSanitizer: ", BUSY, stop="Use of deallocated memory")
    assert (found.kind, found.file, found.line) == ("heap-use-after-free", "/src/shop.c", 2)


def test_what_a_report_says_itself_is_not_replaced_by_the_debuggers_words():
    found = report(said("uaf.asan.txt"), BUSY, stop="Heap buffer overflow")
    assert (found.kind, found.line) == ("heap-use-after-free", 14)


def test_of_two_reports_of_a_tool_the_one_about_the_line_is_told():
    other = "/src/shop.c:9:1: runtime error: division by zero\n"
    here = "/src/shop.c:2:1: runtime error: shift exponent 32 is too large for 32-bit type 'int'\n"
    assert report(here + other, "__ubsan_handle_x", "abort").line == 2


def test_of_a_line_without_number_no_report_is_about_the_place():
    case = case_of("<unknown>:0:0: runtime error: division by zero\n")
    case.places[0].frame.line = 0
    assert report_of(case) is None


def test_a_report_is_about_the_file_of_its_name_in_another_folder():
    assert report_of(case_of("C:\\build\\shop.c:2:9: runtime error: division by zero\n")) is not None
    assert report_of(case_of("/src/other.c:2:9: runtime error: division by zero\n")) is None


@pytest.mark.parametrize("stop", ["signal SIGABRT", "Aborted (SIGABRT)"])
def test_an_abort_that_only_the_stops_words_tell_is_about_the_report(stop: str):
    text = "prog: a.c:3: half: Assertion `x > 0' failed.\n"
    assert report_of(case_of(text, stop=stop)) is not None
    assert report_of(case_of(text, stop="signal SIGSEGV")) is None


def test_a_runtimes_frame_behind_the_users_is_no_report_in_the_making():
    case = case_of(said("uaf.asan.txt"))
    case.frames.append(StackFrame(100, BUSY, "", 0, user=False))
    assert report_of(case) is None


def test_without_a_report_all_that_the_program_printed_is_its_own():
    case = case_of("one\ntwo\n")
    case.output.append(("console", "Attached\n"))
    assert own_output(case) == "one\ntwo\n"


def test_the_lines_of_signs_before_a_report_are_no_output_of_the_program():
    case = case_of(f"summing\n=================\n{said('uaf.asan.txt')}", BUSY)
    case.report = report_of(case)
    assert own_output(case) == "summing"


# -- whatever the output is -----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    name=st.sampled_from(FILES),
    begin=st.integers(0, 3000),
    length=st.integers(0, 3000),
    junk=st.text(max_size=20),
    at=st.integers(0, 3000),
)
def test_no_mutilated_report_raises_or_grows(name: str, begin: int, length: int, junk: str, at: int) -> None:
    text = said(name)[begin : begin + length]
    found = report_of(case_of(text[:at] + junk + text[at:], BUSY, "abort"), Words(junk, junk))
    assert found is None or len(found.text) <= MAX_TEXT


@pytest.mark.parametrize("junk", ["x:1: ", "a:1: Assertion `", "#1 ", "thread 'a' panicked at 'x", "F0101 1 a:", " \n"])
def test_a_storm_of_what_looks_like_reports_is_read_in_time(junk: str) -> None:
    report_of(case_of(junk * (60_000 // len(junk)), BUSY, "abort"))
