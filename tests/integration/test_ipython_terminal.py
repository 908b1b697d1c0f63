"""`%load_ext dap_ai` in IPython, in a real terminal."""

from __future__ import annotations

import os
import re
import sys

import pytest

pexpect = pytest.importorskip("pexpect")

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_PROMPT = r"In \[\d+\]: "


@pytest.fixture(scope="module")
def terminal():
    words = ["-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"]
    environ = dict(os.environ, TERM="xterm-256color")
    child = pexpect.spawn(sys.executable, words, env=environ, encoding="utf-8", timeout=120, dimensions=(50, 100))

    def run(line):
        child.sendline(line)
        child.expect(_PROMPT + r"$")
        return _ESCAPES.sub("", child.before).replace("\r", "")

    child.expect(_PROMPT)
    yield run
    child.sendline("exit")
    child.expect(pexpect.EOF)
    child.close()


def test_a_session_of_questions(terminal):
    """What failed before the extension came is asked about with its source; what failed since gets fixes, too."""
    terminal("def early(xs): return sum(xs) / len(x)")
    terminal("early([1, 2])")
    terminal("%load_ext dap_ai")
    told = terminal("%why")
    assert "There is no x here; xs exists at In [1]:1." in told
    assert "def early(xs): return sum(xs) / len(x)" in told
    assert "More, by -v: other suspects, what happened" in told

    terminal("def mean(xs): return sum(xs) / len(x)")
    terminal("mean([1, 2])")
    told = terminal("%why -v")
    assert "There is no x here; xs exists at In [5]:1." in told
    assert "+def mean(xs): return sum(xs) / len(xs)" in told
    assert "What happened." in told and "More, by -v" not in told

    terminal("data = [3, 4]")
    assert "data is [3, 4], made at In [8]:1." in terminal("%ask why is data so?")
    assert "mean([1, 2])" in terminal("%trace mean([1, 2])")
    assert "not found" in terminal("%unload_ext dap_ai") + terminal("%why")
