"""An exception that a value of a failed check holds is followed to where it was raised."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.claims.context import first_context
from dap_ai.debuggees.python.analysis.claims.explain import happened
from dap_ai.debuggees.python.analysis.claims.verdict import verdict
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, analyse
from tests.unit.agent.harness import case_of, fail

CLIENT = """\
class Result:
    def __init__(self, exception=None):
        self.exception = exception
        self.exit_code = 1 if exception else 0


def parse(text):
    return int(text)


def invoke(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return Result(error)
    return Result()


"""


def analysed(tmp_path: Path, end: str) -> StopAnalysis:
    (tmp_path / "main.py").write_text(CLIENT + end)
    analysis = analyse(case_of(fail(tmp_path / "main.py")))
    assert analysis is not None
    return analysis


@pytest.mark.parametrize("check", ["assert not result.exception", "assert result.exception is None"])
def test_it_is_told_where_it_was_raised(check: str, tmp_path: Path):
    analysis = analysed(tmp_path, f"result = invoke(parse, 'x')\n{check}\n")
    assert "(raised at `main.py:8`) at `main.py:20`" in verdict(analysis, None)
    told = happened(analysis)
    assert "`result.exception` was raised at `main.py:8`, in `parse`:\n\n```python\n8  return int(text)\n```" in told
    assert "- called from `main.py:13`, in `invoke`" in told


def test_it_may_be_kept_beside_what_the_check_looks_at(tmp_path: Path):
    analysis = analysed(tmp_path, "result = invoke(parse, 'x')\nassert result.exit_code == 0\n")
    told = verdict(analysis, None)
    assert told.startswith("`result.exit_code` is `1`, not `0`; `result.exception` is `ValueError: invalid literal for")
    assert told.endswith("` (raised at `main.py:8`) at `main.py:20`.")
    assert "`result.exception` was raised at `main.py:8`, in `parse`" in happened(analysis)


def test_an_exception_of_any_name_is_found(tmp_path: Path):
    end = "class Refused(Exception): pass\ndef refuse(): raise Refused('no')\nr = invoke(refuse)\nassert r.exit_code == 0\n"
    assert "`r.exception` is `__main__.Refused: no` (raised at `main.py:20`)" in verdict(analysed(tmp_path, end), None)


def test_of_a_deep_recursion_the_innermost_call_is_told(tmp_path: Path):
    end = "def down(n):\n    return down(n - 1) if n else 1 / 0\nimport sys\nsys.setrecursionlimit(5000)\n"
    before = sys.getrecursionlimit()
    try:
        analysis = analysed(tmp_path, f"{end}result = invoke(down, 3000)\nassert not result.exception\n")
    finally:
        sys.setrecursionlimit(before)  # the program runs in this process
    assert "`result.exception` was raised at `main.py:20`, in `down`" in happened(analysis)
    assert "`main.py:13`, in `invoke`" not in happened(analysis)


def test_its_lines_are_suspects_and_no_reason_to_name_a_cause(tmp_path: Path):
    analysis = analysed(tmp_path, "result = invoke(parse, 'x')\nassert not result.exception\n")
    suspects = {each.line: each.reason for each in analysis.suspects}
    assert suspects[8] == "raised `ValueError`, which `result.exception` holds"
    assert suspects[13] == "the call in `invoke`"
    assert analysis.cause is None


def test_where_it_was_raised_stays_the_first_suspect_whatever_else_is_weighed(tmp_path: Path):
    analysis = analysed(tmp_path, "result = invoke(parse, 'x')\nassert not result.exception\n")
    file = analysis.suspects[0].file
    analysis.scores[file, 13] = 1.0
    del analysis.scores[file, 8]  # as what tests tell leaves out a line that runs where they pass
    analysis.order()
    assert [each.line for each in analysis.suspects[:2]] == [8, 13]
    analysis.blame((file, 13), "a rule says why")
    analysis.order()
    assert [each.line for each in analysis.suspects[:2]] == [13, 8]


def test_a_model_is_told_first_where_it_was_raised(tmp_path: Path):
    analysis = analysed(tmp_path, "result = invoke(parse, 'x')\nassert not result.exception\n")
    context = first_context(analysis.case, analysis, 2000)
    assert "result.exception: ValueError: invalid literal for int() with base 10: 'x'\n  parse main.py:8" in context


@pytest.mark.parametrize(
    "end",
    [
        "result = Result(ValueError('x'))\nassert not result.exception\n",  # it was never raised
        "result = invoke(parse, 'x')\nassert 1 > 2\n",  # the check does not look at it
        "result = invoke(parse, 'x')\nlen(result.exception)\n",  # no check has failed
        "result = invoke(parse, 'x')\nraise result.exception\n",  # its own traceback tells
    ],
)
def test_elsewhere_nothing_is_held(end: str, tmp_path: Path):
    assert analysed(tmp_path, end).case.held is None
