"""What rules must not say: correct code that looks like a mistake, and claims that the values at the stop refute."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.report.wording import UNKNOWN
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from tests.unit.agent.harness import ask, fail
from tests.unit.debuggees.python.analysis.test_mistakes import analysed, found

EMPTIED: dict[str, str] = {
    "two sums": "it = (x for x in [1])  # BUG\nn = sum(it)\nassert sum(it) == n\n",
    "one line": "def rows():\n    yield 1\nit = rows()  # BUG\nmax(it) - min(it)\n",
    "a loop in a loop": "xs = [1, 2]\nit = zip(xs, xs)  # BUG\nn = 0\nfor x in xs:\n    for _ in it:\n        n += 1\nassert n == 4\n",
    "a loop in a comprehension": "it = iter([1])  # BUG\nassert len([x + y for x in [1, 2] for y in it]) == 2\n",
    "a sum in a comprehension": "it = iter([1])  # BUG\nassert [sum(it) for _ in [1, 2]] == [1, 1]\n",
    "a reader": "import csv\nit = csv.reader(['1'])  # BUG\nn = len(list(it))\nassert sum(1 for _ in it) == n\n",
    "a call": """
def total(rows):
    rows = list(rows)
    return sum(rows)

it = map(int, "12")  # BUG
lowest = min(it)
assert total(it) == 3
""",
}

CORRECT: dict[str, tuple[str, str]] = {
    "a call in both orders": (
        "argument order",
        "def part(a, b):\n    return a in b\ndef f(a, b):\n    return part(a, b) or part(b, a)\nassert f('x', 'y')\n",
    ),
    "a loop that leaves out both ends": (
        "bounds",
        "def inner(a):\n    return [a[i] for i in range(1, len(a) - 1)]\nassert inner([1, 2, 3]) == [1]\n",
    ),
    "a method of what a call gives": (
        "in-place None",
        "import hashlib\ndef made(kind):\n    return kind()\nx = made(hashlib.md5).update(b'1')\nassert x\n",
    ),
    "an unpacked generator": (
        "exhausted iterator",
        "def f(text):\n    y, m, d = (int(p) for p in text.split('-'))\n    return y / m, y / d\nf('1-2-0')\n",
    ),
    "next, then the rest": ("exhausted iterator", "it = iter([1, 2])\nfirst = next(it)\nassert first in list(it)\n"),
    "pairs of one iterator": ("exhausted iterator", "it = iter([1, 2])\nd = dict(zip(it, it))\nassert list(it)\n"),
    "two branches": (
        "exhausted iterator",
        "def f(b):\n    it = iter([1])\n    if b:\n        return list(it)\n    return set(it) / 2\nf(0)\n",
    ),
    "a loop that is left": (
        "exhausted iterator",
        "it = iter([1, 2])\nfor x in it:\n    break\nassert list(it) == x\n",
    ),
    "a loop that goes on where it was left": (
        "exhausted iterator",
        "it = iter([1, 0, 2])\nfor n in (1, 2):\n    for x in it:\n        if not x:\n            break\nassert x == 0\n",
    ),
    "one sum over a generator expression": (
        "exhausted iterator",
        "it = iter([1])\nassert sum(x for x in it) == 2\n",
    ),
    "one join of rows": ("exhausted iterator", "it = zip('a', 'b')\nassert not ''.join(''.join(row) for row in it)\n"),
    "a new iterator": ("exhausted iterator", "it = iter([1])\nx = list(it)\nit = iter([2])\nassert list(it) == x\n"),
    "an attribute of a reader": (
        "exhausted iterator",
        "import csv\nit = csv.DictReader(['a', '1'])\nn = it.fieldnames\nassert len(list(it)) == n\n",
    ),
    "a loop that ends with its removal": (
        "changed in loop",
        "xs = [1, 2]\nfor x in xs:\n    if x == 1:\n        xs.remove(x)\n        break\nassert not xs\n",
    ),
    "a cache of what does not depend on the parameter": (
        "cache key",
        (
            "cache = {}\ndef f(n, log):\n    if n not in cache:\n        cache[n] = n + 1\n        log.append(n)\n"
            "    return cache[n]\nassert not f(1, [])\n"
        ),
    ),
    "the constructor of the base": (
        "argument order",
        (
            "class A:\n    def __init__(self, kind, size):\n        self.size = size\n        self.kind = kind\n\n"
            "class B(A):\n    def __init__(self, size, kind):\n        super().__init__(size, kind)\n\nassert not B(1, 2)\n"
        ),
    ),
    "a function that turns its own arguments round": (
        "argument order",
        "def apart(low, high):\n    return apart(high, low) if low > high else high - low\n\nassert apart(2, 1) == 2\n",
    ),
    "one part of a tuple that nobody needs": (
        "wrong variable",
        "def f(item):\n    name, size = item\n    return size / (item is None)\nf((1, 2))\n",
    ),
    "the result of a method that is called for its effect": (
        "wrong variable",
        "def f(items):\n    first = items.pop()\n    return items[0] / 0\nf([1, 2])\n",
    ),
    "a test for nan": ("condition", "def f(x):\n    if x != x:\n        return 0\n    return 1 / x\nf(0)\n"),
    "two reads that differ": ("condition", "it = iter([1, 1])\nassert next(it) != next(it)\n"),
    "a retry": (
        "early return",
        (
            "def f(names):\n    found = 0\n    for name in names:\n        found += 1\n        if not name:\n"
            "            continue\n        return found\nassert f(['a']) == 0\n"
        ),
    ),
    "a lookup that gave a number": (
        "text as number",
        "last = {'a': 1.5}\ndef f(name, price):\n    before = last.get(name, price)\n    return price - before\nf('a', 'n/a')\n",
    ),
    "a registry that is asked for by its class": (
        "class default",
        "class A:\n    known = []\n    def __init__(self):\n        self.known.append(self)\n\nA()\nassert not A.known\n",
    ),
    "an attribute with a longer name": (
        "class default",
        (
            "class A:\n    known = []\n    def __init__(self):\n        self.known_too = []\n        self.known_too.append(1)\n"
            "        assert self.known\n\nA()\n"
        ),
    ),
    "the offset of another text": ("bounds", "def f(a, b):\n    return a[len(b)] / 0\nf([1, 2], [1])\n"),
    "an abstract method": (
        "missing return",
        "class A:\n    def size(self):\n        ...\n    def twice(self):\n        return self.size() * 2\n\nA().twice()\n",
    ),
}

GUESSED: dict[str, tuple[str, str]] = {
    "a check whose result is not needed": (
        "discarded result",
        (
            "def checked(x):\n    if x < 0:\n        raise ValueError(x)\n    return x\n\n"
            "def f(a):\n    a = checked(a)\n    checked(a)\n    assert not a\n\nf(1)\n"
        ),
    ),
    "a list that grows while it is walked": (
        "changed in loop",
        "todo = [3]\nfor n in todo:\n    if n:\n        todo.append(n - 1)\nassert not todo\n",
    ),
    "a lambda that is called in its round": (
        "late binding",
        "def call(f):\n    return f()\n\nfor n in (1, 2):\n    call(lambda: n)\nassert not n\n",
    ),
    "a name that is bound to a function": (
        "shadowed",
        "def f():\n    it = iter([1])\n    next = it.__next__\n    return next() / 0\nf()\n",
    ),
    "an iterator that is walked by hand": (
        "exhausted iterator",
        "it = iter([1, 2])\nfirst = next(it)\nrest = list(it)\nassert list(it)\n",
    ),
    "an index that is none": ("bounds", "def f(n, xs):\n    if n <= len(xs):\n        return n / 0\nf(1, [1])\n"),
    "a default that is only kept": (
        "mutable default",
        "class A:\n    def __init__(self, parts=[]):\n        self.parts = parts\n\nassert not A()\n",
    ),
    "a method of this name elsewhere": (
        "not awaited",
        (
            "class Remote:\n    async def close(self):\n        pass\n\ndef f(x):\n    x.y.close()\n\ntry:\n    f(1)\n"
            "except AttributeError:\n    Remote() / 1\n"
        ),
    ),
}


@pytest.mark.parametrize("name", EMPTIED)
def test_an_iterator_that_is_walked_twice_is_found(name: str, tmp_path: Path):
    text = EMPTIED[name]
    lines = [finding.line for finding in found(analysed(tmp_path, text), "exhausted iterator")]
    assert [text.splitlines()[line - 1][-5:] for line in lines] == ["# BUG"]


@pytest.mark.parametrize("name", CORRECT)
def test_correct_code_is_no_finding(name: str, tmp_path: Path):
    rule, text = CORRECT[name]
    assert found(analysed(tmp_path, text), rule) == []


@pytest.mark.parametrize("name", GUESSED)
def test_of_what_may_be_meant_a_rule_is_not_sure(name: str, tmp_path: Path):
    rule, text = GUESSED[name]
    assert max((finding.weight for finding in found(analysed(tmp_path, text), rule)), default=0) <= WEIGHTS.fair


def test_a_rule_that_is_hardly_sure_is_no_reason_to_name_a_cause(tmp_path: Path):
    program = tmp_path / "size.py"
    program.write_text("def size(n):\n    if n > 0:\n        return n * 3\n\n\nassert size(2) == 4\n")
    text = ask(fail(program))[0].text
    assert UNKNOWN in text
    assert "returns `None` when this test never holds" in text
