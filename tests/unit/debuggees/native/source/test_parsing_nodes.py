from __future__ import annotations

from typing import Any

import pytest

from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.debuggees.native.source.parsing import to_node

P, X, Y = ["n", "p"], ["n", "x"], ["n", "y"]


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("p->next->x", ["a", ["->", ["a", ["->", P], "next"]], "x"]),
        ("(*p).x", ["a", ["u", "*", P], "x"]),
        ("p[x].y", ["a", ["s", P, X], "y"]),
        ("&x", ["u", "&", X]),
        ("!p && x || y", ["or", [["and", [["u", "!", P], X]], Y]]),
        ("~x + -y", ["o", "+", ["u", "~", X], ["u", "-", Y]]),
        ("p[-1] == -2L", ["cmp", ["s", P, ["u", "-", ["c", 1]]], [["==", ["u", "-", ["cast", "long", ["c", 2]]]]]]),
        ("x % 3 << 1", ["o", "<<", ["o", "%", X, ["c", 3]], ["c", 1]]),
        ("(x)*y", ["o", "*", X, Y]),
        ("x < y < 3", ["cmp", ["cmp", X, [["<", Y]]], [["<", ["c", 3]]]]),
        ("x ? y : 0", ["if", X, Y, ["c", 0]]),
        ("((x))", X),
        ("  x  ", X),
    ],
)
def test_an_expression_of_c_is_read(text: str, node: list[Any]):
    assert to_node(text, "c") == node


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(int)x", "int"),
        ("(unsigned   long)x", "unsigned long"),
        ("(uint8_t)x", "uint8_t"),
        ("(char *)x", "char *"),
        ("(const struct node **)x", "const struct node **"),
        ("(node *)x", "node *"),
        ("(enum color)x", "enum color"),
    ],
)
def test_a_cast_to_a_number_or_pointer_is_read(text: str, kind: str):
    assert to_node(text, "c") == ["cast", kind, X]


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("ns::x", ["n", "ns::x"]),
        ("this->x", ["a", ["->", ["n", "this"]], "x"]),
        ("static_cast<long>(x)", ["cast", "long", X]),
        ("reinterpret_cast<ns::node *>(x)", ["cast", "ns::node *", X]),
        ("(std::size_t)x", ["cast", "std::size_t", X]),
        ("int(x)", ["cast", "int", X]),
        ("not x and y", ["and", [["u", "!", X], Y]]),
        ("x not_eq y", ["cmp", X, [["!=", Y]]]),
    ],
)
def test_an_expression_of_cpp_is_read(text: str, node: list[Any]):
    assert to_node(text, "cpp") == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("self.x.0", ["a", ["a", ["n", "self"], "x"], "0"]),
        ("*p", ["u", "*", P]),
        ("&mut x", ["u", "&", X]),
        ("x as u64 + 1", ["o", "+", ["cast", "u64", X], ["c", 1]]),
        ("x as *const ns::T", ["cast", "*const ns::T", X]),
        ("crate::limits::x", ["n", "crate::limits::x"]),
        ("r#type", ["n", "type"]),
        ("None", ["c", None]),
        ("!x", ["u", "!", X]),
    ],
)
def test_an_expression_of_rust_is_read(text: str, node: list[Any]):
    assert to_node(text, "rust") == node


