"""A RecursionError: the argument that stays what it is, the test that is never met; and nothing that is not known."""

from __future__ import annotations

import re
import textwrap

import pytest

from dap_ai.agent.report.wording import CAUSE, GUESS, MOVES
from tests.unit.agent.harness import ask, fail

SURE = {
    "no way to return": (
        "def total(items, i):\n    return items[i] + total(items, i)\n\n\ntotal([1, 2, 3], 0)\n",
        "`total` calls itself at `program.py:2`, and has no way to return before that call; `i` stays `0`.",
    ),
    "no way to return for the empty rest": (
        "def total(xs):\n    return sum(xs[:1]) + total(xs[1:])\n\n\ntotal([1, 2])\n",
        "has no way to return before that call; `xs` has come to `[]`",
    ),
    "by way of another method": (
        """\
        class Shape:
            def area(self):
                return self.size() ** 2

            def size(self):
                return self.area() ** 0.5


        Shape().area()
        """,
        "`area` calls itself by way of `size` at `program.py:3`, and has no way to return",
    ),
    "by way of a method of the same name": (
        """\
        class Shape:
            def area(self):
                return self.area()


        class Square(Shape):
            def area(self):
                return super().area()


        Square().area()
        """,
        "`area` calls itself by way of `area` (`program.py:3`) at `program.py:8`, and has no way to return",
    ),
    "a test that is gone past": (
        "def fact(n):\n    return 1 if n == 0 else n * fact(n - 2)\n\n\nfact(5)\n",
        "and falls by 2 per call",
    ),
    "a step that never hits": (
        "def fact(n):\n    if n == 0:\n        return 1\n    return n * fact(n - 1)\n\n\nfact(-1)\n",
        "never ends by `n == 0`",
    ),
    "the wrong way": (
        "def count(n):\n    if n > 0:\n        return count(n + 1)\n    return n\n\n\ncount(1)\n",
        "never ends by `n > 0`",
    ),
    "an argument that is passed on as it is": (
        "def walk(n, limit):\n    if n >= 3:\n        return limit\n    return walk(n, limit - 1)\n\n\nwalk(0, 9)\n",
        "never ends by `n >= 3`: `n` is `0` in every call",
    ),
    "a property": (
        """\
        class Account:
            @property
            def balance(self):
                return self.balance


        Account().balance
        """,
        "`balance` calls itself at `program.py:4`, and is a property that reads `self.balance`",
    ),
    "a setter": (
        """\
        class Account:
            @property
            def balance(self):
                return self._balance

            @balance.setter
            def balance(self, value):
                self.balance = value


        Account().balance = 3
        """,
        "a setter that assigns `self.balance`",
    ),
    "an attribute that is not set yet": (
        """\
        class Proxy:
            def __getattr__(self, name):
                return getattr(self._target, name)


        Proxy().size
        """,
        "reads `self._target`, which is not set",
    ),
    "an operator": (
        """\
        class Point:
            def __repr__(self):
                return f"<{self}>"


        repr(Point())
        """,
        "`__repr__` calls itself at `program.py:3`, and has no way to return",
    ),
}
GUESSED = {
    "deep, with an end": (
        "def fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)\n\n\nfact(50_000)\n",
        "is deep, but would end: `n <= 1` is true after some",
    ),
    "in turns": (
        """\
        def is_even(n):
            if n == 0:
                return True
            return is_odd(n - 1)


        def is_odd(n):
            if n == 0:
                return False
            return is_even(n - 1)


        is_even(-3)
        """,
        "(`program.py:4`) never ends by `n == 0`",
    ),
    "data in a circle": (
        """\
        class Node:
            def __init__(self, name):
                self.name, self.children = name, []


        def size(node):
            return 1 + sum(size(child) for child in node.children)


        a, b = Node("a"), Node("b")
        a.children.append(b)
        b.children.append(a)
        size(a)
        """,
        "goes round in a circle: `node` takes the same values again and again",
    ),
    "a comprehension": (
        """\
        def names(tree):
            return [n for child in tree["children"] for n in names(tree)]


        names({"children": [{"children": []}]})
        """,
        "comes no nearer to an end: in every call `tree` is",
    ),
    "a generator": (
        "def flat(x):\n    for item in x:\n        yield from flat(item)\n\n\nlist(flat(['abc']))\n",
        "comes no nearer to an end: in each of the last calls `x` is `'a'`",
    ),
    "a search that stays where it is": (
        """\
        def search(xs, x, low, high):
            mid = (low + high) // 2
            if xs[mid] == x:
                return mid
            if xs[mid] < x:
                return search(xs, x, mid, high)
            return search(xs, x, low, mid)


        search([1, 3, 5, 7], 6, 0, 3)
        """,
        "in each of the last calls `low` is `2`",
    ),
    "nothing known": (
        "def halve(xs):\n    if not xs:\n        return 0\n    return halve(xs[:-1])\n\n\nhalve([0] * 5000)\n",
        "whether it would end is not known",
    ),
    "an argument that the function sets itself": (
        "def wait(n):\n    n = len('abc')\n    if n == 0:\n        return 0\n    return wait(n)\n\n\nwait(1)\n",
        "never ends by `n == 0`: `n` is `3` in every call",
    ),
    "a library": (
        "import json\n\nitems = []\nitems.append(items)\njson.dumps(items, check_circular=False)\n",
        "`RecursionError` in the code of a library, below `program.py:5`",
    ),
}


