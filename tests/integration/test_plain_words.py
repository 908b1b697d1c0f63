"""Questions in plain words about two real stops, answered from a run that was recorded in a copy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
LIBRARY = """\
LOANS = {"ann": 3, "bob": 0, "cid": 7}
NAMES = {0: "none", 3: "some", 7: "many"}


def limit(member):
    if member == "cid":
        return 5
    return 9


def allowed(member):
    count = LOANS[member]
    if count < limit(member):
        return True
    return False


def all_allowed(members):
    found = []
    for member in members:
        if allowed(member):
            found.append(member)
        elif member == "dan":
            found.append("guest")
    return found


lent = LOANS["cid"]
amount = NAMES[lent]
members = all_allowed(["ann", "bob", "cid"])
"""
FAILING = f"{LIBRARY}from shelf import free\n\nfree()\nassert len(members) == 3, members\n"
SHELF = "def _count():\n    return 2\n\n\ndef free():\n    return _count()\n"
QUESTIONS = {
    "why was line 24 not run?": ["`library.py:24` was not run before this stop", "`member == 'dan'`", "did not hold"],
    "why was line 14 run?": ["ran twice", "called by `library.py:21`"],
    "how often was limit called?": ["`limit` was called 3 times", "`library.py:13`"],
    "why did allowed return False?": ["`allowed(member='cid')` returned `False`", "`if count < limit(member)`", "`7`"],
    "what did _count return?": ["`_count()` returned `2`"],
    "why did allowed return None?": ["No call of `allowed` returned `None`"],
    "why is count 7?": ["`allowed(member='cid')`", "made `count` `7`"],
    "why is many the amount?": ["`amount` is `'many'`", "set `lent` to `7`"],
    "why is lent not 7?": ["It is not so: `lent` is `7`"],
    "is lent > 5?": ["Yes: `lent` is `7`"],
    "where does 9 come from?": ["`limit(member='ann')` returned `9`"],
    "why not 99?": ["No check at this line asks for `99`"],
    "why is this slow?": ["It is not slow in a copy"],
    "what would happen if lent were 2?": ["is not computed"],
}


def asked(
    run: Callable[..., subprocess.CompletedProcess[bytes]], program: Path, *options: str, lines: list[str]
) -> list[str]:
    """The answers to the questions among the lines, which are typed at the prompt of one session."""
    stdin = "\n".join([*lines, "quit", ""]).encode()
    done = run(
        "ask", "--json", "--provider", "offline", "--chat", *options, program.name, stdin=stdin, cwd=program.parent
    )
    ended = [each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "askEnded"]
    return [each["answer"] for each in ended][1:]


def at(text: str) -> int:
    """The line that begins with a text."""
    return next(n for n, line in enumerate(LIBRARY.splitlines(), 1) if line.strip().startswith(text))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    program = tmp_path / "library.py"
    program.write_text(LIBRARY)
    return program


def test_what_led_to_a_failure_is_told_as_it_was_in_the_run(
    library: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    library.write_text(FAILING)
    library.with_name("shelf.py").write_text(SHELF)
    answers = dict(zip(QUESTIONS, asked(run_dap_ai, library, lines=list(QUESTIONS)), strict=True))
    missing = {q: (each, answers[q]) for q, parts in QUESTIONS.items() for each in parts if each not in answers[q]}
    assert missing == {}


def test_a_stop_is_compared_with_the_one_before_and_the_run_up_to_it_is_recorded(
    library: Path, run_dap_ai: Callable[..., subprocess.CompletedProcess[bytes]]
):
    since = "what changed since the last stop?"
    lines = [
        since,
        "next",
        "next",
        since,
        "why is amount many?",
        f"why was line {at('members =')} not run?",
        "what happens next?",
    ]
    first, second, amount, line, after = asked(run_dap_ai, library, "-b", f"library.py:{at('lent =')}", lines=lines)
    assert "is not known" in first
    assert "- `amount` is new: `'many'`" in second
    assert "- `lent`" in second or "`lent` is new" in second
    assert "`amount` is `'many'`" in amount
    assert "set `lent` to `7`" in amount
    assert "has not run yet: the program stands there" in line
    assert "members = all_allowed" in after
