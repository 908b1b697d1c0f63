"""What the values at a stop say of lines before it: whether one has run, and whether a name has its value from there."""

from __future__ import annotations

import pytest

from dap_ai.agent.source.parsed import NameWrite
from dap_ai.debuggees.native.analysis.reachability import FunctionSpot, amount, reaching, spot_of
from dap_ai.debuggees.native.analysis.report_builder import ReportBuilder
from dap_ai.debuggees.native.analysis.stop_evaluation import gives, has_run, never_set, truth
from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import NULL, At, Values, line_of, pointer, stopped

ON, OFF = Value("true", "bool", "bool"), Value("false", "bool", "bool")
VALUES: Values = {
    "n": 3, "zero": 0, "at": 3, "p": pointer(0x5000), "same": pointer(0x5000), "other": pointer(0x6000), "q": NULL,
    "on": ON, "off": OFF, "global": 3,
}  # fmt: skip
HEAD = (
    "int f(int n, int zero, int unread, struct a *p, struct a *same, struct a *other, struct a *q, bool on, bool off)"
)


def stop(body: str, path: str = "/src/shop.c", before: str = "") -> tuple[ReportBuilder, FunctionSpot]:
    """A stop at the line with `stop()`, or at the last line that holds it."""
    source = f"{before}{HEAD} {{\n{body}\n}}\n"
    case = stopped(source, [At("f", "stop()", VALUES)], path=path)
    draft = ReportBuilder(case, case.places[0])
    spot = spot_of(draft.place)
    assert spot is not None
    return draft, spot


CONDITIONS = [
    ("n", True), ("zero", False), ("!n", False), ("!zero", True), ("unread", None), ("!unread", None),
    ("p", True), ("q", False), ("on", True), ("off", False), ("(n)", True), ("((n == 3) && p)", True),
    ("n && p", True), ("n && zero", False), ("zero && unread", False), ("unread && zero", False), ("n && unread", None),
    ("n || unread", True), ("unread || n", True), ("zero || unread", None), ("zero || off", False),
    ("n == 3", True), ("n != 3", False), ("n > 3", False), ("n >= 3", True), ("n + 1 == 4", True), ("n - 1 < 2", False),
    ("n * 2 == 6", True), ("n / 1 == 3", None), ("unread == 3", None), ("3 < unread", None),
    ("p == NULL", False), ("q == NULL", True), ("NULL == q", True), ("p != NULL", True), ("q != 0", False),
    ("p > NULL", None), ("f(n)", None), ("global == 3", None), ("(unsigned)n == 3", True),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "ran"), CONDITIONS)
def test_a_line_has_run_where_the_condition_around_it_holds_and_is_unknown_where_a_value_is(
    condition: str, ran: bool | None
):
    draft, spot = stop(f"    if ({condition})\n        hit();\n    stop();")
    assert has_run(draft, spot, 3) is ran


@pytest.mark.parametrize(("condition", "ran"), [("n", False), ("zero", True), ("unread", None)])
def test_a_line_of_an_else_has_run_where_the_condition_does_not_hold(condition: str, ran: bool | None):
    draft, spot = stop(f"    if ({condition})\n        miss();\n    else\n        hit();\n    stop();")
    assert has_run(draft, spot, 5) is ran


@pytest.mark.parametrize(
    ("body", "ran"),
    [
        ("    hit();\n    stop();", True),
        ("    stop();\n    hit();", None),
        ("    hit(); stop();", None),
        ("    n = 4;\n    if (n)\n        hit();\n    stop();", True),
        ("    if (n)\n        hit();\n    n = 4;\n    stop();", None),
        ("    if (n)\n        hit();\n    n++;\n    stop();", None),
        ("    change(&n);\n    if (n)\n        hit();\n    stop();", None),
        ("    for (;;) {\n    if (n)\n        hit();\n    stop(); n = 4; }", None),
        ("    for (;;) {\n    n = 4;\n    if (n)\n        hit();\n    stop(); }", True),
        ("    if (unread)\n        hit();\n    else\n        stop();", False),
        ("    if (unread) {\n        hit();\n    } else if (n) {\n        stop();\n    }", False),
        ("    if (n) {\n    if (n)\n        hit();\n        stop(); }", True),
        ("    for (;;) {\n    if (unread)\n        hit();\n    else\n        stop(); }", None),
        ("    if (n)\n        if (zero)\n        hit();\n    stop();", False),
        ("    if (unread)\n        if (zero)\n        hit();\n    stop();", False),
        ("    if (unread)\n        if (n)\n        hit();\n    stop();", None),
    ],
)
def test_a_line_counts_as_run_only_while_its_conditions_names_keep_their_values(body: str, ran: bool | None):
    draft, spot = stop(body)
    assert has_run(draft, spot, line_of(spot_text(draft), "hit();")) is ran


def spot_text(draft: ReportBuilder) -> str:
    source = draft.place.source
    assert source is not None
    return source.text


def test_of_a_function_that_has_returned_no_condition_is_known():
    draft, spot = stop("    if (n)\n        hit();\n    stop();")
    gone = FunctionSpot(spot.path, spot.unit, spot.function, spot.line)
    assert has_run(draft, gone, 3) is None


@pytest.mark.parametrize(
    ("given", "agrees"),
    [
        ("n", True), ("zero", False), ("unread", None), ("n + 0", True), ("n + 1", False), ("count(n)", True),
        ("n = 3", True), ("global", None), ("p", None), ("(int)n", True),
    ],
)  # fmt: skip
def test_a_number_is_from_a_line_where_what_the_line_gave_is_that_number_still(given: str, agrees: bool | None):
    draft, spot = stop(f"    int at;\n    at = {given};\n    stop();")
    assert gives(draft, spot, assignment(spot, "at")) is agrees