def answered(tmp_path, source):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(source), encoding="utf-8")
    return ask(fail(program))[0]


@pytest.mark.parametrize(("source", "said"), SURE.values(), ids=SURE)
def test_what_follows_from_text_and_values_is_the_root_cause(tmp_path, source, said):
    text = answered(tmp_path, source).text
    assert said in text.splitlines()[0]
    assert CAUSE in text


@pytest.mark.parametrize(("source", "said"), GUESSED.values(), ids=GUESSED)
def test_what_may_be_otherwise_is_a_guess(tmp_path, source, said):
    text = answered(tmp_path, source).text
    assert said in re.split(r"\n\n", text)[0] + re.split(r"\n\n", text)[1]
    assert GUESS in text
    assert CAUSE not in text


def test_a_circle_is_told_whole_where_its_values_differ_in_words(tmp_path):
    needs = {"a": ["b"], "b": ["c"], "c": ["a"]}
    source = f"def needed(name):\n    return {{n: needed(n) for n in {needs}[name]}}\n\n\nneeded('a')\n"
    listed = re.search(r"the same values again and again: (`'.'`), (`'.'`), (`'.'`)\.", answered(tmp_path, source).text)
    assert listed and {*listed.groups()} == {"`'a'`", "`'b'`", "`'c'`"}
    alike = "class Node:\n    pass\n\n\na, b, c = Node(), Node(), Node()\na.next, b.next, c.next = b, c, a\n"
    source = f"{alike}\n\ndef last(node):\n    return last(node.next) if node.next else node\n\n\nlast(a)\n"
    assert "`node` takes the same values again and again, every 3 calls." in answered(tmp_path, source).text


def test_the_calls_are_counted_and_their_arguments_followed(tmp_path):
    text = answered(tmp_path, SURE["a step that never hits"][0]).text
    assert MOVES in text
    assert re.search(r"`n` goes from `-1` to `-\d{3}`, by -1 with each of the last calls", text)
    assert re.search(r"`RecursionError`: \d{3} calls of `fact` are on the stack", text)


def test_the_line_of_the_next_call_is_the_first_suspect_and_the_test_the_second(tmp_path):
    answer = answered(tmp_path, SURE["a step that never hits"][0])
    assert [suspect.line for suspect in answer.suspects] == [4, 2]


def test_a_fix_that_leaves_out_the_call_is_not_tried(tmp_path):
    answer = answered(tmp_path, SURE["no way to return"][0])
    assert not answer.fixes
    assert "tried" not in answer.text
