"""A cause that the source suggests is dropped if values at the stop refute it, and a guess if they do not show it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.protocol.contracts.inspection import ThreadFrame, Value
from tests.unit.debuggees.native.cases import NULL, At, Values, is_firm, line_of, pointer, stopped

C, CPP = "/src/shop.c", "/src/shop.cpp"
WILD = pointer(0x4141, note="not readable")
MARKS = Value("[0, 0, 0, 0, 0, 0]", "int[6]", "array", length=6)


def analysed(*arguments: object, **more: object) -> NativeAnalysis:
    found = analyse(stopped(*arguments, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


def reasons(analysis: NativeAnalysis) -> str:
    return "; ".join(suspect.reason for suspect in analysis.suspects)


class Header(NamedTuple):
    """A loop over `marks`, which has 6 elements, and the values at the stop."""

    code: str
    firm: bool
    index: Value | int = 6
    limit: Value | int = 6
    after: str = ""


def unsigned(number: int, kind: str = "size_t") -> Value:
    return Value(str(number), kind, "int")


@pytest.mark.parametrize(
    "header",
    [
        Header("for (int i = 0; i <= count; i++)", firm=True),
        Header("for (int i = 0; i <= count; i++)", firm=False, index=7, limit=900),
        Header("for (int i = 1; i <= count; i++)", firm=False),
        Header("for (int i = 0; i <= last; i++)", firm=False),
        Header("for (int i = 0; i <= count; i++)", firm=False, after="return marks[count];"),
        Header("for (int i = 0; i < count; i++)", firm=False, limit=24),
        Header("for (int i = 0; i < 24; i++)", firm=True),
        Header("for (size_t i = 0; i < count - 1; i++)", firm=True, limit=unsigned(0)),
        Header("for (long i = 0; i < count - 1; i++)", firm=False, limit=unsigned(0, "uint8_t")),
        Header("for (size_t i = count - 1; i >= 0; i--)", firm=True, index=unsigned((1 << 64) - 1)),
        Header("for (size_t i = count - 1; i >= 0; i--)", firm=False, index=unsigned(99), limit=unsigned(100)),
    ],
)
def test_a_loops_header_is_the_cause_only_where_its_values_let_the_index_through(header: Header):
    source = f"int f(int count, int last) {{\n    {header.code}\n        marks[i] = 0;\n    {header.after}\n}}\n"
    values = {"i": header.index, "count": header.limit, "last": header.limit, "marks": MARKS}
    analysis = analysed(source, [At("f", "marks[i]", values)], address=0x7000_0000)
    assert is_firm(analysis) is header.firm, reasons(analysis)


def test_the_limit_of_a_loop_on_one_line_is_seen():
    source = "void fill(char *into, int n) { for (int i = 0; i < n; i++) into[i] = 'x'; }\n"
    values = {"i": 24, "n": 90, "into": Value("[...]", "char[24]", "array", length=24)}
    report = Report("AddressSanitizer", "stack-buffer-overflow", "", 0x5018, "write", 1, C, 1)
    analysis = analysed(source, [At("fill", "into[i]", values)], signal="", report=report)
    assert "The loop ends at `n` (`90`)." in analysis.sentences
    assert "does not limit" not in reasons(analysis)
    assert not is_firm(analysis)


def test_a_loop_that_copies_the_final_zero_is_not_called_one_too_far():
    source = """\
