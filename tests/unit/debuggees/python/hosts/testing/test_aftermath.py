"""Which teardown's failure only comes after that of the call, and is told in one line."""

from __future__ import annotations

import textwrap

import pytest

from dap_ai.debuggees.python.hosts.testing.aftermath import Aftermath

END = "assert x == 4"
NODE = "test_it.py::test_it"


def finding(file, when, kind, line, **more):
    row = {"file": str(file), "line": line, "function": "f"}
    exception = {"type": kind, "message": "no"}
    return {"nodeid": NODE, "when": when, "exception": exception, "stopped": row, "frames": [row], **more}


def told(tmp_path, body, kind="AssertionError", **more):
    file = tmp_path / "test_it.py"
    text = "def test_it(x):\n" + textwrap.indent(body, "    ") + "\n"
    file.write_text(text, encoding="utf-8")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if END in row)
    aftermath = Aftermath(str(tmp_path))
    aftermath.note(finding(file, "call", kind, line, **more))
    return aftermath.teardown_fields(finding(file, "teardown", "RuntimeError", 40)).get("text", "")


@pytest.mark.parametrize(
    "body",
    [
        f"{END}\nx.close()",
        f"with x:\n    {END}\n    x.close()",
        f"for y in x:\n    {END}",
        f"if x:\n    {END}\nx.close()",
        f"try:\n    {END}\nexcept KeyError:\n    pass\nelse:\n    x.close()",
    ],
)
def test_a_call_that_had_more_to_do_explains_it(tmp_path, body):
    text = told(tmp_path, body)
    assert text.startswith("`RuntimeError` at `test_it.py:40` comes after the failure of the call at `test_it.py:")
    assert text.endswith(", which kept the test from doing the rest: see its answer.")
    assert "\n" not in text


@pytest.mark.parametrize(
    "body",
    [END, f"x.open()\n{END}", f"with x:\n    {END}", f"if x:\n    {END}\nelse:\n    x.close()"],
)
def test_a_check_at_the_end_of_the_test_does_not(tmp_path, body):
    assert not told(tmp_path, body)


def test_an_error_has_left_its_own_statement_undone(tmp_path):
    assert told(tmp_path, END, kind="TypeError")


def test_a_fix_with_which_the_teardown_ends_well_explains_it(tmp_path):
    text = told(tmp_path, END, claims={"verified": True})
    assert text.endswith(", and does not fail with the fix of that: see its answer.")


def test_one_that_fails_after_a_call_that_passed_is_answered_whatever_the_call_had_left(tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text(f"def test_it(x):\n    {END}\n    x.close()\n", encoding="utf-8")
    aftermath = Aftermath(str(tmp_path))
    torn = finding(file, "teardown", "RuntimeError", 40)
    assert not aftermath.teardown_fields(torn)
    aftermath.note(finding(file, "call", "AssertionError", 2))
    assert not aftermath.teardown_fields(torn)
