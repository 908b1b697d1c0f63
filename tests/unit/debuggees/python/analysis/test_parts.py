"""Parts of the agent: expressions, sources, slices, nearest names."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.questions.asked_expressions import candidates, line_of
from dap_ai.agent.report.nearest import near, near_key
from dap_ai.agent.sanitize import SyntaxRefused, to_node
from dap_ai.agent.source.source_file import SourceFile, Sources, is_user_path
from dap_ai.agent.source.statements import bindings
from dap_ai.debuggees.python.inspector import frame_inspector

VALUES: dict[str, Any] = {"a": 7, "b": [3, 1, 2], "d": {"x": 1, "1": "one"}, "s": "Tea", "n": None}
EXPRESSIONS = [
    "a + 2 * -3",
    "b[a - 7]",
    "b[1:]",
    "b[::-1]",
    "d['x'] == 1 and not n",
    "a if n is None else b",
    "1 < a <= 7",
    "'x' in d",
    "(a, b, {'k': s})",
    "{1, 2} | {a}",
    "[y * 2 for y in b if y > 1]",
    "{k: v for k, v in d.items()}",
    "f'{s!r} {a:>4}'",
    "len(b)",
    "max(b)",
    "s.upper()",
    "sorted(b)",
    "2 ** 70",
    "123456789012345678901234567890",
    "b'\\x00raw'",
    "1e400",
]


def read(text: str) -> Any:
    """What the inspector's interpreter gives for a Node in this very frame."""
    import sys

    a, b, d, s, n = VALUES.values()  # noqa: RUF059  the inspector reads them in this frame
    query = {"frames": [{"frame_id": 1, "expressions": [to_node(text)]}], "level": "compute", "threads": False}
    found = frame_inspector.inspect(
        [(1, sys._getframe(), 1, None)], None, msgspec.json.decode(msgspec.json.encode(query))
    )
    return found["frames"][0]["values"][0]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_node_means_what_python_means(text: str):
    assert read(text)["value"]["text"] == repr(eval(text, {}, dict(VALUES)))  # noqa: S307  our own text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("lambda: 1", "lambda"),
        ("(x := 1)", "walrus"),
        ("await f()", "await"),
        ("(yield)", "yield"),
        ("x.__class__", "__class__"),
        ("{**d}", "`**`"),
        ("f(**d)", "`**`"),
        ("x = 1", "not a Python expression"),
        ("1j", "complex"),
    ],
)
def test_what_is_not_in_the_language_is_refused_by_name(text: str, named: str):
    with pytest.raises(SyntaxRefused, match=named.replace("*", r"\*")):
        to_node(text)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abx01 ()[]{}.,:+-*='\"\n", max_size=40))
def test_any_text_is_a_node_or_a_refusal(text: str):
    with contextlib.suppress(SyntaxRefused):
        assert isinstance(to_node(text), list)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abif:=() \n\tdefreturn12", max_size=80), st.integers(-3, 20))
def test_any_source_at_any_line_gives_no_error(text: str, line: int):
    source = SourceFile("x.py", text)
    source.statement_at(line)
    source.function_at(line)
    first, last = source.window(line)
    assert first >= 1 or last >= 0


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("a, (b, *c) = f()", {"a", "b", "c"}),
        ("for i, v in x: pass", {"i", "v"}),
        ("with open(p) as f: pass", {"f"}),
        ("x += 1", {"x"}),
        ("x: int = 1", {"x"}),
        ("if (m := g()): pass", {"m"}),
        ("import os.path as p", {"p"}),
        ("try:\n    pass\nexcept E as e:\n    pass", {"e"}),
        ("match v:\n    case [a, *rest]: pass", {"a", "rest"}),
    ],
)
def test_every_form_of_binding_is_known(statement: str, names: set[str]):
    assert set(bindings(ast.parse(statement).body[0])) == names


@pytest.mark.parametrize(
    ("key", "keys", "said"),
    [
        ("1", ["'1'", "'2'"], "'1'` (str, not int)"),
        ("'Milk'", ["'tea'", "'milk'"], "'milk'`, which differs in case only"),
        ("'tea '", ["'tea'"], "blanks only"),
        ("'speed'", ["'speed_max'", "'unit'"], "'speed_max'"),
        ("'date'", ["'\ufeffdate'"], 'encoding="utf-8-sig"'),
        ("'zzz'", ["'tea'"], ""),
    ],
)
def test_the_nearest_key_is_named_with_the_difference(key: str, keys: list[str], said: str):
    assert said in near_key(key, keys)


def test_a_near_name_is_found_by_spelling():
    assert near("totl", ["total", "price"]) == ["total"]


def test_a_cut_text_is_never_longer_and_says_what_is_missing():
    assert cut("x" * 100, 30) == "x" * 17 + "...+83 chars"


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("/home/me/shop.py", True),
        ("/usr/lib/python3.11/json/decoder.py", False),
        ("/home/me/.venv/lib/python3.12/site-packages/numpy/core.py", False),
        ("<frozen runpy>", False),
        ("", False),
    ],
)
def test_library_code_is_told_from_the_users(path: str, user: bool):
    assert is_user_path(path) is user


def test_a_source_with_a_coding_cookie_is_decoded(tmp_path: Path):
    file = tmp_path / "latin.py"
    file.write_bytes("# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    source = Sources().read(str(file))
    assert source is not None
    assert source.line(2) == "name = 'é'"


def test_a_statement_is_found_in_a_file_that_does_not_parse():
    statement = SourceFile("new.py", "type X[T] = = 1\n\ntotal = a + b\n").statement_at(3)
    assert statement is not None
    assert ast.unparse(statement) == "total = a + b"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("why is total 0?", "total"),
        ("what is orders[3]", "orders[3]"),
        ("where does `self.rate` come from", "self.rate"),
    ],
)
def test_a_question_names_its_expression(question: str, found: str):
    assert found in candidates(question)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("why is order None?", ["order"]),
        ("why is `x` `3`?", ["x"]),
        ("why is flag True?", ["flag"]),
        ("what is `3`?", ["3"]),
        ("what is None?", ["None"]),
    ],
)
def test_a_constant_is_looked_up_only_if_a_question_names_nothing_else(question: str, found: list[str]):
    assert candidates(question) == found


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("what does total + n give?", "total + n"),
        ("what is 2*total-value?", "2 * total - value"),
        ("what does (low + rows[0].n) // 2 give?", "(low + rows[0].n) // 2"),
        ("why is total >= limit - 1?", "total >= limit - 1"),
        ("what is name + '-x' here", "name + '-x'"),
        ("what is x - is it 3?", "x"),
    ],
)
def test_an_operation_that_a_question_names_comes_before_its_operands(question: str, operation: str):
    assert candidates(question)[0] == operation


def test_a_question_names_its_line():
    assert line_of("why is line 12 run twice?") == 12
