"""What lets a loop's index reach the value that it has at a stop."""

from __future__ import annotations

import pytest

from dap_ai.agent.case.crash_report import Report
from dap_ai.debuggees.native.analysis.native_loops import NativeLoop, judge, start_of
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder
from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import At, Values, stopped

C, CPP, RUST = "/src/shop.c", "/src/shop.cpp", "/src/shop.rs"
EIGHT = Value("[...]", "std::vector<int>", "list", length=8)
LARGEST = (1 << 64) - 1


def number(text: int, kind: str) -> Value:
    return Value(str(text), kind, "int")


def looped(
    header: str, values: Values, bound: int | None, path: str = C, *, after: str = "", report: Report | None = None
) -> NativeLoop:
    """Judges the loop over `i`, which stands at `use(i)`. It indexes `marks`, which has `bound` elements."""
    draft, spot = stop(header, values, path, after, report)
    write = next(w for w in spot.unit.writes("i", spot.function) if w.role == "loop")
    return judge(draft, spot, write, bound, "marks")


def stop(
    header: str, values: Values, path: str = C, after: str = "", report: Report | None = None
) -> tuple[ReportBuilder, FunctionSpot]:
    head = "fn f(n: usize, v: &V)" if path == RUST else "int f(int n, int last, struct v v)"
    before, _, header = header.rpartition("\n")
    source = f"{head} {{\n    {before}\n    {header} {{\n        use(i);\n        {after}\n    }}\n}}\n"
    case = stopped(source, [At("f", "use(i)", values)], path=path, report=report)
    draft = ReportBuilder(case, case.places[0])
    spot = spot_of(draft.place)
    assert spot is not None
    return draft, spot


@pytest.mark.parametrize(
    ("header", "values", "fault"),
    [
        ("for (int i = 0; i <= n; i++)", {"i": 8, "n": 8}, "one too far"),
        ("for (int i = 0; n >= i; i++)", {"i": 8, "n": 8}, "one too far"),
        ("for (int i = 0; i < n; i++)", {"i": 8, "n": 8}, "none"),
        ("for (int i = 0; n > i; i++)", {"i": 8, "n": 8}, "none"),
        ("for (int i = 0; i != n; i++)", {"i": 8, "n": 8}, "none"),
        ("for (int i = 0; i <= n; i++)", {"i": 9, "n": 8}, "none"),
        ("for (int i = 0; i < n; i++)", {"i": 8, "n": 9}, "limit"),
        ("for (int i = 0; i <= n; i++)", {"i": 9, "n": 9}, "limit"),
        ("for (int i = 0; i < n + 1; i++)", {"i": 8, "n": 8}, "limit"),
        ("for (int i = 0; i < 9; i++)", {"i": 8}, "limit"),
        ("for (int i = 0; i < n; i++)", {"i": 8}, "unknown"),
        ("for (int i = 0; i < n; i++)", {"n": 9}, "unknown"),
        ("for (int i = 9; i > n; i--)", {"i": 8, "n": 0}, "unknown"),
        ("for (int i = 0; ; i++)", {"i": 8}, "no limit"),
        ("for (int i = 0; ; i++)", {"i": 7}, "unknown"),
        ("for (int i = 0; marks[i]; i++)", {"i": 9}, "no limit"),
    ],
)
def test_what_is_wrong_with_a_header_is_told_by_the_values_of_index_and_limit(header: str, values: Values, fault: str):
    assert looped(header, values, 8).fault == fault


@pytest.mark.parametrize("after", ["n = 9;", "n++;", "grow(&n);"])
def test_a_limit_that_the_loop_itself_changes_proves_nothing(after: str):
    assert looped("for (int i = 0; i <= n; i++)", {"i": 8, "n": 8}, 8, after=after).fault == "unknown"


def test_a_limit_that_is_set_before_the_loop_is_taken_as_it_is():
    assert looped("n = 8;\nfor (int i = 0; i <= n; i++)", {"i": 8, "n": 8}, 8).fault == "one too far"


@pytest.mark.parametrize(
    ("limit", "values", "fault"),
    [
        ("v.size()", {"v": EIGHT}, "one too far"),
        ("v.length()", {"v": EIGHT}, "one too far"),
        ("v.capacity()", {"v": EIGHT}, "unknown"),
        ("v.size()", {}, "unknown"),
        ("v.size(n)", {"v": EIGHT, "n": 3}, "unknown"),
        ("size()", {}, "unknown"),
    ],
)
def test_the_length_of_a_container_is_a_limit(limit: str, values: Values, fault: str):
    assert looped(f"for (int i = 0; i <= {limit}; i++)", {"i": 8, **values}, 8, CPP).fault == fault


@pytest.mark.parametrize(
    ("header", "index", "fault"),
    [("for i in 0..=n", 8, "one too far"), ("for i in 0..n", 8, "none"), ("for i in 0..n", 7, "limit")],
)
def test_a_range_of_rust_is_a_header(header: str, index: int, fault: str):
    assert looped(header, {"i": index, "n": 8}, index, RUST).fault == fault


