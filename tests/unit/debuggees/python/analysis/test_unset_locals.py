"""What is said of a local variable without a value: the lines that set it, if it is certain that none has run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.debuggees.python.analysis.test_mistakes import analysed

PROGRAMS = {
    "a condition that was never true": (
        "def pick(rows):\n    for row in rows:\n        if row > 9:\n            best = row\n    return best\n\npick([1])\n",
        ["`best` is not set: line 4, under `if row > 9`, has not run."],
    ),
    "the other branch": (
        "def pick(n):\n    if n > 5:\n        a = 1\n    else:\n        b = 1\n    return a\n\npick(1)\n",
        ["`a` is not set: line 3, under `if n > 5`, has not run."],
    ),
    "a branch without a condition of its own": (
        "def pick(n):\n    if n:\n        b = 1\n    else:\n        a = 1\n    return a\n\npick(1)\n",
        ["`a` is not set: line 5, which sets it, has not run."],
    ),
    "several lines": (
        "def pick(n):\n    if n > 9:\n        a = 1\n    elif n > 5:\n        a = 2\n    return a\n\npick(1)\n",
        ["`a` is not set: lines 3, 5, which set it, have not run."],
    ),
    "a line that failed": (
        "def load():\n    try:\n        data = int('x')\n    except ValueError:\n        pass\n    return data\n\nload()\n",
        ["`data` is not set: line 3, which sets it, has not completed."],
    ),
    "a global of the same name": (
        "count = 0\n\ndef bump():\n    count += 1\n\nbump()\n",
        [
            "`count` is local to `bump`, because line 4 sets it, and has no value yet.",
            "The global `count` of line 1 is another variable.",
        ],
    ),
    "a loop that may have run without an item": (
        "def last(rows):\n    for row in rows:\n        pass\n    return row\n\nlast([])\n",
        ["`row` is a local variable of this function, and has no value yet on this path."],
    ),
    "a line that failed in a block that suppresses errors": (
        "from contextlib import suppress\n\ndef load():\n    with suppress(ValueError):\n        data = int('x')\n    return data\n\nload()\n",
        ["`data` is not set: line 5, which sets it, has not completed."],
    ),
    "a name that the end of a handler deletes": (
        "def once():\n    a = 1\n    try:\n        int('x')\n    except ValueError as a:\n        pass\n    return a\n\nonce()\n",
        ["`a` is a local variable of this function, and has no value yet on this path."],
    ),
    "a variable that was deleted": (
        "def once():\n    a = 1\n    del a\n    return a\n\nonce()\n",
        ["`a` is a local variable of this function, and has no value yet on this path."],
    ),
}


@pytest.mark.parametrize(("source", "told"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_lines_that_set_a_variable_without_a_value_are_named(source: str, told: list[str], tmp_path: Path):
    assert analysed(tmp_path, source).diagnosis.sentences == told


def test_a_global_statement_is_the_advice_where_a_function_means_the_global_variable(tmp_path: Path):
    advice = analysed(tmp_path, PROGRAMS["a global of the same name"][0]).diagnosis.advice
    assert advice == ["To change the global variable, put `global count` at the beginning of the function."]
