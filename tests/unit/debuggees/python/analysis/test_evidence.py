"""The dynamic slice of a recorded run, of the failure and of checks that were met; values in it that stand out."""

from pathlib import Path

import pytest

from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.python.analysis.contrast.anomalies import anomalies, atoms
from dap_ai.debuggees.python.analysis.contrast.failure_record import failure_record
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.debuggees.python.analysis.record.trace_record import TraceRecord
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import slice_of
from dap_ai.protocol.contracts.snapshot_messages import StepHistory, TracedCode, TracedRun, TracedValue
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


def record(tmp_path: Path) -> TraceRecord:
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
    return TraceRecord(StepHistory(1, codes, runs, steps, [TracedValue(*each) for each in values]), Sources())


def test_a_slice_holds_what_the_failing_value_depended_on_and_nothing_else(tmp_path: Path):
    found = record(tmp_path)
    lines = {line for _, line in slice_of(found, found.events[-1]).lines()}
    assert {2, 5, 6, 7, 8} <= lines
    assert 4 not in lines


def test_a_check_that_was_met_tells_which_lines_it_depended_on(tmp_path: Path):
    program = tmp_path / "sums.py"
    program.write_text("a = 1\nb = 2\nassert a == 1\nassert b == 1\n")
    values = [TracedValue(1, "a", "1"), TracedValue(2, "b", "2")]
    steps = [number for line in (1, 2, 3, 4) for number in (1, line)]
    history = StepHistory(1, [TracedCode(str(program), "<module>", 1)], [TracedRun(1, 0, last=4)], steps, values)
    analysis = analyse(case_of(fail(program)))
    seen = failure_record(history, analysis.case.sources, analysis.diagnosis) if analysis else None
    assert seen
    assert seen.passing == {(str(program), 1): 1, (str(program), 3): 1}
    assert (str(program), 2) in seen.slice.lines()


def test_a_nan_is_followed_to_the_call_that_made_it_and_the_item_it_came_with(tmp_path: Path):
    found = record(tmp_path)
    first = anomalies(found, slice_of(found, found.events[-1]), set())[0]
    assert (first.event.spot[1], first.name, first.text) == (2, "number()", "nan")
    assert first.datum == "round 2: `text` is `''`"


def test_a_part_that_stands_out_is_followed_to_the_round_that_made_it(tmp_path: Path):
    program = tmp_path / "rows.py"
    program.write_text(
        "rows = []\nfor line in DATA:\n    rows.append(dict(zip('ab', line)))\n"
        "total = 0\nfor row in rows:\n    total += len(row)\nassert total == 8\n"
    )
    lines, rows = (
        ["[1, 2]", "[3, 4]", "[5]", "[7, 8]"],
        ["{'a': 1, 'b': 2}", "{'a': 3, 'b': 4}", "{'a': 5}", "{'a': 7, 'b': 8}"],
    )
    made = [(1, [("rows", "[]")])]
    for number, line in enumerate(lines, 1):
        made += [(2, [("line", line)]), (3, [("rows", f"[{', '.join(rows[:number])}]")])]
    made.append((4, [("total", "0")]))
    for row in rows:
        made += [(5, [("row", row)]), (6, [("total", "9")])]
    steps = [number for line, _ in [*made, (7, [])] for number in (1, line)]
    values = [TracedValue(at, *each) for at, (_, told) in enumerate(made, 1) for each in told]
    history = StepHistory(
        1, [TracedCode(str(program), "<module>", 1)], [TracedRun(1, 0, last=len(steps) // 2)], steps, values
    )
    found = TraceRecord(history, Sources())

    odd = next(odd for odd in anomalies(found, slice_of(found, found.events[-1]), set()) if "keys" in odd.why)

    assert (odd.event.spot[1], odd.name, odd.text, odd.is_part) == (3, "rows", "{'a': 5}", True)
    assert odd.datum == "round 3: `line` is `[5]`"


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["'a '", "'b'", "'c'", "'d'"], "has blanks at its ends, elsewhere not"),
        (["'a'", "'b '", "'c '", "'d '"], "has no blanks at its ends, elsewhere it has"),
    ],
)
def test_blanks_are_said_to_be_where_they_are(texts: list[str], why: str, tmp_path: Path):
    program = tmp_path / "parts.py"
    program.write_text("total = ''\nfor part in PARTS:\n    total += part\nassert total == 'x'\n")
    rounds = [each for text in texts for each in [(2, [("part", text)]), (3, [("total", "'y'")])]]
    made = [(1, [("total", "''")]), *rounds, (4, list[tuple[str, str]]())]
    steps = [number for line, _ in made for number in (1, line)]
    values = [TracedValue(at, *each) for at, (_, told) in enumerate(made, 1) for each in told]
    history = StepHistory(
        1, [TracedCode(str(program), "<module>", 1)], [TracedRun(1, 0, last=len(made))], steps, values
    )
    found = TraceRecord(history, Sources())
    whys = [odd.why for odd in anomalies(found, slice_of(found, found.events[-1]), set()) if odd.name == "part"]
    assert whys == [why]


