"""What the analysis reads from values, source texts and the stack of a native stop."""

from __future__ import annotations

import pytest

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot
from dap_ai.debuggees.native.analysis.native_analysis import failing
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    brief,
    callee,
    integer,
    is_broken,
    is_null,
    names_of,
    number_of,
    root_of,
    short_name,
    shown,
    unqualified,
)
from dap_ai.protocol.contracts.inspection import ThreadFrame, Value
from tests.unit.debuggees.native.cases import NULL, At, pointer, stopped

CHAIN = "int inner(int n) {\n    return n;\n}\nint outer(int n) {\n    return inner(n);\n}\n"
FRAMES = [At("inner", "return n;", {"n": 3}), At("outer", "inner(n);", {"n": 3})]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10), ("0", 0), ("-4", -4), ("0x1f", 31), ("1_000", 1000), ("1'000", 1000), ("3u", 3), ("3ULL", 3),
        ("3lu", 3), ("5i32", 5), ("7usize", 7), ("010", None), ("n", None), ("1.5", None), ("", None), ("1 + 2", None),
    ],
)  # fmt: skip
def test_a_literal_is_an_integer_as_its_language_reads_it(text: str, number: int | None):
    assert integer(text) == number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (Value("42", "int", "int"), 42),
        (Value("-42", "int", "int"), -42),
        (Value("0x10", "int", "int"), 16),
        (Value("97 'a'", "char", "char"), 97),
        (Value("RED (2)", "enum colour", "enum"), 2),
        (Value("RED", "enum colour", "enum"), None),
        (Value("007", "int", "int"), None),
        (Value("2.5", "double", "float"), None),
        (Value('"12"', "char *", "str"), None),
        (pointer(0x5000), None),
        (None, None),
    ],
)
def test_a_value_is_a_number_where_its_kind_is_one(value: Value | None, number: int | None):
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("value", "null", "broken"),
    [
        (NULL, True, False),
        (Value("None", "Option<u8>", "none"), True, False),
        (Value("nullptr", "int *", "pointer"), True, False),
        (Value("0x0", "int *", "pointer"), True, False),
        (Value("?", "int *", "pointer"), False, False),
        (pointer(0x5000), False, False),
        (pointer(0x5000, note="not readable"), False, True),
        (Value("0x41", "T", "smart", note="not readable"), False, True),
        (Value("0", "int", "int", note="not readable"), False, False),
        (None, False, False),
    ],
)
def test_a_pointer_is_null_or_leads_nowhere_and_a_number_is_neither(value: Value | None, null: bool, broken: bool):
    assert (is_null(value), is_broken(value)) == (null, broken)


@pytest.mark.parametrize(
    ("name", "short", "last"),
    [
        ("main", "main", "main"),
        ("Queue::last(int) const", "Queue::last", "last"),
        ("::shop::total", "shop::total", "total"),
        ("shop::total::h0123456789abcdef", "shop::total", "total"),
        ("Stack<std::pair<int, int>>::push(int const&)", "Stack<std::pair<int, int>>::push", "push"),
        ("int *first(int)", "int *first", "first"),
    ],
)
def test_a_function_is_named_without_its_parameters_and_rusts_hash(name: str, short: str, last: str):
    assert (short_name(name), unqualified(name)) == (short, last)


@pytest.mark.parametrize(
    ("code", "called", "names"),
    [
        ("f(a, b->c, a)", "f", ["f", "a", "b->c"]),
        ("p->items.push(v[i])", "push", ["p->items.push", "v[i]"]),
        ("std::max<int>(a, 3)", "max", ["a"]),
    ],
)
def test_a_call_has_its_functions_name_and_the_whole_names_that_it_reads(code: str, called: str, names: list[str]):
    case = stopped(f"void g(int a) {{\n    {code};\n}}\n", [At("g", code)], path="/src/shop.cpp")
    call = ReportBuilder(case, case.places[0]).calls[0]
    assert (callee(call), names_of(call)) == (called, names)


def test_a_value_is_cited_without_what_its_note_or_its_target_repeats():
    target = Value("0x5000 -> {n=3}", "struct a *", "pointer", address=0x5000)
    assert shown(Value("null", "int *", "pointer", note="null")) == "null"
    assert brief(target) == "0x5000"
    assert brief(Value("a -> b", "char *", "str")) == "a -> b"


@pytest.mark.parametrize(
    ("paths", "cwd", "reported", "root"),
    [
        (["/home/ann/shop/a.c", "/home/ann/shop/lib/b.c"], "", "", "/home/ann/shop"),
        (["/home/ann/shop/a.c", "/home/ann/shop/lib/b.c"], "/home/ann", "", "/home/ann"),
        (["/home/ann/a.c", "/home/bob/b.c"], "", "", "/home/ann"),
        (["/home/ann/shop/a.c", "b.c"], "", "", "/home/ann/shop"),
        (["/home/ann/shop/src/a.c"], "", "/home/ann/shop/lib/b.c", "/home/ann/shop"),
        (["/home/ann/shop/src/a.c"], "", "", "/home/ann/shop/src"),
    ],
)
def test_shown_paths_are_relative_to_the_folder_that_the_programs_sources_share(
    paths: list[str], cwd: str, reported: str, root: str
):
    case = stopped(CHAIN, FRAMES[: len(paths)])
    case.inspection.cwd = cwd
    for place, path in zip(case.places, paths, strict=True):
        place.frame.path = path
    case.report = Report("assert", "assertion", "n", file=reported)
    assert root_of(case) == root