char *copy(const char *text) {
    size_t length = strlen(text);
    char *made = malloc(length);
    for (size_t i = 0; i <= length; i++)
        made[i] = text[i];
    return made;
}
"""
    values = {"i": 5, "length": 5, "made": pointer(0x5000), "text": "hello"}
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x5005, "write", 1, C, 5)
    analysis = analysed(source, [At("copy", "made[i]", values)], signal="", report=report)
    assert analysis.suspects[0].line == 3, reasons(analysis)
    assert not is_firm(analysis)


def test_a_null_pointer_is_the_cause_and_not_the_large_index_that_is_used_with_it():
    source = "int main(void) {\n    char *big = malloc(count);\n    big[at] = 'x';\n}\n"
    values = {"big": NULL, "at": 40_000_000, "count": 1 << 50}
    analysis = analysed(source, [At("main", "big[at]", values)], address=40_000_000)
    assert analysis.kind == "null dereference"


@pytest.mark.parametrize(
    ("body", "firm"),
    [
        ("free(p);", True),
        ("if (mode == 1) free(p);", True),
        ("if (mode == 2) free(p);", False),
        ("if (other()) free(p);", False),
        ("if (other()) { free(p); return 0; }", False),
        ("p = realloc(p, 10);", False),
        ("free(p); p = make();", False),
        ("free(p->nex);", False),
        ("release(p);", False),
    ],
)
def test_a_free_is_the_cause_only_where_it_has_run_and_freed_what_fails(body: str, firm: bool):
    source = f"""\
void release(struct a *p) {{ if (--p->refs == 0) free(p); }}
int f(struct a *p, int mode) {{
    {body}
    return p->next->x;
}}
"""
    values: Values = {"p": pointer(0x5000), "mode": 1, "p->next": WILD}
    analysis = analysed(source, [At("f", "p->next->x", values)], address=0x4141)
    assert is_firm(analysis) is firm, reasons(analysis)
    assert (analysis.kind == "use after free") is firm


@pytest.mark.parametrize(("address", "kind"), [(0x7F0000001010, "use after free"), (0x4141, "crash")])
def test_a_freed_pointer_is_unreadable_itself_only_where_its_block_was_mapped_alone(address: int, kind: str):
    source = "int f(struct a *p) {\n    free(p);\n    return p->x;\n}\n"
    values = {"p": pointer(address, note="not readable")}
    assert analysed(source, [At("f", "p->x", values)], address=address).kind == kind


@pytest.mark.parametrize(
    ("code", "value", "kind"),
    [
        ("int at;", 32767, "uninitialised"),
        ("int at;\n    if (mode == 2) at = 3;", 32767, "uninitialised"),
        ("int at;\n    if (mode == 1) at = 32767;", 32767, "overflow"),
        ("int at;\n    if (other()) at = 3;", 32767, "overflow"),
        ("int at;\n    in >> at;", 32767, "overflow"),
        ("int at;\n    read_it(at);", 32767, "overflow"),
    ],
)
def test_a_variable_is_called_unset_only_where_nothing_can_have_set_it(code: str, value: int, kind: str):
    source = f"void read_it(int &to) {{ to = 1; }}\nint f(int mode) {{\n    {code}\n    return marks[at];\n}}\n"
    values = {"at": value, "mode": 1, "marks": MARKS}
    analysis = analysed(source, [At("f", "marks[at]", values)], address=0x7000_0000, path=CPP)
    assert analysis.kind == kind, reasons(analysis)
    assert is_firm(analysis) is (kind == "uninitialised" or "= 32767" in code), reasons(analysis)


def test_a_line_that_set_a_name_to_another_value_than_it_has_now_is_not_blamed():
    source = "int f(int start) {\n    int at = start;\n    *here(&at) += 9;\n    return marks[at];\n}\n"
    values = {"at": 90, "start": 1, "marks": MARKS}
    analysis = analysed(source, [At("f", "marks[at]", values)], address=0x7000_0000)
    assert analysis.suspects[0].line == 3, reasons(analysis)
    assert not is_firm(analysis)


def test_what_a_later_line_has_overwritten_is_not_blamed_for_a_null():
    source = """\
int next(int number) {
    auto now = std::make_unique<job>();
    kept = std::move(now);
    now = find(number);
    return now->pages;
}
"""
    now = Value("null", "std::unique_ptr<job>", "smart", note="null")
    analysis = analysed(source, [At("next", "now->pages", {"now": now})], address=0, path=CPP)
    assert analysis.suspects[0].line == 4, reasons(analysis)


def test_a_function_that_looks_first_has_not_taken_an_element_of_an_empty_container():
    source = """\
