"""Whatever the text, parsing C, C++ and Rust finds something or nothing: it does not raise, and no Node smuggles text."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.debuggees.native.source.parsing import ParsedFile, parse, to_node
from tests.unit.debuggees.native.sources import SOURCES

LANGUAGES = ["c", "cpp", "rust"]
PROGRAMS = [
    *SOURCES.items(),
    *(("c", path.read_text()) for path in sorted((Path(__file__).parents[1] / "debuggees/native").glob("*.c"))),
]
WORDS = r"""( ) [ ] { } ; , . -> :: < > + - * / % & | ^ ~ ! = == += ++ -- ? : ' " \\ # $ @ ` // /* */ .. ..= => x p node
    i 0 1 0x1F 1.5 'a' "s" int char struct unsigned Foo this self let mut fn impl for in while if else match return
    switch case sizeof new delete throw auto void const as u8 crate std vec! println! static_cast<int> template<class T>
    operator r# é NULL None true 1_000u8 0777 9e9 &mut [](int a){return a;} ({ }) |x|""".split()  # noqa: SIM905  as a table
TOKENS = [*WORDS, "\n", "\t", "\0"]
UNARY = {"-", "+", "~", "!", "*", "&"}
BINARY = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"}
COMPARE = {"==", "!=", "<", "<=", ">", ">="}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*")
TYPE = re.compile(r"(\*(const|mut) )*[A-Za-z_][A-Za-z0-9_]*((::| )[A-Za-z_][A-Za-z0-9_]*)*( \*+)?")

SETTINGS = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def is_well_formed(node: Any) -> bool:
    """Whether it holds nothing but checked names, operators, types and constants."""
    match node:
        case ["c", None | bool() | int() | str()]:
            return True
        case ["c", float() as value]:
            return math.isfinite(value)
        case ["i", str() as digits]:
            return digits.isascii() and digits.isdigit()
        case ["f", "inf"]:
            return True
        case ["n", str() as name]:
            return NAME.fullmatch(name) is not None
        case ["a", base, str() as name]:
            owner = base[1] if base[0] == "->" and len(base) == 2 else base
            return is_well_formed(owner) and ((name.isascii() and name.isdigit()) or NAME.fullmatch(name) is not None)
        case ["s", base, index]:
            return is_well_formed(base) and is_well_formed(index)
        case ["u", operator, x]:
            return operator in UNARY and is_well_formed(x)
        case ["o", operator, x, y]:
            return operator in BINARY and is_well_formed(x) and is_well_formed(y)
        case ["and" | "or", [x, y]] | ["cmp", x, [[_, y]]]:
            return (node[0] != "cmp" or node[2][0][0] in COMPARE) and is_well_formed(x) and is_well_formed(y)
        case ["if", *three] if len(three) == 3:
            return all(is_well_formed(x) for x in three)
        case ["cast", str() as kind, x]:
            return TYPE.fullmatch(kind) is not None and is_well_formed(x)
        case _:
            return False


def visit(unit: ParsedFile, lines: int) -> None:
    """Asks a unit everything it can be asked."""
    for function in unit.functions:
        assert 1 <= function.first <= function.last
        assert len(function.parameters) == len(function.types)
        for expression in unit.reads(function):
            assert expression.node is None or is_well_formed(expression.node), expression
        for name in ("p", "x", "self.items", *function.parameters):
            assert all(write.line >= 1 for write in unit.writes(name, function))
    for line in range(lines + 2):
        unit.function_at(line)
        statement = unit.statement_at(line)
        assert statement is None or statement.first <= statement.last
        texts: list[str] = []
        for expression in unit.expressions_at(line):
            texts.append(expression.text)
            if expression.node is not None:
                assert is_well_formed(expression.node), expression
                assert not expression.refusal
        assert len(texts) == len(set(texts))
    for name in ("f", "free", "len", "println", "x"):
        assert all(call.kind == "call" for call in unit.calls(name))


def read(text: str, language: str) -> None:
    """Reads one expression, which may be refused only in the one way."""
    try:
        node = to_node(text, language)
    except SyntaxRefused:
        return
    assert is_well_formed(node), node


languages = st.sampled_from(LANGUAGES)
soup = st.lists(st.sampled_from(TOKENS), max_size=60).map(" ".join)


@given(st.text(max_size=300), languages)
@example("\ud800\x00\r\n\u2028(", "c")
@SETTINGS
def test_any_text_is_a_unit(text: str, language: str):
    visit(parse(text, language), text.count("\n") + 1)


@given(soup, languages)
@SETTINGS
def test_any_tokens_are_a_unit(text: str, language: str):
    visit(parse(f"int f(int x, char *p) {{ {text} }}\nfn g(x: u8) {{ {text} }}", language), 3)


@given(st.sampled_from(PROGRAMS), st.integers(0, 4000), st.integers(0, 40), st.sampled_from(["", *TOKENS]), languages)
@settings(SETTINGS, max_examples=40)
def test_a_damaged_program_is_a_unit(program: tuple[str, str], start: int, length: int, put: str, language: str):
    """A piece of a real program is taken out, or another put in; now and then it is read as another language."""
    text = program[1][:start] + put + program[1][start + length :]
    visit(parse(text, language if start % 5 == 0 else program[0]), text.count("\n") + 1)


@given(st.text(max_size=60) | soup, languages)
@SETTINGS
def test_an_expression_is_read_or_refused(text: str, language: str):
    read(text, language)


DEEP = [
    "(" * 1900 + "x" + ")" * 1900,
    "-" + " -" * 1900 + "x",
    "*" * 3900 + "p",
    "x" + "[x" * 900 + "]" * 900,
    "x" + "+x" * 1900,
    "(int " + "*" * 3900 + ")p",
    "a" + "::a" * 1300,
    "a" + ".b" * 1900,
    "x" + "?x:x" * 900,
    "9" * 3999,
    "0x" + "f" * 3997,
    "1e" + "9" * 3990,
    "'" + "\\" * 3990 + "'",
    "f(" * 1900,
    "[" * 3999,
    "x as " + "*const " * 500 + "u8",
    "x<" * 1900,
    "(int)" * 700 + "x",
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_an_endless_expression_is_refused(text: str, language: str):
    with pytest.raises(SyntaxRefused):
        to_node(text, language)


@pytest.mark.parametrize("language", ["cpp", "rust"])
@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_an_endless_expression_in_a_source_is_a_unit(text: str, language: str):
    """Not as C too, which is read as C++ is (the expression alone: the test above)."""
    visit(parse(f"int f(int x) {{ return {text}; }}\nfn g() {{ let x = {text}; }}\n", language), 2)


@given(st.sampled_from(PROGRAMS))
@settings(SETTINGS, max_examples=len(PROGRAMS))
def test_what_stands_in_a_program_reads_back_the_same(program: tuple[str, str]):
    """The text of an expression, parsed on its own, is the Node that it was in the program."""
    language, text = program
    unit = parse(text, language)
    for line in range(1, text.count("\n") + 1):
        for expression in unit.expressions_at(line):
            if expression.node is not None:
                assert to_node(expression.text, language) == expression.node