@pytest.mark.parametrize(("given", "agrees"), [("p", True), ("other", False), ("n", None), ("unread", None)])
def test_a_pointer_is_from_a_line_where_what_the_line_gave_has_the_same_address(given: str, agrees: bool | None):
    draft, spot = stop(f"    struct a *same;\n    same = {given};\n    stop();")
    assert gives(draft, spot, assignment(spot, "same")) is agrees


@pytest.mark.parametrize("later", ["n = 4;", "n++;", "change(&n);"])
def test_what_a_line_gave_is_unknown_where_it_may_have_changed_since(later: str):
    draft, spot = stop(f"    int at;\n    at = n;\n    {later}\n    stop();")
    assert gives(draft, spot, assignment(spot, "at")) is None


@pytest.mark.parametrize("given", ["n", "count(n)"])
def test_what_a_line_of_a_function_that_has_returned_gave_is_unknown(given: str):
    draft, spot = stop(f"    int at;\n    at = {given};\n    stop();")
    gone = FunctionSpot(spot.path, spot.unit, spot.function, spot.line)
    assert gives(draft, gone, assignment(spot, "at")) is None


def assignment(spot: FunctionSpot, name: str) -> NameWrite:
    return next(w for w in spot.unit.writes(name, spot.function) if w.role == "assigned")


LOOKS = "void look(int of) { }\nvoid keep(const int &of) { }\nvoid fill(int &to) { }\nvoid some(int n, ...) { }\n"


@pytest.mark.parametrize(
    ("code", "unset", "path"),
    [
        ("", True, "/src/shop.cpp"),
        ("look(at);", True, "/src/shop.cpp"),
        ("keep(at);", True, "/src/shop.cpp"),
        ("fill(at);", None, "/src/shop.cpp"),
        ("some(n, at);", None, "/src/shop.cpp"),
        ("unknown(at);", None, "/src/shop.cpp"),
        ("in >> at;", None, "/src/shop.cpp"),
        ("n = n >> zero;", True, "/src/shop.cpp"),
        ("unknown(at);", True, "/src/shop.c"),
        ("SET(at);", None, "/src/shop.c"),
        ("free(at);", True, "/src/shop.cpp"),
        ("n = sizeof(at);", True, "/src/shop.cpp"),
        ("at = 3;", False, "/src/shop.c"),
        ("if (zero) at = 3;", True, "/src/shop.c"),
        ("if (unread) at = 3;", None, "/src/shop.c"),
        ("if (zero) at = 3;\n    if (n) at = 4;", False, "/src/shop.c"),
        ("if (zero) at = 3;\n    if (unread) at = 4;", None, "/src/shop.c"),
    ],
)
def test_a_variable_is_never_set_where_no_line_that_has_run_sets_it_or_hands_it_out(
    code: str, unset: bool | None, path: str
):
    draft, spot = stop(f"    int at;\n    {code}\n    stop();\n    unknown(at);", path, LOOKS)
    writes = spot.unit.writes("at", spot.function)
    declared = next(w for w in writes if w.role == "declared")
    sets = [w for w in writes if w.role == "assigned"]
    assert never_set(draft, spot, declared, sets) is unset


def test_in_a_function_that_has_returned_a_line_may_have_set_a_variable():
    draft, spot = stop("    int at;\n    if (zero) at = 3;\n    stop();")
    writes = spot.unit.writes("at", spot.function)
    gone = FunctionSpot(spot.path, spot.unit, spot.function, spot.line)
    assert never_set(draft, gone, writes[0], writes[1:]) is None


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("    n = 1;\n    n = 2;\n    stop();\n    n = 4;", [3, 2, 1]),
        ("    for (;;) {\n    n = 1;\n    stop();\n    n = 4; }", [3, 1, 5]),
        ("    n = stop();", [1, 2]),
        ("    int at = stop();", [1]),
        ("    n++;\n    stop();", [2, 1]),
        ("    n = 1;\n    if (on) { n = 7; return 0; }\n    stop();", [3, 2, 1]),
    ],
)
def test_what_reaches_a_line_is_nearest_first_and_later_lines_only_through_a_loop(body: str, lines: list[int]):
    _, spot = stop(body)
    assert [w.line for w in reaching(spot.unit, spot.function, "n", spot.line)] == lines


@pytest.mark.parametrize(
    ("code", "number"),
    [("n", 3), ("n + 4", 7), ("n - 4", -1), ("n * n", 9), ("n / 3", None), ("n + unread", None), ("unread - n", None),
     ("2", 2), ("-n", None), ("(long)(n + 1)", 4), ("(long)n + 1", 4), ("q + 1", None)],
)  # fmt: skip
def test_an_amount_is_computed_of_numbers_that_are_known(code: str, number: int | None):
    draft, _ = stop(f"    at = {code}; stop();")
    assert amount(draft, draft.expressions[0].parts[1]) == number


def test_a_condition_is_evaluated_in_the_frame_that_it_is_asked_for():
    draft, spot = stop("    if (n)\n    stop();")
    condition = spot.unit.expressions_at(2)[0]
    case = stopped("int g(int n) {\n    stop();\n}\n", [At("g", "stop()", {"n": 0})])
    assert truth(draft, case.places[0], condition) is False