struct line {
    job *first() {
        if (jobs.empty()) return nullptr;
        return jobs.front();
    }
    int pages() { return first()->pages; }
};
"""
    jobs = Value("[]", "std::vector<job *>", "list", length=0)
    analysis = analysed(source, [At("line::pages", "int pages()", {"this->jobs": jobs})], address=0, path=CPP)
    assert "without a look" not in reasons(analysis)


@pytest.mark.parametrize(("label", "blamed"), [("abcdefgh", True), ("abc", False)])
def test_a_copy_that_its_array_had_room_for_has_not_smashed_the_stack(label: str, blamed: bool):
    source = "int f(char *text) {\n    char label[8];\n    memset(label, 0, sizeof label);\n    strcpy(label, text);\n    return 1;\n}\n"
    report = Report("libc", "stack smashing detected", "stack smashing detected")
    values = {"label": Value(f'"{label}"', "char[8]", "str", length=len(label))}
    analysis = analysed(source, [At("f", "return 1", values)], signal="SIGABRT", report=report)
    assert (4 in [s.line for s in analysis.suspects if s.score > 0.5]) is blamed
    assert "memset" not in reasons(analysis)


def test_a_block_that_a_pointers_size_makes_larger_is_not_too_small_for_that():
    source = "void f(int n) {\n    int *row = malloc(n * sizeof(int *));\n    row[at] = 1;\n}\n"
    stacks = [Stack("WRITE of size 4", [ThreadFrame("f", C, 3)]), Stack("allocated by", [ThreadFrame("f", C, 2)])]
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x5030, "write", 4, C, 3, stacks)
    analysis = analysed(source, [At("f", "row[at]", {"at": 9, "n": 4, "row": pointer(0x5000)})], report=report)
    assert "size of a pointer" not in reasons(analysis)


def test_a_copy_that_reads_too_far_is_not_said_to_write_too_far():
    source = "int main(void) {\n    char code[4];\n    strcpy(label, code);\n}\n"
    report = Report("AddressSanitizer", "stack-buffer-overflow", "", 0x5004, "read", 5, C, 3)
    analysis = analysed(source, [At("main", "strcpy", {})], signal="", report=report)
    assert reasons(analysis).startswith("`strcpy` reads beyond the end of `code`")
    assert line_of(source, "strcpy") == analysis.suspects[0].line


@pytest.mark.parametrize(
    ("second", "score"), [(pointer(0x5000), 0.8), (pointer(0x6000), 0.0), (Value("?", "char *", "pointer"), 0.5)]
)
def test_an_earlier_call_freed_the_pointer_only_where_it_was_given_the_same(second: Value, score: float):
    source = "void drop(char *p) { free(p); }\nint main(void) {\n    char *a, *b;\n    drop(b);\n    drop(a);\n}\n"
    report = Report("libc", "double free", "free(): double free detected in tcache 2")
    frames = [
        At("drop", "free(p)", {"p": pointer(0x5000)}),
        At("main", "drop(a)", {"a": pointer(0x5000), "b": second}),
    ]
    analysis = analysed(source, frames, signal="SIGABRT", report=report)
    assert max((s.score for s in analysis.suspects if s.line == 4), default=0.0) == score


DEPTH = """\
int depth(int *parent, int node) {
    if (parent[node] < 0) return 0;
    return 1 + depth(parent, parent[node]);
}
int main(void) {
    return depth(parents, 2);
}
"""


def deep(
    source: str, code: str, values: list[dict[str, Value | int]], outermost: Values | None = None
) -> NativeAnalysis:
    """Of the same recursion the innermost calls, and the outermost one with main's frame, with nothing read between."""
    outer = [At("depth", code, outermost), At("main", "return depth")] if outermost else []
    case = stopped(source, [*(At("depth", code, each) for each in values), *outer], address=0x7FFF0000)
    if outer:
        case.frames, case.outermost, case.total_frames = case.frames[:-2], case.frames[-2:], 9000
    case.frames += [replace(case.frames[-1], id=100 + n) for n in range(60)]
    found = analyse(case)
    assert found is not None and found.kind == "stack overflow"
    return found


