"""Whole answers over programs that failed in this process, read through the real inspector."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from dap_ai.agent.case.evidence import ABOUT
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.report.headline import MOST_WORDS
from dap_ai.agent.report.wording import HAPPENED, NOW, WHY
from dap_ai.agent.session_agent import SessionAgent
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.python.analysis.claims.explain import _in_short
from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import HistoryItem, NotAnswered, StopEvent
from dap_ai.settings.configuration import Settings
from tests.unit.agent.harness import Stopped, ask, context, fail
from tests.unit.agent.programs import PROGRAMS, faulty_lines

SHOP = """
PRICES = {"tea": 3, "milk": 2}

def price(name):
    return PRICES[name]

def bill(order):
    total = 0
    for name in order:
        total += price(name)
    return total

bill(["tea", "Milk"])
"""


@pytest.fixture
def shop(tmp_path: Path) -> Stopped:
    program = tmp_path / "shop.py"
    program.write_text(SHOP)
    return fail(program)


def halted(tmp_path: Path) -> Stopped:
    """A program that stands at a line, without an exception."""
    text = "def f(n):\n    total = n * 2\n    half = total / 4\n    return half\n\nf(6)\n"
    return halted_at(tmp_path, text, line=3)


def halted_at(tmp_path: Path, text: str, *, line: int, hit: int = 1) -> Stopped:
    """A program that stands at a line which it has reached for the `hit`th time."""
    program = tmp_path / "halted.py"
    program.write_text(text)
    hits = 0
    space: dict[str, object] = {"__name__": "__main__"}
    stands: list[Stopped] = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename != str(program):
            return None
        nonlocal hits
        if event == "line" and frame.f_lineno == line:
            hits += 1
            if hits == hit:
                stands.append(Stopped([(frame, line, frame.f_lasti)], reason="breakpoint"))
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        exec(compile(program.read_text(), str(program), "exec"), space)  # noqa: S102  our own text
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    return stands[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_faulty_line_is_among_the_first_three_suspects(name: str, tmp_path: Path):
    text, _ = PROGRAMS[name]
    program = tmp_path / f"{name}.py"
    program.write_text(text)
    answer, _ = ask(fail(program))
    assert {s.line for s in answer.suspects[:3]} & set(faulty_lines(text))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_holds_the_value_that_proves_it(name: str, tmp_path: Path):
    text, proof = PROGRAMS[name]
    program = tmp_path / f"{name}.py"
    program.write_text(text)
    answer, _ = ask(fail(program))
    assert proof in answer.text


def test_after_its_verdict_the_answer_has_its_four_parts_in_order(shop: Stopped):
    answer, _ = ask(shop)
    parts = [answer.text.index(f"**{title}") for title in ("Root cause", "Recommendation", "What happened", "Why")]
    assert parts == sorted(parts)
    assert parts[0] > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_line_is_one_short_sentence_with_the_place(name: str, tmp_path: Path):
    program = tmp_path / f"{name}.py"
    program.write_text(PROGRAMS[name][0])
    first = ask(fail(program))[0].text.splitlines()[0]
    assert len(first.split()) <= MOST_WORDS
    assert ".py:" in first


def test_a_missing_key_names_the_key_that_differs_in_case_only(shop: Stopped):
    assert "there is `'milk'`, which differs in case only" in ask(shop)[0].text.replace("There", "there")


def test_the_answer_says_once_that_no_model_was_used(shop: Stopped):
    assert ask(shop)[0].text.count("No language model was used") == 1


def test_what_the_sink_heard_is_the_answer(shop: Stopped):
    answer, heard = ask(shop)
    assert "".join(heard.text("answer").split()) == "".join(answer.text.split())


def test_the_first_status_says_that_nothing_leaves_the_machine(shop: Stopped):
    assert ask(shop)[1].items[0][:2] == ("status", "offline: no language model, nothing leaves this machine")


def test_each_read_is_a_tool_step_with_its_time(shop: Stopped):
    _, heard = ask(shop, level="observe")
    assert [step.name for _, _, step in heard.items if step] == shop.calls


def test_evidence_is_confirmed_by_a_second_reading(shop: Stopped):
    answer, _ = ask(shop)
    assert [e.confirmed for e in answer.evidence] == [True] * len(answer.evidence) != []


def test_a_crash_costs_at_most_four_round_trips(shop: Stopped):
    ask(shop)
    assert len(shop.calls) <= 4


def test_a_stop_that_ends_before_anything_is_read_is_not_answered(shop: Stopped):
    shop.ends_after = 1
    answer, _ = ask(shop)
    assert isinstance(answer, NotAnswered) and answer.stale


def test_a_stop_that_ends_later_is_answered_as_stale_and_named_first(shop: Stopped):
    shop.ends_after = 2
    answer, _ = ask(shop)
    assert answer.stale
    assert answer.text.startswith(f"{ABOUT} shop.py:5")
    assert not any(e.confirmed for e in answer.evidence)


def test_a_question_about_a_name_is_answered_with_its_value_and_where_it_comes_from(shop: Stopped):
    answer, _ = ask(shop, "where does `name` come from?")
    assert "`name` is `'Milk'`" in answer.text
    assert "shop.py:10`" in answer.text


def test_the_value_of_an_operation_comes_before_those_of_its_operands(tmp_path: Path):
    answer, _ = ask(halted(tmp_path), "what does total + n give?")
    assert answer.text.startswith(f"{NOW} `total + n` is `18` at ")


def test_words_with_hyphens_are_not_evaluated_where_nothing_can_be_read(tmp_path: Path):
    stopped = halted(tmp_path)
    stopped.can_inspect = False
    answer, _ = ask(stopped, "is it off-by-one, or what is total/n?")
    assert "`total / n` was not evaluated" in answer.text
    assert "off - by" not in answer.text


def test_colours_in_an_exceptions_message_are_left_out(tmp_path: Path):
    program = tmp_path / "coloured.py"
    program.write_text('n = 1\nassert n == 2, "\\x1b[0m\\x1b[91m- top-10\\x1b[39;49;00m"\n')
    assert "`AssertionError: - top-10` at " in ask(fail(program))[0].text


@pytest.mark.parametrize(
    "lookup", ["data.pop('z')", "[data[k] for k in ('x', 'z')]", "sorted('xz', key=lambda k: data[k])"]
)
def test_a_missing_key_names_the_keys_however_it_was_looked_up(lookup: str, tmp_path: Path):
    program = tmp_path / "lookup.py"
    program.write_text(f"def f(data):\n    return {lookup}\n\nf({{'x': 1, 3: 2}})\n")
    assert "`data` has no key `'z'`; its keys are `'x', 3`." in ask(fail(program))[0].text


def test_the_keys_of_another_dict_of_the_same_name_are_not_told(tmp_path: Path):
    program = tmp_path / "rows.py"
    program.write_text(
        "def f(rows):\n    row = {'own': 1}\n    return [row['z'] for row in rows], row\n\nf([{'x': 1}])\n"
    )
    assert "'own'`" not in ask(fail(program))[0].text


def test_a_for_loop_sets_its_target(tmp_path: Path):
    program = tmp_path / "loop.py"
    program.write_text("def f(counts):\n    for site, count in counts:\n        assert count < 2\n\nf([('a', 2)])\n")
    answer, _ = ask(fail(program))
    assert "loop.py:2` in `f` sets `count`" in answer.text


def test_a_question_about_an_expression_reads_it(shop: Stopped):
    assert "is `2`" in ask(shop, "what is PRICES['milk']")[0].text


def test_a_follow_up_at_another_stop_says_that_the_program_has_moved_on(shop: Stopped):
    agent = SessionAgent(Settings())
    ask(shop, agent=agent)
    shop.epoch = 2
    assert ask(shop, agent=agent)[0].text.startswith("The program has continued")


def test_files_of_a_failure_are_parsed_before_the_question_but_no_library_and_not_many(tmp_path: Path):
    names = ["a.py", "lib/python3.11/b.py", "c.py", "d.py", "e.py"]
    paths = [str(tmp_path / name) for name in names]
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("x = 1\n")
    agent = SessionAgent(Settings())
    asyncio.run(agent.look_ahead([*paths, "", "<string>", str(tmp_path / "missing.py")]))
    parsed = [name for name, path in zip(names, paths, strict=True) if "index" in vars(agent._sources.read(path))]
    assert parsed == ["a.py", "c.py", "d.py"]


def test_a_follow_up_while_it_runs_is_answered_from_the_conversation(shop: Stopped):
    agent = SessionAgent(Settings())
    ask(shop, agent=agent)
    answer, _ = ask(Stopped([]), "which key was missing?", agent=agent)
    assert "'Milk'" in answer.text


def test_a_question_while_it_runs_shows_the_output_and_what_to_do():
    answer, _ = ask(Stopped([], output=[("stdout", "ready\n")]))
    assert "ready" in answer.text
    assert "Pause the program" in answer.text


def test_a_breakpoint_is_answered_with_where_the_values_came_from(tmp_path: Path):
    answer, _ = ask(halted(tmp_path))
    assert "this line has not run yet" in answer.text
    assert "`total` is now `12`" in answer.text


def test_without_a_inspector_scopes_and_variables_are_enough(shop: Stopped):
    shop.can_inspect = False
    answer, _ = ask(shop)
    assert "KeyError" in answer.text
    assert not {"evaluate", "inspect"} & set(shop.calls)


@pytest.mark.parametrize("budget", [20, 60, 150, 400, 2000])
def test_the_context_is_never_over_its_budget(budget: int, shop: Stopped):
    assert len(context(shop, budget)) <= 4 * budget


@pytest.mark.parametrize("budget", [60, 150])
def test_a_context_that_was_cut_says_so(budget: int, shop: Stopped):
    assert "..." in context(shop, budget)


def test_the_context_of_a_crash_is_within_a_kilobyte_beside_source(shop: Stopped):
    rows = context(shop).split("\n")
    assert sum(len(row) + 1 for row in rows if row[:1] not in (" ", ">", "`")) <= 1024


def test_the_context_holds_what_the_user_did(shop: Stopped):
    shop.did = [HistoryItem("evaluate", "order[1]", "'Milk'")]
    assert "order[1] -> 'Milk'" in context(shop)


def test_context_only_answers_with_the_context(shop: Stopped):
    assert ask(shop, context_only=True)[0].text == context(shop)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_analyst_has_no_error_at_any_line(name: str, tmp_path: Path):
    text, _ = PROGRAMS[name]
    program = tmp_path / f"{name}.py"
    program.write_text(text)
    sources = Sources()
    for line in range(len(text.splitlines()) + 2):
        frame = StackFrame(1, "f", str(program), line, user=True)
        place = FramePlace(frame, sources.read(str(program)))
        assert analyse(StopSnapshot(StopEvent(1, 1, None, "step"), sources, [frame], [place], Inspection(frames=[])))


def test_an_operand_that_stands_twice_in_the_line_is_told_once(tmp_path: Path):
    program = tmp_path / "pages.py"
    program.write_text("items, first, size = [1, 2], '', '20'\nitems[first : first + size]\n")
    what_happened = ask(fail(program))[0].text.partition(HAPPENED)[2].partition(WHY)[0]
    assert what_happened.count("`first` is `''` (`str`)") == 1


def test_nobody_is_advised_to_ask_where_a_builtin_comes_from(tmp_path: Path):
    program = tmp_path / "stock.py"
    program.write_text(
        'PRICES = {"fig": None}\n\ndef total(cart):\n    return sum(PRICES[n] * c for n, c in cart)\n\ntotal([("fig", 1)])\n'
    )
    answer, _ = ask(fail(program), "")
    assert "where does sum come from" not in answer.text
    assert "Next steps" in answer.text


def test_code_that_is_cut_in_a_reason_ends_as_code():
    assert _in_short("the failing check passes with `" + "x" * 300 + "` here").count("`") == 2


def test_an_error_of_a_library_is_told_by_its_words_and_not_by_a_value_of_the_line(tmp_path: Path):
    program = tmp_path / "settings.py"
    program.write_text("import locale\nx = 'no such'\nlocale.setlocale(locale.LC_ALL, x)\n")
    text = ask(fail(program))[0].text
    assert text.startswith("`locale.Error`: unsupported locale setting at `settings.py:3`.")