@pytest.mark.parametrize(
    ("kind", "index", "fault"),
    [
        ("size_t", LARGEST, "never below"),
        ("unsigned int", (1 << 32) - 1, "never below"),
        ("unsigned int", 1 << 31, "never below"),
        ("unsigned int", (1 << 31) - 1, "none"),
        ("uint16_t", (1 << 16) - 1, "never below"),
        ("uint8_t", 255, "never below"),
        ("unsigned char", 128, "never below"),
        ("unsigned char", 127, "none"),
        ("unsigned short", 255, "none"),
        ("unsigned long", 1 << 40, "none"),
        ("int", -1, "unknown"),
    ],
)
def test_an_unsigned_index_that_counts_down_has_wrapped_where_its_highest_bit_is_set(kind: str, index: int, fault: str):
    assert looped("for (i = n; i >= 0; i--)", {"i": number(index, kind), "n": 5}, 8).fault == fault


def test_an_index_that_stops_at_1_is_not_called_never_below_0():
    assert looped("for (i = n; i >= 1; i--)", {"i": number(LARGEST, "size_t")}, 8).fault == "unknown"


@pytest.mark.parametrize(
    ("limit", "n", "code"),
    [
        ("n - 1", number(0, "size_t"), "n - 1"),
        ("(n) - 1", number(0, "unsigned int"), "(n) - 1"),
        ("n - 1", number(1, "size_t"), ""),
        ("n - 2", number(0, "size_t"), ""),
        ("n + 1", number(0, "size_t"), ""),
        ("n - 1", number(0, "int"), ""),
        ("n - 1", number(0, "unsigned short"), ""),
        ("n - 1", number(0, "uint8_t"), ""),
    ],
)
def test_a_limit_wraps_around_where_1_is_taken_from_an_unsigned_0(limit: str, n: Value, code: str):
    loop = looped(f"for (i = 0; i < {limit}; i++)", {"i": number(8, "size_t"), "n": n}, 8)
    assert (loop.code if loop.fault == "wraps" else "") == code


def test_a_limit_that_would_wrap_but_is_changed_in_the_loop_proves_nothing():
    values: Values = {"i": number(8, "size_t"), "n": number(0, "size_t")}
    assert looped("for (i = 0; i < n - 1; i++)", values, 8, after="n--;").fault == "unknown"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("is located 0 bytes after 32-byte region", "one too far"),
        ("is located 0 bytes to the right of 32-byte region", "one too far"),
        ("is located 8 bytes after 32-byte region", "limit"),
        ("is located 0 bytes before 32-byte region", "unknown"),
    ],
)
def test_without_a_bound_the_report_says_whether_the_access_is_right_behind(said: str, fault: str):
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", facts=[f"0x5020 {said}"])
    assert looped("for (int i = 0; i <= n; i++)", {"i": 8, "n": 8}, None, report=report).fault == fault


@pytest.mark.parametrize(
    ("header", "after", "is_meant"),
    [
        ("for (int i = 0; i <= n; i++)", "", False),
        ("for (int i = 1; i <= n; i++)", "", True),
        ("for (int i = -1; i <= n; i++)", "", False),
        ("int i = 1;\nfor (; i <= n; i++)", "", True),
        ("for (int i = 0; i <= n; i++)", "marks[n] = 1;", True),
        ("for (int i = 0; i <= n; i++)", "other[n] = 1;", False),
        ("for (int i = 0; i <= last; i++)", "", True),
        ("for (int i = 0; i <= v.high; i++)", "", True),
        ("for (int i = 0; i <= strlen(s); i++)", "", True),
        ("int m = strlen(s);\nfor (int i = 0; i <= m; i++)", "", True),
        ("int m = strlen(s); m = 3;\nfor (int i = 0; i <= m; i++)", "", False),
        ("int m = count(s);\nfor (int i = 0; i <= m; i++)", "", False),
    ],
)
def test_a_last_round_is_meant_where_the_limit_looks_like_an_index(header: str, after: str, is_meant: bool):
    values: Values = {"i": 8, "n": 8, "last": 8, "v.high": 8, "m": 8, "strlen(s)": 8}
    loop = looped(header, values, 8, after=after)
    assert (loop.fault, loop.code, loop.is_meant) == ("one too far", "<=", is_meant)


@pytest.mark.parametrize(
    ("header", "path", "start"),
    [
        ("for (int i = n; i < 9; i++)", C, "n"),
        ("int i = 3;\nfor (; i < 9; i++)", C, "3"),
        ("int i = 3; i = 4;\nfor (; i < 9; i++)", C, "4"),
        ("for (int i = (int)n; i < 9; i++)", C, "n"),
        ("for i in n..9", RUST, "n"),
        ("int i;\nfor (; i < 9; i++)", C, None),
    ],
)
def test_an_index_starts_from_what_the_header_or_the_line_before_it_gives(header: str, path: str, start: str | None):
    _, spot = stop(header, {}, path)
    write = next(w for w in spot.unit.writes("i", spot.function) if w.role == "loop")
    found = start_of(spot, write)
    assert (found.text if found else None) == start