def test_a_circle_of_three_is_told_whole_though_the_outermost_call_stands_elsewhere_in_it():
    calls = [{"parent": pointer(0x5000), "node": node} for node in (3, 2, 4, 3, 2, 4)]
    analysis = deep(DEPTH, "return 1", calls, {"parent": pointer(0x5000), "node": 2})
    said = " ".join(analysis.sentences)
    assert "`node` repeats every 3 calls: `4`, `2`, `3`, and again." in said
    assert "no `if`" not in said and "no way" not in said
    assert not is_firm(analysis)
    assert [s.line for s in analysis.suspects] == [3, 2]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([3, 2], ""),
        ([5, 4, 9, 2], ""),
        ([5, 4, 4, 2], ""),
        ([9, 4, 2], "`n` grows from call to call: `2`, `4`, `9`."),
        ([1, 2, 3], "`n` falls from call to call: `3`, `2`, `1`."),
    ],
)
def test_an_argument_grows_or_falls_where_all_of_at_least_three_calls_say_so(numbers: list[int], said: str):
    source = "int depth(int n) {\n    if (n == 0)\n        return 0;\n    return depth(n + 1);\n}\n"
    analysis = deep(source, "return depth", [{"n": n} for n in numbers])
    assert [s for s in analysis.sentences if "`n`" in s] == ([said] if said else [])
    assert not is_firm(analysis)


@pytest.mark.parametrize(
    ("body", "firm"),
    [
        ("return depth(n + 1);", True),
        ("int m = n; return depth(m + 1) + 1;", True),
        ("if (n < 0) return 0; return depth(n + 1);", False),
        ("return n < 0 ? 0 : depth(n + 1);", False),
        ("return n < 0 || depth(n + 1);", False),
        ("check(n); return depth(n + 1);", False),
        ("while (n) { depth(n + 1); } return 0;", False),
        ("if (n < 0) return 0; return depth(n);", False),
        ("if (n < 0) m = 0; return depth(n);", True),
    ],
)
def test_a_recursion_is_the_cause_for_sure_where_the_function_has_no_way_out(body: str, firm: bool):
    source = f"int depth(int n) {{\n    {body} // here\n}}\n"
    analysis = deep(source, "here", [{"n": n} for n in range(6, 0, -1)])
    assert is_firm(analysis) is firm, reasons(analysis)
    assert any("no way to return" in sentence for sentence in analysis.sentences) is firm


@pytest.mark.parametrize(
    ("test", "passed", "firm"),
    [("n == 0", "n", True), ("n == limit", "n", False), ("done(n)", "n", False), ("n == 0", "n * 1", True)],
)
def test_an_argument_that_stays_is_the_cause_for_sure_where_nothing_else_decides(test: str, passed: str, firm: bool):
    source = f"int depth(int n) {{\n    if ({test})\n        return 0;\n    return depth({passed});\n}}\n"
    assert is_firm(deep(source, "return depth", [{"n": 3}] * 5)) is firm


def test_of_two_functions_that_call_each_other_each_is_told_with_the_one_that_it_calls():
    source = """\
int even(int n) {
    return n == 0 ? 1 : odd(n - 1);
}
int odd(int n) {
    return n == 0 ? 0 : even(n - 1);
}
"""
    frames = [At("odd", ": even(", {"n": n}) if n % 2 else At("even", "odd(", {"n": n}) for n in range(60)]
    analysis = analysed(source, frames, address=0x7FFF0000)
    assert [(link.function, link.name) for link in analysis.chain] == [("odd", "even"), ("even", "odd")]
    assert {s.line: s.reason for s in analysis.suspects}[5] == "calls `even` again"
    assert "`n` falls from call to call: `4`, `2`, `0`." in analysis.sentences


