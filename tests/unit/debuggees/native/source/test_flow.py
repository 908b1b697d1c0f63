"""What is known of how a function runs, without running it."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.native.source.parsing import ParsedFile, parse


def only(text: str, language: str = "cpp") -> ParsedFile:
    unit = parse(text, language)
    assert len(unit.functions) == 1
    return unit


@pytest.mark.parametrize(
    "text",
    [
        "int f(int x) { if (x) return 1; }",
        "int f(int x) { for (int i = 0; i < x; i++) { if (i == 3) return i; } }",
        "int f(int x) { if (x) { return 1; } else if (x > 2) { return 3; } }",
        "void *f(void) { x = 1; }",
        "struct S { int f() { x = 1; } };",
    ],
)
def test_a_function_whose_end_is_reached_without_a_return_has_an_open_end(text: str):
    unit = only(text)
    assert unit.has_open_end(unit.functions[0])


@pytest.mark.parametrize(
    "text",
    [
        "int f(int x) { if (x) return 1; else return 2; }",
        "int f(int x) { while (1) { if (x) return 1; } }",
        "int f(int x) { for (;;) { if (x) return 1; } }",
        "int f(int x) { if (x) return 1; fail(); }",
        "int f(int x) { switch (x) { default: return 1; } }",
        "int f(int x) { throw x; }",
        "int main() { x = 1; }",
        "void f() { x = 1; }",
        "auto f() { x = 1; }",
        "struct S { S() { x = 1; } };",
        "struct S { operator int() { fail(); } };",
    ],
)
def test_no_open_end_is_claimed_where_there_may_be_none(text: str):
    unit = only(text)
    assert not unit.has_open_end(unit.functions[0])


def test_rusts_last_expression_is_no_open_end():
    unit = only("fn f(x: i32) -> i32 {\n    let y = x;\n    y\n}\n", "rust")
    assert not unit.has_open_end(unit.functions[0])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("void f() {\n    while (x) {\n        a();\n        b();\n    }\n}\n", "c"),
        ("void f() {\n    do {\n        a();\n        b();\n    } while (x);\n}\n", "c"),
        ("void f() {\n    for (auto &x : y) {\n        a();\n        b();\n    }\n}\n", "cpp"),
        ("void f() {\nagain:\n    a();\n    b();\n    if (x) goto again;\n}\n", "c"),
        ("fn f() {\n    loop {\n        a();\n        b();\n    }\n}\n", "rust"),
        ("fn f() {\n    y.iter().map(|x| {\n        a();\n        b();\n    })\n}\n", "rust"),
    ],
)
def test_a_line_may_come_back_before_an_earlier_one_of_the_same_loop(text: str, language: str):
    unit = parse(text, language)
    assert unit.may_come_back(unit.functions[0], 4, 3)
    assert not unit.may_come_back(unit.functions[0], 4, 1) or "goto" in text


def test_without_a_loop_no_line_comes_back():
    unit = only("void f() {\n    a();\n    if (x) {\n        b();\n    }\n}\n")
    assert not unit.may_come_back(unit.functions[0], 4, 2)


@pytest.mark.parametrize(
    "code",
    [
        "while (p->next) p = p->next;",
        "if ((p->next != NULL) && q) { p = p->next; }",
        "for (; nullptr != p->next; p = p->next) {}",
    ],
)
def test_an_assignment_knows_what_the_conditions_around_it_have_found_not_null(code: str):
    unit = only(f"void f(P *p) {{ {code} }}")
    assert "p->next" in unit.writes("p", unit.functions[0])[-1].not_null


@pytest.mark.parametrize(
    "code",
    [
        "if (!p->next) p = p->next;",
        "if (p->next == NULL) p = p->next;",
        "if (p->next || q) p = p->next;",
        "if (p->next) q = 1; else p = p->next;",
    ],
)
def test_other_conditions_say_nothing_of_null(code: str):
    unit = only(f"void f(P *p) {{ {code} }}")
    assert all("p->next" not in write.not_null for write in unit.writes("p", unit.functions[0]))
