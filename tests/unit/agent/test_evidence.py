"""The dynamic slice of a recorded run, and the values in it that stand out."""

from collections import Counter
from pathlib import Path

from dap_ai.agent.analyst.compared import compare
from dap_ai.agent.analyst.evidence.dependence import slice_of
from dap_ai.agent.analyst.evidence.oddities import atoms, oddities
from dap_ai.agent.analyst.evidence.ranking import Evidence, evidence_of
from dap_ai.agent.analyst.evidence.record import Record
from dap_ai.agent.analyst.evidence.replies import about_missed
from dap_ai.agent.analyst.evidence.spectrum import Spectrum
from dap_ai.agent.analyst.ranking import Analysis, analyse
from dap_ai.agent.case.source import Sources
from dap_ai.protocol.contracts.snapshot import History, TracedCode, TracedRun, TracedValue
from tests.unit.agent.harness import case_of, fail

PROGRAM = """\
def number(text):
    return float(text or "nan")

unused = 1
total = 0
for text in ["1", ""]:
    total = total + number(text)
assert total == 1
"""


def record(tmp_path: Path) -> Record:
    program = tmp_path / "total.py"
    program.write_text(PROGRAM)
    codes = [TracedCode(str(program), "<module>", 1), TracedCode(str(program), "number", 1)]
    runs = [
        TracedRun(1, 0, last=9),
        TracedRun(2, 1, 1, 5, 6, ["text='1'"], "1.0"),
        TracedRun(3, 1, 1, 8, 9, ["text=''"], "nan"),
    ]
    lines = [(1, 1), (1, 4), (1, 5), (1, 6), (1, 7), (2, 2), (1, 6), (1, 7), (3, 2), (1, 6), (1, 8)]
    values = [(3, "total", "0"), (4, "text", "'1'"), (5, "total", "1.0"), (7, "text", "''"), (8, "total", "nan")]
    steps = [number for pair in lines for number in pair]
    return Record(History(1, codes, runs, steps, [TracedValue(*each) for each in values]), Sources())


def test_a_slice_holds_what_the_failing_value_depended_on_and_nothing_else(tmp_path: Path):
    found = record(tmp_path)
    lines = {line for _, line in slice_of(found, found.events[-1]).lines()}
    assert {2, 5, 6, 7, 8} <= lines
    assert 4 not in lines


def test_a_nan_is_followed_to_the_call_that_made_it_and_the_item_it_came_with(tmp_path: Path):
    found = record(tmp_path)
    first = oddities(found, slice_of(found, found.events[-1]), set())[0]
    assert (first.event.spot[1], first.name, first.text) == (2, "number()", "nan")
    assert first.datum == "round 2: `text` is `''`"


def test_the_literals_of_a_text_are_told_apart():
    assert atoms("{'a': -1, 'b': nan}") == {"'a'", "-1", "'b'", "nan"}


def test_a_line_that_passing_tests_run_is_less_suspicious():
    spectrum = Spectrum()
    spectrum.passing["f.py", 1] = 3
    assert spectrum.ochiai(("f.py", 1)) < spectrum.ochiai(("f.py", 2)) == 1.0


def test_a_missed_number_is_found_however_it_is_written(tmp_path: Path):
    found = record(tmp_path)
    failure = found.events[-1]
    evidence = Evidence(found, failure, slice_of(found, failure), [], Counter())
    assert "`total` became `1.0`" in about_missed(evidence, "1", lambda _, line: f"{line}")


def stopped_at(tmp_path: Path, text: str) -> Analysis:
    program = tmp_path / "program.py"
    program.write_text(text)
    analysis = analyse(case_of(fail(program)))
    assert analysis is not None
    return analysis


def test_a_comparison_that_failed_is_told_by_what_the_called_function_returned(tmp_path: Path):
    analysis = stopped_at(tmp_path, "def number(text):\n    return 2\n\nassert number('1') == 1\n")
    path = analysis.diagnosis.place.frame.path
    codes = [TracedCode(path, "<module>", 1), TracedCode(path, "number", 1)]
    runs = [TracedRun(1, 0, last=3), TracedRun(2, 1, 1, 2, 3, ["text='1'"], "2")]
    analysis.evidence = evidence_of(
        Record(History(1, codes, runs, [1, 1, 1, 4, 2, 2]), analysis.case.sources), analysis.diagnosis
    )
    compare(analysis)
    assert analysis.diagnosis.sentences[0] == "`number('1')` is `2`, not `1`."


def test_what_stands_after_the_failing_line_of_a_module_has_not_run(tmp_path: Path):
    analysis = stopped_at(tmp_path, "made = [1]\nassert len(made) == 2\nmade.append(3)\n")
    path = analysis.diagnosis.place.frame.path
    assert [analysis.never_ran(path, line) for line in (1, 2, 3)] == [False, False, True]
    assert all(suspect.line < 3 for suspect in analysis.suspects)