def test_sources_of_libraries_do_not_count_for_the_folder_of_the_program():
    case = stopped(CHAIN, FRAMES)
    case.places[0].frame.path, case.places[0].frame.user = "/home/ann/lib/a.c", False
    case.places[1].frame.path = "/home/ann/shop/b.c"
    assert root_of(case) == "/home/ann/shop"
    case.places[1].source = None
    assert root_of(case) == ""


def test_the_caller_of_a_frame_is_the_next_of_the_user_across_the_librarys():
    case = stopped(CHAIN, FRAMES)
    case.frames.insert(1, StackFrame(50, "qsort", "", 0, user=False))
    draft = ReportBuilder(case, case.places[0])
    assert draft.caller_of(case.places[0]) is case.places[1]
    assert draft.caller_of(case.places[1]) is None
    case.places[1].source = None
    assert draft.caller_of(case.places[0]) is None


# -- the analysis that is built -------------------------------------------------------------------------------------


def builder(case: StopSnapshot | None = None) -> ReportBuilder:
    case = case or stopped(CHAIN, FRAMES)
    return ReportBuilder(case, case.places[0])


def suspects(draft: ReportBuilder) -> list[tuple[int, float, str]]:
    return [(s.line, s.score, s.reason) for s in draft.done().suspects]


def test_of_several_reasons_against_a_line_the_strongest_is_told():
    draft = builder()
    for score, reason in ((0.4, "weak"), (0.7, "strong"), (0.7, "as strong"), (0.5, "middling")):
        draft.suspect(5, score, reason)
    assert suspects(draft) == [(5, 0.7, "strong"), (2, 0.3, "the line that failed")]


def test_the_same_line_of_another_file_is_another_suspect():
    draft = builder()
    draft.suspect(5, 0.7, "here")
    draft.suspect(5, 0.8, "there", "/src/other.c")
    assert [(s.file, s.reason) for s in draft.done().suspects[:2]] == [
        ("/src/other.c", "there"),
        ("/src/shop.c", "here"),
    ]


def test_what_has_no_line_is_no_suspect():
    draft = builder()
    draft.suspect(0, 0.9, "somewhere")
    assert suspects(draft) == [(2, 0.3, "the line that failed")]


def test_at_a_plain_stop_the_line_is_no_suspect():
    assert suspects(builder(stopped(CHAIN, FRAMES, signal=""))) == []


def test_after_a_report_the_line_is_a_suspect_without_a_signal():
    report = Report("assert", "assertion", "n")
    assert suspects(builder(stopped(CHAIN, FRAMES, signal="", report=report))) == [(2, 0.3, "the line that failed")]


@pytest.mark.parametrize(("score", "is_unchecked"), [(0.8, True), (0.5, False)])
def test_a_missing_check_is_a_guess_only_while_no_stronger_reason_stands(score: float, is_unchecked: bool):
    draft = builder()
    draft.suspect(2, 0.6, "computes it")
    draft.lets_through(score, "does not look")
    assert draft.done().unchecked == ({("/src/shop.c", 2)} if is_unchecked else set())


def test_advice_a_step_and_a_value_are_told_once_each():
    draft = builder()
    for _ in range(2):
        draft.advise("Look.")
        draft.cite("n")
        draft.cite("unread")
        draft.cite("n", draft.case.places[1])
        draft.link("/src/shop.c", 2, "sets", "n", "inner")
    found = draft.done()
    assert (found.advice, len(found.chain)) == (["Look."], 1)
    assert [(c.expression, c.place.frame.name) for c in found.cited] == [("n", "inner"), ("n", "outer")]


def test_code_is_told_with_its_value_only_where_that_says_more():
    draft = builder()
    assert (draft.code("n"), draft.code("m"), draft.aside("n")) == ("`n` is `3`", "`m`", "`n` (`3`)")
    assert [c.expression for c in draft.done().cited] == ["n"]
    assert (draft.number("7"), draft.number("n"), draft.number("m")) == (7, 3, None)


def test_a_line_of_another_file_is_quoted_from_there_and_shown_with_its_file():
    draft = builder()
    draft.case.sources.add("/src/other.c", "first\n  second;\n")
    assert (draft.line_text(2, "/src/other.c"), draft.line_text(2)) == ("second;", "return n;")
    assert (draft.spot(2, "/src/other.c"), draft.spot(2)) == ("`other.c:2`", "`shop.c:2`")


# -- which frame is explained ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "line", "name"),
    [
        ("shop.c", 5, "outer"),
        ("/build/shop.c", 5, "outer"),
        ("/src/other.c", 5, "inner"),
        ("shop.c", 9, "inner"),
        ("shop.c", 0, "inner"),
    ],
)
def test_the_frame_at_the_reports_line_is_explained_else_the_innermost_of_the_user(file: str, line: int, name: str):
    case = stopped(CHAIN, FRAMES, signal="", report=Report("assert", "assertion", "n", file=file, line=line))
    place = failing(case)
    assert place is not None and place.frame.name == name


def test_a_frame_of_a_library_is_not_explained():
    case = stopped(CHAIN, FRAMES)
    case.places[0].frame.user = False
    place = failing(case)
    assert place is not None and place.frame.name == "outer"


@pytest.mark.parametrize(("file", "line"), [("/src/shop.c", 5), ("/src/gone.c", 0)])
def test_without_a_frame_of_the_user_the_reports_innermost_line_with_source_is_explained(file: str, line: int):
    stack = Stack("allocated", [ThreadFrame("malloc", "", 0), ThreadFrame("outer", file, 5)])
    case = stopped(CHAIN, FRAMES, signal="", report=Report("LeakSanitizer", "leak", "", stacks=[stack]))
    for place in case.places:
        place.frame.user = False
    place = failing(case)
    assert (place.frame.line if place else 0) == line
