from __future__ import annotations

import click
import pytest

from dap_ai.commands.ask import command
from dap_ai.commands.debug import command as debug
from dap_ai.commands.options.command_line import (
    BreakpointOption,
    breakpoints_by_file,
    misplaced_options,
    parse_assignments,
    parse_breakpoints,
    split,
)

OPTIONS = {"-q": True, "--question": True, "--json": False, "--then": True, "--help": False, "-h": False, "-m": True}


@pytest.mark.parametrize(
    ("line", "ours", "program"),
    [
        ("p.py", "", "p.py"),
        ("-q why p.py a b", "-q why", "p.py a b"),
        ("p.py a -q why b --json", "-q why --json", "p.py a b"),
        ("p.py --then quit", "--then quit", "p.py"),
        ("p.py --then=quit", "--then=quit", "p.py"),
        ("p.py --verbose -x --out=f", "", "p.py --verbose -x --out=f"),
        ("p.py -qwhy -xq", "", "p.py -qwhy -xq"),
        ("p.py -- -q why", "", "p.py -q why"),
        ("--json -- p.py --json -- -q", "--json", "p.py --json -- -q"),
        ("-m pytest -q --json x", "-m pytest", "-q --json x"),
        ("--json -m pytest -m slow", "--json -m pytest", "-m slow"),
        ("p.py -m slow", "", "p.py -m slow"),
        ("--help", "--help", ""),
        ("p.py --help", "", "p.py --help"),
        ("p.py -h", "", "p.py -h"),
        ("-q -x p.py", "-q -x", "p.py"),
        ("--verbose p.py", "--verbose", "p.py"),
        ("p.py --json=x", "", "p.py --json=x"),
        ("p.py -", "", "p.py -"),
        ("p.py -q", "-q", "p.py"),
        ("-m", "-m", ""),
    ],
)
def test_our_options_are_told_from_the_programs(line, ours, program):
    assert split(line.split(), OPTIONS) == (ours.split(), program.split())


def test_the_table_of_options_is_the_commands_own():
    context = click.Context(command, info_name="ask", resilient_parsing=True)
    rest = command.parse_args(context, ["--env", "A=1", "p.py", "--each-stop", "-b", "x", "--unknown", "--", "--json"])
    assert rest == []
    assert context.params["program"] == ("p.py", "--unknown", "--json")
    assert context.params["each_stop"]
    assert not context.params["json_lines"]


def test_an_unknown_option_before_program_is_a_usage_error():
    with pytest.raises(click.UsageError, match="--unknown"):
        command.make_context("ask", ["--unknown", "p.py"])


@pytest.mark.parametrize("line", ["-q", "p.py -q", "p.py --model", "p.py -b"])
def test_an_option_without_its_value_is_a_usage_error(line):
    with pytest.raises(click.UsageError, match=r"Option '.+' requires an argument"):
        command.make_context("ask", line.split())


def test_a_second_question_is_refused_and_not_forgotten():
    with pytest.raises(click.UsageError, match="--chat"):
        command.make_context("ask", ["-q", "why?", "p.py", "-q", "where?"])


@pytest.mark.parametrize(("line", "question"), [("p.py", ""), ("p.py -q why?", "why?")])
def test_a_question_is_a_text(line, question):
    assert command.make_context("ask", line.split()).params["question"] == question


@pytest.mark.parametrize("spelling", ["-v", "--verbose"])
def test_verbose_is_ours_before_program_and_the_programs_after_it(spelling):
    context = command.make_context("ask", [spelling, "p.py", spelling])
    assert context.params["verbose"]
    assert context.params["program"] == ("p.py", spelling)


@pytest.mark.parametrize("module", ["pytest", "unittest", "twisted.trial"])
@pytest.mark.parametrize("option", [["-q", "why is x 3?"], ["--question", "why not"], ["--question=why?"]])
def test_a_question_that_would_go_to_a_test_runner_is_refused_and_explained(module, option):
    with pytest.raises(click.UsageError, match=f"^{option[0][:2]}.* stands after -m {module}, .* Put it before -m"):
        command.make_context("ask", ["-m", module, "tests", *option])


@pytest.mark.parametrize("option", [["-q", "-x"], ["-q"], ["-q", "tests/test_a.py"], ["--", "-q", "why is x 3?"]])
def test_what_a_test_runner_can_take_is_passed_to_it(option):
    with command.make_context("ask", ["-m", "pytest", *option]) as context:
        assert context.params["program"] == tuple(option)
        assert misplaced_options() == []


@pytest.mark.parametrize(
    ("line", "noted"),
    [
        (["-q", "why is x 3?"], "-q"),
        (["--level", "mutate"], "--level"),
        (["--level=mutate"], "--level"),
        (["-b", "shop.py:12"], "-b"),
        (["-b", "shop.py:12:x > 3"], "-b"),
        (["-b"], ""),
        (["-v", "--help", "--verbose", "-m", "slow", "--own"], ""),
        (["--", "--level", "mutate"], ""),
    ],
)
def test_options_of_ours_among_a_modules_arguments_are_noted(line, noted):
    with command.make_context("ask", ["-m", "shop", *line]) as context:
        assert context.params["program"] == tuple(line)
        told = f"{noted} stands after -m shop, so shop gets it: put dap-ai's own options before -m"
        assert misplaced_options() == ([told] if noted else [])


def test_debug_notes_its_own_options_and_no_question_which_it_does_not_take():
    with debug.make_context("debug", ["-m", "pytest", "-q", "why is x 3?", "-b", "a.py:1", "-x"]):
        assert [note.partition(" ")[0] for note in misplaced_options()] == ["-b"]


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text("a = 1\nb = 2\n")
    return str(tmp_path / "p.py")


def test_a_breakpoint_has_an_absolute_file_and_may_have_a_condition(source):
    assert parse_breakpoints(None, None, ["p.py:2", "p.py:1:d[1:2] == 'x:y'"]) == [
        BreakpointOption(source, 2),
        BreakpointOption(source, 1, "d[1:2] == 'x:y'"),
    ]


@pytest.mark.parametrize("text", ["p.py", "p.py:", "p.py:x", "p.py:0", "p.py:99", "absent.py:1", ":3"])
@pytest.mark.usefixtures("source")
def test_a_breakpoint_that_cannot_be_is_refused(text):
    with pytest.raises(click.BadParameter):
        parse_breakpoints(None, None, [text])


def test_breakpoints_of_one_file_go_in_one_request():
    assert breakpoints_by_file(
        [BreakpointOption("/a", 1), BreakpointOption("/b", 2), BreakpointOption("/a", 3, "x")]
    ) == {
        "/a": [{"line": 1}, {"line": 3, "condition": "x"}],
        "/b": [{"line": 2}],
    }


def test_an_assignment_may_hold_equals_signs_and_be_empty():
    assert parse_assignments(None, None, ["A=b=c", "E="]) == {"A": "b=c", "E": ""}


@pytest.mark.parametrize("text", ["A", "=b", ""])
def test_an_assignment_without_a_name_or_equals_is_refused(text):
    with pytest.raises(click.BadParameter):
        parse_assignments(None, None, [text])
