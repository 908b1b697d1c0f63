"""Hostile runs: whatever stands in commands, arguments and results, analysis ends, in time by the size of it."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_ai.debuggees.runs.analysis.analyse import analyse, analyse_against
from dap_ai.debuggees.runs.analysis.analysis_model import STRENGTH, RunAnalysis
from dap_ai.debuggees.runs.analysis.call_effects import Context, read_call
from dap_ai.debuggees.runs.analysis.command_lines.inline_code import read_code
from dap_ai.debuggees.runs.analysis.command_lines.patches import writes_of_patch
from dap_ai.debuggees.runs.analysis.command_lines.shell_effects import read_shell
from dap_ai.debuggees.runs.analysis.onset.onset_context import texts_of
from dap_ai.debuggees.runs.analysis.rule_tables import tools
from dap_ai.debuggees.runs.analysis.run_differences import between_steps, compare, workspace
from dap_ai.debuggees.runs.analysis.runner_output import read_output
from dap_ai.debuggees.runs.run_model import Event, Outcome, Ref, Run
from tests.patience import patient
from tests.unit.debuggees.runs.analysis.examples import CHANGES, OTHERS

TEXTS = [text for text, _ in CHANGES] + [text for _, text in OTHERS]
SHELL = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "cat",
                "<<EOF\n",
                "\nEOF\n",
                ">",
                ">>",
                "|",
                "&&",
                ";",
                "(",
                ")",
                "{",
                "}",
                "'",
                '"',
                "`",
                "$(",
                "${",
                "\\",
                "\n",
                "#",
            ]
        ),
        st.sampled_from(
            [
                "sed -i",
                "python - ",
                "git checkout",
                "cd ..",
                "f.py",
                "if",
                "then",
                "fi",
                "for i in",
                "do",
                "done",
                "case",
                "esac",
                "[[",
                "&",
            ]
        ),
        st.sampled_from(TEXTS),
        st.text(max_size=12),
    ),
    max_size=25,
).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | SHELL,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted(
    {
        name
        for tool in tools().tools.values()
        for name in (*tool.path, tool.old, tool.new, tool.content, *tool.patch, tool.edits, tool.by, *tool.code)
        if name
    }
)
ARGUMENTS = st.dictionaries(st.sampled_from([*FIELDS, "command", "cmd", "keystrokes"]), VALUES, max_size=5)
TOOLS = st.sampled_from([*tools().tools, *tools().shells, "mcp__x__read_file", "nobody knows"]) | st.text(max_size=10)


@given(
    SHELL | st.text(max_size=300) | st.binary(max_size=300).map(lambda data: data.decode("utf-8", "surrogateescape"))
)
def test_any_shell_text_has_one_effect_and_writes_text_paths(text):
    seen = read_shell(text, "/w")
    assert seen.kind() in STRENGTH
    assert all(isinstance(write.path, str) for write in seen.writes)


@given(TOOLS, ARGUMENTS, st.booleans())
def test_any_call_of_any_tool_has_one_effect(tool, arguments, swe_agent):
    event = Event(0, "call", Ref(), tool=tool, arguments=arguments, text=str(arguments.get("command") or ""))
    assert read_call(event, Context("/w", "/w/open.py"), swe_agent=swe_agent).kind() in STRENGTH


@given(st.text(max_size=400) | SHELL)
def test_any_text_is_read_as_a_patch_as_code_and_as_output(text):
    list(writes_of_patch(text))
    list(writes_of_patch(f"*** Begin Patch\n{text}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n{text}"))
    read_code(text)
    read_output(text, "pytest")


EVENTS = st.builds(
    dict,
    kind=st.sampled_from(["response", "call", "result", "error", "note", "end"]),
    step=st.integers(-1, 6),
    text=SHELL | st.text(max_size=40),
    tool=TOOLS,
    arguments=st.none() | ARGUMENTS,
    exit_code=st.none() | st.integers(-(2**40), 2**40),
    status=st.sampled_from(["ok", "error", "unknown"]),
)
RUNS = st.builds(
    lambda events, name, verdict: Run(
        "/r",
        name,
        events=[Event(index, ref=Ref(), **fields) for index, fields in enumerate(events)],
        outcome=Outcome(verdict),
        task="do f.py",
    ),
    st.lists(EVENTS, max_size=14),
    st.sampled_from(["swe-agent", "mini-swe-agent", "other"]),
    st.sampled_from(["solved", "limit", "failed", "unknown"]),
)


@given(RUNS, RUNS)
def test_any_run_is_analysed_alike_each_time_and_each_step_has_a_node(run, other):
    found, again = analyse(run), analyse(run)
    assert found == again
    numbers = [effect.step for effect in found.effects]
    assert [node.step for node in found.tree] == numbers
    assert all(set(pattern.steps) <= set(numbers) for pattern in found.patterns)
    assert all(stage.first <= stage.last for stage in found.stages)
    compare(run, found, other, analyse(other))
    workspace(found, 0, 99)
    if numbers:
        between_steps(run, numbers[0], numbers[-1])


@given(RUNS, RUNS, st.booleans())
def test_the_onset_of_any_run_has_steps_that_exist_and_quotes_that_stand_where_they_are_said_to(run, other, failed):
    for number, event in enumerate(run.events):
        event.ref = Ref("run.jsonl", (number + 1, number + 1))
    numbers = {event.step for event in run.events if event.step}
    for found in (analyse(run, failed=failed), analyse_against(run, other, failed=failed)):
        onset = found.finding.onset
        assert (onset is None) == bool(found.finding.why)
        for one in [onset, *onset.alternatives] if onset else []:
            assert {one.step, one.first, one.last, *(link.step for link in one.chain)} <= numbers
            assert one.first <= one.step <= one.last and 0 < one.confidence < 1
            for evidence in one.evidence:
                [event] = [event for event in run.events if event.ref == evidence.ref]
                assert evidence.quote and any(evidence.quote in text for text in texts_of(event))
    assert analyse_against(run, other, failed=failed) == analyse_against(run, other, failed=failed)


HOSTILE = {
    "parentheses": "(",
    "braces": "{ ",
    "quotes": '"',
    "single quotes": "'",
    "backticks": "`",
    "substitutions": "$(",
    "expansions": "${a",
    "here-documents": "<<a ",
    "ifs": "if ",
    "cases": "case a in ",
    "redirections": "> a ",
    "pipes": "a |",
    "commands": "rm a;",
    "assignments": "a=b ",
    "options": "-i ",
    "opens": "open(",
    "opens of names": "open(a, ",
    "opens of text": "open('",
    "edits": "edit_file_by_replace('",
    "blank lines": "\n",
    "blanks": " ",
    "hunks": "@@ -1 +1 @@\n-a\n+b\n",
    "files of patches": "*** Update File: a\n",
    "tracebacks": "Traceback (most recent call last):\n",
    "versions": "print(__version__ ",
    "summaries": "1 passed in 1",
    "calls": "f(a ",
    "closed calls": "f (a ) ",
    "here-documents with ends": "cat <<E\nE\n",
    "tests": "Tests: 1 passed 1 ",
    "nulls": "\0",
    "escapes": "\x1b[",
    "zeros": "0",
    "repetitions of words": "1 a1",
}


def seconds(text):
    start = time.process_time()
    for run in (made("bash", text, text), made("run_ipython", text, text), made("apply_patch", text, text)):
        analyse(run)
    return time.process_time() - start


def made(tool, text, result):
    name = {"bash": "command", "run_ipython": "code", "apply_patch": "input"}[tool]
    fields = {"tool": tool, "step": 1, "text": text, "arguments": {name: text}}
    return Run(
        "/r",
        "other",
        events=[
            Event(0, "response", Ref(), step=1, text=text),
            Event(1, "call", Ref(), **fields),
            Event(2, "result", Ref(), step=1, text=result),
        ],
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hundred_kilobytes_of_anything_take_time_by_their_size(name):
    part = HOSTILE[name]
    assert seconds(part * (100_000 // len(part))) < patient(3.0)


def test_a_megabyte_of_random_text_takes_time_by_its_size():
    text = "".join(random.Random(1).choices("ab \"'$(){}<>|&;\n\\=-#`0", k=1_000_000))  # noqa: S311  no secret
    assert seconds(text) < patient(3.0)


def test_ten_thousand_steps_take_time_by_their_number():
    events = []
    for step in range(1, 10_001):
        command = ["cat a.py", "sed -i '3s/a/b/' a.py", "pytest", "git checkout a.py"][step % 4]
        events.append(
            Event(2 * step, "call", Ref(), step=step, tool="bash", arguments={"command": command}, text=command)
        )
        events.append(Event(2 * step + 1, "result", Ref(), step=step, text="1 failed in 0.1s", exit_code=0))
    start = time.process_time()
    found = analyse(Run("/r", "other", events=events))
    assert time.process_time() - start < patient(15.0)
    assert isinstance(found, RunAnalysis)
