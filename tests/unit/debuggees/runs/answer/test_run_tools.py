"""What the tools on a recorded run say, and what of an answer's quotes stands."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.tool_table import run as call
from dap_ai.agent.tools.tool_table import tools_of
from dap_ai.debuggees.runs.answer.onset_answer import diagnosis
from dap_ai.debuggees.runs.answer.question_intent import What, classify_question
from dap_ai.debuggees.runs.answer.quote_check import QuoteLocation, RunRereading
from dap_ai.debuggees.runs.answer.quote_parser import Quote, quotes_in, steps_in
from dap_ai.debuggees.runs.answer.run_at_stop import opened, says_failed
from dap_ai.debuggees.runs.answer.run_pages import pattern_of
from dap_ai.protocol.contracts import run_tool_arguments, tool_arguments
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.errors import NotStopped
from tests.runs_told import PASSWORD, STEPS, written


class StandsStill:
    """A session that stands at its stop, as long as it is told so."""

    current = True
    stop = StopEvent(1, 1, None, "entry")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("run") / "shop.traj.json")


def bench_of(path: Path, question: str = "", debugger: Any = None) -> ToolContext:
    inspection = Inspection([], kind="run", argv=[str(path), "3"])
    case = StopSnapshot(StandsStill.stop, Sources(), [], [], inspection)
    case.question, case.masks = question, Masker()
    return ToolContext(debugger or StandsStill(), case, case.masks.mask)


def said(path: Path, wanted: tool_arguments.ToolArguments) -> str:
    return asyncio.run(call(bench_of(path), wanted)).text


def test_a_page_of_steps_has_their_effect_status_and_outcome(path: Path):
    text = said(path, run_tool_arguments.StepsArguments(first=2, count=3))
    assert "2 change: bash: cat > test_shop.py" in text
    assert "3 verify [check failed]: bash: pytest -q test_shop.py -> failed: 1 failed" in text
    assert "... 2 more, from step 5 on" in text and "1 explore" not in text


def test_steps_are_narrowed_to_an_effect_or_to_those_that_failed(path: Path):
    assert "4 change" in (text := said(path, run_tool_arguments.StepsArguments(kind="change"))) and "verify" not in text
    assert "5 verify" in (text := said(path, run_tool_arguments.StepsArguments(failed=True))) and "change:" not in text
    assert said(path, run_tool_arguments.StepsArguments(kind="install")) == "No step fits."


def test_a_step_is_shown_by_parts_and_a_long_one_by_pages(tmp_path: Path):
    rows = "\n".join(f"row {n}" for n in range(900))
    path = written(tmp_path / "long.traj.json", [("I look.", "cat rows", rows), *STEPS[1:]])
    whole = said(path, run_tool_arguments.RunStepArguments(1))
    assert "THOUGHT: I look." in whole and "cat rows" in whole and "row 899" in whole and "row 400" not in whole
    assert "characters left out: part result, start 600" in whole
    first = said(path, run_tool_arguments.RunStepArguments(1, part="result", start=600))
    assert "row 100\n" in first and "characters more: start 3600" in first
    assert "row 899" in said(path, run_tool_arguments.RunStepArguments(1, part="result", start=-200))


def test_a_step_that_is_not_there_is_told_with_how_many_there_are(path: Path):
    assert said(path, run_tool_arguments.RunStepArguments(7)) == "There is no step 7: the run has 6."
    assert said(path, run_tool_arguments.DiffArguments(3, 9)) == "There is no step 9: the run has 6."


def test_text_is_searched_as_it_stands_and_no_pattern_is_run(path: Path):
    assert "step 4 call: sed -i" in said(path, run_tool_arguments.RunSearchArguments("+ 2/"))
    assert said(path, run_tool_arguments.RunSearchArguments("(a+)+$")) == "It stands nowhere."
    either = said(path, run_tool_arguments.RunSearchArguments("ASSERT 2|assert 3"))
    assert "Lines 1 to 2 of 2" in either and "step 3 result" in either and "step 5 result" in either
    assert "step 5 result" in (rest := said(path, run_tool_arguments.RunSearchArguments("assert 2|assert 3", start=1)))
    assert "step 3 result" not in rest


@given(st.text(max_size=40))
def test_whatever_is_searched_is_no_pattern(text: str):
    found = pattern_of(text)
    assert all(found.search(part) for part in text.split("|") if part)


def test_two_steps_differ_in_what_they_got_and_files_between_them_are_told(path: Path):
    assert "-E   assert 2 == 1" in said(path, run_tool_arguments.DiffArguments(3, 5))
    text = said(path, run_tool_arguments.DiffArguments(0, 6, workspace=True))
    assert "+assert total([1]) == 1" in text and "step 4: bash: sed" in text
    assert said(path, run_tool_arguments.DiffArguments(5, 6, workspace=True)) == "No file was changed between them."


def test_the_workspace_lists_files_and_shows_what_is_known_of_one(path: Path):
    text = said(path, run_tool_arguments.WorkspaceArguments())
    assert "test_shop.py" in text and "shop.py: step 4 edit; its text is not known" in text
    assert "from shop import total" in said(path, run_tool_arguments.WorkspaceArguments("test_shop.py"))
    assert "step 4: bash: sed" in said(path, run_tool_arguments.WorkspaceArguments("/shop/shop.py"))
    assert "Changed were" in said(path, run_tool_arguments.WorkspaceArguments("other.py"))


def test_checks_say_how_each_came_out(path: Path):
    text = said(path, run_tool_arguments.ChecksArguments())
    assert "step 3 failed" in text and "step 5 failed" in text


def test_without_another_run_there_is_nothing_to_compare(path: Path):
    assert "--against RUN2" in said(path, run_tool_arguments.CompareArguments())


def test_a_call_that_fits_programs_too_is_taken_for_one_of_the_run(path: Path):
    assert "assert 3" in said(path, tool_arguments.SearchArguments("assert 3"))
    assert "takes number" in said(path, tool_arguments.Step("next"))


def test_a_model_is_told_of_no_tool_of_programs(path: Path):
    bench = bench_of(path)
    offered = {tool.name for tool in tools_of(bench).values() if bench.is_offered(tool)}
    assert offered == {"steps", "step", "search", "diff", "tree", "workspace", "checks"}


def test_nothing_is_read_once_the_session_has_moved_on(path: Path):
    moved = StandsStill()
    moved.current = False
    with pytest.raises(NotStopped):
        asyncio.run(call(bench_of(path, debugger=moved), run_tool_arguments.ChecksArguments()))


def test_what_is_cut_was_masked_before(tmp_path: Path):
    steps = [("I log in.", f"login --password {PASSWORD}", f"password = '{PASSWORD}'"), *STEPS[1:]]
    path = written(tmp_path / "secret.traj.json", steps)
    for start in range(-60, 60, 7):
        text = said(path, run_tool_arguments.RunStepArguments(1, part="call", start=start))
        assert PASSWORD[-8:] not in text and PASSWORD[:8] not in text


def test_a_run_that_has_grown_is_read_anew(tmp_path: Path):
    path = written(tmp_path / "live.traj.json", STEPS[:3])
    bench = bench_of(path)
    assert opened(bench.case).run.steps == 3
    written(path, STEPS)
    assert opened(bench.case).run.steps == 6


# -- quotes ----------------------------------------------------------------------------------------------------------


def test_rows_marked_words_and_block_quotes_are_quotes_and_proposals_are_not():
    answer = (
        "Step 4 is wrong: it ran `sed -i 's/+ 1/+ 2/' shop.py` on `shop.py`.\n\n"
        '**Evidence.**\n\n- step 5: `x`\n- **step 3**: "1 failed in 0.02s"\n\n'
        "As steps 3-5 show:\n> assert 3 == 1\n\n"
        "```diff\n- step 9: `never`\n```\n"
        "**Recommendation.** After step 2 run `pytest -q test_shop.py`.\n"
    )
    assert quotes_in(answer) == [
        Quote((4,), "sed -i 's/+ 1/+ 2/' shop.py"),
        Quote((5,), "x"),
        Quote((3,), "1 failed in 0.02s"),
        Quote((3, 4, 5), "assert 3 == 1"),
    ]


def test_steps_are_named_alone_in_lists_and_in_ranges():
    assert steps_in("step 4, steps 7-9 and 12, Step 40") == [4, 7, 9, 12, 40]


@given(st.text(alphabet='step 123`"->*\n:,', max_size=80))
def test_any_answer_has_quotes_or_none(answer: str):
    assert len(quotes_in(answer)) <= 40


def test_a_quote_stands_where_it_is_said_to_stand_or_somewhere_else_or_nowhere(path: Path):
    again = RunRereading(str(path))
    assert again.standing(Quote((5,), "E assert 3 == 1")) == QuoteLocation(5)
    assert again.standing(Quote((3,), "assert 3 == 1")) == QuoteLocation(None, (5,))
    assert again.standing(Quote((3, 5), "assert 3 == 1")) == QuoteLocation(5)
    assert again.standing(Quote((), "assert 3 == 1")) == QuoteLocation(5)
    assert again.standing(Quote((1,), "return sum(cart) + 9")) == QuoteLocation(None)
    assert again.standing(Quote((1,), "def total ... + 1")) == QuoteLocation(1)
    assert again.standing(Quote((1,), "+ 1 ... def total")) == QuoteLocation(None)
    assert again.standing(Quote((1,), "...")) == QuoteLocation(None)
    assert again.standing(Quote((0,), "1 too high")) == QuoteLocation(0)
    assert again.standing(Quote((99,), "assert 3 == 1")) == QuoteLocation(None, (5,))


def test_a_masked_word_of_a_quote_may_be_any(tmp_path: Path):
    path = written(tmp_path / "secret.traj.json", [("I log in.", "login", f"password = {PASSWORD} is set"), *STEPS[1:]])
    again = RunRereading(str(path))
    assert again.standing(Quote((1,), "password = <secret:3f2a> is set")).step == 1
    assert again.standing(Quote((1,), "password = <secret:3f2a> is not set")).step is None


def test_a_quote_is_read_in_the_files_as_they_are_now(tmp_path: Path):
    path = written(tmp_path / "shop.traj.json")
    before = RunRereading(str(path))
    path.write_text(path.read_text().replace("assert 3 == 1", "assert 4 == 1"))
    assert before.standing(Quote((5,), "assert 3 == 1")).step == 5
    assert RunRereading(str(path)).standing(Quote((5,), "assert 3 == 1")).step is None
    assert json.loads(path.read_text())["info"]["exit_status"] == "Submitted"


# -- questions without a model ---------------------------------------------------------------------------------------

QUESTIONS: list[tuple[str, What]] = [
    ("", "why"),
    ("why did it fail", "why"),
    ("where did it go wrong?", "why"),
    ("what is the root cause", "why"),
    ("what did it change", "changes"),
    ("which files were modified?", "changes"),
    ("which checks failed", "failed-checks"),
    ("did the tests pass?", "checks"),
    ("which steps failed", "errors"),
    ("show step 7", "step"),
    ("what happened at step 12?", "step"),
    ("show 7", "step"),
    ("what happens here?", "step"),
    ("steps 3-9", "steps"),
    ("diff 3 7", "diff"),
    ("what changed between step 3 and step 7", "diff"),
    ("search foo bar", "search"),
    ("where does maxlength appear", "search"),
    ("show shop.py", "file"),
    ("what was the task", "task"),
    ("how did it end?", "outcome"),
    ("what did it cost", "cost"),
    ("what did it do", "tree"),
    ("what would have helped", "advice"),
    ("what else could it be", "others"),
    ("is it stuck in a loop?", "patterns"),
    ("compare with the other run", "compare"),
    ("what is the weather", "unknown"),
]


@pytest.mark.parametrize(("question", "what"), QUESTIONS)
def test_a_question_is_known_by_its_words(question: str, what: What):
    assert classify_question(question).what == what


def test_its_numbers_and_texts_are_taken_with_it():
    assert classify_question("what changed between step 3 and step 7?").numbers == (3, 7)
    assert classify_question("show step 7 result").text == "result"
    assert classify_question("where does `max length` appear?").text == "max length"


def test_who_asks_why_it_failed_says_that_it_failed(path: Path):
    assert says_failed("why did it fail?") and not says_failed("did it fail?") and not says_failed("what failed")
    assert opened(bench_of(path, "why did it fail").case).failed
    assert not opened(bench_of(path, "").case).failed


@given(st.text(max_size=60))
def test_any_question_is_one_of_them(question: str):
    assert classify_question(question).what


def test_of_a_run_that_shows_nothing_only_the_place_to_look_is_named(tmp_path: Path):
    passing = [
        *STEPS[:2],
        ("One less.", "sed -i 's/ + 1//' shop.py", ""),
        ("Again.", "pytest -q", "1 passed"),
        STEPS[5],
    ]
    path = written(tmp_path / "quiet.traj.json", passing)
    known = "\n".join(diagnosis(opened(bench_of(path, "why did it fail").case)))
    assert "You say that it failed, so look first at step 3: it " in known and "(shop.py). Compare it" in known
    assert "Recommendation" not in known
    unknown = "\n".join(diagnosis(opened(bench_of(path).case)))
    assert unknown.startswith("Nothing is said of where it went wrong") and "If you know that it failed" in unknown


def test_a_diagnosis_quotes_what_was_read_again(path: Path):
    text = "\n".join(diagnosis(opened(bench_of(path).case)))
    assert "most likely went wrong at step 4" in text and "- step 5: `E assert 3 == 1`" in text
    assert "left out" not in text
