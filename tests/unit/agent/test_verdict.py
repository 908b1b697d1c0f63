"""The first line of an answer: what it says of a failure, in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.analyst.ranking import analyse
from dap_ai.agent.analyst.verdict import verdict
from tests.unit.agent.harness import case_of, fail

PROGRAMS = {
    "an index of nothing": (
        "from collections import deque\ns = deque()\nprint(s[-1])\n",
        "`s[-1]` is read, but `s` is empty",
    ),
    "a name past the end": ("s = [1]\ni = 3\nprint(s[i])\n", "`i` is `3`, but `s` has 1 item"),
    "one past the end": ("s = [1, 2]\nprint(s[2])\n", "`s[2]` is read, but `s` has 2 items: the last index is 1"),
    "a long message": (
        f"class Failed(Exception): pass\nraise Failed('DID NOT WARN. {'and so on ' * 20}')\n",
        "`__main__.Failed`: DID NOT WARN",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_failed_is_said_first(name: str, tmp_path: Path):
    text, told = PROGRAMS[name]
    (tmp_path / "main.py").write_text(text)
    analysis = analyse(case_of(fail(tmp_path / "main.py")))
    assert analysis is not None
    assert verdict(analysis, None).startswith(f"{told} at `main.py:")