def test_what_is_wanted_and_missing_is_not_followed_as_wrong(tmp_path: Path):
    program = tmp_path / "names.py"
    program.write_text("first = 'Bobby'\nlast = 'Annie'\nnames = [last]\nassert names == ['Bobby']\n")
    values = [
        TracedValue(1, "first", "'Bobby'"),
        TracedValue(2, "last", "'Annie'"),
        TracedValue(3, "names", "['Annie']"),
    ]
    steps = [number for line in (1, 2, 3, 4) for number in (1, line)]
    history = StepHistory(1, [TracedCode(str(program), "<module>", 1)], [TracedRun(1, 0, last=4)], steps, values)
    analysis = analyse(case_of(fail(program)))
    assert analysis
    seen = failure_record(history, analysis.case.sources, analysis.diagnosis)
    assert seen
    assert [odd.event.spot[1] for odd in seen.oddities] == [2]


def test_the_literals_of_a_text_are_told_apart():
    assert atoms("{'a': -1, 'b': nan}") == {"'a'", "-1", "'b'", "nan"}


def test_what_stands_after_the_failing_line_of_a_module_has_not_run(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("made = [1]\nassert len(made) == 2\nmade.append(3)\n")
    analysis = analyse(case_of(fail(program)))
    assert analysis
    assert [analysis.never_ran(str(program), line) for line in (1, 2, 3)] == [False, False, True]
    assert all(suspect.line < 3 for suspect in analysis.suspects)


def test_what_the_called_function_returned_is_what_the_check_found(tmp_path: Path):
    program = tmp_path / "made.py"
    program.write_text("def made():\n    return None\n\nassert made() == [1]\n")
    analysis = analyse(case_of(fail(program)))
    codes = [TracedCode(str(program), "<module>", 1), TracedCode(str(program), "made", 1)]
    runs = [TracedRun(1, 0, last=2), TracedRun(2, 1, 1, 2, 3, [], "None")]
    history = StepHistory(1, codes, runs, [1, 1, 1, 4, 2, 2])
    seen = failure_record(history, analysis.case.sources, analysis.diagnosis) if analysis else None
    assert seen
    assert seen.compared == ("None", "[1]")
    assert [(odd.event.spot[1], odd.name) for odd in seen.oddities] == [(2, "made()")]


def test_a_race_is_suspected_only_where_a_second_thread_has_run_the_function(tmp_path: Path):
    body = "import threading\nclass Tank:\n    level = 1\n    def step(self):\n        self.level -= 2\ntank = Tank()\n"
    start = "threading.Thread(target={}).start()\n"
    for name, lines, expected in (
        ("shown", "#: threading.Thread(target=tank.step)\n", False),
        ("other", start.format("int"), False),
        ("not_come_to", "if tank.level > 5:\n    " + start.format("tank.step"), False),
        ("not_called", f"def race():\n    {start.format('tank.step')}", False),
        ("starts", start.format("tank.step"), True),
        ("called", f"def race():\n    {start.format('tank.step')}race()\n", True),
        ("through", f"def work():\n    tank.step()\n{start.format('work')}", True),
    ):
        program = tmp_path / f"{name}.py"
        program.write_text(f"{body}{lines}tank.step()\nassert tank.level > 0\n")
        analysis = analyse(case_of(fail(program)))
        assert analysis
        assert any(finding.rule == "race" for finding in analysis.findings) is expected, name


def test_what_stands_in_for_an_import_is_no_suspect(tmp_path: Path):
    other = tmp_path / "other.py"
    other.write_text(
        "try:\n    from math import inf\n    LEAST = inf\nexcept ImportError:\n    LEAST = 0\n\n\ndef f(x):\n    return x[LEAST]\n"
    )
    program = tmp_path / "program.py"
    program.write_text("from other import f\nf([1])\n")
    analysis = analyse(case_of(fail(program)))
    assert analysis
    assert (analysis.never_ran(str(other), 3), analysis.never_ran(str(other), 5)) == (False, True)


def test_the_end_is_in_the_run_that_failed_though_another_task_ran_on(tmp_path: Path):
    program = tmp_path / "tasks.py"
    program.write_text("async def half(n):\n    return 10 / n\n")
    codes = [TracedCode(str(program), "half", 1)]
    outcomes = {"failed": "ZeroDivisionError: division by zero", "cancelled": "CancelledError"}
    runs = [TracedRun(1, 0, 0, 0, 1, ["n=0"], raised=outcomes["failed"]), TracedRun(2, 0, 0, 0, 2, ["n=5"], "2.0"),
            TracedRun(3, 0, 0, 0, 3, ["n=4"], raised=outcomes["cancelled"])]  # fmt: skip
    ended = TraceRecord(StepHistory(1, codes, runs, [1, 2, 2, 2, 3, 2], []), Sources())
    event = ended.end(str(program), ended.events[0].statement)
    assert event and event.run.arguments == {"n": "0"}
