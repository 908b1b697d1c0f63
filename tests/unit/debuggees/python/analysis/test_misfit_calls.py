"""A call whose arguments do not fit: the call is named, and what its function takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.debuggees.python.analysis.test_mistakes import analysed

CART = "class Cart:\n    def __init__(self, owner):\n        self.owner = owner\n\n    def add(item):\n        self.item = item\n\n"
PROGRAMS = {
    "a method without self": (
        f"{CART}Cart('me').add('tea')\n",
        ["`Cart('me').add('tea')` passes its object, too, but `def add(item)` of line 5 has no `self`."],
    ),
    "the second statement of a line": (
        f"{CART}cart = Cart('me'); cart.add('tea')\n",
        ["`cart.add('tea')` passes its object, too, but `def add(item)` of line 5 has no `self`."],
    ),
    "a first parameter of another name": (
        "class Cart:\n    def add(this, item):\n        this.item = item\n\nCart().add('tea', 2)\n",
        ["`Cart().add('tea', 2)` does not fit: ... takes 2 ...", "Line 2 defines `def add(this, item)`."],
    ),
    "an argument that is missing": (
        f"{CART}print(len([Cart()]))\n",
        ["`Cart()` does not fit: ... missing 1 ...", "Line 2 defines `def __init__(self, owner)`."],
    ),
    "a name that the function does not take": (
        "def area(w, h):\n    return w * h\n\nprint(area(w=1, height=2))\n",
        ["`area(w=1, height=2)` does not fit: ... unexpected ...", "Line 1 defines `def area(w, h)`."],
    ),
}


@pytest.mark.parametrize(("source", "told"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_call_and_its_function_are_named(source: str, told: list[str], tmp_path: Path):
    sentences = analysed(tmp_path, source).diagnosis.sentences
    patterns = [".*".join(map(re.escape, each.split("..."))) for each in told]  # each Python words it in its own way
    assert len(sentences) == len(told)
    assert all(re.fullmatch(pattern, each) for pattern, each in zip(patterns, sentences, strict=True)), sentences


def test_a_call_of_a_library_is_told_without_a_definition(tmp_path: Path):
    source = "import textwrap\n\ntextwrap.indent('x')\n"
    sentences = analysed(tmp_path, source).diagnosis.sentences
    assert len(sentences) == 1
    assert sentences[0].startswith("`textwrap.indent('x')` does not fit: indent() missing 1")