@pytest.mark.parametrize(
    ("text", "language", "node"),
    [
        ("0x1F", "c", ["c", 31]),
        ("017", "c", ["c", 15]),
        ("0b101", "c", ["c", 5]),
        ("1'000", "cpp", ["c", 1000]),
        ("3u", "c", ["cast", "unsigned int", ["c", 3]]),
        ("3UL", "c", ["cast", "unsigned long", ["c", 3]]),
        ("3ll", "c", ["cast", "long long", ["c", 3]]),
        ("0xffffffffffffffff", "c", ["i", "18446744073709551615"]),
        ("1_000", "rust", ["c", 1000]),
        ("0o17u8", "rust", ["cast", "u8", ["c", 15]]),
        ("010", "rust", ["c", 10]),
        ("1.5f", "c", ["c", 1.5]),
        ("0x1p-2", "c", ["c", 0.25]),
        ("1e400", "c", ["f", "inf"]),
        ("2.5f32", "rust", ["c", 2.5]),
        ("'a'", "c", ["c", 97]),
        (r"'\n'", "c", ["c", 10]),
        (r"'\x41'", "cpp", ["c", 65]),
        (r"'\u{e9}'", "rust", ["c", 233]),
        ("b'a'", "rust", ["c", 97]),
        (r'"a\tb"', "c", ["c", "a\tb"]),
        ('"a" "b"', "c", ["c", "ab"]),
        ('R"(a\\)"', "cpp", ["c", "a\\"]),
        ('r#"a"#', "rust", ["c", "a"]),
        ("true", "c", ["c", True]),
        ("NULL", "c", ["c", None]),
        ("nullptr", "cpp", ["c", None]),
    ],
)
def test_a_constant_is_its_value(text: str, language: str, node: list[Any]):
    assert to_node(text, language) == node


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("f(x)", "a call"),
        ("p->f(x)", "a call"),
        ("(x)(y)", "a call"),
        ("x = 3", "an assignment"),
        ("p[x = 3]", "an assignment"),
        ("x++", "`++`"),
        ("*--p", "`++`"),
        ("(x, y)", "a comma"),
        ("p,x", "one expression"),
        ("x; y", "one expression"),
        ("sizeof x", "`sizeof`"),
        ("sizeof(int)", "`sizeof`"),
        ("(node)x", "a cast to node"),
        ("(void)x", "a cast to void"),
        ("(int (*)(int))x", "a cast to"),
        ("(int [3])x", "a cast to"),
        ("({ x; })", "a statement expression"),
        ("(int){3}", "a compound literal"),
        ("x ?: y", "`?:`"),
        ("int", "the name int"),
        ("$rax", "registers"),
        ("p->$x", "registers"),
        ("`process status`", "the debugger's own language"),
        ("*p@3", "`@`"),
        ("{int} 0x3", "{type}"),
        ("file.c'::x", "not an expression"),
        ("/x p", "not an expression"),
        ("#x", "the preprocessor"),
        ("x \\", "a backslash"),
        ("x // y", "not an expression"),
        ("x /* y */", "not an expression"),
        ("x /* y */ + 1", "not an expression"),
        ("x + ", "not an expression"),
        ("p->", "not an expression"),
        ("x)", "not an expression"),
        ("return x", "not an expression"),
        ("x }; int f() { return 1", "expression"),
        ("x\ny", "one line"),
        ("x\0", "one line"),
        ("x\u2028y", "one line"),
        ("größe", "the character"),
        ("'ab'", "the constant"),
        ("08", "the constant"),
        (r"'\xff'", "the constant"),
        ("", "no expression"),
        ("x" * 4001, "longer than 4000"),
        ("- " * 61 + "x", "nested deeper than 60"),
        ("(" * 61 + "x" + ")" * 61, "nested deeper than 60"),
        ("_Generic(x, int: 1)", "generic"),
        ('asm("nop")', "asm"),
    ],
)
def test_what_could_run_code_or_is_no_expression_of_c_is_refused_by_name(text: str, why: str):
    with pytest.raises(SyntaxRefused) as refused:
        to_node(text, "c")
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("new int", "`new`"),
        ("delete p", "`delete`"),
        ("throw x", "not an expression"),
        ("[=] { return x; }", "a lambda"),
        ("[&]() { return x; }()", "a call"),
        ("std::move(x)", "a call"),
        ("Foo(x)", "a call"),
        ("Foo{x}", "a compound literal"),
        ("dynamic_cast<Foo *>(x)", "a call"),
        ("static_cast<Foo>(x)", "a cast to Foo"),
        ("static_cast<Foo &>(x)", "a cast to"),
        ("(Foo)x", "a cast to Foo"),
        ("(Foo<int> *)x", "a cast to"),
        ("x <=> y", "`<=>`"),
        ('std::cout << x << "y"', "a stream"),
        ("cin >> x", "a stream"),
        ("x.*y", "field expression"),
        ("Foo<int>::x", "the name"),
        ("::x", "the name"),
        ("p->Base::x", "the member"),
        ("p->operator->()", "expression"),
        ("1_km", "a literal of the program's own"),
        ("co_await x", "`co_await`"),
        ("typeid(x)", "a call"),
        ("p->~Foo()", "a call"),
    ],
)
def test_what_could_run_code_in_cpp_is_refused_by_name(text: str, why: str):
    with pytest.raises(SyntaxRefused) as refused:
        to_node(text, "cpp")
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("opt.unwrap()", "a call"),
        ("f::<u8>(x)", "a call"),
        ("vec![1]", "a macro"),
        ("x = 3", "an assignment"),
        ("x += 3", "an assignment"),
        ("|x| x", "a closure"),
        ("move || x", "a closure"),
        ("if x { y } else { p }", "`if`"),
        ("match x { _ => 1 }", "`match`"),
        ("unsafe { *p }", "a block"),
        ("{ x }", "{type}"),
        ("x?", "`?`"),
        ("x.await", "`.await`"),
        ("x[1..2]", "a range"),
        ("x as Foo", "a cast to Foo"),
        ("x as fn(i32)", "a cast to"),
        ("(x, y)", "a tuple"),
        ("[x, y]", "an array"),
        ("Foo { x }", "a struct's"),
        ("<T as U>::X", "the path"),
        ("&raw const x", "`&raw`"),
        ("return x", "return"),
        ("loop {}", "loop"),
        ("async { x }", "async"),
        ("#[a] x", "the preprocessor"),
    ],
)
def test_what_could_run_code_in_rust_is_refused_by_name(text: str, why: str):
    with pytest.raises(SyntaxRefused) as refused:
        to_node(text, "rust")
    assert why in str(refused.value)