def test_an_if_that_neither_returns_nor_holds_the_call_is_not_said_to_end_the_recursion():
    source = """\
int depth(int n) {
    if (loud) n = 0;
    if (n < 0) return 0;
    if (n > 3) {
        depth(n + 1); // here
    }
}
"""
    assert [s.line for s in deep(source, "here", [{"n": n} for n in (3, 2, 1)]).suspects] == [5, 3, 4]


def test_who_may_close_a_circle_of_pointers_is_a_guess():
    source = """\
int depth(struct d *d) {
    return d->parent == NULL ? 0 : 1 + depth(d->parent);
}
int main(void) {
    a.parent = &b;
    return depth(&a);
}
"""
    analysis = deep(source, "1 + depth", [{"d": pointer(0x5000 + n % 2 * 16)} for n in range(6)])
    assert analysis.suspects[0].line == line_of(source, "a.parent") and not is_firm(analysis)


def test_a_line_that_only_lets_through_what_another_made_is_a_guess():
    source = "int share(int all, int n) {\n    return all / n;\n}\n"
    divided = analysed(source, [At("share", "all / n", {"all": 12, "n": 0})], signal="SIGFPE")
    assert divided.suspects[0].reason == "divides by `n` without looking whether it is 0" and not is_firm(divided)
    report = Report("terminate", "std::out_of_range", "no three", file=CPP, line=2)
    source = 'int get(int n) {\n    if (n > 2) throw std::out_of_range("no");\n    return n;\n}\n'
    thrown = analysed(source, [At("get", "throw", {"n": 3})], signal="SIGABRT", report=report, path=CPP)
    assert thrown.suspects[0].reason == "throws an exception that nothing catches" and not is_firm(thrown)


def test_each_number_of_an_index_that_is_computed_is_followed():
    source = """\
int Grid::at(int x, int y) { return cells.at(y * w + x); }
int total(Grid &g) {
    for (int y = 0; y <= g.h; y++)
        g.at(0, y);
}
"""
    cells = Value("[...]", "std::vector<int>", "list", length=12)
    inner = At("Grid::at", "cells.at", {"x": 0, "y": 3, "w": 4, "y * w + x": 12, "cells": cells})
    report = Report("terminate", "std::out_of_range", "vector::_M_range_check", file=CPP, line=1)
    outer = At("total", "g.at", {"y": 3, "g.h": 3})
    analysis = analysed(source, [inner, outer], signal="SIGABRT", report=report, path=CPP)
    assert "the loop lets `y` become 3" in reasons(analysis) and "`x`" not in reasons(analysis)


def test_a_function_of_c_that_is_named_like_rusts_drop_frees_nothing_by_its_name():
    source = "void f(struct buf *b) {\n    drop(b);\n    free(b); // again\n}\n"
    report = Report("libc", "double free", "free(): double free detected in tcache 2")
    analysis = analysed(source, [At("f", "again", {"b": pointer(0x5000)})], signal="SIGABRT", report=report)
    assert analysis.sentences[0] == "`b` is freed a second time."
    assert not any(link.words == "frees" for link in analysis.chain) and not is_firm(analysis)


@pytest.mark.parametrize(
    ("stored", "blamed"),
    [
        ("l->next->next = NULL;", False),
        ("if (l) l->next = NULL;", True),
        ("note(l->next);", True),
        ("l = pop(l);", False),
    ],
)
def test_what_was_stored_through_was_not_null_and_its_maker_is_not_blamed(stored: str, blamed: bool):
    source = f"""\
int main(void) {{
    struct item *l;
    l = push(1);
    {stored}
    for (int i = 0; i < 3; i++) {{ sum += l->id; l = l->next; }}
}}
"""
    analysis = analysed(source, [At("main", "for", {"l": NULL, "i": 2})], address=0)
    assert analysis.suspects[0].reason == "goes on to `l->next`, which is null at the end"
    assert ("what `push` returns" in reasons(analysis)) is blamed
